#include "interpreter/request_maker.hpp"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

#include "catch.hpp"

namespace qassay::tests {
namespace {

/// The draft of one request: plain parameters first, because types, ranges and shapes depend on them.
class Draft {
 public:
  Draft(const Signature& signature, const Shape& shape, Spreading spreading, Dice& dice)
      : signature_(signature), shape_(shape), spreading_(spreading), dice_(dice) {
    input_type_ = signature.inputs.empty() ? Type::float32 : dice.one_of(signature.inputs.front().types);
  }

  Request make() {
    for (const Parameter& parameter : signature_.parameters) {
      if (!is_spread(parameter.kind)) set_plain(parameter);
    }
    for (const Parameter& parameter : signature_.parameters) {
      if (is_spread(parameter.kind)) set_spread(parameter);
    }
    for (const Input& input : signature_.inputs) {
      const bool is_first = &input == &signature_.inputs.front();
      request_.inputs.emplace(input.name,
                              input_tensor(is_first ? input_type_ : dice_.one_of(input.types), input.shape));
    }
    return std::move(request_);
  }

 private:
  void set(const Parameter& parameter, std::vector<std::string> texts, const Shape& shape) {
    request_.settings.emplace(parameter.name, Written{std::move(texts), shape, std::nullopt, std::nullopt});
  }

  void set_plain(const Parameter& parameter) {
    const bool is_computed = parameter.fallback == "lowest" || parameter.fallback == "highest";
    if ((is_computed || parameter.fallback == "none") && dice_.chance(2)) return;
    if (parameter.kind != ParameterKind::shape) return set(parameter, {plain_text(parameter)}, Shape{});
    if (dice_.chance(3)) return;
    std::vector<std::string> extents;
    for (const std::int64_t extent : shape_) extents.push_back(std::to_string(dice_.chance(2) ? extent : 1));
    set(parameter, std::move(extents), {static_cast<std::int64_t>(extents.size())});
  }

  std::string plain_text(const Parameter& parameter) {
    switch (parameter.kind) {
      case ParameterKind::dtype: {
        const Type type = dice_.one_of(parameter.types);
        types_[parameter.role] = type;
        return std::string(name(type));
      }
      case ParameterKind::choice: return std::string(dice_.one_of(parameter.words));
      case ParameterKind::boolean: return dice_.chance(2) ? "true" : "false";
      default: break;
    }
    const std::int64_t n = whole(parameter);
    wholes_[parameter.role] = n;
    return std::to_string(n);
  }

  std::int64_t whole(const Parameter& parameter) {
    const auto rank = static_cast<std::int64_t>(shape_.size());
    switch (parameter.role) {
      case Role::axis: return rank == 0 ? 0 : dice_.between(-rank, rank - 1);
      case Role::block_size: {
        if (spreading_ != Spreading::blocks) return 0;
        const std::int64_t length = shape_[axis()];
        return dice_.between(1, length + 1);
      }
      case Role::bins: return dice_.between(2, 6);
      case Role::rank: return std::max<std::int64_t>(rank, 1);
      case Role::levels: return std::vector<std::int64_t>{2, 3, 15, 16, 17, 255, 256, 65536}[dice_.below(8)];
      case Role::group_size: return shape_.empty() ? 1 : shape_.back();
      case Role::quant_min: return std::vector<std::int64_t>{-128, -127, 0, -8, 0, INT32_MIN, -1}[kind_of_range_];
      case Role::quant_max: return std::vector<std::int64_t>{127, 127, 255, 7, 15, INT32_MAX, -1}[kind_of_range_];
      default: return dice_.between(parameter.lowest, parameter.highest);
    }
  }

  std::size_t axis() const {
    const auto given = wholes_.find(Role::axis);
    const std::int64_t n = given == wholes_.end() ? 0 : given->second;
    return static_cast<std::size_t>(n < 0 ? n + static_cast<std::int64_t>(shape_.size()) : n);
  }

  Shape spread_shape(const Parameter& parameter) {
    const bool may_be_one = parameter.spread != Spread::along_axis;
    if (parameter.spread == Spread::alone) return {};
    if (parameter.spread == Spread::broadcast) return broadcast_shape();
    if (may_be_one && (spreading_ == Spreading::one_value || dice_.chance(6))) return {};
    if (signature_.inputs.empty())
      return parameter.spread == Spread::along_axis ? Shape{element_count(shape_)} : shape_;
    if (parameter.spread == Spread::along_tokens || parameter.spread == Spread::in_groups) {
      Shape shape = shape_;
      if (!shape.empty()) shape.back() = 1;
      return shape;
    }
    if (signature_.parameter(Role::block_shape) != nullptr) {
      const auto given = request_.settings.find(signature_.parameter(Role::block_shape)->name);
      Shape grid = shape_;
      if (given == request_.settings.end()) return {};
      for (std::size_t d = 0; d < grid.size(); ++d) grid[d] /= std::stoll(given->second.elements[d]);
      return element_count(grid) == 1 ? Shape{} : grid;
    }
    if (signature_.parameter(Role::axis) == nullptr) return {};
    if (spreading_ != Spreading::blocks) return {shape_[axis()]};
    Shape shape = shape_;
    const std::int64_t size = wholes_.at(Role::block_size);
    shape[axis()] = (shape[axis()] + size - 1) / size;
    return shape;
  }

  /// Any that broadcasts to the input's: leading dimensions may be missing.
  Shape broadcast_shape() {
    Shape shape = shape_;
    for (std::int64_t& extent : shape) {
      if (dice_.chance(2)) extent = 1;
    }
    while (!shape.empty() && shape.front() == 1 && dice_.chance(2)) shape.erase(shape.begin());
    return shape;
  }

  void set_spread(const Parameter& parameter) {
    const bool is_real = parameter.kind == ParameterKind::real || (parameter.kind == ParameterKind::integer_or_real &&
                                                                   is_floating(types_[Role::zero_point_dtype]));
    const Shape shape = spread_shape(parameter);
    std::vector<std::string> texts;
    for (std::int64_t i = 0; i < element_count(shape); ++i) {
      texts.push_back(is_real ? real_text(parameter) : std::to_string(awkward_integer(parameter)));
    }
    set(parameter, std::move(texts), shape);
    const bool may_have_another_type =
        parameter.own_type == OwnType::of_input || parameter.own_type == OwnType::of_output;
    if (is_real && may_have_another_type && dice_.chance(3)) {
      const std::vector<Type> types{Type::float16, Type::bfloat16, Type::float32};
      request_.settings.find(parameter.name)->second.type = dice_.one_of(types);
    }
  }

  std::string real_text(const Parameter& parameter) {
    if (parameter.spread == Spread::broadcast && dice_.chance(2))
      return fmt::format("{}", static_cast<double>(dice_.between(-512, 512)) / 64);
    if (parameter.role == Role::minimum) return fmt::format("{}", -static_cast<double>(dice_.between(-8, 512)) / 32);
    if (parameter.role == Role::maximum) return fmt::format("{}", static_cast<double>(dice_.between(9, 512)) / 32);
    if (parameter.role == Role::averaging_const) return "0.01";
    if (parameter.role == Role::eps) return "0x1p-12";
    if (parameter.role == Role::zero_point) return fmt::format("{}", static_cast<double>(dice_.between(-512, 512)) / 4);
    static const std::vector<std::string> scales{"0.1",          "0x1p-1", "0.3333333333", "0x1.99999ap-4", "1",
                                                 "0.0078431377", "3",      "1e-3",         "0x1p-9",        "17.03"};
    if (!dice_.chance(8)) scale_text_ = dice_.one_of(scales);
    else scale_text_ = number_text(Type::float32, awkward_bits(Type::float32, dice_));
    return scale_text_;
  }

  std::int64_t awkward_integer(const Parameter& parameter) {
    switch (parameter.within) {
      case Within::output_type: return tests::awkward_integer(types_.at(Role::dtype), dice_);
      case Within::input_type: return tests::awkward_integer(input_type_, dice_);
      case Within::quant_range:
        return dice_.chance(3) ? wholes_.at(Role::quant_min)
                               : dice_.between(wholes_.at(Role::quant_min), wholes_.at(Role::quant_max));
      default: return tests::awkward_integer(Type::int32, dice_);
    }
  }

  /// A histogram, or a further matrix: as many rows as the first has columns.
  Shape own_shape() const {
    if (const auto bins = wholes_.find(Role::bins); bins != wholes_.end()) return {bins->second};
    return {shape_.empty() ? 1 : shape_.back(), 3};
  }

  Tensor input_tensor(Type type, InputShape rule) {
    const Shape shape = rule == InputShape::own ? own_shape() : shape_;
    const double scale = scale_text_.empty() ? 0.1 : decode(Type::float32, parse_number(scale_text_, Type::float32));
    Tensor tensor(type, shape);
    if (is_floating(type) && dice_.chance(4)) {
      // A range that needs no rounding: codes times a power of two, up to the last code.
      const double unit = std::ldexp(1.0, static_cast<int>(dice_.between(-3, 3)));
      for (std::size_t i = 0; i < tensor.size(); ++i)
        tensor.set_real(i, (i == 0 ? 255 : static_cast<double>(dice_.between(0, 255))) * unit);
      return tensor;
    }
    for (std::size_t i = 0; i < tensor.size(); ++i) {
      if (!is_floating(type)) {
        tensor.set_integer(i, tests::awkward_integer(type, dice_));
      } else if (dice_.chance(2)) {
        tensor.set_bits(i, awkward_bits(type, dice_));
      } else {
        tensor.set_real(i, static_cast<double>(dice_.between(-600, 600)) / 2 * scale);
      }
    }
    return tensor;
  }

  const Signature& signature_;
  const Shape& shape_;
  Spreading spreading_;
  Dice& dice_;
  Type input_type_;
  std::map<Role, Type> types_;
  std::map<Role, std::int64_t> wholes_;
  std::size_t kind_of_range_ = dice_.below(7);
  std::string scale_text_;
  Request request_;
};

}  // namespace

bool can_spread(const Signature& signature, Spreading spreading) {
  const bool has_axis = signature.parameter(Role::axis) != nullptr;
  switch (spreading) {
    case Spreading::one_value: return !lies_along_axis(signature);
    case Spreading::along_axis: return has_axis;
    case Spreading::blocks: return has_axis && signature.parameter(Role::block_size) != nullptr;
  }
  return false;
}

Request RequestMaker::attempt(const Signature& signature, const Shape& shape, Spreading spreading) {
  return Draft(signature, shape, spreading, dice_).make();
}

Request RequestMaker::make(const Formula& formula, const Shape& shape, Spreading spreading) {
  std::string why;
  for (int attempts = 0; attempts < 200; ++attempts) {
    Request request = attempt(*formula.signature, shape, spreading);
    // What a program refuses can depend on what it has computed.
    const auto refusal = refusal_of([&] {
      if (formula.signature->kind == FormulaKind::elementwise) formula.arguments(request.inputs, request.settings);
      else formula(request.inputs, request.settings);
    });
    if (!refusal) return request;
    why = refusal->message;
  }
  throw std::logic_error(fmt::format("no valid request to {} was found, the last was refused: {}", formula.id(), why));
}

Request RequestMaker::make(const Formula& formula) {
  static const std::vector<Shape> shapes{{7}, {1}, {2, 3}, {3, 1, 4}, {2, 2, 3}, {1, 5}, {19}};
  std::vector<Spreading> possible;
  for (const Spreading spreading : {Spreading::one_value, Spreading::along_axis, Spreading::blocks}) {
    if (can_spread(*formula.signature, spreading)) possible.push_back(spreading);
  }
  for (int attempts = 0;; ++attempts) {
    // One after the other: the order in which a call's arguments are evaluated is the compiler's.
    const Shape& shape = dice_.one_of(shapes);
    try {
      return make(formula, shape, dice_.one_of(possible));
    } catch (const std::logic_error&) {
      if (attempts > 40) throw;  // not every formula takes every shape
    }
  }
}

Settings settings_by_role(const Signature& signature, const std::map<Role, std::string>& values) {
  Settings settings;
  for (const Parameter& parameter : signature.parameters) {
    std::string text;
    if (const auto given = values.find(parameter.role); given != values.end()) text = given->second;
    else if (parameter.role == Role::axis) text = "0";
    else if (parameter.role == Role::opset) text = std::to_string(parameter.highest);
    else if ((parameter.role == Role::quant_min || parameter.role == Role::quant_max) && parameter.fallback.empty() &&
             values.contains(Role::dtype)) {
      // All codes of the type that is asked for.
      const Type type = type_named(values.at(Role::dtype)).value_or(Type::int8);
      if (!is_integer(type)) continue;
      text = std::to_string(parameter.role == Role::quant_min ? lowest(type) : highest(type));
    } else if (parameter.role == Role::input_scale || parameter.role == Role::weight_scale) text = "1";
    else continue;
    if (parameter.spread == Spread::along_axis) text = "[" + text + "]";
    settings.emplace(parameter.name, Written::parse(text));
  }
  return settings;
}

}  // namespace qassay::tests
