// A diagnosis from what was recorded.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "interpreter/parameter_layout.hpp"
#include "tools/diagnosis/conclusion.hpp"
#include "tools/diagnosis/recovery.hpp"
#include "tools/generators.hpp"

namespace qassay {
namespace {

constexpr std::size_t kMostSampled = 1024;
constexpr std::size_t kMostHypotheses = 4096;

/// Elements that rules are tried on first: of each output the outermost inputs, and others spread over the tensor.
std::vector<std::size_t> sample(const Tensor& x, const Tensor& y) {
  std::set<std::size_t> chosen;
  std::map<std::uint64_t, std::pair<std::size_t, std::size_t>> ends;
  for (std::size_t i = 0; i < x.size(); ++i) {
    auto [place, is_new] = ends.try_emplace(y.bits(i), i, i);
    if (x.real(i) < x.real(place->second.first)) place->second.first = i;
    if (x.real(i) > x.real(place->second.second)) place->second.second = i;
    if (std::isnan(x.real(i)) || std::isinf(x.real(i))) chosen.insert(i);
    if (chosen.size() > kMostSampled / 4) break;
  }
  for (const auto& [output, pair] : ends) {
    if (chosen.size() < kMostSampled / 2) chosen.insert({pair.first, pair.second});
  }
  const std::size_t step = std::max<std::size_t>(1, x.size() / (kMostSampled / 2));
  for (std::size_t i = 0; i < x.size(); i += step) chosen.insert(i);
  return {chosen.begin(), chosen.end()};
}

Tensor picked(const Tensor& tensor, const std::vector<std::size_t>& elements) {
  Tensor part(tensor.type(), {static_cast<std::int64_t>(elements.size())});
  for (std::size_t i = 0; i < elements.size(); ++i) part.set_bits(i, tensor.bits(elements[i]));
  return part;
}

/// Elements to leave aside until a stage: what overflows, what is no number or subnormal.
std::vector<std::uint8_t> ignored_in(Stage stage, const Batch& batch, const Formula& expected) {
  const Tensor& x = batch.inputs.begin()->second;
  const Tensor& y = batch.observed.begin()->second;
  std::vector<std::uint8_t> ignored(x.size(), 0);
  const double smallest = is_floating(x.type()) ? std::ldexp(1.0, lowest_exponent(x.type())) : 0;
  const Evaluation evaluation = expected.evaluate(batch.arguments, batch.inputs);
  const Tensor& usual = evaluation.outputs.find(expected.signature->outputs.front().name)->second;
  const bool has_codes = is_integer(y.type());
  const CodeRange range = has_codes ? code_range(y.type()) : CodeRange{0, 0};
  const std::int64_t margin = range.highest - range.lowest > 8 ? 2 : 1;
  const auto is_at_end = [&](std::int64_t code) {
    return code < range.lowest + margin || code > range.highest - margin;
  };
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double value = x.real(i);
    const bool is_subnormal = value != 0 && std::abs(value) < smallest;
    const bool is_edge =
        !std::isfinite(value) || (has_codes && (is_at_end(y.integer(i)) || is_at_end(usual.integer(i))));
    ignored[i] = is_subnormal || (stage == Stage::arithmetic && is_edge) ? 1 : 0;
  }
  return ignored;
}

/// The recorded tensors as evidence, stage by stage.
class Records {
 public:
  Records(const Formula& expected, const Settings& settings, const Tensor& x, const Tensor& y)
      : expected_(expected), settings_(settings), family_(family_of(*expected.signature)) {
    const Batch whole = batch_of(x, y);
    const bool is_sampled = x.size() > kMostSampled && parameter_layout(whole.arguments).is_per_tensor;
    Batch first = whole;
    if (is_sampled) {
      const std::vector<std::size_t> elements = sample(x, y);
      first = batch_of(picked(x, elements), picked(y, elements));
    }
    for (const Stage stage : {Stage::arithmetic, Stage::edges}) {
      first.ignored = family_ == Family::quantize ? ignored_in(stage, first, expected) : std::vector<std::uint8_t>();
      evidence_.add(stage, first);
    }
    evidence_.add(Stage::surroundings, whole);
  }

  Diagnosis diagnose() {
    std::vector<Hypothesis> rivals = arithmetic_rules(expected_, family_, named_hypotheses(expected_));
    std::vector<Hypothesis> left = evidence_.fitting(rivals, expected_, Stage::arithmetic);
    if (left.size() > 0) rivals = left;
    left = narrowed(spread_over(Stage::edges, family_, left));
    left = evidence_.fitting(std::move(left), expected_, Stage::edges);
    if (left.size() > 0) rivals = left;
    left = in_surroundings(left);
    return conclude({expected_, settings_, evidence_.of(Stage::surroundings)[0].arguments.input_type, family_},
                    evidence_, left, rivals);
  }

 private:
  Batch batch_of(const Tensor& x, const Tensor& y) const {
    Batch batch;
    batch.inputs.emplace(expected_.signature->inputs.front().name, x);
    batch.arguments = expected_.arguments(batch.inputs, settings_);
    batch.observed.emplace(expected_.signature->outputs.front().name, y);
    return batch;
  }

  /// As many hypotheses as can be tried; the first ones are the usual ones.
  static std::vector<Hypothesis> narrowed(std::vector<Hypothesis> hypotheses) {
    if (hypotheses.size() > kMostHypotheses) hypotheses.resize(kMostHypotheses);
    return hypotheses;
  }

  /// Surroundings are only looked at where nothing usual explains everything.
  std::vector<Hypothesis> in_surroundings(const std::vector<Hypothesis>& usual) const {
    std::vector<Hypothesis> fitting = evidence_.fitting(usual, expected_, Stage::surroundings);
    for (const Aspect& aspect : aspects()) {
      if (!fitting.empty()) break;
      if (aspect.stage == Stage::surroundings)
        fitting = evidence_.fitting(narrowed(spread_over(aspect, usual)), expected_, Stage::surroundings);
    }
    return fitting;
  }

  const Formula& expected_;
  Settings settings_;
  Family family_;
  Evidence evidence_{DiagnosisOptions{}};
};

/// The output's type is what was recorded.
Settings with_recorded_type(Settings settings, const Signature& signature, const Tensor& y) {
  const Parameter* dtype = signature.parameter(Role::dtype);
  if (dtype != nullptr && !settings.contains(dtype->name))
    settings.emplace(dtype->name, Written::scalar(std::string(name(y.type()))));
  return settings;
}

std::optional<double> given_scale(const Settings& settings, const Parameter& parameter) {
  const auto found = settings.find(parameter.name);
  if (found == settings.end()) return std::nullopt;
  if (found->second.tensor) return found->second.tensor->real(0);
  return decode(Type::float64, parse_number(found->second.elements.at(0), Type::float64));
}

std::optional<std::int64_t> given_zero_point(const Settings& settings, const Parameter& parameter) {
  const auto found = settings.find(parameter.name);
  if (found == settings.end()) return std::nullopt;
  if (found->second.tensor) return found->second.tensor->integer(0);
  return std::stoll(found->second.elements.at(0));
}

/// Parameters are looked for; the first that fit are those the diagnosis is made with.
Diagnosis with_recovered(const Formula& expected, const Settings& settings, const Tensor& x, const Tensor& y,
                         const KnownParameters& known) {
  const std::vector<Recovered> recovered = recover(expected, settings, x, y, known);
  Diagnosis diagnosis;
  if (recovered.empty()) {
    diagnosis.expected = &expected;
    diagnosis.settings = settings;
    diagnosis.elements = x.size();
    diagnosis.cause = "unknown";
    diagnosis.sentence = known.scale || known.zero_point
                             ? "is explained by no parameters beside those given, under any rule that is known here"
                             : "is explained by no scale and zero point, under any rule that is known here";
    return diagnosis;
  }
  const Recovered& best = recovered.front();
  const std::string scale = known.scale ? fmt::format("{}", *known.scale) : best.simplest_scale;
  diagnosis =
      Records(expected, with_parameters(settings, *expected.signature, scale, best.zero_point), x, y).diagnose();
  diagnosis.recovered = recovered;
  diagnosis.elements = x.size();
  return diagnosis;
}

/// Recorded elements may leave more open than chosen ones.
Diagnosis with_what_is_open(Diagnosis diagnosis) {
  if (diagnosis.verdict == Diagnosis::Verdict::follows_expected)
    diagnosis.sentence = fmt::format("is what {} gives", diagnosis.expected->id());
  const auto is_open = [](const Settled& settled) { return settled.choices.size() > 1; };
  if (std::ranges::any_of(diagnosis.fingerprint, is_open))
    diagnosis.notes.emplace_back(
        "other rules give the same on these elements; 'qassay probes' lists elements that tell");
  return diagnosis;
}

}  // namespace

Diagnosis diagnose_observed(const Formula& expected, const Settings& given, const Tensor& x, const Tensor& y) {
  const Signature& signature = *expected.signature;
  if (x.shape() != y.shape()) {
    throw RequestError(ErrorKind::wrong_shape, fmt::format("inputs have the shape {}, outputs {}: expected the same",
                                                           to_text(x.shape()), to_text(y.shape())));
  }
  if (signature.kind != FormulaKind::elementwise) {
    throw RequestError(ErrorKind::out_of_domain,
                       fmt::format("{} is not elementwise: one input and one output do not tell", signature.id));
  }
  Settings settings = with_recorded_type(by_own_names(given, signature), signature, y);
  const Parameter* scale = signature.parameter(Role::scale);
  const Parameter* zero_point = signature.parameter(Role::zero_point);
  KnownParameters known;
  if (scale != nullptr) known.scale = given_scale(settings, *scale);
  if (zero_point != nullptr) known.zero_point = given_zero_point(settings, *zero_point);
  const Family family = family_of(signature);
  const bool is_recoverable = family == Family::quantize || family == Family::dequantize;
  if (is_recoverable && (!known.scale || !known.zero_point))
    return with_what_is_open(with_recovered(expected, settings, x, y, known));
  Diagnosis diagnosis = Records(expected, settings, x, y).diagnose();
  diagnosis.elements = x.size();
  if (diagnosis.verdict != Diagnosis::Verdict::none_fits || !is_recoverable) return with_what_is_open(diagnosis);
  try {
    diagnosis.recovered = recover(expected, settings, x, y, {});
  } catch (const RequestError& error) {
    diagnosis.notes.emplace_back(error.what());
  }
  return diagnosis;
}

}  // namespace qassay
