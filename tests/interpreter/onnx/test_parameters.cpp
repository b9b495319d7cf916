#include "catch.hpp"
#include "interpreter/request.hpp"

using namespace qassay;
using namespace qassay::tests;

// What an opset has not is refused.
namespace {

std::function<void()> quantize(Type x, const Texts& set) {
  return [=] { formula("onnx.QuantizeLinear")({{"x", Tensor(x, {2, 2})}}, settings(set)); };
}
std::function<void()> dequantize(Type x, const Texts& set) {
  return [=] { formula("onnx.DequantizeLinear")({{"x", Tensor(x, {2, 2})}}, settings(set)); };
}

struct Arrival {
  Type type;
  int opset;
};

}  // namespace

TEST_CASE("types come with an opset") {
  for (const Arrival& arrival : {Arrival{Type::uint8, 10},
                                 {Type::int8, 10},
                                 {Type::int16, 21},
                                 {Type::uint16, 21},
                                 {Type::int4, 21},
                                 {Type::uint4, 21},
                                 {Type::int2, 25},
                                 {Type::uint2, 25}}) {
    const std::string type(name(arrival.type));
    CAPTURE(type);
    const auto to_type = [&](int opset) {
      return quantize(Type::float32, {{"y_scale", "1"}, {"output_dtype", type}, {"opset", std::to_string(opset)}});
    };
    const auto from_type = [&](int opset) {
      return dequantize(arrival.type, {{"x_scale", "1"}, {"opset", std::to_string(opset)}});
    };
    CHECK(refusal_of(to_type(arrival.opset)) == std::nullopt);
    CHECK(refusal_of(from_type(arrival.opset)) == std::nullopt);
    if (arrival.opset == 10) continue;
    const std::string first = std::to_string(arrival.opset);
    CHECK(unless_refused(to_type(arrival.opset - 1), ErrorKind::wrong_type,
                         {"onnx.QuantizeLinear", type, "opset " + first, "set opset=" + first}) == "");
    CHECK(unless_refused(from_type(arrival.opset - 1), ErrorKind::wrong_type, {"onnx.DequantizeLinear", type}) == "");
  }
}

TEST_CASE("16-bit reals come with opset 19") {
  for (const Type type : {Type::float16, Type::bfloat16}) {
    CHECK(refusal_of(quantize(type, {{"y_scale", "1"}, {"opset", "19"}})) == std::nullopt);
    CHECK(unless_refused(quantize(type, {{"y_scale", "1"}, {"opset", "18"}}), ErrorKind::wrong_type,
                         {name(type), "opset 19"}) == "");
    const std::string dtype(name(type));
    CHECK(refusal_of(dequantize(Type::int8, {{"x_scale", "1"}, {"output_dtype", dtype}, {"opset", "19"}})) ==
          std::nullopt);
    CHECK(unless_refused(dequantize(Type::int8, {{"x_scale", "1"}, {"output_dtype", dtype}, {"opset", "18"}}),
                         ErrorKind::wrong_type, {name(type), "opset 19"}) == "");
  }
}

TEST_CASE("blocks come with opset 21") {
  const auto blocks = [](const char* opset) {
    return quantize(Type::float32, {{"y_scale", "1"}, {"block_size", "2"}, {"opset", opset}});
  };
  CHECK(refusal_of(blocks("21")) == std::nullopt);
  CHECK(unless_refused(blocks("20"), ErrorKind::out_of_domain, {"onnx.QuantizeLinear", "block_size", "opset 21"}) ==
        "");
}

TEST_CASE("a scale of another type, and precision, come with opset 23") {
  const auto other = [](const char* opset) {
    return quantize(Type::float32, {{"y_scale", "1:float16"}, {"opset", opset}});
  };
  CHECK(refusal_of(other("23")) == std::nullopt);
  CHECK(unless_refused(other("22"), ErrorKind::wrong_type,
                       {"onnx.QuantizeLinear", "y_scale", "float16", "float32", "opset 23"}) == "");
  const auto precise = [](const char* opset) {
    return quantize(Type::float32, {{"y_scale", "1"}, {"precision", "float32"}, {"opset", opset}});
  };
  CHECK(refusal_of(precise("23")) == std::nullopt);
  CHECK(unless_refused(precise("22"), ErrorKind::out_of_domain, {"precision", "opset 23"}) == "");
  const auto widened = [](const char* opset) {
    return dequantize(Type::int8, {{"x_scale", "1:float16"}, {"output_dtype", "float32"}, {"opset", opset}});
  };
  CHECK(refusal_of(widened("23")) == std::nullopt);
  CHECK(unless_refused(widened("22"), ErrorKind::wrong_type, {"onnx.DequantizeLinear", "x_scale", "opset 23"}) == "");
}

TEST_CASE("int32 is dequantized, not quantized to") {
  CHECK(refusal_of(dequantize(Type::int32, {{"x_scale", "1"}, {"opset", "10"}})) == std::nullopt);
  CHECK(unless_refused(quantize(Type::float32, {{"y_scale", "1"}, {"output_dtype", "int32"}}), ErrorKind::wrong_type,
                       {"output_dtype", "'int32'"}) == "");
}
