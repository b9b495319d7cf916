#include "tools/diagnosis/parting_steps.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace qassay {
namespace {

bool is_same(double a, double b) {
  return a == b || (std::isnan(a) && std::isnan(b));
}

std::string step_text(const Trace& trace, std::size_t i) {
  if (i >= trace.size()) return "no further step";
  const TraceStep& step = trace[i];
  std::vector<std::string> operands;
  for (const Traced& operand : step.operands) operands.push_back(fmt::format("{}", operand.value()));
  return fmt::format("step {}: {} ({}) = {}", i + 1, step.act, fmt::join(operands, ", "), step.result.value());
}

/// The step before `end` that made this operand: the first with that result, since later ones may have let it through.
std::size_t maker_of(const Trace& trace, std::size_t end, const Traced& operand) {
  for (std::size_t i = 0; i < end; ++i) {
    if (trace[i].result.value() == operand.value()) return i;
  }
  return end == 0 ? 0 : end - 1;
}

/// Which steps depend on x; the others prepare parameters.
std::vector<bool> steps_of_input(const Trace& trace, const ScalarFunction& function) {
  const std::string_view x = function.formula().signature->inputs.front().name;
  std::vector<bool> depends(trace.size());
  for (std::size_t i = 0; i < trace.size(); ++i) {
    depends[i] = std::ranges::any_of(trace[i].operands, [&](const Traced& operand) {
      const Origin& origin = operand.origin();
      return origin.step ? depends[*origin.step] : origin.name == x;
    });
  }
  return depends;
}

/// The first step that makes something of x that the other never has.
std::size_t first_of_its_own(const Trace& trace, const ScalarFunction& function, const Trace& other) {
  const std::vector<bool> depends = steps_of_input(trace, function);
  for (std::size_t i = 0; i < trace.size(); ++i) {
    const double result = trace[i].result.value();
    if (depends[i] &&
        std::ranges::none_of(other, [&](const TraceStep& step) { return is_same(step.result.value(), result); }))
      return i;
  }
  return trace.size();
}

}  // namespace

std::pair<std::string, std::string> parting_steps(const ScalarFunction& a, const ScalarFunction& b,
                                                  std::uint64_t input) {
  const Trace of_a = a.trace(input);
  const Trace of_b = b.trace(input);
  for (std::size_t i = 0; i < of_a.size(); ++i) {
    for (std::size_t j = 0; j < of_b.size(); ++j) {
      const bool same_rounding = of_a[i].act == of_b[j].act && of_a[i].act.starts_with("round half");
      if (!same_rounding || is_same(of_a[i].operands[0].value(), of_b[j].operands[0].value())) continue;
      return {step_text(of_a, maker_of(of_a, i, of_a[i].operands[0])),
              step_text(of_b, maker_of(of_b, j, of_b[j].operands[0]))};
    }
  }
  return {step_text(of_a, first_of_its_own(of_a, a, of_b)), step_text(of_b, first_of_its_own(of_b, b, of_a))};
}

}  // namespace qassay
