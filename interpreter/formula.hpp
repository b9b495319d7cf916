// A formula as the rest of the program sees it, whatever its kind.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "interpreter/arguments.hpp"
#include "interpreter/numeric/exact.hpp"
#include "interpreter/numeric/traced.hpp"
#include "interpreter/signature.hpp"
#include "interpreter/tensor.hpp"

namespace qassay {

using Outputs = std::map<std::string, Tensor, std::less<>>;

/// What a formula gives for whole tensors.
struct Evaluation {
  Outputs outputs;
  /// For outputs of a specification with elements that its text leaves open: 1 where it does. Absent: none.
  std::map<std::string, std::vector<std::uint8_t>, std::less<>> unspecified;
};

/// Which places' parameters an element of an elementwise formula depends on. `all_places`: an implementation decides
/// something once for the whole tensor, by looking at all of them.
enum class ParameterReach : std::uint8_t { own_place, all_places };

/// A formula: its signature and its three readings. `index` is an element of the first input in C order.
struct Formula {
  const Signature* signature;
  ParameterReach reach = ParameterReach::own_place;
  /// Throws RequestError where arguments that are right one by one do not go together.
  std::function<void(const Arguments&)> check;
  std::function<Evaluation(const Arguments&, const Inputs&)> evaluate;
  std::function<Trace(const Arguments&, const Inputs&, std::size_t index)> trace;
  /// The ideal outputs of one element, in the order of the signature.
  std::function<std::vector<Exact>(const Arguments&, const Inputs&, std::size_t index)> exact;

  std::string_view id() const { return signature->id; }

  /// Checks, then evaluates. Throws RequestError for arguments that are refused.
  Evaluation operator()(const Inputs& inputs, const Settings& settings) const;
  Arguments arguments(const Inputs& inputs, const Settings& settings) const;
};

}  // namespace qassay
