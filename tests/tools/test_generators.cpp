#include "tools/generators.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "catch.hpp"
#include "interpreter/registry.hpp"
#include "tools/cases.hpp"
#include "tools/exact_number.hpp"
#include "tools/temporary_folder.hpp"

namespace qassay {
namespace {

using testing::contains;
using testing::refusal;
using testing::TemporaryFolder;

using Bits = std::vector<std::uint64_t>;

Settings quantize(const std::string& scale, const std::string& dtype) {
  return {{"y_scale", Written::parse(scale)}, {"output_dtype", Written::parse(dtype)}, {"opset", Written::parse("25")}};
}

/// The outputs of QuantizeLinear, one for each input.
std::vector<std::int64_t> codes(const Settings& settings, const Tensor& x) {
  const Evaluation evaluation = formula("onnx.QuantizeLinear")({{"x", x}}, settings);
  std::vector<std::int64_t> result;
  for (std::size_t i = 0; i < x.size(); ++i) result.push_back(evaluation.outputs.at("y").integer(i));
  return result;
}

Bits bits_of(const Tensor& tensor) {
  Bits bits;
  for (std::size_t i = 0; i < tensor.size(); ++i) bits.push_back(tensor.bits(i));
  return bits;
}

Bits list(const Generator& generator, Type type, const Settings& settings = quantize("1", "uint8"), bool first = true,
          std::uint64_t slice = 0) {
  GeneratorView view;
  view.formula = &formula("onnx.QuantizeLinear");
  view.settings = settings;
  view.is_first_input = first;
  view.slice = slice;
  return generate({generator}, type, view);
}

Generator random(std::uint64_t count, std::uint64_t seed) {
  Generator generator;
  generator.kind = Generator::Kind::random;
  generator.count = count;
  generator.seed = seed;
  return generator;
}

Tensor inputs_of(const std::string& members) {
  const TemporaryFolder folder;
  const auto file = folder.write("c.json", R"({"schema": "qassay-cases-1", "formula": "onnx.QuantizeLinear", "groups": [
      {"id": "g", "why": "w", )" + members + "}]}");
  return load_cases({file}).front().materialise().inputs.at("x");
}

}  // namespace

TEST_CASE("order: a monotone map without gaps", "[generators]") {
  for (const Type type : {Type::float16, Type::bfloat16, Type::int8, Type::uint4, Type::int2}) {
    CAPTURE(name(type));
    double last = -INFINITY;
    for (std::int64_t order = lowest_order(type); order <= highest_order(type); ++order) {
      Tensor holder(type, {});
      holder.set_bits(0, bits_at(type, order));
      REQUIRE(order_of(type, holder.bits(0)) == order);
      REQUIRE((order == lowest_order(type) || holder.real(0) > last || (holder.real(0) == 0 && last == 0)));
      last = holder.real(0);
    }
  }
  CHECK(highest_order(Type::float16) - lowest_order(Type::float16) == 2 * 0x7c00 + 1);
  CHECK(bits_at(Type::float32, -1) == 0x80000000);
}

TEST_CASE("boundary: exactly the steps that enumeration finds, and their neighbours", "[generators]") {
  for (const auto& [scale, dtype] : std::map<std::string, std::string>{
           {"0x1.998p-4:float16", "int8"}, {"0x1p-1:float16", "uint8"}, {"0x1.554p-2:float16", "int4"}}) {
    CAPTURE(scale);
    const Settings settings = quantize(scale, dtype);
    Tensor all(Type::float16, {highest_order(Type::float16) - lowest_order(Type::float16) + 1});
    for (std::size_t i = 0; i < all.size(); ++i)
      all.set_bits(i, bits_at(Type::float16, lowest_order(Type::float16) + static_cast<std::int64_t>(i)));
    const std::vector<std::int64_t> outputs = codes(settings, all);
    std::set<std::int64_t> expected;
    for (std::size_t i = 1; i < all.size(); ++i) {
      for (std::int64_t n = -2; n <= 1 && outputs[i] != outputs[i - 1]; ++n)
        expected.insert(order_of(Type::float16, all.bits(i)) + n);
    }
    Bits bits;
    for (const std::int64_t order : expected) bits.push_back(bits_at(Type::float16, order));
    CHECK(bits_of(boundary_inputs(formula("onnx.QuantizeLinear"), settings, Type::float16, 100000, 1)) == bits);
  }
}

TEST_CASE("boundary: every threshold of binary32, bisected", "[generators]") {
  const Settings settings = quantize("0x1.99999ap-4", "int8");
  const Tensor steps = boundary_inputs(formula("onnx.QuantizeLinear"), settings, Type::float32, 100000, 0);
  REQUIRE(steps.size() == 2 * 255);
  const std::vector<std::int64_t> outputs = codes(settings, steps);
  for (std::size_t i = 0; i < steps.size(); i += 2) {
    CHECK(outputs[i] == -128 + static_cast<std::int64_t>(i / 2));
    CHECK(outputs[i + 1] == outputs[i] + 1);
    CHECK(order_of(Type::float32, steps.bits(i + 1)) == order_of(Type::float32, steps.bits(i)) + 1);
  }
}

TEST_CASE("boundary: a cap keeps the outermost and those around zero", "[generators]") {
  const Settings settings = quantize("0x1p-7", "int16");
  const auto limited = [&](std::size_t most) {
    return boundary_inputs(formula("onnx.QuantizeLinear"), settings, Type::float32, most, 0);
  };
  const Tensor steps = limited(600);
  const Tensor all = limited(100000);
  REQUIRE(all.size() == 2 * 65535);
  CHECK(steps.size() == 2 * 600);
  CHECK(steps == limited(600));
  CHECK(std::ranges::includes(
      bits_of(all), bits_of(steps), {}, [](auto b) { return order_of(Type::float32, b); },
      [](auto b) { return order_of(Type::float32, b); }));
  for (std::size_t i = 0; i < 20; ++i) {
    CHECK(steps.bits(i) == all.bits(i));
    CHECK(steps.bits(steps.size() - 1 - i) == all.bits(all.size() - 1 - i));
  }
  // The thresholds on both sides of zero: ±half a scale.
  const Bits bits = bits_of(steps);
  for (const double threshold : {-0x1p-8, 0x1p-8})
    CHECK(std::ranges::find(bits, encode(Type::float32, threshold)) != bits.end());
}

TEST_CASE("boundary: integers in, and formulas that never step", "[generators]") {
  const Settings settings{{"x_scale", Written::parse("1")}};
  const Tensor steps = boundary_inputs(formula("onnx.DequantizeLinear"), settings, Type::int4, 100, 0);
  CHECK(steps.size() == 16);
  const Tensor wide = boundary_inputs(formula("onnx.DequantizeLinear"), settings, Type::int32, 64, 0);
  CHECK(wide.size() > 64);
  CHECK(wide.size() <= 128);
  CHECK(wide.integer(0) == INT32_MIN + 64);  // 2^24 and more: neighbours in binary32 are further apart; ties to even
  const Tensor none = boundary_inputs(formula("onnx.QuantizeLinear"), quantize("inf", "uint8"), Type::float32, 100, 1);
  CHECK(none.size() <= 8);  // inf / inf
}

TEST_CASE("special: the patterns by name", "[generators]") {
  const auto named = [](Type type) {
    std::map<std::string, std::uint64_t> values;
    for (const SpecialValue& value : special_values(type)) CHECK(values.emplace(value.name, value.bits).second);
    return values;
  };
  const auto single = named(Type::float32);
  CHECK(single.at("zero") == 0);
  CHECK(single.at("-zero") == 0x80000000);
  CHECK(single.at("smallest subnormal") == 1);
  CHECK(single.at("largest subnormal") == 0x007fffff);
  CHECK(single.at("smallest normal") == 0x00800000);
  CHECK(single.at("largest") == 0x7f7fffff);
  CHECK(single.at("-infinity") == 0xff800000);
  CHECK(single.at("quiet nan") == 0x7fc00000);
  CHECK(single.at("quiet nan with a payload") == 0x7fc00001);
  CHECK(single.at("signalling nan") == 0x7f800001);
  CHECK(single.at("-nan of ones") == 0xffffffff);
  CHECK(single.at("below 0.5") == 0x3effffff);
  CHECK(single.at("above 2^23") == 0x4b000001);
  CHECK(single.at("-below 2^31") == 0xceffffff);
  CHECK(single.at("2^63") == 0x5f000000);
  CHECK(single.at("2^-32") == 0x2f800000);
  const auto half = named(Type::float16);
  CHECK(half.at("infinity") == 0x7c00);
  CHECK(half.at("below the largest") == 0x7bfe);
  CHECK_FALSE(half.contains("2^16"));
  CHECK(named(Type::bfloat16).at("largest") == 0x7f7f);
  CHECK(named(Type::int8) == std::map<std::string, std::uint64_t>{{"lowest", 0x80},
                                                                  {"lowest + 1", 0x81},
                                                                  {"-1", 0xff},
                                                                  {"0", 0},
                                                                  {"1", 1},
                                                                  {"highest - 1", 126},
                                                                  {"highest", 127}});
  CHECK(named(Type::uint4) ==
        std::map<std::string, std::uint64_t>{{"lowest", 0}, {"lowest + 1", 1}, {"highest - 1", 14}, {"highest", 15}});
  CHECK(named(Type::int2).size() == 4);
}

TEST_CASE("random: seeded, half bit patterns and half in range", "[generators]") {
  const Bits drawn = list(random(1000, 1), Type::float32, quantize("0x1p-1", "int8"));
  REQUIRE(drawn.size() == 1000);
  CHECK(drawn == list(random(1000, 1), Type::float32, quantize("0x1p-1", "int8")));
  CHECK(drawn != list(random(1000, 2), Type::float32, quantize("0x1p-1", "int8")));
  CHECK(drawn != list(random(1000, 1), Type::float32, quantize("0x1p-1", "int8"), true, 1));
  // The very bits: another machine must draw the same.
  CHECK(RandomBits(0).next() == 0xe220a8397b1dcdaf);
  CHECK(list(random(4, 1), Type::uint8, quantize("1", "uint8"), false) == Bits{8, 0, 38, 0});
  std::size_t in_range = 0;
  for (std::size_t i = 1; i < drawn.size(); i += 2) {
    const double value = decode(Type::float32, drawn[i]);
    CHECK(std::abs(value) < 80);
    if (std::abs(value) < 64) ++in_range;
  }
  CHECK(in_range > 400);
  CHECK(in_range < 500);
  std::set<std::uint64_t> exponents;
  for (std::size_t i = 0; i < drawn.size(); i += 2) exponents.insert((drawn[i] >> 23U) & 0xff);
  CHECK(exponents.size() > 150);
}

TEST_CASE("exhaustive and stride", "[generators]") {
  Generator all;
  all.kind = Generator::Kind::exhaustive;
  CHECK(list(all, Type::int4) == Bits{0xf8, 0xf9, 0xfa, 0xfb, 0xfc, 0xfd, 0xfe, 0xff, 0, 1, 2, 3, 4, 5, 6, 7});
  CHECK(list(all, Type::float16).size() == 65536);
  CHECK(list(all, Type::boolean) == Bits{0, 1});
  CHECK_THAT(refusal([&] { list(all, Type::int32); }), contains("too many values"));
  Generator stride;
  stride.kind = Generator::Kind::stride;
  stride.step = 0x10000000;
  stride.offset = 5;
  const Bits patterns = list(stride, Type::float32);
  CHECK(patterns.size() == 16);
  CHECK(patterns.front() == 5);
  CHECK(patterns.back() == 0xf0000005);
  stride.step = 1;
  CHECK_THAT(refusal([&] { list(stride, Type::float32); }), contains("4294967291 values of float32"));
  CHECK_THAT(refusal([&] { list(stride, Type::int4); }), contains("not int4"));
  CHECK_THAT(refusal([&] { list(stride, Type::float64); }), contains("not float64"));
}

TEST_CASE("deal: all in order and again, or spread evenly", "[generators]") {
  CHECK(deal({1, 2, 3}, 7) == Bits{1, 2, 3, 1, 2, 3, 1});
  CHECK(deal({1, 2, 3, 4, 5, 6}, 3) == Bits{1, 3, 5});
  CHECK(deal({1, 2, 3}, 3) == Bits{1, 2, 3});
  CHECK(deal({1}, 0).empty());
}

TEST_CASE("slices: each is dealt the thresholds of its own parameters", "[generators]") {
  const auto thresholds = [](const std::string& scale) {
    return bits_of(boundary_inputs(formula("onnx.QuantizeLinear"), quantize(scale, "int2"), Type::float32, 1000, 1));
  };
  REQUIRE(thresholds("1") != thresholds("3"));
  REQUIRE(thresholds("1").size() == 12);
  SECTION("along an axis") {
    const Tensor x = inputs_of(R"("set": {"y_scale": [1, 3], "axis": 0, "output_dtype": "int2", "opset": 25},
        "in": {"x": {"shape": [2, 12], "generate": "boundary"}})");
    const Bits bits = bits_of(x);
    CHECK(Bits(bits.begin(), bits.begin() + 12) == thresholds("1"));
    CHECK(Bits(bits.begin() + 12, bits.end()) == thresholds("3"));
  }
  SECTION("along the last axis, repeated") {
    const Tensor x = inputs_of(R"("set": {"y_scale": [1, 3], "axis": -1, "output_dtype": "int2", "opset": 25},
        "in": {"x": {"shape": [24, 2], "generate": "boundary"}})");
    for (std::size_t i = 0; i < 24; ++i) {
      CHECK(x.bits(2 * i) == thresholds("1")[i % 12]);
      CHECK(x.bits(2 * i + 1) == thresholds("3")[i % 12]);
    }
  }
  SECTION("blocks") {
    const Tensor x = inputs_of(R"("set": {"y_scale": {"shape": [1, 2], "values": [1, 3]}, "axis": 1, "block_size": 12,
        "output_dtype": "int2", "opset": 25}, "in": {"x": {"shape": [1, 24], "generate": "boundary"}})");
    const Bits bits = bits_of(x);
    CHECK(Bits(bits.begin(), bits.begin() + 12) == thresholds("1"));
    CHECK(Bits(bits.begin() + 12, bits.end()) == thresholds("3"));
  }
}

TEST_CASE("inputs: lists follow one another, and a shape is filled", "[generators]") {
  const std::string scale = R"("set": {"y_scale": 1}, )";
  const Tensor both = inputs_of(scale + R"("in": {"x": {"generate": [{"values": [7, "nan"]}, "special"]}})");
  CHECK(both.size() == 2 + special_values(Type::float32).size());
  CHECK(both.real(0) == 7);
  CHECK(both.bits(2) == 0);
  const Tensor shaped = inputs_of(scale + R"("in": {"x": {"shape": [2, 2], "generate": {"values": [1, 2, 3]}}})");
  CHECK(shaped.shape() == Shape{2, 2});
  CHECK(shaped.real(3) == 1);
  CHECK(inputs_of(scale + R"("in": {"x": {"shape": [0, 3], "generate": "special"}})").size() == 0);
  CHECK(inputs_of(scale + R"("in": {"x": {"shape": [], "values": [5]}})").shape().empty());
}

TEST_CASE("exact numbers: what is written exactly, and what is a value", "[generators]") {
  for (const std::string text :
       {"0", "-0", "17", "-128", "0x1p-4", "-0x1.8p+3", "0xff", "0x0.8p0", "nan", "inf", "-inf", "bits:0x3f800000"}) {
    CAPTURE(text);
    CHECK(is_written_exactly(text));
  }
  for (const std::string text :
       {"",           "-",   "0.1",  "1e3",      "1.",    "+1",      "0x",  "0x1.", "0x.8", "0x1p",  "0x1p1.5",
        "0x1p999999", "NaN", "-nan", "infinity", "bits:", "bits:3f", "0b1", " 1",   "1 ",   "0X1P0", "uint8"}) {
    CAPTURE(text);
    CHECK_FALSE(is_written_exactly(text));
  }
  CHECK(parse_exact("0x1.99999ap-4", Type::float32) == 0x3dcccccd);
  CHECK(parse_exact("0x1p-149", Type::float32) == 1);
  CHECK(parse_exact("-0", Type::float16) == 0x8000);
  CHECK(parse_exact("-0x0p0", Type::float32) == 0x80000000);
  CHECK(parse_exact("0x10", Type::int8) == 16);
  CHECK_FALSE(is_value_of("0x1p-150", Type::float32));
  CHECK_FALSE(is_value_of("0x1p+128", Type::float32));
  CHECK_FALSE(is_value_of("0x1.00000000000008p+0", Type::float64));
  CHECK(is_value_of("0x1.0000000000001p+0", Type::float64));
  CHECK_FALSE(is_value_of("257", Type::bfloat16));
  CHECK(is_value_of("258", Type::bfloat16));
  CHECK_THAT(refusal([] { parse_exact("bits:0x08", Type::int4); }), contains("is no int4"));
  CHECK(parse_exact("bits:0xf8", Type::int4) == 0xf8);
}

}  // namespace qassay
