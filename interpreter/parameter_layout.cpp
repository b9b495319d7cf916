#include "interpreter/parameter_layout.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace qassay {

Position ParameterLayout::position(std::size_t element) const {
  if (is_per_tensor) return {};
  std::size_t index = 0;
  std::size_t stride = 1;
  auto rest = static_cast<std::int64_t>(element);
  for (std::size_t d = extents.size(); d-- > 0;) {
    index += static_cast<std::size_t>((rest % extents[d]) / block[d]) * stride;
    stride *= static_cast<std::size_t>((extents[d] + block[d] - 1) / block[d]);
    rest /= extents[d];
  }
  return {index};
}

namespace {

[[noreturn]] void refuse(ErrorKind kind, const std::string& message) {
  throw RequestError(kind, message);
}

/// Whether a tensor of this shape is one value for all elements, however they are sliced.
bool is_one_value(const Shape& shape, Spread spread) {
  switch (spread) {
    case Spread::freely: return shape.empty() || shape == Shape{1};
    case Spread::broadcast: return element_count(shape) == 1;
    default: return shape.empty();
  }
}

/// How the slices lie: as the first parameter that has more than one value, or, for what reduces, as its signature
/// says.
std::optional<Spread> slices_of(const Arguments& arguments) {
  const Signature& signature = *arguments.signature;
  if (signature.kind != FormulaKind::reduce) {
    for (const Parameter& parameter : signature.parameters) {
      if (!is_spread(parameter.kind) || parameter.spread == Spread::alone) continue;
      const Shape& shape = arguments[parameter.role].tensor->shape();
      if (!is_one_value(shape, parameter.spread)) return parameter.spread;
    }
  }
  if (signature.kind == FormulaKind::elementwise || signature.slices == Spread::alone) return std::nullopt;
  if (signature.parameter(Role::block_shape) != nullptr) {
    return *arguments[Role::block_shape].shape == arguments.shape ? std::nullopt : std::optional(signature.slices);
  }
  // A composite whose slices its signature leaves open has those of its parameters alone.
  if (signature.kind == FormulaKind::composite && signature.slices == Spread::freely) return std::nullopt;
  return signature.slices;
}

/// The axis counted from the front.
std::size_t checked_axis(const Arguments& arguments) {
  const auto rank = static_cast<std::int64_t>(arguments.shape.size());
  const std::int64_t given = arguments.whole(Role::axis);
  if (given < -rank || given >= rank) {
    refuse(ErrorKind::axis_out_of_range, fmt::format("{}: axis: {} is out of range for the shape {}",
                                                     arguments.signature->id, given, to_text(arguments.shape)));
  }
  return static_cast<std::size_t>(given < 0 ? given + rank : given);
}

/// A block's extents where they must divide the tensor's.
void check_divides(const Arguments& arguments, const Shape& block, std::string_view name) {
  if (block.size() != arguments.shape.size()) {
    refuse(ErrorKind::wrong_shape,
           fmt::format("{}: {}: {} has not as many extents as the shape {}", arguments.signature->id, name,
                       to_text(block), to_text(arguments.shape)));
  }
  for (std::size_t d = 0; d < block.size(); ++d) {
    if (block[d] > 0 && arguments.shape[d] % block[d] == 0) continue;
    refuse(ErrorKind::out_of_domain, fmt::format("{}: {}: {} does not divide the shape {}", arguments.signature->id,
                                                 name, to_text(block), to_text(arguments.shape)));
  }
}

Shape blocks_of(const Shape& extents, const Shape& block) {
  Shape grid = extents;
  for (std::size_t d = 0; d < grid.size(); ++d) grid[d] = (extents[d] + block[d] - 1) / block[d];
  return grid;
}

/// The smallest shape of the first input's rank that all broadcast parameters broadcast to.
Shape common_shape(const Arguments& arguments) {
  const Signature& signature = *arguments.signature;
  Shape common(arguments.shape.size(), 1);
  for (const Parameter& parameter : signature.parameters) {
    if (parameter.spread != Spread::broadcast || !is_spread(parameter.kind)) continue;
    const Shape& shape = arguments[parameter.role].tensor->shape();
    if (is_one_value(shape, Spread::broadcast)) continue;
    const std::size_t missing = common.size() - std::min(common.size(), shape.size());
    bool fits = shape.size() <= common.size();
    for (std::size_t d = 0; fits && d < shape.size(); ++d) {
      fits = shape[d] == 1 || shape[d] == arguments.shape[missing + d];
      if (shape[d] != 1) common[missing + d] = shape[d];
    }
    if (fits) continue;
    refuse(ErrorKind::wrong_shape, fmt::format("{}: {}: the shape {} does not broadcast to {}", signature.id,
                                               parameter.name, to_text(shape), to_text(arguments.shape)));
  }
  return common;
}

/// Elements of the last dimensions that lie in one block.
std::size_t run_length_of(const Shape& extents, const Shape& block) {
  std::size_t run = 1;
  for (std::size_t d = extents.size(); d-- > 0;) {
    if (extents[d] % block[d] != 0) return run == 1 ? 1 : run;
    run *= static_cast<std::size_t>(block[d]);
    if (block[d] != extents[d]) return run;
  }
  return run;
}

}  // namespace

std::vector<std::size_t> broadcast_places(const Shape& given, const Shape& shape) {
  std::vector<std::size_t> places(static_cast<std::size_t>(element_count(shape)));
  const std::size_t missing = shape.size() - given.size();
  for (std::size_t i = 0; i < places.size(); ++i) {
    auto rest = static_cast<std::int64_t>(i);
    std::size_t stride = 1;
    for (std::size_t d = shape.size(); d-- > missing; rest /= shape[d]) {
      if (given[d - missing] != 1) places[i] += static_cast<std::size_t>(rest % shape[d]) * stride;
      stride *= static_cast<std::size_t>(given[d - missing]);
    }
  }
  return places;
}

ParameterLayout parameter_layout(const Arguments& arguments) {
  const Signature& signature = *arguments.signature;
  ParameterLayout layout;
  layout.extents = arguments.shape;
  layout.run_length = static_cast<std::size_t>(element_count(arguments.shape));
  const std::optional<Spread> slices = slices_of(arguments);
  if (!slices) return layout;
  if (signature.inputs.empty()) {
    layout.is_per_tensor = false;
    layout.block.assign(arguments.shape.size(), 1);
    layout.shape = arguments.shape;
    layout.run_length = 1;
    return layout;
  }
  if (arguments.shape.empty() && (*slices == Spread::along_tokens || *slices == Spread::in_groups))
    refuse(ErrorKind::wrong_shape, fmt::format("{}: the input has rank 0 and no last axis", signature.id));
  switch (*slices) {
    case Spread::alone: return layout;
    case Spread::freely:
      if (const Parameter* block = signature.parameter(Role::block_shape)) {
        layout.block = *arguments[Role::block_shape].shape;
        check_divides(arguments, layout.block, block->name);
        break;
      }
      if (signature.parameter(Role::axis) == nullptr) return layout;
      layout.axis = checked_axis(arguments);
      if (signature.parameter(Role::block_size) != nullptr && arguments.whole(Role::block_size) > 0) {
        layout.is_blocked = true;
        layout.block_size = static_cast<std::size_t>(arguments.whole(Role::block_size));
        layout.block.assign(arguments.shape.size(), 1);
        layout.block[layout.axis] = arguments.whole(Role::block_size);
        break;
      }
      [[fallthrough]];
    case Spread::along_axis:
      layout.axis = checked_axis(arguments);
      layout.block = arguments.shape;
      layout.block[layout.axis] = 1;
      layout.shape = {arguments.shape[layout.axis]};
      break;
    case Spread::along_tokens:
      layout.block.assign(arguments.shape.size(), 1);
      layout.block.back() = arguments.shape.back();
      break;
    case Spread::in_groups:
      layout.block.assign(arguments.shape.size(), 1);
      // A group wider than a row is the row.
      layout.block.back() =
          std::min(arguments.whole(Role::group_size), std::max<std::int64_t>(layout.extents.back(), 1));
      check_divides(arguments, layout.block, signature.parameter(Role::group_size)->name);
      break;
    case Spread::broadcast:
      layout.shape = common_shape(arguments);
      layout.block = arguments.shape;
      for (std::size_t d = 0; d < layout.block.size(); ++d) {
        if (layout.shape[d] != 1) layout.block[d] = 1;
      }
      break;
  }
  // An empty tensor has no blocks, whatever their extents.
  for (std::int64_t& extent : layout.block) extent = std::max<std::int64_t>(extent, 1);
  layout.is_per_tensor = false;
  layout.run_length = run_length_of(arguments.shape, layout.block);
  if (layout.shape.empty()) layout.shape = blocks_of(arguments.shape, layout.block);
  return layout;
}

}  // namespace qassay
