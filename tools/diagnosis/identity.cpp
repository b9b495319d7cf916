#include "tools/diagnosis/identity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "tools/diagnosis/composition.hpp"
#include "tools/diagnosis/parting_steps.hpp"
#include "tools/generators.hpp"

namespace qassay {
namespace {

/// Names that only dequantize has, as the composition calls them.
Settings with_merged_names(const Settings& settings, const Signature& fake, const Signature& dequantize,
                           const Signature& composed) {
  Settings renamed;
  for (const auto& [given, written] : settings) {
    const bool is_known = parameter_called(given, fake) != nullptr || parameter_called(given, composed) != nullptr;
    const Parameter* own = is_known ? nullptr : dequantize.parameter(given);
    if (own != nullptr && own->role == Role::dtype) {
      throw RequestError(
          ErrorKind::unknown_parameter,
          fmt::format("{}: {} is not for you to say here: what comes out has the type of x", dequantize.id, given));
    }
    const std::string merged(own == nullptr ? std::string_view(given) : composed.parameter(own->role)->name);
    if (!renamed.emplace(merged, written).second)
      throw RequestError(ErrorKind::bad_value, fmt::format("{} is given twice, as '{}' too", merged, given));
  }
  return renamed;
}

const Written* find_role(const Settings& settings, Role role, std::initializer_list<const Signature*> signatures) {
  for (const auto& [given, written] : settings) {
    for (const Signature* signature : signatures) {
      const Parameter* parameter = parameter_called(given, *signature);
      if (parameter != nullptr && parameter->role == role) return &written;
    }
  }
  return nullptr;
}

/// The type of the codes, where it is not said: that of the zero point, or the one whose range is the one given.
void add_code_type(Settings& settings, const Signature& fake, const Signature& composed) {
  const Parameter& dtype = *composed.parameter(Role::dtype);
  if (find_role(settings, Role::dtype, {&composed}) != nullptr) return;
  const Written* low = find_role(settings, Role::quant_min, {&fake, &composed});
  const Written* high = find_role(settings, Role::quant_max, {&fake, &composed});
  const Written* zero_point = find_role(settings, Role::zero_point, {&fake, &composed});
  const auto is_meant = [&](Type type) {
    if (zero_point != nullptr && zero_point->type) return *zero_point->type == type;
    if (zero_point != nullptr && zero_point->tensor) return zero_point->tensor->type() == type;
    return low != nullptr && high != nullptr && low->elements == std::vector{std::to_string(lowest(type))} &&
           high->elements == std::vector{std::to_string(highest(type))};
  };
  const auto meant = std::ranges::find_if(dtype.types, is_meant);
  if (meant != dtype.types.end()) settings.emplace(dtype.name, Written::scalar(std::string(name(*meant))));
}

/// What the composition has beside the parameters of the fake quantization, which are handed over each time.
Settings only_of(const ScalarFunction& composed, const Signature& fake) {
  const Signature& signature = *composed.formula().signature;
  Settings only;
  for (const auto& [name, written] : settings_of(composed.arguments())) {
    const Parameter& parameter = *signature.parameter(name);
    const bool goes_with_x = parameter.kind == ParameterKind::shape && !composed.settings().contains(name);
    if (fake.parameter(parameter.role) == nullptr && !goes_with_x) only.emplace(name, written);
  }
  return only;
}

void require_same_output(const ScalarFunction& fake, const ScalarFunction& dequantized) {
  if (fake.output_type() == dequantized.output_type()) return;
  throw RequestError(ErrorKind::wrong_type, fmt::format("{} gives {}, {} gives {}: nothing to compare",
                                                        fake.formula().id(), name(fake.output_type()),
                                                        dequantized.formula().id(), name(dequantized.output_type())));
}

IdentityWitness witness_at(const Identity& identity, std::uint64_t bits) {
  Tensor x(identity.input_type(), {1});
  x.set_bits(0, bits);
  return {bits, identity.fake_quantized().evaluate(x).bits(0), identity.dequantized().evaluate(x).bits(0)};
}

bool differs(const Identity& identity, const IdentityWitness& witness) {
  return !is_same_output(identity.output_type(), witness.fake_quantized, witness.dequantized);
}

std::optional<IdentityWitness> smallest_of(const Identity& identity, const Comparison& comparison) {
  if (const auto order = comparison.smallest()) return witness_at(identity, bits_at(identity.input_type(), *order));
  if (comparison.differing_nan == 0) return std::nullopt;
  return witness_at(identity, encode(identity.input_type(), NAN));
}

/// Whether all rules that fit round the sum with the zero point.
bool adds_zero_point_first(const Diagnosis& diagnosis) {
  const auto settled = std::ranges::find(diagnosis.fingerprint, "zero point", &Settled::aspect);
  return settled != diagnosis.fingerprint.end() && std::ranges::all_of(settled->choices, [](std::string_view choice) {
           return choice == "before rounding" || choice == "fused";
         });
}

}  // namespace

Identity::Identity(const Formula& fake_quantize, const Formula& quantize, const Formula& dequantize,
                   const Settings& settings, std::optional<Type> input_type)
    : expected_(first_output_of(fake_quantize)) {
  if (fake_quantize.signature->inputs.size() != 1 ||
      !is_floating(fake_quantize.signature->inputs.front().types.front()))
    throw RequestError(ErrorKind::out_of_domain,
                       fmt::format("{} is no fake quantization: expected a formula from reals to reals, such as "
                                   "pytorch.fake_quantize_per_tensor_affine",
                                   fake_quantize.id()));
  const Type type = input_type.value_or(fake_quantize.signature->inputs.front().types.front());
  const Formula composed = composition(quantize, dequantize, type);
  composed_ = as_narrow_as(composed, *expected_.signature);
  expected_ = as_narrow_as(expected_, *composed.signature);
  const Signature& fake = *expected_.signature;
  Settings all = with_merged_names(settings, fake, *dequantize.signature, *composed_.signature);
  add_code_type(all, fake, *composed_.signature);
  const auto [of_fake, of_composed] = for_both(all, fake, *composed_.signature);
  fake_quantized_ = std::make_unique<ScalarFunction>(expected_, of_fake, type);
  dequantized_ = std::make_unique<ScalarFunction>(composed_, of_composed, type);
  require_same_output(*fake_quantized_, *dequantized_);
  actual_ = in_words_of(with_fixed(composed_, only_of(*dequantized_, fake)), expected_);
}

bool is_same_output(Type type, std::uint64_t a, std::uint64_t b) {
  return a == b || output_order(type, a) == output_order(type, b);
}

std::pair<std::string, std::string> parting_steps(const Identity& identity, std::uint64_t input) {
  return parting_steps(identity.fake_quantized(), identity.dequantized(), input);
}

Diagnosis diagnose(const Identity& identity, const Oracle& oracle) {
  const Settings given = settings_of(identity.fake_quantized().arguments());
  DiagnosisOptions options{.input_type = identity.input_type()};
  Diagnosis diagnosis = diagnose(identity.expected(), given, oracle, options);
  if (diagnosis.verdict != Diagnosis::Verdict::none_fits) return diagnosis;
  // What no rule explains everywhere one may still explain for the parameters given.
  options.varies_parameters = false;
  return diagnose(identity.expected(), given, oracle, options);
}

Diagnosis diagnose(const Identity& identity) {
  const Oracle oracle = [&](const Inputs& inputs, const Settings& settings) -> OracleAnswer {
    try {
      return {identity.actual()(inputs, settings).outputs, {}};
    } catch (const RequestError& error) {
      return {std::nullopt, error.what()};
    }
  };
  return diagnose(identity, oracle);
}

IdentityFinding finding_about(const Identity& identity) {
  IdentityFinding finding;
  finding.input_type = identity.input_type();
  finding.output_type = identity.output_type();
  finding.of_fake_quantize = identity.fake_quantized().settings();
  finding.of_composition = identity.dequantized().settings();
  return finding;
}

IdentityFinding check_identity(const Identity& identity, IdentityMethod method,
                               const std::function<void(double)>& progress) {
  const ScalarFunction& left = identity.fake_quantized();
  const ScalarFunction& right = identity.dequantized();
  Comparison comparison =
      method == IdentityMethod::sweep ? compare_by_sweep(left, right, progress) : compare_by_segments(left, right);
  IdentityFinding finding = finding_about(identity);
  finding.inputs = comparison.inputs;
  finding.differing = comparison.differing + comparison.differing_nan;
  finding.not_finite = comparison.differing_nan;
  for (const double infinity : {static_cast<double>(INFINITY), -static_cast<double>(INFINITY)})
    finding.not_finite += differs(identity, witness_at(identity, encode(identity.input_type(), infinity))) ? 1 : 0;
  finding.by_steps = std::move(comparison.by_steps);
  finding.is_complete = comparison.is_complete;
  finding.smallest = smallest_of(identity, comparison);
  if (finding.smallest) finding.parting = parting_steps(identity, finding.smallest->input);
  return finding;
}

std::string cause_of(const IdentityFinding& finding) {
  if (!finding.diagnosis) return {};
  const Diagnosis& diagnosis = *finding.diagnosis;
  if (diagnosis.verdict == Diagnosis::Verdict::follows_expected) {
    if (finding.holds()) return {};  // with these parameters there is nothing to explain
    return fmt::format("not found: none of {} elements asked for differs", diagnosis.elements);
  }
  std::string sentence = fmt::format("dequantize(quantize(x)) {}", diagnosis.sentence);
  if (diagnosis.verdict == Diagnosis::Verdict::none_fits && diagnosis.best) {
    sentence += fmt::format("; the nearest is {}, with {} mismatches in {} elements", diagnosis.best->name,
                            diagnosis.best->mismatches, diagnosis.elements);
  }
  if (adds_zero_point_first(diagnosis)) sentence.insert(0, "the zero point is added before rounding: ");
  return sentence;
}

}  // namespace qassay
