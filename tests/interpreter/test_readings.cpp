// The three readings of every formula agree, on requests made from the signature alone.
#include "catch.hpp"
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
  return false;
}

bool is_exact(const Trace& trace) {
  return std::ranges::all_of(
      trace, [](const TraceStep& step) { return is_asked_for(step) || step.exact == step.result.exact(); });
}

std::string place(const Formula& formula, const Request& request, std::size_t index) {
  const Tensor& x = request.inputs.find(formula.signature->inputs.front().name)->second;
  return fmt::format("{}{}, element {} {}", formula.id(), to_text(request), index,
                     number_text(x.type(), x.bits(index)));
}

}  // namespace

TEST_CASE("the last traced step is the native result") {
  RequestMaker maker(17);
  for (const Formula& formula : all_formulas()) {
    CAPTURE(formula.id());
    Tally tally;
    const std::string_view output = formula.signature->outputs.front().name;
    for (int i = 0; i < kRequests; ++i) {
      const Request request = maker.make(formula);
      const Arguments arguments = formula.arguments(request.inputs, request.settings);
      const Evaluation native = formula.evaluate(arguments, request.inputs);
      const Tensor& values = native.outputs.find(output)->second;
      for (std::size_t index = 0; index < values.size(); ++index) {
        const Trace trace = formula.trace(arguments, request.inputs, index);
        if (trace.empty()) {
          tally.expect(false, [&] { return "no steps: " + place(formula, request, index); });
          continue;
        }
        const Traced& last = trace.back().result;
        const bool agrees = is_floating(values.type())
                                ? encode(values.type(), last.value()) == values.bits(index) &&
                                      (!is_floating(last.format()) || same(last.value(), values.real(index)))
                                : last.value() == values.real(index);
        tally.expect(agrees, [&] {
          return fmt::format("{}: traced {:a}, native {}", place(formula, request, index), last.value(),
                             number_text(values.type(), values.bits(index)));
        });
      }
    }
    CHECK(tally.faults() == "");
    CHECK(tally.checked() > 500);
  }
}

TEST_CASE("the exact reading is the native result wherever no step rounded") {
  RequestMaker maker(18);
  for (const Formula& formula : all_formulas()) {
    CAPTURE(formula.id());
    Tally tally;
    for (int i = 0; i < kRequests; ++i) {
      const Request request = maker.make(formula);
      const Arguments arguments = formula.arguments(request.inputs, request.settings);
      const Evaluation native = formula.evaluate(arguments, request.inputs);
      const std::size_t size = request.inputs.begin()->second.size();
      for (std::size_t index = 0; index < size; ++index) {
        const std::vector<Exact> exact = formula.exact(arguments, request.inputs, index);
        REQUIRE(exact.size() == formula.signature->outputs.size());
        if (!is_exact(formula.trace(arguments, request.inputs, index))) continue;
        for (std::size_t o = 0; o < exact.size(); ++o) {
          const Tensor& values = native.outputs.find(formula.signature->outputs[o].name)->second;
          const std::size_t at = values.size() == 1 ? 0 : index;
          tally.expect(exact[o] == Exact(values.real(at)), [&] {
            return fmt::format("{}: {} is exactly {}, native {}", place(formula, request, index),
                               formula.signature->outputs[o].name, qassay::to_text(exact[o]),
                               number_text(values.type(), values.bits(at)));
          });
        }
      }
    }
    CHECK(tally.faults() == "");
    CHECK(tally.checked() > 20);
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
