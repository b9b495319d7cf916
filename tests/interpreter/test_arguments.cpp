#include "interpreter/arguments.hpp"

#include "catch.hpp"
#include "interpreter/request.hpp"

using namespace qassay;
using namespace qassay::tests;

namespace {

/// A request with x of shape [4, 2], float32, and these settings.
std::function<void()> request(std::string_view id, const Texts& set, Type type = Type::float32) {
  return [id, set, type] {
    const Formula& chosen = formula(id);
    chosen({{std::string(chosen.signature->inputs.front().name), Tensor(type, {4, 2})}}, settings(set));
  };
}

constexpr std::string_view kQuantize = "onnx.QuantizeLinear";
constexpr std::string_view kDequantize = "onnx.DequantizeLinear";
constexpr std::string_view kPerTensor = "pytorch.quantize_per_tensor";
constexpr std::string_view kFake = "pytorch.fake_quantize_per_tensor_affine";

}  // namespace

TEST_CASE("an unknown formula is not found, with the nearest names") {
  CHECK(unless_refused([] { formula("onnx.QuantiseLinear"); }, ErrorKind::not_found,
                       {"onnx.QuantiseLinear", "did you mean 'onnx.QuantizeLinear'", "qassay list"}) == "");
  CHECK(unless_refused([] { formula("QuantizeLinear"); }, ErrorKind::not_found, {"onnx.QuantizeLinear"}) == "");
  CHECK(unless_refused([] { formula("pytorch.quantize_per_tensor@2.12"); }, ErrorKind::not_found,
                       {"pytorch.quantize_per_tensor@2.13"}) == "");
  CHECK(unless_refused([] { formula(""); }, ErrorKind::not_found, {"''"}) == "");
  CHECK(find_formula("onnx.quantizelinear") == nullptr);
}

TEST_CASE("a parameter that is needed and missing") {
  CHECK(unless_refused(request(kQuantize, {}), ErrorKind::missing_parameter,
                       {kQuantize, "y_scale", "--set y_scale="}) == "");
  CHECK(unless_refused(request(kPerTensor, {{"scale", "1"}, {"zero_point", "0"}}), ErrorKind::missing_parameter,
                       {kPerTensor, "dtype"}) == "");
  CHECK(unless_refused(request(kFake, {{"scale", "1"}, {"zero_point", "0"}, {"quant_min", "0"}}),
                       ErrorKind::missing_parameter, {kFake, "quant_max"}) == "");
}

TEST_CASE("a parameter that the formula has not") {
  CHECK(unless_refused(request(kQuantize, {{"y_scale", "1"}, {"y_zeropoint", "0"}}), ErrorKind::unknown_parameter,
                       {kQuantize, "'y_zeropoint'", "did you mean 'y_zero_point'?", "output_dtype"}) == "");
  CHECK(unless_refused(request(kPerTensor, {{"scales", "1"}}), ErrorKind::unknown_parameter,
                       {kPerTensor, "did you mean 'scale'?"}) == "");
  CHECK(unless_refused(request("onnx.DynamicQuantizeLinear", {{"y_scale", "1"}}), ErrorKind::unknown_parameter,
                       {"onnx.DynamicQuantizeLinear", "'y_scale'", "it has none"}) == "");
}

TEST_CASE("inputs: missing, surplus, of a wrong type") {
  const Formula& quantize = formula(kQuantize);
  const Settings set = settings({{"y_scale", "1"}});
  CHECK(unless_refused([&] { quantize({}, set); }, ErrorKind::missing_parameter, {kQuantize, "'x'", "--in x="}) == "");
  CHECK(unless_refused(
            [&] {
              quantize({{"x", tensor("[1]")}, {"z", tensor("[1]")}}, set);
            },
            ErrorKind::unknown_parameter, {kQuantize, "'z'", "it has x"}) == "");
  CHECK(unless_refused(
            [&] {
              quantize({{"x", tensor("[1]:float64")}}, set);
            },
            ErrorKind::wrong_type, {kQuantize, "'x' is float64", "float32, float16, bfloat16"}) == "");
  CHECK(unless_refused(request(kQuantize, {{"y_scale", "1"}}, Type::int8), ErrorKind::wrong_type, {"int8"}) == "");
  CHECK(unless_refused(request(kPerTensor, {{"scale", "1"}, {"zero_point", "0"}, {"dtype", "quint8"}}, Type::float16),
                       ErrorKind::wrong_type, {kPerTensor, "float16", "expected one of float32"}) == "");
  CHECK(unless_refused(request(kDequantize, {{"x_scale", "1"}}), ErrorKind::wrong_type,
                       {kDequantize, "float32", "uint8, int8"}) == "");
}

TEST_CASE("inputs of one formula have one shape") {
  // A formula of two inputs, as programs have them.
  const Formula& dynamic = formula("onnx.DynamicQuantizeLinear");
  CHECK(refusal_of([&] { dynamic({{"x", tensor("[1, 2]")}}, {}); }) == std::nullopt);
  static const Signature two{.id = "test.two",
                             .summary = "",
                             .inputs = {{"a", {Type::float32}, ""}, {"b", {Type::float32}, ""}},
                             .parameters = {},
                             .outputs = {},
                             .steps = {}};
  CHECK(unless_refused(
            [] {
              check_arguments(two, {{"a", tensor("[1, 2]")}, {"b", tensor("[1]")}}, {});
            },
            ErrorKind::wrong_shape, {"test.two", "'b'", "[1]", "[2]"}) == "");
}

TEST_CASE("dtypes: PyTorch's names, types that a formula has not, words that are no type") {
  const Texts plain{{"scale", "1"}, {"zero_point", "0"}};
  const auto with_dtype = [&](const char* dtype) {
    Texts set = plain;
    set["dtype"] = dtype;
    return set;
  };
  for (const auto& [alias, type] :
       {std::pair{"quint8", Type::uint8}, {"qint8", Type::int8}, {"qint32", Type::int32}, {"uint8", Type::uint8}}) {
    const Evaluation evaluation = formula(kPerTensor)({{"x", tensor("[1]")}}, settings(with_dtype(alias)));
    CHECK(evaluation.outputs.find("q")->second.type() == type);
  }
  for (const char* wrong : {"int16", "float32", "byte", "", "Int8", "[int8,uint8]"}) {
    CAPTURE(wrong);
    const auto refusal = refusal_of(request(kPerTensor, with_dtype(wrong)));
    REQUIRE(refusal);
    CHECK((refusal->kind == ErrorKind::wrong_type || refusal->kind == ErrorKind::bad_value));
    CHECK(refusal->message.find("pytorch.quantize_per_tensor: dtype") == 0);
  }
  CHECK(unless_refused(request(kPerTensor, with_dtype("int16")), ErrorKind::wrong_type,
                       {"'int16' is not one of uint8, int8, int32"}) == "");
}

TEST_CASE("choices, booleans and whole numbers") {
  const auto with = [](const char* name, const char* value) {
    return request(kQuantize, {{"y_scale", "1"}, {"opset", "23"}, {name, value}});
  };
  CHECK(refusal_of(with("precision", "float16")) == std::nullopt);
  CHECK(unless_refused(with("precision", "float64"), ErrorKind::bad_value,
                       {kQuantize, "precision", "none, float32, float16, bfloat16"}) == "");
  CHECK(refusal_of(with("saturate", "false")) == std::nullopt);
  CHECK(unless_refused(with("saturate", "maybe"), ErrorKind::bad_value, {kQuantize, "saturate", "'maybe'"}) == "");
  CHECK(unless_refused(with("axis", "one"), ErrorKind::bad_value, {kQuantize, "axis", "'one'"}) == "");
  CHECK(unless_refused(with("axis", "1.5"), ErrorKind::bad_value, {kQuantize, "axis", "'1.5'"}) == "");
  CHECK(unless_refused(with("axis", "[0,1]"), ErrorKind::wrong_shape, {kQuantize, "axis", "2 values"}) == "");
  CHECK(unless_refused(with("block_size", "-1"), ErrorKind::out_of_domain, {kQuantize, "block_size", "-1"}) == "");
  CHECK(unless_refused(request(kQuantize, {{"y_scale", "1"}, {"opset", "9"}}), ErrorKind::out_of_domain,
                       {kQuantize, "opset", "9 is not in [10, 28]"}) == "");
  CHECK(unless_refused(
            request(kFake, {{"scale", "1"}, {"zero_point", "0"}, {"quant_min", "-2147483649"}, {"quant_max", "0"}}),
            ErrorKind::out_of_domain, {kFake, "quant_min", "-2147483649"}) == "");
}

TEST_CASE("an empty range of codes is refused") {
  CHECK(unless_refused(request(kFake, {{"scale", "1"}, {"zero_point", "0"}, {"quant_min", "8"}, {"quant_max", "7"}}),
                       ErrorKind::out_of_domain, {kFake, "quant_min 8 is above quant_max 7"}) == "");
  CHECK(refusal_of(request(kFake, {{"scale", "1"}, {"zero_point", "7"}, {"quant_min", "7"}, {"quant_max", "7"}})) ==
        std::nullopt);
  CHECK(unless_refused(request("pytorch.fake_quantize_per_channel_affine", {{"scale", "[1,1]"},
                                                                            {"zero_point", "[0.5,0.5]"},
                                                                            {"zero_point_dtype", "float32"},
                                                                            {"axis", "1"},
                                                                            {"quant_min", "8"},
                                                                            {"quant_max", "7"}}),
                       ErrorKind::out_of_domain,
                       {"fake_quantize_per_channel_affine", "quant_min 8", "quant_max 7"}) == "");
}

TEST_CASE("zero points outside the type or the range") {
  const auto with = [](const char* dtype, const char* zero_point) {
    return request(kQuantize, {{"y_scale", "1"}, {"output_dtype", dtype}, {"y_zero_point", zero_point}});
  };
  for (const auto& [dtype, inside, outside] : {std::tuple{"uint8", "255", "256"},
                                               {"uint8", "0", "-1"},
                                               {"int8", "-128", "-129"},
                                               {"int4", "7", "8"},
                                               {"uint16", "65535", "65536"}}) {
    CAPTURE(dtype, inside, outside);
    CHECK(refusal_of(with(dtype, inside)) == std::nullopt);
    CHECK(unless_refused(with(dtype, outside), ErrorKind::zero_point_out_of_range,
                         {kQuantize, "y_zero_point", outside, dtype}) == "");
  }
  CHECK(unless_refused(request(kDequantize, {{"x_scale", "1"}, {"x_zero_point", "128"}}, Type::int8),
                       ErrorKind::zero_point_out_of_range, {kDequantize, "x_zero_point", "128"}) == "");
  CHECK(unless_refused(request(kFake, {{"scale", "1"}, {"zero_point", "16"}, {"quant_min", "0"}, {"quant_max", "15"}}),
                       ErrorKind::zero_point_out_of_range, {kFake, "zero_point", "16 is outside [0, 15]"}) == "");
  CHECK(unless_refused(with("uint8", "1.5"), ErrorKind::bad_value, {kQuantize, "y_zero_point", "'1.5'"}) == "");
  CHECK(unless_refused(with("uint8", "nan"), ErrorKind::bad_value, {kQuantize, "y_zero_point", "'nan'"}) == "");
  CHECK(unless_refused(with("uint8", "3:float32"), ErrorKind::wrong_type, {kQuantize, "y_zero_point", "float32"}) ==
        "");
}

TEST_CASE("an argument's default is told from a given one") {
  const Formula& quantize = formula(kQuantize);
  const Arguments arguments = quantize.arguments({{"x", tensor("[1]")}}, settings({{"y_scale", "1"}, {"axis", "1"}}));
  CHECK(arguments[Role::axis].is_set);
  CHECK(arguments[Role::scale].is_set);
  CHECK_FALSE(arguments[Role::zero_point].is_set);
  CHECK(arguments.type(Role::dtype) == Type::uint8);
  CHECK(arguments.output_type(0) == Type::uint8);
  CHECK(arguments.integer(Role::zero_point, {}) == 0);
}

TEST_CASE("written values") {
  CHECK(Written::parse("0.1").elements == std::vector<std::string>{"0.1"});
  CHECK(Written::parse("0.1").shape == Shape{});
  CHECK(Written::parse("0.1:float16").type == Type::float16);
  CHECK(Written::parse("0.1:qint8").type == Type::int8);
  CHECK(Written::parse("bits:0x3f80").elements == std::vector<std::string>{"bits:0x3f80"});
  CHECK(Written::parse("bits:0x3f80:bfloat16").elements == std::vector<std::string>{"bits:0x3f80"});
  CHECK(Written::parse("bits:0x3f80:bfloat16").type == Type::bfloat16);
  CHECK(Written::parse("0.1:double").elements == std::vector<std::string>{"0.1:double"});
  CHECK(Written::parse("[1, 2 ,3]:int8").elements == std::vector<std::string>{"1", "2", "3"});
  CHECK_FALSE(Written::parse("[1]").shape);
  CHECK(Written::parse("[]").elements.empty());
  CHECK(Written::parse("[1,]").elements == std::vector<std::string>{"1", ""});
  CHECK(unless_refused([] { Written::parse("[1,2"); }, ErrorKind::bad_value, {"'[1,2'", "']'"}) == "");
  CHECK(unless_refused([] { Written::parse("["); }, ErrorKind::bad_value, {"'['"}) == "");
  CHECK(unless_refused(request(kQuantize, {{"y_scale", "[1,]"}}), ErrorKind::bad_value, {kQuantize, "y_scale"}) == "");
}
