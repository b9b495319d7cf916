// One element with what it came from, and the command that shows its steps.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tools/cases.hpp"
#include "tools/harness/compare.hpp"

namespace qassay {

/// A number in a tensor.
struct TypedBits {
  Type type = Type::float32;
  std::uint64_t bits = 0;
};

/// A differing element with what it came from.
struct ShownElement {
  Difference difference;
  Shape index;
  std::vector<std::pair<std::string, TypedBits>> inputs;
  std::string explain;  ///< the command that shows its steps
};

/// Without arguments (of a request that must be refused) and for elements that do not come from one element of each
/// input, only the difference and its place.
ShownElement show(const Difference& difference, const Arguments* arguments, const Inputs& inputs, const Shape& shape);

/// Whether every element of an output of this shape comes from one element of each input.
bool is_element_by_element(const Signature& signature, const Inputs& inputs, const Shape& shape);

/// The command that shows the steps of one element: its own parameters, as scalars.
std::string explain_command(const Arguments& arguments, const Inputs& inputs, std::size_t element);

}  // namespace qassay
