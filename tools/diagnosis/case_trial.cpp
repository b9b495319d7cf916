#include "tools/diagnosis/case_trial.hpp"

#include <cmath>

#include "tools/harness/compare.hpp"

namespace qassay {
namespace {

Manner::Input input_manner(Type type, double value) {
  if (std::isnan(value)) return Manner::Input::nan;
  if (std::isinf(value)) return Manner::Input::infinity;
  const bool is_subnormal = is_floating(type) && value != 0 && std::abs(value) < std::ldexp(1.0, lowest_exponent(type));
  return is_subnormal ? Manner::Input::subnormal : Manner::Input::number;
}

Manner::Distance distance_manner(const OutputComparison& comparison) {
  const std::optional<double> lsb = comparison.shown.empty() ? std::nullopt : comparison.shown.front().lsb;
  if (!lsb) return Manner::Distance::without_measure;
  if (std::abs(*lsb) < 0.5) return Manner::Distance::below_a_step;
  return std::abs(*lsb) < 1.5 ? Manner::Distance::one_step : Manner::Distance::more;
}

Tensor element_of(const Tensor& tensor, std::size_t element) {
  Tensor one(tensor.type(), {1});
  one.set_bits(0, tensor.bits(element));
  return one;
}

/// One element of an output beside what was expected of it.
OutputComparison compare_element(const ExpectedOutput& expected, const Tensor& got, const Grid& grid,
                                 std::size_t element) {
  ExpectedOutput one{element_of(expected.values, element), {}, {}};
  if (!expected.unspecified.empty()) one.unspecified = {expected.unspecified[element]};
  if (const auto freedom = expected.freedoms.find(element); freedom != expected.freedoms.end())
    one.freedoms.emplace(0, freedom->second);
  Grid here;
  if (grid.scale) here.scale = [&](std::size_t) { return grid.scale(element); };
  if (grid.zero_point) here.zero_point = [&](std::size_t) { return grid.zero_point(element); };
  return compare("", one, element_of(got, element), here, 1);
}

Verdict verdict_of(Answer::Kind kind) {
  switch (kind) {
    case Answer::Kind::unsupported: return Verdict::unsupported;
    case Answer::Kind::crash: return Verdict::crash;
    case Answer::Kind::timeout: return Verdict::timeout;
    default: return Verdict::error;
  }
}

}  // namespace

std::vector<Failing> TrialRunner::failing_elements(const Case& made, const std::vector<Tensor>& outputs) const {
  const Policy policy = spec_.policy().empty() ? Policy() : Policy::parse(spec_.policy());
  const Signature& signature = *spec_.formula->signature;
  const Tensor& x = made.inputs.begin()->second;
  std::vector<Failing> failing;
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    const ExpectedOutput& expected = made.expectation.outputs.find(signature.outputs[o].name)->second;
    const Grid grid = grid_of(*made.arguments, o);
    const bool is_elementwise = outputs[o].shape() == x.shape() && signature.kind == FormulaKind::elementwise;
    for (std::size_t e = 0; e < outputs[o].size(); ++e) {
      if (outputs[o].bits(e) == expected.values.bits(e)) continue;
      const OutputComparison one = compare_element(expected, outputs[o], grid, e);
      if (!policy.objection(one)) continue;
      const Manner::Input input = is_elementwise ? input_manner(x.type(), x.real(e)) : Manner::Input::number;
      failing.push_back({is_elementwise ? e : 0, {input, distance_manner(one)}});
    }
    if (!failing.empty()) break;  // a mask beside the values follows them
  }
  return failing;
}

Trial TrialRunner::run(const Case& made) const {
  return run(made, spec_.settings);
}

Trial TrialRunner::run(const Case& made, const Settings& settings) const {
  CaseSpec spec = spec_;
  spec.settings = settings;
  const auto [answer, outputs] = respondent_(spec, made);
  const bool must_refuse = made.expectation.error.has_value();
  if (must_refuse && answer.kind == Answer::Kind::refused) return {};
  if (answer.kind != Answer::Kind::done) return {verdict_of(answer.kind), answer.message, {}};
  if (must_refuse) return {Verdict::mismatch, "accepted what must be refused", {}};
  Trial trial{Verdict::pass, {}, failing_elements(made, outputs)};
  if (!trial.failing.empty()) trial.verdict = Verdict::mismatch;
  return trial;
}

std::optional<Case> TrialRunner::make(const Candidate& candidate, std::optional<ErrorKind> refusal) const {
  const Formula& formula = *spec_.formula;
  Case made;
  made.inputs.emplace(formula.signature->inputs.front().name, candidate.x);
  try {
    made.arguments = formula.arguments(made.inputs, candidate.settings);
    if (refusal) return std::nullopt;
    Evaluation evaluation = formula.evaluate(*made.arguments, made.inputs);
    for (auto& [output, tensor] : evaluation.outputs) {
      ExpectedOutput expected{std::move(tensor), {}, {}};
      if (const auto open = evaluation.unspecified.find(output); open != evaluation.unspecified.end())
        expected.unspecified = open->second;
      made.expectation.outputs.emplace(output, std::move(expected));
    }
  } catch (const RequestError& error) {
    if (refusal != error.kind()) return std::nullopt;
    made.arguments.reset();
    made.expectation.error = refusal;
  }
  return made;
}

}  // namespace qassay
