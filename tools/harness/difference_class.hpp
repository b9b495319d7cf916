// In which way two outputs of one element differ.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>

#include "tools/harness/compare.hpp"
#include "tools/harness/shown_element.hpp"

namespace qassay {

/// The first that holds of an element is its class.
enum class DifferenceClass : std::uint8_t {
  nan_input,
  infinite_input,
  nan_on_one_side,
  opposite_ends,
  infinity_on_one_side,
  end_on_one_side,
  sign_of_zero,
  tie,
  one_ulp,
  several_ulp,
  one_step,
  several_steps,
  without_measure,
};

/// An element with what its class depends on.
struct DifferingElement {
  Type type = Type::float32;  ///< of the output
  Difference difference;
  std::optional<TypedBits> input;  ///< the first, where the element comes from one
  bool is_tie = false;             ///< the exact quotient of input and scale lies halfway between two integers
  double lowest = 0;               ///< the ends that the output can reach
  double highest = 0;
};

struct DifferenceClassRow {
  DifferenceClass kind;
  std::string_view name;
  std::string_view about;
  bool (*holds)(const DifferingElement&);
};

/// All classes, in the order in which they are tried.
std::span<const DifferenceClassRow> difference_classes();
const DifferenceClassRow& row(DifferenceClass kind);
DifferenceClass class_of(const DifferingElement& element);

/// At these and beyond a value is at an end of what an output can reach.
struct Ends {
  double lowest = 0;
  double highest = 0;
};

/// The elements of one output of a case. Arguments and inputs must outlive it.
class DifferingElements {
 public:
  /// Without arguments (of a request that must be refused) only the outputs count.
  DifferingElements(const Formula& formula, const Arguments* arguments, const Inputs& inputs, std::size_t output,
                    const Tensor& got);

  DifferingElement at(std::size_t element, std::uint64_t expected, std::uint64_t got) const;

 private:
  const Tensor* input_ = nullptr;
  Type type_;
  Grid grid_;
  std::function<double(std::size_t)> scale_;  ///< of a formula that rounds quotients to integers; else empty
  double lowest_ = 0;
  double highest_ = 0;
  std::function<Ends(std::size_t)> ends_;  ///< of a real output on a grid of codes; else empty
};

}  // namespace qassay
