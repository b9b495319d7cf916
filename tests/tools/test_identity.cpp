#include "tools/diagnosis/identity.hpp"

#include <algorithm>
#include <cmath>

#include "catch.hpp"
#include "interpreter/registry.hpp"
#include "tools/diagnosis/composition.hpp"
#include "tools/generators.hpp"

using namespace qassay;
using testing::contains;

namespace {

constexpr const char* kFakePerTensor = "pytorch.fake_quantize_per_tensor_affine";
constexpr const char* kFakePerChannel = "pytorch.fake_quantize_per_channel_affine";

Settings settings(std::initializer_list<std::pair<const char*, const char*>> assignments) {
  Settings written;
  for (const auto& [name, value] : assignments) written.emplace(name, Written::parse(value));
  return written;
}

IdentityFinding check(const Identity& identity, IdentityMethod method = IdentityMethod::segments) {
  return check_identity(identity, method, [](double) {});
}

std::string cause(const Identity& identity) {
  IdentityFinding finding = check(identity);
  finding.diagnosis = diagnose(identity);
  return cause_of(finding);
}

/// Of each element, by calling the three formulas one after another.
struct OneByOne {
  Tensor fake_quantized;
  Tensor dequantized;

  bool differs(std::size_t i) const {
    return !is_same_output(fake_quantized.type(), fake_quantized.bits(i), dequantized.bits(i));
  }
};

struct Parts {
  const char* fake_quantize;
  const char* quantize;
  const char* dequantize;
  Settings of_fake_quantize;
  Settings of_quantize;
  Settings of_dequantize;

  OneByOne operator()(const Tensor& x) const {
    const auto call = [](const char* id, const Tensor& input, const Settings& given) {
      const Formula& called = formula(id);
      Outputs outputs = called({{std::string(called.signature->inputs.front().name), input}}, given).outputs;
      return std::move(outputs.find(called.signature->outputs.front().name)->second);
    };
    return {call(fake_quantize, x, of_fake_quantize), call(dequantize, call(quantize, x, of_quantize), of_dequantize)};
  }
};

Tensor every_value(Type type) {
  Tensor x(type, {std::int64_t{1} << static_cast<unsigned>(row(type).bits)});
  for (std::size_t i = 0; i < x.size(); ++i) x.set_bits(i, i);
  return x;
}

}  // namespace

TEST_CASE("an identity is counted as trying every float16 input counts it", "[identity]") {
  for (const char* scale : {"0.1", "0.37", "0x1p-20"}) {
    for (const char* zero_point : {"0", "3", "-77"}) {
      const Parts parts{
          kFakePerTensor,
          "quantized_decomposed.quantize_per_tensor",
          "quantized_decomposed.dequantize_per_tensor",
          settings({{"scale", scale}, {"zero_point", zero_point}, {"quant_min", "-128"}, {"quant_max", "127"}}),
          settings({{"scale", scale},
                    {"zero_point", zero_point},
                    {"quant_min", "-128"},
                    {"quant_max", "127"},
                    {"dtype", "int8"}}),
          settings({{"scale", scale}, {"zero_point", zero_point}, {"out_dtype", "float16"}})};
      INFO(scale << " " << zero_point);
      const Tensor x = every_value(Type::float16);
      const OneByOne all = parts(x);
      std::uint64_t differing = 0;
      std::uint64_t not_finite = 0;
      for (std::size_t i = 0; i < x.size(); ++i) {
        if (!all.differs(i)) continue;
        ++differing;
        if (!std::isfinite(x.real(i))) ++not_finite;
      }
      const Identity identity(formula(parts.fake_quantize), formula(parts.quantize), formula(parts.dequantize),
                              settings({{"scale", scale}, {"zero_point", zero_point}, {"dtype", "int8"}}),
                              Type::float16);
      for (const IdentityMethod method : {IdentityMethod::segments, IdentityMethod::sweep}) {
        const IdentityFinding finding = check(identity, method);
        CHECK(finding.inputs == 65536);
        CHECK(finding.differing == differing);
        CHECK(finding.not_finite == not_finite);
        CHECK(finding.holds() == (differing == 0));
        CHECK(finding.smallest.has_value() == (differing > 0));
      }
    }
  }
}

TEST_CASE("an identity's differing float32 inputs are those that differ one by one", "[identity]") {
  const Parts parts{kFakePerTensor,
                    "pytorch.quantize_per_tensor@2.13",
                    "pytorch.dequantize_per_tensor",
                    settings({{"scale", "0.1"}, {"zero_point", "3"}, {"quant_min", "0"}, {"quant_max", "255"}}),
                    settings({{"scale", "0.1"}, {"zero_point", "3"}, {"dtype", "quint8"}}),
                    settings({{"scale", "0.1"}, {"zero_point", "3"}})};
  const Identity identity(formula(parts.fake_quantize), formula(parts.quantize), formula(parts.dequantize),
                          settings({{"scale", "0.1"}, {"zero_point", "3"}, {"dtype", "quint8"}}));
  const Comparison comparison = compare_by_segments(identity.fake_quantized(), identity.dequantized());
  REQUIRE_FALSE(comparison.intervals.empty());
  std::vector<std::int64_t> orders;
  for (std::int64_t order = lowest_order(Type::float32); order <= highest_order(Type::float32); order += 65537)
    orders.push_back(order);
  for (const DifferingInterval& interval : comparison.intervals) {
    for (const std::int64_t order : {interval.first - 1, interval.first, interval.last, interval.last + 1})
      orders.push_back(order);
  }
  Tensor x(Type::float32, {static_cast<std::int64_t>(orders.size())});
  for (std::size_t i = 0; i < x.size(); ++i) x.set_bits(i, bits_at(Type::float32, orders[i]));
  const OneByOne all = parts(x);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const bool is_inside = std::ranges::any_of(comparison.intervals, [&](const DifferingInterval& interval) {
      return interval.first <= orders[i] && orders[i] <= interval.last;
    });
    if (is_inside != all.differs(i)) ++wrong;
  }
  CHECK(wrong == 0);
}

TEST_CASE("an identity with the zero point 0 holds for everything but NaN", "[identity]") {
  const Identity identity(formula(kFakePerTensor), formula("pytorch.quantize_per_tensor"),
                          formula("pytorch.dequantize_per_tensor"),
                          settings({{"scale", "0.1"}, {"zero_point", "0"}, {"dtype", "quint8"}}));
  const IdentityFinding finding = check(identity);
  constexpr std::uint64_t kNans = (1U << 24U) - 2;
  CHECK(finding.inputs == std::uint64_t{1} << 32U);
  CHECK(finding.differing == kNans);
  CHECK(finding.not_finite == kNans);
  CHECK(finding.by_steps.empty());
  REQUIRE(finding.smallest);
  CHECK(std::isnan(decode(Type::float32, finding.smallest->input)));
  CHECK(decode(Type::float32, finding.smallest->fake_quantized) == 0);
  CHECK(decode(Type::float32, finding.smallest->dequantized) == 25.5);
}

TEST_CASE("an identity that a zero point added too early breaks", "[identity]") {
  struct Case {
    const char* fake_quantize;
    const char* quantize;
    const char* dequantize;
    const char* how;
  };
  for (const Case& one : {Case{kFakePerTensor, "pytorch.quantize_per_tensor@2.13", "pytorch.dequantize_per_tensor",
                               "fma(x, 1 / scale, zero_point)"},
                          Case{kFakePerChannel, "pytorch.quantize_per_channel@2.13", "pytorch.dequantize_per_channel",
                               "adds the zero point before rounding"}}) {
    INFO(one.quantize);
    const Identity identity(formula(one.fake_quantize), formula(one.quantize), formula(one.dequantize),
                            settings({{"scale", "0.1"}, {"zero_point", "3"}, {"dtype", "quint8"}}));
    const IdentityFinding finding = check(identity);
    CHECK_FALSE(finding.holds());
    REQUIRE(finding.smallest);
    // 0.5 goes to the even 0; 3.5 goes to the even 4, which is 1 away from the zero point.
    CHECK(std::abs(decode(Type::float32, finding.smallest->input)) < 0.06);
    CHECK(decode(Type::float32, finding.smallest->fake_quantized) == 0);
    CHECK(finding.parting);
    const std::string why = cause(identity);
    CHECK_THAT(why, contains("the zero point is added before rounding"));
    CHECK_THAT(why, contains(one.how));
  }
}

TEST_CASE("an identity per channel gets the same scale on both sides", "[identity]") {
  // quantize_per_channel keeps doubles, fake_quantize floats: 0.1 must be one number.
  const Identity identity(formula(kFakePerChannel), formula("pytorch.quantize_per_channel"),
                          formula("pytorch.dequantize_per_channel"),
                          settings({{"scale", "0.1"}, {"zero_point", "0"}, {"dtype", "qint8"}}));
  CHECK(identity.fake_quantized().arguments().real(Role::scale, {}) == static_cast<double>(0.1F));
  CHECK(identity.dequantized().arguments().real(Role::scale, {}) == static_cast<double>(0.1F));
  const Parts parts{
      kFakePerChannel,
      "pytorch.quantize_per_channel",
      "pytorch.dequantize_per_channel",
      settings({{"scale", "[0x1.99999ap-4]"},
                {"zero_point", "[0]"},
                {"axis", "0"},
                {"quant_min", "-128"},
                {"quant_max", "127"}}),
      settings({{"scales", "[0x1.99999ap-4]"}, {"zero_points", "[0]"}, {"axis", "0"}, {"dtype", "qint8"}}),
      settings({{"scales", "[0x1.99999ap-4]"}, {"zero_points", "[0]"}, {"axis", "0"}})};
  const IdentityFinding finding = check(identity);
  const auto at = [](double value) {
    Tensor x(Type::float32, {1, 1});
    x.set_real(0, value);
    return x;
  };
  std::uint64_t infinities = 0;
  for (const double infinity : {static_cast<double>(INFINITY), -static_cast<double>(INFINITY)})
    infinities += parts(at(infinity)).differs(0) ? 1 : 0;
  const std::uint64_t nans = parts(at(NAN)).differs(0) ? (1U << 24U) - 2 : 0;
  CHECK(finding.not_finite == infinities + nans);
  REQUIRE(finding.smallest);
  // fake_quantize goes by way of int64: what does not fit becomes the lowest code.
  const double smallest = decode(Type::float32, finding.smallest->input);
  CHECK(smallest > 0x1p59);
  CHECK(smallest < 0x1p60);
  CHECK(parts(at(smallest)).differs(0));
  CHECK_FALSE(parts(at(std::nextafterf(static_cast<float>(smallest), 0))).differs(0));
}

TEST_CASE("an identity over formulas of different dialects goes by roles", "[identity]") {
  const auto identity_of = [](const Settings& given) {
    return std::make_unique<Identity>(formula(kFakePerTensor), formula("onnxruntime.QuantizeLinear"),
                                      formula("onnxruntime.DequantizeLinear"), given);
  };
  const auto by_roles =
      identity_of(settings({{"scale", "0.1"}, {"zero_point", "3"}, {"quant_min", "0"}, {"quant_max", "255"}}));
  const auto by_names = identity_of(settings({{"x_scale", "0.1"}, {"y_zero_point", "3"}, {"output_dtype", "uint8"}}));
  const IdentityFinding finding = check(*by_roles);
  CHECK(finding.differing == check(*by_names).differing);
  CHECK(finding.differing == 34);  // as many as the codes differ for
  CHECK_THAT(cause(*by_roles), contains("divides by the scale"));

  const auto narrow =
      identity_of(settings({{"scale", "0.1"}, {"zero_point", "0"}, {"quant_min", "-8"}, {"quant_max", "7"}}));
  CHECK(narrow->dequantized().arguments().type(Role::dtype) == Type::int4);
  const auto wide = identity_of(settings({{"scale", "0.1"}, {"zero_point", "0"}, {"dtype", "int16"}}));
  CHECK(wide->fake_quantized().arguments().whole(Role::quant_min) == -32768);
}

TEST_CASE("a composition is a formula", "[identity]") {
  const Formula composed =
      composition(formula("pytorch.quantize_per_tensor"), formula("pytorch.dequantize_per_tensor"), Type::float32);
  CHECK(composed.id() == "pytorch.dequantize_per_tensor(pytorch.quantize_per_tensor(x))");
  CHECK(composed.signature->parameters.size() == 3);
  const Settings given = settings({{"scale", "0.5"}, {"zero_point", "1"}, {"dtype", "qint8"}});
  Tensor x(Type::float32, {3});
  for (const auto& [i, value] : {std::pair<std::size_t, double>{0, 0.74}, {1, 1000}, {2, -0.75}}) x.set_real(i, value);
  const Inputs inputs{{"x", x}};
  const Tensor y = composed(inputs, given).outputs.at("y");
  CHECK(y.real(0) == 0.5);
  CHECK(y.real(1) == 63);
  CHECK(y.real(2) == -1);
  const Arguments arguments = composed.arguments(inputs, given);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Trace trace = composed.trace(arguments, inputs, i);
    CHECK(trace.back().result.value() == y.real(i));
    CHECK(composed.exact(arguments, inputs, i).front() == Exact(y.real(i)));
  }
  // The code that is dequantized is the step that made it.
  bool is_linked = false;
  for (const TraceStep& step : composed.trace(arguments, inputs, 0)) {
    if (step.part->id != "pytorch.dequantize_per_tensor") continue;
    for (const Traced& operand : step.operands) is_linked = is_linked || operand.origin().step.has_value();
  }
  CHECK(is_linked);
  CHECK_THROWS_AS(composed(inputs, settings({{"scale", "0.5"}, {"zero_point", "200"}, {"dtype", "qint8"}})),
                  RequestError);
}

TEST_CASE("an identity refuses formulas that do not chain", "[identity]") {
  const auto refusal = [](const char* fake, const char* quantize, const char* dequantize, const Settings& given) {
    try {
      const Identity identity(formula(fake), formula(quantize), formula(dequantize), given);
      return std::string("taken");
    } catch (const RequestError& error) {
      return std::string(error.what());
    }
  };
  const Settings given = settings({{"scale", "0.1"}, {"zero_point", "3"}, {"dtype", "uint8"}});
  CHECK_THAT(refusal(kFakePerTensor, "pytorch.dequantize_per_tensor", "pytorch.quantize_per_tensor", given),
             contains("does not quantize"));
  CHECK_THAT(refusal(kFakePerTensor, "pytorch.quantize_per_tensor", kFakePerTensor, given),
             contains("does not dequantize"));
  CHECK_THAT(
      refusal("pytorch.dequantize_per_tensor", "pytorch.quantize_per_tensor", "pytorch.dequantize_per_tensor", given),
      contains("no fake quantization"));
  CHECK_THAT(refusal(kFakePerTensor, "onnx.DynamicQuantizeLinear", "onnx.DequantizeLinear", given),
             contains("elementwise"));
  CHECK_THAT(refusal(kFakePerTensor, "pytorch.quantize_per_tensor", "pytorch.dequantize_per_tensor",
                     settings({{"scale", "[0.1,0.2]"}, {"zero_point", "3"}, {"dtype", "uint8"}})),
             contains("expected"));
  CHECK_THAT(refusal(kFakePerTensor, "pytorch.quantize_per_tensor", "pytorch.dequantize_per_tensor",
                     settings({{"skale", "0.1"}, {"zero_point", "3"}, {"dtype", "uint8"}})),
             contains("did you mean 'scale'"));
}
