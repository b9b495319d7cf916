// The three readings of every formula agree, on requests made from the signature alone.
#include <cmath>

#include "catch.hpp"
#include "interpreter/program.hpp"
#include "interpreter/request_maker.hpp"
#include "interpreter/tally.hpp"

using namespace qassay;
using namespace qassay::tests;

namespace {

constexpr int kRequests = 120;

/// Acts that the exact reading does too, as the formula asks for them.
bool is_asked_for(const TraceStep& step) {
  for (const char* act : {"round half to even", "saturate"}) {
    if (step.act == act) return true;
  }
  return step.act.ends_with("significant bits");
}

bool is_exact(const Trace& trace) {
  // Exactly, NaN has no sign.
  const auto is_a_nan_with_sign = [](const TraceStep& step) {
    return std::isnan(step.result.value()) && std::signbit(step.result.value());
  };
  if (std::ranges::any_of(trace, is_a_nan_with_sign)) return false;
  return std::ranges::all_of(
      trace, [](const TraceStep& step) { return is_asked_for(step) || step.exact == step.result.exact(); });
}

std::string place(const Formula& formula, const Request& request, std::size_t index) {
  if (request.inputs.empty()) return fmt::format("{}{}, element {}", formula.id(), to_text(request), index);
  const Tensor& x = request.inputs.find(formula.signature->inputs.front().name)->second;
  return fmt::format("{}{}, element {} {}", formula.id(), to_text(request), index,
                     number_text(x.type(), x.bits(index)));
}

bool is_result(const Traced& last, const Tensor& values, std::size_t at) {
  if (!is_floating(values.type())) return last.value() == values.real(at);
  return encode(values.type(), last.value()) == values.bits(at) &&
         (!is_floating(last.format()) || same(last.value(), values.real(at)));
}

}  // namespace

TEST_CASE("the last traced step is a native result") {
  RequestMaker maker(17);
  for (const Formula& formula : all_formulas()) {
    CAPTURE(formula.id());
    Tally tally;
    for (int i = 0; i < kRequests; ++i) {
      const Request request = maker.make(formula);
      const Arguments arguments = formula.arguments(request.inputs, request.settings);
      const Evaluation native = formula.evaluate(arguments, request.inputs);
      const auto count = static_cast<std::size_t>(element_count(arguments.shape));
      for (std::size_t index = 0; index < count; ++index) {
        const Trace trace = formula.trace(arguments, request.inputs, index);
        // A product of matrices is traced in its first column.
        const std::size_t traced_index =
            formula.id() == "onnx.MatMulInteger" ? index / static_cast<std::size_t>(arguments.shape[1]) * 3 : index;
        const bool agrees = !trace.empty() && std::ranges::any_of(native.outputs, [&](const auto& output) {
          return is_result(trace.back().result, output.second,
                           place_in(output.second.shape(), arguments, traced_index));
        });
        tally.expect(agrees, [&] {
          return fmt::format("{}: traced {:a}", place(formula, request, index),
                             trace.empty() ? 0.0 : trace.back().result.value());
        });
      }
    }
    CHECK(tally.faults() == "");
    CHECK(tally.checked() > 100);
  }
}

TEST_CASE("the exact reading is the native result wherever no step rounded") {
  RequestMaker maker(18);
  for (const Formula& formula : all_formulas()) {
    CAPTURE(formula.id());
    if (formula.id() == "onnx.MatMulInteger") continue;  // has a test of its own
    Tally tally;
    for (int i = 0; i < kRequests; ++i) {
      const Request request = maker.make(formula);
      const Arguments arguments = formula.arguments(request.inputs, request.settings);
      const Evaluation native = formula.evaluate(arguments, request.inputs);
      const auto size = static_cast<std::size_t>(element_count(arguments.shape));
      for (std::size_t index = 0; index < size; ++index) {
        const std::vector<Exact> exact = formula.exact(arguments, request.inputs, index);
        REQUIRE(exact.size() == formula.signature->outputs.size());
        if (!is_exact(formula.trace(arguments, request.inputs, index))) continue;
        for (std::size_t o = 0; o < exact.size(); ++o) {
          const Tensor& values = native.outputs.find(formula.signature->outputs[o].name)->second;
          // A sum is as exact as all its terms, of which the trace has one.
          if (!formula.signature->outputs[o].sum_of.empty()) continue;
          const std::size_t at = place_in(values.shape(), arguments, index);
          tally.expect(exact[o] == Exact(values.real(at)), [&] {
            return fmt::format("{}: {} is exactly {}, native {}", place(formula, request, index),
                               formula.signature->outputs[o].name, qassay::to_text(exact[o]),
                               number_text(values.type(), values.bits(at)));
          });
        }
      }
    }
    // Averages and the bins of a histogram round always.
    const bool always_rounds =
        op_of(formula.id()).starts_with("MovingAverage") || op_of(formula.id()) == "HistogramObserver";
    if (always_rounds && tally.checked() == 0) continue;
    CHECK(tally.faults() == "");
    CHECK(tally.checked() > 10);
  }
}

TEST_CASE("every traced step is its exact value, rounded to its format") {
  RequestMaker maker(19);
  Tally tally;
  for (const Formula& formula : all_formulas()) {
    for (int i = 0; i < 20; ++i) {
      const Request request = maker.make(formula);
      const Arguments arguments = formula.arguments(request.inputs, request.settings);
      for (const TraceStep& step : formula.trace(arguments, request.inputs, 0)) {
        const Traced& result = step.result;
        if (!is_floating(result.format()) || !step.exact.is_finite() || is_asked_for(step)) continue;
        if (step.kind == StepKind::rounds_by_rule) continue;
        tally.expect(round_to(result.format(), step.exact) == result.value(), [&] {
          return fmt::format("{}: {} {} gives {:a}", place(formula, request, 0), step.act, qassay::to_text(step.exact),
                             result.value());
        });
        tally.expect(!step.act.empty() && round_to(result.format(), result.exact()) == result.value(),
                     [&] { return fmt::format("{}: {} leaves its format", place(formula, request, 0), step.act); });
      }
    }
  }
  CHECK(tally.faults() == "");
}
