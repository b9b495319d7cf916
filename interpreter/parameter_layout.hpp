// Which elements share the values of parameters, or are reduced together.
#pragma once

#include "interpreter/arguments.hpp"

namespace qassay {

/// How parameters are spread over the elements of the first input: in blocks of one extent in every dimension.
struct ParameterLayout {
  Shape extents;               ///< of the first input
  Shape block;                 ///< a block's extents
  Shape shape;                 ///< of the parameters
  std::size_t run_length = 0;  ///< elements in a row that share parameters
  bool is_per_tensor = true;
  bool is_blocked = false;     ///< by `axis` and `block_size`
  std::size_t axis = 0;        ///< counted from the front, where the slices lie along one
  std::size_t block_size = 1;  ///< along that axis

  std::size_t slice_count() const { return static_cast<std::size_t>(element_count(shape)); }
  /// The parameters of the run that starts at an element.
  Position position(std::size_t element) const;
};
ParameterLayout parameter_layout(const Arguments& arguments);

/// For every place of `shape`, counted in C order, the place of the value that a tensor of the shape `given` has there
/// when it is broadcast.
std::vector<std::size_t> broadcast_places(const Shape& given, const Shape& shape);

}  // namespace qassay
