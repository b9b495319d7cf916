// Scale and zero point from inputs and outputs alone.
#pragma once

#include <optional>
#include <vector>

#include "tools/diagnosis/diagnosis.hpp"

namespace qassay {

/// What is known of the parameters to recover.
struct KnownParameters {
  std::optional<double> scale;
  std::optional<std::int64_t> zero_point;
};

/// For each zero point that some rule explains everything with: the interval of binary32 scales. The rules' outputs
/// are monotone in the scale, so its ends are found by bisection; the expected formula's own interval where it has one,
/// else that of all rules together. For quantizations and dequantizations of whole tensors. `settings` has all other
/// parameters, in the formula's own words. Empty: nothing fits. Throws RequestError where the data are too few.
std::vector<Recovered> recover(const Formula& expected, const Settings& settings, const Tensor& x, const Tensor& y,
                               const KnownParameters& known);

/// The settings with these values in.
Settings with_parameters(const Settings& settings, const Signature& signature, const std::string& scale,
                         std::int64_t zero_point);

}  // namespace qassay
