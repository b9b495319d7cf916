// Weights from a file, as the binary32 numbers that quantizers see.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "interpreter/tensor.hpp"

namespace qassay {

struct NamedWeights {
  std::string name;
  Tensor values;  ///< binary32
};

struct WeightsFile {
  std::vector<NamedWeights> tensors;
  std::vector<std::string> left_out;  ///< of a .safetensors file: tensors that can be no weights
};

/// A .npy file ("w.npy", "w.npy:bfloat16"), or from a .safetensors file the tensors named, or all that are floating and
/// have two axes and elements. Other floating types become binary32 where they lose nothing. Throws RequestError.
WeightsFile read_weights(const std::string& path, const std::vector<std::string>& names);

}  // namespace qassay
