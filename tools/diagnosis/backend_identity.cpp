#include "tools/diagnosis/backend_identity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <set>

#include "tools/diagnosis/evidence.hpp"
#include "tools/diagnosis/probing.hpp"
#include "tools/generators.hpp"

namespace qassay {
namespace {

constexpr std::size_t kMostSteps = 400;
constexpr std::size_t kMostIntervals = 500;  ///< the nearest to zero

constexpr std::string_view kLeft = "fake_quantize(x)";
constexpr std::string_view kRight = "dequantize(quantize(x))";

/// The formula as the backend computes it.
Formula answered_by(BackendOracle& backend, const Formula& formula) {
  Formula answered = formula;
  answered.evaluate = [&backend, &formula](const Arguments& arguments, const Inputs& inputs) {
    OracleAnswer answer = backend.ask(formula, inputs, settings_of(arguments));
    if (!answer.outputs) throw BackendFailure(fmt::format("{}: {}", formula.id(), answer.why));
    return Evaluation{std::move(*answer.outputs), {}};
  };
  return answered;
}

/// Inputs at which something may show with the parameters given.
std::vector<std::uint64_t> inputs_that_matter(const Identity& predicted, const Settings& settings) {
  const Type type = predicted.input_type();
  const std::vector<std::uint64_t> candidates =
      candidate_inputs({predicted.expected(), predicted.actual()}, settings, type, kMostSteps);
  std::set<std::uint64_t> inputs(candidates.begin(), candidates.end());
  try {
    std::vector<DifferingInterval> intervals =
        compare_by_segments(predicted.fake_quantized(), predicted.dequantized()).intervals;
    std::ranges::sort(intervals, {},
                      [](const DifferingInterval& one) { return std::min(std::abs(one.first), std::abs(one.last)); });
    intervals.resize(std::min(intervals.size(), kMostIntervals));
    for (const DifferingInterval& interval : intervals) {
      for (const std::int64_t end : {interval.first, interval.last}) {
        const std::int64_t highest = std::min(end + 1, highest_order(type));
        for (std::int64_t near = std::max(end - 1, lowest_order(type)); near <= highest; ++near)
          inputs.insert(bits_at(type, near));
      }
    }
  } catch (const RequestError&) {
    // Without segments the candidates must do.
  }
  return {inputs.begin(), inputs.end()};
}

bool is_predicted(const Identity& predicted, const IdentityWitness& witness) {
  const Tensor x = tensor_of(predicted.input_type(), {witness.input});
  const Type type = predicted.output_type();
  return is_same_output(type, predicted.fake_quantized().evaluate(x).bits(0), witness.fake_quantized) &&
         is_same_output(type, predicted.dequantized().evaluate(x).bits(0), witness.dequantized);
}

/// What a backend gave on both sides, beside what was predicted.
class Tally {
 public:
  Tally(const Identity& predicted, const Identity& answered) : predicted_(predicted), answered_(answered) {}

  /// Asks for both sides. What comes out on the right.
  Outputs ask(const Inputs& inputs, const Settings& settings) {
    const Arguments arguments = answered_.expected().arguments(inputs, settings);
    const Outputs left = answered_.expected().evaluate(arguments, inputs).outputs;
    Outputs right = answered_.actual().evaluate(arguments, inputs).outputs;
    const Tensor& x = inputs.begin()->second;
    add(arguments, x, left.begin()->second, right.begin()->second);
    const Batch batch{predicted_.expected().arguments(inputs, settings), inputs, {}};
    judge(batch, kLeft, predicted_.expected(), left.begin()->second);
    judge(batch, kRight, predicted_.actual(), right.begin()->second);
    return right;
  }

  BackendIdentityFinding finding() const {
    BackendIdentityFinding all = counted_;
    IdentityFinding& finding = all.finding;
    finding = finding_about(predicted_);
    const Type type = predicted_.input_type();
    double smallest = NAN;
    for (const auto& [bits, outputs] : given_) {
      ++finding.inputs;
      if (is_same_output(predicted_.output_type(), outputs.first, outputs.second)) continue;
      ++finding.differing;
      const double x = decode(type, bits);
      if (!std::isfinite(x)) ++finding.not_finite;
      if (!std::isnan(x)) ++finding.by_steps[steps(outputs)];
      // Any number is nearer than NaN, and the usual NaN than others.
      const bool is_nearer = std::isnan(smallest) ? !std::isnan(x) || bits == encode(type, NAN)
                                                  : std::abs(x) < std::abs(smallest) ||
                                                        (std::abs(x) == std::abs(smallest) && x > smallest);
      if (finding.smallest && !is_nearer) continue;
      smallest = x;
      finding.smallest = {bits, outputs.first, outputs.second};
    }
    return all;
  }

 private:
  using OutputPair = std::pair<std::uint64_t, std::uint64_t>;

  std::int64_t steps(const OutputPair& outputs) const {
    const Type type = predicted_.output_type();
    return steps_between(predicted_.fake_quantized(), output_order(type, outputs.first),
                         output_order(type, outputs.second));
  }

  bool are_given(const Arguments& arguments) const {
    const Arguments& given = predicted_.fake_quantized().arguments();
    return std::ranges::all_of(given.signature->parameters, [&](const Parameter& parameter) {
      const Argument& a = given[parameter.role];
      const Argument& b = arguments[parameter.role];
      if (parameter.role == Role::axis) return true;
      if (!a.tensor || !b.tensor) return a.whole == b.whole;
      return b.tensor->size() == 1 && a.tensor->real(0) == b.tensor->real(0);
    });
  }

  void add(const Arguments& arguments, const Tensor& x, const Tensor& left, const Tensor& right) {
    const bool is_given = are_given(arguments);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const OutputPair outputs{left.bits(i), right.bits(i)};
      const bool differs = !is_same_output(left.type(), outputs.first, outputs.second);
      if (is_given) {
        // An input that was asked for twice counts once, and as one that differs if it ever did.
        const auto [entry, is_new] = given_.try_emplace(x.bits(i), outputs);
        if (!is_new && differs) entry->second = outputs;
      } else {
        ++counted_.varied;
        if (differs) ++counted_.varied_differing;
      }
    }
  }

  void judge(const Batch& batch, std::string_view side, const Formula& formula, const Tensor& got) {
    const Outputs outputs = formula.evaluate(batch.arguments, batch.inputs).outputs;
    const Tensor& expected = outputs.begin()->second;
    counted_.results += got.size();
    for (std::size_t i = 0; i < got.size(); ++i) {
      if (is_same_output(got.type(), expected.bits(i), got.bits(i))) continue;
      if (counted_.unpredicted++ == 0) counted_.first_unpredicted = {side, witness_of(batch, i, expected, got)};
    }
  }

  const Identity& predicted_;
  const Identity& answered_;
  BackendIdentityFinding counted_;
  std::map<std::uint64_t, OutputPair> given_;  ///< by the bits of the input
};

}  // namespace

BackendIdentityFinding check_identity(BackendOracle& backend, const Formula& fake_quantize, const Formula& quantize,
                                      const Formula& dequantize, const Settings& settings,
                                      std::optional<Type> input_type) {
  const Formula& fake = backend.claimed(fake_quantize);
  const Formula& to_codes = backend.claimed(quantize);
  const Formula& to_reals = backend.claimed(dequantize);
  const Identity predicted(fake, to_codes, to_reals, settings, input_type);
  const Identity answered(answered_by(backend, fake), answered_by(backend, to_codes), answered_by(backend, to_reals),
                          settings, input_type);
  Tally tally(predicted, answered);
  const Settings given = settings_of(predicted.fake_quantized().arguments());
  const std::vector<std::uint64_t> bits = inputs_that_matter(predicted, given);
  tally.ask(shaped_inputs(*predicted.expected().signature, tensor_of(predicted.input_type(), bits)), given);

  const Oracle oracle = [&](const Inputs& inputs, const Settings& asked) -> OracleAnswer {
    try {
      return {tally.ask(inputs, asked), {}};
    } catch (const BackendFailure& failure) {
      return {std::nullopt, failure.what()};
    } catch (const RequestError& error) {
      return {std::nullopt, error.what()};
    }
  };
  Diagnosis diagnosis = diagnose(predicted, oracle);
  BackendIdentityFinding all = tally.finding();
  all.asked = {fake.id(), to_codes.id(), to_reals.id()};
  diagnosis.expected = &fake;
  if (!all.finding.holds() || all.varied_differing > 0) all.finding.diagnosis = std::move(diagnosis);
  if (all.finding.smallest && is_predicted(predicted, *all.finding.smallest))
    all.finding.parting = parting_steps(predicted, all.finding.smallest->input);
  return all;
}

}  // namespace qassay
