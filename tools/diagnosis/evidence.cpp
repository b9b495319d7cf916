#include "tools/diagnosis/evidence.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "interpreter/parameter_layout.hpp"
#include "tools/harness/request.hpp"
#include "tools/harness/translation.hpp"

namespace qassay {
namespace {

bool is_equal(const Tensor& a, const Tensor& b, std::size_t i) {
  if (a.bits(i) == b.bits(i)) return true;
  return is_floating(a.type()) && std::isnan(a.real(i)) && std::isnan(b.real(i));
}

/// Whether a value need not be said: a default, or where an element stands.
bool is_usual(const Parameter& parameter, const Written& written) {
  if (parameter.role == Role::axis || parameter.role == Role::block_size || parameter.kind == ParameterKind::boolean)
    return true;
  return !written.tensor && parameter.role != Role::dtype && written.elements.front() == parameter.fallback;
}

Misfit nothing_given(const Batch& batch, std::size_t index) {
  return {batch.elements(), index, 0};
}

/// Elements of one batch whose outputs are not those observed.
Misfit misfit_of_batch(const Formula& formula, const Batch& batch, std::size_t index) {
  Evaluation evaluation;
  try {
    evaluation = formula.evaluate(batch.arguments, batch.inputs);
  } catch (const RequestError&) {
    return nothing_given(batch, index);
  }
  Misfit misfit;
  for (const auto& [name, got] : evaluation.outputs) {
    const auto found = batch.observed.find(name);
    if (found == batch.observed.end()) continue;
    const Tensor& observed = found->second;
    if (observed.type() != got.type() || observed.shape() != got.shape()) return nothing_given(batch, index);
    const auto open = evaluation.unspecified.find(name);
    for (std::size_t i = 0; i < got.size(); ++i) {
      if (is_equal(observed, got, i)) continue;
      if (i < batch.ignored.size() && batch.ignored[i] != 0) continue;
      if (open != evaluation.unspecified.end() && open->second[i] != 0) continue;
      if (misfit.mismatches++ > 0) continue;
      misfit.batch = index;
      misfit.element = i;
    }
  }
  return misfit;
}

}  // namespace

Misfit misfit_of(const Formula& formula, const std::vector<Batch>& batches, std::size_t enough) {
  Misfit total;
  for (std::size_t b = 0; b < batches.size() && total.mismatches < enough; ++b) {
    const Misfit misfit = misfit_of_batch(formula, batches[b], b);
    if (misfit.mismatches > 0 && !total.batch) {
      total.batch = b;
      total.element = misfit.element;
    }
    total.mismatches += misfit.mismatches;
  }
  return total;
}

void Evidence::note(std::string text) {
  if (std::ranges::find(notes_, text) == notes_.end()) notes_.push_back(std::move(text));
}

bool Evidence::ask(const Formula& expected, const Oracle& oracle, Stage stage, Inputs inputs,
                   const Settings& settings) {
  const std::size_t count = inputs.begin()->second.size();
  if (count > elements_left() || is_out_of_time()) {
    note(count > elements_left() ? fmt::format("stopped at the limit of {} elements", options_.most_elements)
                                 : fmt::format("stopped at the limit of {:g} s", options_.most_seconds));
    return false;
  }
  Arguments arguments = expected.arguments(inputs, settings);
  elements_ += count;
  ++requests_;
  OracleAnswer answer = oracle(inputs, settings_of(arguments));
  if (!answer.outputs) {
    note(fmt::format("no answer for {}: {}", settings_text(arguments), answer.why));
    return false;
  }
  add(stage, {std::move(arguments), std::move(inputs), std::move(*answer.outputs)});
  return true;
}

void Evidence::add(Stage stage, Batch batch) {
  batches_[static_cast<std::size_t>(stage)].push_back(std::move(batch));
}

std::vector<Hypothesis> Evidence::fitting(std::vector<Hypothesis> hypotheses, const Formula& expected, Stage stage,
                                          std::size_t first) const {
  const std::vector<Batch>& all = of(stage);
  const std::vector<Batch> batches(all.begin() + static_cast<std::ptrdiff_t>(std::min(first, all.size())), all.end());
  std::erase_if(hypotheses, [&](const Hypothesis& hypothesis) {
    return misfit_of(formula_of(hypothesis, expected), batches, 1).mismatches > 0;
  });
  return hypotheses;
}

Evidence Evidence::answered_by(const Formula& formula) const {
  Evidence other(options_);
  for (std::size_t s = 0; s < batches_.size(); ++s) {
    for (Batch batch : batches_[s]) {
      Evaluation evaluation = formula.evaluate(batch.arguments, batch.inputs);
      if (const auto open = evaluation.unspecified.find(formula.signature->outputs.front().name);
          open != evaluation.unspecified.end()) {
        batch.ignored.resize(batch.elements());
        for (std::size_t i = 0; i < batch.ignored.size(); ++i) batch.ignored[i] |= open->second[i];
      }
      batch.observed = std::move(evaluation.outputs);
      other.batches_[s].push_back(std::move(batch));
    }
  }
  return other;
}

std::size_t Evidence::requests_answered() const {
  std::size_t count = 0;
  for (const std::vector<Batch>& batches : batches_) count += batches.size();
  return count;
}

std::vector<Batch> Evidence::all() const {
  std::vector<Batch> together;
  for (const std::vector<Batch>& batches : batches_) together.insert(together.end(), batches.begin(), batches.end());
  return together;
}

Witness witness_of(const Batch& batch, std::size_t element, const Tensor& expected, const Tensor& got) {
  const Tensor& x = batch.inputs.begin()->second;
  Witness witness;
  witness.input_type = x.type();
  witness.input = x.bits(element);
  witness.output_type = got.type();
  witness.expected = expected.bits(element);
  witness.got = got.bits(element);
  const Position at = parameter_layout(batch.arguments).position(element);
  for (auto& [name, written] : settings_of(batch.arguments)) {
    const Parameter& parameter = *batch.arguments.signature->parameter(name);
    if (is_usual(parameter, written)) continue;
    if (written.tensor) written.tensor = batch.arguments[parameter.role].value(at);
    witness.settings.emplace(name, written);
  }
  return witness;
}

std::string settings_text(const Arguments& arguments) {
  Settings set;
  for (auto& [name, written] : settings_of(arguments)) {
    if (!is_usual(*arguments.signature->parameter(name), written)) set.emplace(name, written);
  }
  std::vector<std::string> parts;
  for (const auto& [name, text] : settings_as_text(set)) parts.push_back(fmt::format("{}={}", name, text));
  return fmt::format("{}", fmt::join(parts, " "));
}

}  // namespace qassay
