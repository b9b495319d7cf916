// Scales and zero points: their types, and how they lie over the elements.
#include "catch.hpp"
#include "interpreter/parameter_layout.hpp"
#include "interpreter/request.hpp"

using namespace qassay;
using namespace qassay::tests;

namespace {

constexpr std::string_view kQuantize = "onnx.QuantizeLinear";
constexpr std::string_view kPerChannel = "pytorch.quantize_per_channel";

std::function<void()> request(std::string_view id, const Shape& shape, const Texts& set, Type type = Type::float32) {
  return [=] {
    const Formula& chosen = formula(id);
    chosen({{std::string(chosen.signature->inputs.front().name), Tensor(type, shape)}}, settings(set));
  };
}

std::function<void()> request(std::string_view id, const Shape& shape, const Settings& set) {
  return [=] { formula(id)({{"x", Tensor(Type::float32, shape)}}, set); };
}

Written written(std::vector<std::string> elements, Shape shape) {
  return {std::move(elements), std::move(shape), std::nullopt, std::nullopt};
}

Tensor own_values(std::string_view id, Role role, const Inputs& inputs, const Settings& set) {
  return *formula(id).arguments(inputs, set)[role].tensor;
}

}  // namespace

TEST_CASE("a vector of scales is as long as the axis") {
  CHECK(refusal_of(request(kQuantize, {4, 2}, {{"y_scale", "[1,1]"}})) == std::nullopt);
  CHECK(refusal_of(request(kQuantize, {4, 2}, {{"y_scale", "[1,1,1,1]"}, {"axis", "0"}})) == std::nullopt);
  CHECK(refusal_of(request(kQuantize, {4, 2}, {{"y_scale", "[1,1]"}, {"axis", "-1"}})) == std::nullopt);
  CHECK(refusal_of(request(kQuantize, {4, 2}, {{"y_scale", "[1]"}})) == std::nullopt);
  CHECK(refusal_of(request(kQuantize, {4, 2}, {{"y_scale", "1"}, {"y_zero_point", "[0,1]"}})) == std::nullopt);
  CHECK(unless_refused(request(kQuantize, {4, 2}, {{"y_scale", "[1,1,1]"}}), ErrorKind::wrong_shape,
                       {kQuantize, "y_scale", "[3]", "[2] along axis 1 of [4, 2]"}) == "");
  CHECK(unless_refused(request(kQuantize, {4, 2}, {{"y_scale", "[1,1]"}, {"y_zero_point", "[0,0,0,0]"}}),
                       ErrorKind::wrong_shape, {kQuantize, "y_zero_point", "[4]"}) == "");
  CHECK(unless_refused(request(kQuantize, {4, 2}, {{"y_scale", "[]"}}), ErrorKind::wrong_shape, {"y_scale", "[0]"}) ==
        "");
  CHECK(unless_refused(request(kQuantize, {4, 2}, {{"y_scale", written({"1", "1"}, {1, 2})}}), ErrorKind::wrong_shape,
                       {kQuantize, "y_scale", "[1, 2]"}) == "");
  CHECK(unless_refused(request(kQuantize, {4, 2}, {{"y_scale", written({"1", "1"}, {3})}}), ErrorKind::wrong_shape,
                       {kQuantize, "y_scale", "2 values for the shape [3]"}) == "");
}

TEST_CASE("an axis is one of the input's, counted from either end") {
  for (const char* inside : {"0", "1", "-1", "-2"}) {
    CAPTURE(inside);
    const bool is_first = std::string_view(inside) == "0" || std::string_view(inside) == "-2";
    CHECK(refusal_of(request(kQuantize, {4, 2}, {{"y_scale", is_first ? "[1,1,1,1]" : "[1,1]"}, {"axis", inside}})) ==
          std::nullopt);
  }
  for (const char* outside : {"2", "-3", "9223372036854775807", "-9223372036854775808"}) {
    CAPTURE(outside);
    CHECK(unless_refused(request(kQuantize, {4, 2}, {{"y_scale", "[1,1]"}, {"axis", outside}}),
                         ErrorKind::axis_out_of_range, {kQuantize, "axis", outside, "[4, 2]"}) == "");
    // With one scale the axis says nothing.
    CHECK(refusal_of(request(kQuantize, {4, 2}, {{"y_scale", "1"}, {"axis", outside}})) == std::nullopt);
  }
  CHECK(unless_refused(request(kQuantize, {}, {{"y_scale", "[1,1]"}, {"axis", "0"}}), ErrorKind::axis_out_of_range,
                       {kQuantize, "axis", "[]"}) == "");
}

TEST_CASE("blocks: a scale for each, the last one may be short") {
  const auto blocks = [](Shape scales, const char* size, const char* axis, Shape x = {4, 3}) {
    std::vector<std::string> ones(static_cast<std::size_t>(element_count(scales)), "1");
    return request(
        kQuantize, x,
        {{"y_scale", written(ones, scales)}, {"block_size", Written::scalar(size)}, {"axis", Written::scalar(axis)}});
  };
  CHECK(refusal_of(blocks({4, 2}, "2", "1")) == std::nullopt);
  CHECK(refusal_of(blocks({2, 3}, "2", "0")) == std::nullopt);
  CHECK(refusal_of(blocks({2, 3}, "3", "-2")) == std::nullopt);
  CHECK(refusal_of(blocks({4, 3}, "1", "1")) == std::nullopt);
  CHECK(refusal_of(blocks({4, 1}, "1099511627776", "1")) == std::nullopt);
  CHECK(unless_refused(blocks({4, 1}, "2", "1"), ErrorKind::wrong_shape,
                       {kQuantize, "y_scale", "[4, 1]", "expected [4, 2] for blocks of 2 along axis 1 of [4, 3]"}) ==
        "");
  CHECK(unless_refused(blocks({2}, "2", "1"), ErrorKind::wrong_shape, {"y_scale", "[2]", "[4, 2]"}) == "");
  CHECK(unless_refused(blocks({4, 2}, "2", "2"), ErrorKind::axis_out_of_range, {kQuantize, "axis"}) == "");
  CHECK(unless_refused(blocks({4, 2}, "0", "1"), ErrorKind::wrong_shape, {kQuantize, "y_scale", "[4, 2]"}) == "");
}

TEST_CASE("a formula that is per tensor takes one value") {
  const Texts fake{{"zero_point", "0"}, {"quant_min", "0"}, {"quant_max", "15"}};
  Texts vector = fake;
  vector["scale"] = "[1,1]";
  CHECK(unless_refused(request("pytorch.fake_quantize_per_tensor_affine", {4, 2}, vector), ErrorKind::wrong_shape,
                       {"pytorch.fake_quantize_per_tensor_affine", "scale", "[2]", "expected a scalar"}) == "");
  Texts one = fake;
  one["scale"] = "[1]";
  CHECK(refusal_of(request("pytorch.fake_quantize_per_tensor_affine", {4, 2}, one)) == std::nullopt);
}

TEST_CASE("PyTorch's per-channel parameters are vectors, or one value for all channels") {
  const auto with = [](const Shape& shape, const char* scales, const char* zero_points, const char* axis) {
    return request(kPerChannel, shape,
                   {{"scales", scales}, {"zero_points", zero_points}, {"axis", axis}, {"dtype", "qint8"}});
  };
  CHECK(refusal_of(with({4, 2}, "[1,1]", "[0,0]", "1")) == std::nullopt);
  CHECK(refusal_of(with({1, 2}, "[1]", "[0]", "0")) == std::nullopt);
  CHECK(refusal_of(with({4, 2}, "1", "[0,0]", "1")) == std::nullopt);
  CHECK(refusal_of(with({4, 2}, "[1,1]", "0", "1")) == std::nullopt);
  CHECK(unless_refused(with({4, 2}, "[1]", "[0,0]", "1"), ErrorKind::wrong_shape, {kPerChannel, "scales", "[1]"}) ==
        "");
  CHECK(unless_refused(with({4, 2}, "[1,1]", "[0,128]", "1"), ErrorKind::zero_point_out_of_range,
                       {kPerChannel, "zero_points", "128"}) == "");
  CHECK(unless_refused(with({}, "[1]", "[0]", "0"), ErrorKind::axis_out_of_range, {kPerChannel, "axis"}) == "");
}

TEST_CASE("a decimal becomes the nearest value of the parameter's own type") {
  const Inputs half{{"x", tensor("[1]:float16")}};
  const Inputs single{{"x", tensor("[1]")}};
  const auto scale = [](std::string_view id, const Inputs& inputs, const Texts& set) {
    const Tensor values = own_values(id, Role::scale, inputs, settings(set));
    return std::string(name(values.type())) + " " + number_text(values.type(), values.bits(0));
  };
  CHECK(scale(kQuantize, single, {{"y_scale", "0.1"}}) == "float32 0x1.99999ap-4");
  CHECK(scale(kQuantize, half, {{"y_scale", "0.1"}}) == "float16 0x1.998p-4");
  CHECK(scale(kQuantize, half, {{"y_scale", "0.1:float32"}, {"opset", "23"}}) == "float32 0x1.99999ap-4");
  CHECK(scale(kQuantize, single, {{"y_scale", "0.1:bfloat16"}, {"opset", "23"}}) == "bfloat16 0x1.9ap-4");
  CHECK(scale("pytorch.quantize_per_tensor", single, {{"scale", "0.1"}, {"zero_point", "0"}, {"dtype", "qint8"}}) ==
        "float64 0x1.999999999999ap-4");
  const Inputs codes{{"x", tensor("[1]:int8")}};
  CHECK(scale("onnx.DequantizeLinear", codes, {{"x_scale", "0.1"}}) == "float32 0x1.99999ap-4");
  CHECK(scale("onnx.DequantizeLinear", codes, {{"x_scale", "0.1"}, {"output_dtype", "float16"}}) ==
        "float16 0x1.998p-4");
}

TEST_CASE("a type that a parameter cannot have") {
  CHECK(unless_refused(request(kQuantize, {2}, {{"y_scale", "1:int8"}}), ErrorKind::wrong_type,
                       {kQuantize, "y_scale", "int8", "expected float32"}) == "");
  CHECK(unless_refused(request("pytorch.quantize_per_tensor", {2},
                               {{"scale", "0.1:float32"}, {"zero_point", "0"}, {"dtype", "qint8"}}),
                       ErrorKind::wrong_type, {"pytorch.quantize_per_tensor", "scale", "float32", "float64"}) == "");
}

TEST_CASE("values from a file keep their exact value or are refused") {
  const Inputs x{{"x", tensor("[1]")}};
  const auto with = [&](std::string_view name, Tensor values) {
    Settings set = settings({{"y_scale", "1"}});
    set.insert_or_assign(std::string(name), Written::of(std::move(values)));
    return own_values(kQuantize, name == "y_scale" ? Role::scale : Role::zero_point, x, set);
  };
  CHECK(with("y_scale", tensor("0.1:float32")) == tensor("0.1:float32"));
  CHECK(with("y_scale", tensor("0.5:float64")) == tensor("0.5:float32"));
  CHECK(with("y_scale", tensor("nan:float64")).bits(0) == 0x7fc00000);
  CHECK(with("y_scale", tensor("3:int32")) == tensor("3:float32"));
  CHECK(unless_refused([&] { with("y_scale", tensor("0.1:float64")); }, ErrorKind::wrong_type,
                       {kQuantize, "y_scale", "0.1", "float32"}) == "");
  CHECK(unless_refused([&] { with("y_zero_point", tensor("3:float32")); }, ErrorKind::wrong_type,
                       {kQuantize, "y_zero_point", "float32", "expected integers"}) == "");
  CHECK(unless_refused([&] { with("y_zero_point", tensor("256:int32")); }, ErrorKind::zero_point_out_of_range,
                       {kQuantize, "y_zero_point", "256"}) == "");
  CHECK(with("y_zero_point", tensor("200:uint8")).integer(0) == 200);
}

TEST_CASE("the zero point's type decides the output's where no dtype is given") {
  const auto type_with = [](const Texts& set) {
    return formula(kQuantize).arguments({{"x", tensor("[1]")}}, settings(set)).output_type(0);
  };
  CHECK(type_with({{"y_scale", "1"}}) == Type::uint8);
  CHECK(type_with({{"y_scale", "1"}, {"y_zero_point", "3"}}) == Type::uint8);
  CHECK(type_with({{"y_scale", "1"}, {"y_zero_point", "3:int8"}}) == Type::int8);
  CHECK(type_with({{"y_scale", "1"}, {"y_zero_point", "3:int8"}, {"output_dtype", "int16"}}) == Type::int16);
}

TEST_CASE("an axis without channels") {
  const Texts fake{{"scale", "[]"}, {"zero_point", "[]"}, {"axis", "1"}, {"quant_min", "0"}, {"quant_max", "15"}};
  CHECK(unless_refused(request("pytorch.fake_quantize_per_channel_affine", {2, 0}, fake), ErrorKind::out_of_domain,
                       {"pytorch.fake_quantize_per_channel_affine", "no channels"}) == "");
  Texts with_floating_zero_point = fake;
  with_floating_zero_point["zero_point_dtype"] = "float32";
  CHECK(refusal_of(request("pytorch.fake_quantize_per_channel_affine", {2, 0}, with_floating_zero_point)) ==
        std::nullopt);
  CHECK(refusal_of(request(kPerChannel, {2, 0},
                           {{"scales", "[]"}, {"zero_points", "[]"}, {"axis", "1"}, {"dtype", "qint8"}})) ==
        std::nullopt);
  CHECK(refusal_of(request(kQuantize, {2, 0}, {{"y_scale", "[]"}, {"y_zero_point", "[]"}})) == std::nullopt);
}

namespace {

/// The index of the parameters that each element of a shape has.
std::string layout_of(std::string_view id, const Shape& shape, const Texts& set) {
  const Formula& chosen = formula(id);
  const std::string input(chosen.signature->inputs.front().name);
  const Arguments arguments =
      chosen.arguments({{input, Tensor(chosen.signature->inputs.front().types.front(), shape)}}, settings(set));
  const ParameterLayout layout = parameter_layout(arguments);
  std::string text = qassay::to_text(layout.shape) + ":";
  for (std::size_t i = 0; i < static_cast<std::size_t>(element_count(shape)); ++i)
    text += " " + std::to_string(layout.position(i).parameter_index);
  return text;
}

}  // namespace

TEST_CASE("slices along tokens, in groups and in blocks of any shape") {
  Texts plain{{"quant_min", "-8"}, {"quant_max", "7"}, {"dtype", "int8"}};
  const auto with = [&](const Texts& more) {
    Texts all = plain;
    all.insert(more.begin(), more.end());
    return all;
  };
  const Formula& per_token = formula("quantized_decomposed.quantize_per_token");
  Settings given = settings(plain);
  given.emplace("scales", Written::of(Tensor(Type::float32, {2, 1})));
  given.emplace("zero_points", Written::of(Tensor(Type::int64, {2, 1})));
  const Arguments arguments = per_token.arguments({{"x", Tensor(Type::float32, {2, 3})}}, given);
  const ParameterLayout layout = parameter_layout(arguments);
  CHECK(layout.shape == Shape{2, 1});
  CHECK(layout.run_length == 3);
  CHECK(layout.position(2).parameter_index == 0);
  CHECK(layout.position(3).parameter_index == 1);
  CHECK(layout_of("torchao.choose_qparams_affine", {2, 4},
                  {{"mapping_type", "SYMMETRIC"}, {"target_dtype", "int8"}, {"block_size", "[1,2]"}}) ==
        "[2, 2]: 0 0 1 1 2 2 3 3");
  CHECK(unless_refused(
            [&] {
              layout_of("torchao.quantize_affine_no_zero_point", {2, 4},
                        {{"scale", "[1,2]"}, {"output_dtype", "int8"}, {"block_size", "[1,3]"}});
            },
            ErrorKind::out_of_domain, {"block_size", "does not divide"}) == "");
  CHECK(unless_refused(
            [&] {
              layout_of("torchao.quantize_affine_no_zero_point", {2, 4},
                        {{"scale", "[1,2]"}, {"output_dtype", "int8"}, {"block_size", "[4]"}});
            },
            ErrorKind::wrong_shape, {"block_size", "[2, 4]"}) == "");
  CHECK(unless_refused(
            [&] {
              layout_of("quantized_decomposed.quantize_per_token", {2, 4},
                        with({{"scales", "[1,2]"}, {"zero_points", "0"}}));
            },
            ErrorKind::wrong_shape, {"scales", "expected one value, or [2, 1]"}) == "");
}

TEST_CASE("blocks of any shape: every element finds the parameters of its own") {
  const Formula& chosen = formula("torchao.quantize_affine_no_zero_point");
  Settings given = settings({{"output_dtype", "int8"}, {"block_size", "[2,1,2]"}});
  given.emplace("scale", Written::of(Tensor(Type::float32, {1, 3, 2})));
  const Arguments arguments = chosen.arguments({{"x", Tensor(Type::float32, {2, 3, 4})}}, given);
  const ParameterLayout layout = parameter_layout(arguments);
  CHECK(layout.run_length == 2);
  for (std::size_t i = 0; i < 24; ++i) {
    const std::size_t row = i / 4 % 3;
    CHECK(layout.position(i).parameter_index == row * 2 + i % 4 / 2);
  }
}
