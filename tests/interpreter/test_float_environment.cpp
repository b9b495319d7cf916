#include "interpreter/float_environment.hpp"

#include <cfenv>

#include "catch.hpp"
#include "interpreter/request_maker.hpp"
#ifdef __x86_64__
#include <immintrin.h>
#endif

using namespace qassay;
using namespace qassay::tests;

namespace {

/// A caller's floating-point environment: a rounding mode, and on x86-64 subnormals flushed to zero.
class CallersEnvironment {
 public:
  CallersEnvironment(int rounding, bool flushes) {
    std::fegetenv(&before_);
    std::fesetround(rounding);
#ifdef __x86_64__
    if (flushes) _mm_setcsr(_mm_getcsr() | 0x8040U);
#else
    (void)flushes;
#endif
  }
  ~CallersEnvironment() {
    std::fesetenv(&before_);
  }
  CallersEnvironment(const CallersEnvironment&) = delete;
  CallersEnvironment& operator=(const CallersEnvironment&) = delete;

 private:
  std::fenv_t before_{};
};

/// What a caller can see of its environment.
unsigned environment_bits() {
#ifdef __x86_64__
  return _mm_getcsr() & ~0x3fU;  // without the exception flags
#else
  return static_cast<unsigned>(std::fegetround());
#endif
}

/// All readings of a request.
struct Readings {
  Evaluation evaluation;
  std::vector<double> traced;
  std::vector<std::vector<Exact>> exact;
};

Readings read(const Formula& formula, const Request& request) {
  Readings readings{formula(request.inputs, request.settings), {}, {}};
  const Arguments arguments = formula.arguments(request.inputs, request.settings);
  for (std::size_t i = 0; i < static_cast<std::size_t>(element_count(arguments.shape)); ++i) {
    for (const TraceStep& step : formula.trace(arguments, request.inputs, i)) {
      readings.traced.push_back(step.result.value());
    }
    readings.exact.push_back(formula.exact(arguments, request.inputs, i));
  }
  return readings;
}

std::string compare(const Readings& a, const Readings& b) {
  if (const std::string found = difference(a.evaluation, b.evaluation); !found.empty()) return found;
  if (!std::ranges::equal(a.traced, b.traced, same)) return "other traces";
  return a.exact == b.exact ? "" : "other exact values";
}

constexpr int kRoundings[] = {FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO};

}  // namespace

TEST_CASE("no reading depends on the caller's rounding mode or flushing of subnormals") {
  RequestMaker maker(24);
  for (const Formula& formula : all_formulas()) {
    CAPTURE(formula.id());
    for (int i = 0; i < 8; ++i) {
      const Request request = maker.make(formula);
      const Readings expected = read(formula, request);
      for (const int rounding : kRoundings) {
        for (const bool flushes : {false, true}) {
          unsigned before = 0;
          unsigned after = 0;
          Readings found;
          {
            const CallersEnvironment environment(rounding, flushes);
            before = environment_bits();
            found = read(formula, request);
            after = environment_bits();
          }
          const std::string fault = compare(expected, found);
          if (!fault.empty())
            FAIL_CHECK(to_text(request) << " rounding " << rounding << " flush " << flushes << ": " << fault);
          if (before != after) FAIL_CHECK("the caller's environment did not come back");
        }
      }
    }
  }
}

TEST_CASE("subnormal inputs, scales and outputs live in any environment") {
  for (const bool flushes : {false, true}) {
    std::string quantized;
    std::string dequantized;
    std::string traced;
    std::string faked;
    {
      const CallersEnvironment environment(FE_UPWARD, flushes);
      quantized = result("onnx.QuantizeLinear", "y", {{"x", "[0x1p-148,0x3p-149,-0x1p-149]"}},
                         {{"y_scale", "0x1p-149"}, {"y_zero_point", "100"}});
      dequantized = result("onnx.DequantizeLinear", "y", {{"x", "[1,3]:int8"}}, {{"x_scale", "1e-45"}});
      faked = result("pytorch.fake_quantize_per_tensor_affine", "y", {{"x", "[0x3p-149]"}},
                     {{"scale", "0x1p-126"}, {"zero_point", "0"}, {"quant_min", "0"}, {"quant_max", "9"}});
      traced = result("onnx.QuantizeLinear", "y", {{"x", "[0x1p-24]:float16"}}, {{"y_scale", "0x1p-24"}});
    }
    CHECK(quantized == "102 103 99");
    CHECK(dequantized == "1e-45 4e-45");
    CHECK(faked == "0");
    CHECK(traced == "1");
  }
}

TEST_CASE("numbers are read alike in any environment") {
  for (const int rounding : kRoundings) {
    for (const bool flushes : {false, true}) {
      CAPTURE(rounding, flushes);
      std::uint64_t tenth = 0;
      std::uint64_t half = 0;
      std::uint64_t subnormal = 0;
      std::string text;
      std::string decimal;
      {
        const CallersEnvironment environment(rounding, flushes);
        tenth = parse_number("0.1", Type::float32);
        half = parse_number("0.1", Type::float16);
        subnormal = parse_number("1e-45", Type::float32);
        text = number_text(Type::float32, 3);
        decimal = decimal_text(Type::float32, 1);
      }
      CHECK(tenth == 0x3dcccccd);
      CHECK(half == 0x2e66);
      CHECK(subnormal == 1);
      CHECK(text == "0x1.8p-148");
      CHECK(decimal == "1e-45");
    }
  }
}
