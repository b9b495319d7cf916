#include "tools/diagnosis/diagnosis.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "catch.hpp"
#include "interpreter/registry.hpp"
#include "mutants/mutants.hpp"
#include "tools/diagnosis/diagnosis_text.hpp"
#include "tools/diagnosis/probing.hpp"
#include "tools/generators.hpp"
#include "tools/harness/translation.hpp"

using namespace qassay;

namespace {

constexpr std::size_t kMostElements = 5000;

Oracle oracle_of(const Formula& formula) {
  return [&formula](const Inputs& inputs, const Settings& settings) {
    return OracleAnswer{formula(inputs, settings).outputs, {}};
  };
}

Oracle oracle_of(const mutants::Mutant& mutant, const Formula& formula) {
  return [&](const Inputs& inputs, const Settings& settings) {
    return OracleAnswer{mutant.evaluate(formula, inputs, settings), {}};
  };
}

/// Another dialect's formula in place of the expected one.
Oracle oracle_as(const Formula& actual, const Formula& expected) {
  return [&](const Inputs& inputs, const Settings& settings) {
    return OracleAnswer{evaluate_as(actual, expected.arguments(inputs, settings), inputs).outputs, {}};
  };
}

Settings usual(const Formula& formula) {
  return with_usual_values({}, *formula.signature);
}

/// Whether a formula follows its base rule for inputs of a type: mutants are changes of that.
bool has_base_rule(const Formula& formula, Type type) {
  std::vector<std::uint64_t> bits;
  for (const SpecialValue& special : special_values(type)) bits.push_back(special.bits);
  const Inputs inputs = shaped_inputs(*formula.signature, tensor_of(type, bits));
  std::vector<Batch> batches;
  for (const Settings& settings : settings_bank(formula, usual(formula), type, true)) {
    const Arguments arguments = formula.arguments(inputs, settings);
    batches.push_back({arguments, inputs, formula.evaluate(arguments, inputs).outputs});
  }
  return misfit_of(formula_of({nullptr, mutants::base_rule(*formula.signature)}, formula), batches).mismatches == 0;
}

/// Signed codes, where the mistake is about the code 0.
Settings telling(const mutants::Mutant& mutant, const Formula& formula) {
  Settings settings = usual(formula);
  const Parameter* dtype = formula.signature->parameter(Role::dtype);
  if (mutant.name == "nan_zero" && dtype != nullptr)
    settings.insert_or_assign(std::string(dtype->name), Written::scalar("int8"));
  return settings;
}

bool has_choice(const Diagnosis& diagnosis, std::string_view aspect, std::string_view choice) {
  const auto found = std::ranges::find(diagnosis.fingerprint, aspect, &Settled::aspect);
  return found != diagnosis.fingerprint.end() && found->choices.size() == 1 && found->choices.front() == choice;
}

bool names(const Diagnosis& diagnosis, std::string_view id) {
  return std::ranges::find(diagnosis.formulas, id) != diagnosis.formulas.end();
}

/// x and what a formula gives for it.
struct Recorded {
  Tensor x;
  Tensor y;
};
Recorded recorded(const Formula& formula, const Settings& settings, double low, double high, std::size_t count) {
  Tensor x(Type::float32, {static_cast<std::int64_t>(count)});
  RandomBits random(7);
  for (std::size_t i = 0; i < count; ++i)
    x.set_real(i, low + (high - low) * static_cast<double>(random.next() >> 11U) * 0x1p-53);
  Inputs inputs{{std::string(formula.signature->inputs.front().name), x}};
  Tensor y = formula(inputs, settings).outputs.begin()->second;
  return {x, y};
}

}  // namespace

TEST_CASE("diagnose calls every formula right", "[diagnosis]") {
  for (const Formula& formula : all_formulas()) {
    if (family_of(*formula.signature) == Family::other && op_of(formula.id()) != "DynamicQuantizeLinear") continue;
    INFO(formula.id());
    const Diagnosis diagnosis = diagnose(formula, usual(formula), oracle_of(formula));
    INFO(diagnosis_text(diagnosis, "itself"));
    CHECK(diagnosis.verdict == Diagnosis::Verdict::follows_expected);
    CHECK(names(diagnosis, formula.id()));
    CHECK(diagnosis.elements <= kMostElements);
    CHECK(diagnosis.elements > 0);
    CHECK(diagnosis.notes.empty());
  }
}

TEST_CASE("diagnose names every mutant", "[diagnosis]") {
  for (const mutants::Mutant& mutant : mutants::all()) {
    // Not every mistake shows in every formula: codes are never subnormal, small codes never need binary64.
    bool is_named = false;
    for (const Formula& expected : all_formulas()) {
      if (is_named || !mutant.applies_to(*expected.signature)) continue;
      const bool is_about_nan = mutant.changes.front().aspect == "NaN";
      if (is_about_nan && expected.signature->authority == Authority::specification) continue;  // leaves it open
      for (const Type type :
           {expected.signature->inputs.front().types.front(), expected.signature->inputs.front().types.back()}) {
        INFO(mutant.name << " of " << expected.id() << " for " << name(type));
        const Diagnosis diagnosis =
            diagnose(expected, telling(mutant, expected), oracle_of(mutant, expected), {.input_type = type});
        CHECK(diagnosis.elements <= kMostElements);
        if (diagnosis.verdict == Diagnosis::Verdict::follows_expected || !has_base_rule(expected, type)) continue;
        INFO(diagnosis_text(diagnosis, std::string(mutant.name)));
        CHECK(diagnosis.verdict == Diagnosis::Verdict::follows_another);
        CHECK(diagnosis.witness);
        for (const mutants::Change& change : mutant.changes) CHECK(has_choice(diagnosis, change.aspect, change.choice));
        is_named = true;
        break;
      }
    }
    INFO(mutant.name);
    CHECK(is_named);
  }
}

TEST_CASE("diagnose names mistakes around a formula", "[diagnosis]") {
  struct Named {
    std::string_view mutant;
    std::string_view aspect;
    std::string_view choice;
  };
  const std::vector<Named> all{{"wrong_axis", "channels", "another axis or reversed"},
                               {"first_channel_only", "channels", "first"},
                               {"tail_off_by_one", "tail", "repeats behind 8"}};
  for (const Named& named : all) {
    const mutants::Mutant* mutant = mutants::find(named.mutant);
    REQUIRE(mutant != nullptr);
    for (const Formula& expected : all_formulas()) {
      if (expected.signature->kind != FormulaKind::elementwise || !mutant->applies_to(*expected.signature)) continue;
      INFO(named.mutant << " of " << expected.id());
      const Diagnosis diagnosis = diagnose(expected, usual(expected), oracle_of(*mutant, expected));
      INFO(diagnosis_text(diagnosis, std::string(named.mutant)));
      CHECK(diagnosis.verdict == Diagnosis::Verdict::follows_another);
      CHECK(has_choice(diagnosis, named.aspect, named.choice));
      CHECK(diagnosis.elements <= kMostElements);
    }
  }
}

TEST_CASE("diagnose names another dialect's formula", "[diagnosis]") {
  struct Case {
    std::string_view expected;
    std::string_view actual;
    Diagnosis::Verdict verdict;
  };
  using Verdict = Diagnosis::Verdict;
  for (const auto& [expected_id, actual_id, verdict] :
       {Case{"onnx.QuantizeLinear", "onnxruntime.QuantizeLinear", Verdict::follows_expected},
        Case{"onnx.QuantizeLinear", "onnx_reference.QuantizeLinear", Verdict::follows_another},
        Case{"onnxruntime.QuantizeLinear", "onnx_reference.QuantizeLinear", Verdict::follows_another},
        Case{"onnx.QuantizeLinear", "pytorch.quantize_per_tensor", Verdict::follows_another},
        Case{"pytorch.quantize_per_tensor", "pytorch.quantize_per_tensor@2.13", Verdict::follows_another},
        Case{"pytorch.quantize_per_channel", "pytorch.quantize_per_channel@2.13", Verdict::follows_another},
        Case{"pytorch.quantize_per_tensor", "onnx.QuantizeLinear", Verdict::follows_another},
        Case{"pytorch.fake_quantize_per_tensor_affine", "pytorch.fake_quantize_per_channel_affine",
             Verdict::follows_another},
        Case{"onnxruntime.requantize", "onnx_reference.requantize", Verdict::follows_another},
        Case{"onnx.DynamicQuantizeLinear", "onnxruntime.DynamicQuantizeLinear", Verdict::follows_expected}}) {
    INFO(expected_id << " computed as " << actual_id);
    const Formula& expected = formula(expected_id);
    const Diagnosis diagnosis = diagnose(expected, usual(expected), oracle_as(formula(actual_id), expected));
    INFO(diagnosis_text(diagnosis, "it"));
    CHECK(diagnosis.verdict == verdict);
    CHECK(names(diagnosis, actual_id));
    CHECK(diagnosis.elements <= kMostElements);
  }
}

TEST_CASE("requantize rules in fixed point are told apart", "[diagnosis]") {
  using Scaling = RequantizeRule::Scaling;
  const Formula& expected = formula("onnxruntime.requantize");
  for (const Scaling scaling : {Scaling::binary32_half_away, Scaling::binary64, Scaling::fixed_single,
                                Scaling::fixed_double, Scaling::fixed_half_up}) {
    Hypothesis hypothesis;
    hypothesis.rule.requantize = {RequantizeRule::Multiplier::binary64, scaling};
    const Formula actual = formula_of(hypothesis, expected);
    const Diagnosis diagnosis = diagnose(expected, usual(expected), oracle_of(actual));
    INFO(diagnosis_text(diagnosis, "it"));
    CHECK(diagnosis.verdict == Diagnosis::Verdict::follows_another);
    CHECK(std::ranges::find(diagnosis.fitting, hypothesis) != diagnosis.fitting.end());
    CHECK(std::ranges::all_of(diagnosis.fitting, [&](const Hypothesis& one) {
      return one.named == nullptr && one.rule.requantize.scaling == scaling;
    }));
  }
}

TEST_CASE("fixed-point multipliers are TFLite's", "[diagnosis]") {
  CHECK(fixed_point(0.5) == FixedPointMultiplier{1 << 30, 0});
  CHECK(fixed_point(1.0) == FixedPointMultiplier{1 << 30, 1});
  CHECK(fixed_point(0.25) == FixedPointMultiplier{1 << 30, -1});
  CHECK(fixed_point(0x1.fffffffffp-1) == FixedPointMultiplier{1 << 30, 1});  // rounds up to the next power
  CHECK(fixed_point(0) == FixedPointMultiplier{});
  CHECK(fixed_point(0x1p-40) == FixedPointMultiplier{});
  // The smallest triples that tell the rules apart: x * 0.25 and x * 0.25 of -3.
  const RequantizeScales quarter{0.5, 0.5, 1};
  const auto result = [&](std::int32_t accumulator, RequantizeRule::Scaling scaling) {
    return requantize(accumulator, quarter, 0, code_range(Type::int8), {.scaling = scaling});
  };
  CHECK(result(1, RequantizeRule::Scaling::fixed_single) == 0);
  CHECK(result(1, RequantizeRule::Scaling::fixed_double) == 1);
  CHECK(result(-3, RequantizeRule::Scaling::fixed_single) == -1);
  CHECK(result(-3, RequantizeRule::Scaling::fixed_double) == -1);
  CHECK(result(-3, RequantizeRule::Scaling::fixed_half_up) == 0);
}

TEST_CASE("diagnose never guesses", "[diagnosis]") {
  const Formula& expected = formula("onnx.QuantizeLinear");
  RandomBits random(3);
  const Oracle garbage = [&](const Inputs& inputs, const Settings& settings) {
    Outputs outputs = expected(inputs, settings).outputs;
    for (auto& [name, tensor] : outputs) {
      for (std::size_t i = 0; i < tensor.size(); ++i)
        tensor.set_integer(i, static_cast<std::int64_t>(random.next() % 256) + lowest(tensor.type()));
    }
    return OracleAnswer{std::move(outputs), {}};
  };
  const Diagnosis diagnosis = diagnose(expected, usual(expected), garbage);
  CHECK(diagnosis.verdict == Diagnosis::Verdict::none_fits);
  CHECK(diagnosis.fitting.empty());
  REQUIRE(diagnosis.best);
  CHECK(diagnosis.best->mismatches > 0);
  CHECK(diagnosis.best->first);

  const Oracle silent = [](const Inputs&, const Settings&) { return OracleAnswer{std::nullopt, "crash"}; };
  CHECK_THROWS_AS(diagnose(expected, usual(expected), silent), RequestError);
}

TEST_CASE("a limit of elements is kept", "[diagnosis]") {
  const Formula& expected = formula("onnx.QuantizeLinear");
  const Diagnosis diagnosis = diagnose(expected, usual(expected), oracle_of(expected), {.most_elements = 300});
  CHECK(diagnosis.elements <= 300);
  CHECK_FALSE(diagnosis.notes.empty());
}

TEST_CASE("recorded outputs are diagnosed", "[diagnosis]") {
  const Formula& expected = formula("onnx.QuantizeLinear");
  const Settings settings{{"y_scale", Written::scalar("0.1")}, {"y_zero_point", Written::scalar("3")}};

  SECTION("as the expected formula") {
    const Recorded data = recorded(expected, settings, -2, 30, 20000);
    const Diagnosis diagnosis = diagnose_observed(expected, settings, data.x, data.y);
    CHECK(diagnosis.verdict == Diagnosis::Verdict::follows_expected);
  }
  SECTION("as another rule") {
    Hypothesis floor;
    floor.rule.quantize.rounding = QuantizeRule::Rounding::floor;
    const Recorded data = recorded(formula_of(floor, expected), settings, -2, 30, 20000);
    const Diagnosis diagnosis = diagnose_observed(expected, settings, data.x, data.y);
    INFO(diagnosis_text(diagnosis, "y.npy"));
    CHECK(diagnosis.verdict == Diagnosis::Verdict::follows_another);
    CHECK(std::ranges::find(diagnosis.fitting, floor) != diagnosis.fitting.end());
    CHECK(has_choice(diagnosis, "code range", "full"));
    CHECK_FALSE(names(diagnosis, "onnx.QuantizeLinear"));
  }
  SECTION("with the scale and the zero point missing") {
    const Recorded data = recorded(expected, settings, -0.3, 25, 20000);
    const Diagnosis diagnosis = diagnose_observed(expected, {}, data.x, data.y);
    INFO(diagnosis_text(diagnosis, "y.npy"));
    REQUIRE(diagnosis.recovered.size() == 1);
    const Recovered& one = diagnosis.recovered.front();
    CHECK(one.zero_point == 3);
    CHECK(one.lowest_scale <= static_cast<double>(0.1F));
    CHECK(static_cast<double>(0.1F) <= one.highest_scale);
    CHECK(one.highest_scale - one.lowest_scale < 1e-5);
    CHECK(diagnosis.verdict == Diagnosis::Verdict::follows_expected);
    // The interval is exact: one value further and a code changes.
    for (const double beyond : {static_cast<double>(std::nextafterf(static_cast<float>(one.lowest_scale), 0)),
                                static_cast<double>(std::nextafterf(static_cast<float>(one.highest_scale), 1))}) {
      Tensor scale(Type::float32, {});
      scale.set_real(0, beyond);
      Settings other = settings;
      other.insert_or_assign("y_scale", Written::of(scale));
      CHECK_FALSE(expected({{"x", data.x}}, other).outputs.begin()->second == data.y);
    }
  }
  SECTION("with a wrong scale") {
    const Recorded data = recorded(expected, settings, -0.3, 25, 2000);
    Settings wrong = settings;
    wrong.insert_or_assign("y_scale", Written::scalar("0.11"));
    const Diagnosis diagnosis = diagnose_observed(expected, wrong, data.x, data.y);
    CHECK(diagnosis.verdict == Diagnosis::Verdict::none_fits);
    REQUIRE(diagnosis.recovered.size() == 1);
    CHECK(diagnosis.recovered.front().zero_point == 3);
  }
  SECTION("as nothing that is known") {
    Recorded data = recorded(expected, settings, -0.3, 25, 2000);
    RandomBits random(5);
    for (std::size_t i = 0; i < data.y.size(); ++i)
      data.y.set_integer(i, static_cast<std::int64_t>(random.next() % 256));
    CHECK(diagnose_observed(expected, settings, data.x, data.y).verdict == Diagnosis::Verdict::none_fits);
    CHECK(diagnose_observed(expected, {}, data.x, data.y).verdict == Diagnosis::Verdict::none_fits);
  }
  SECTION("too few of them") {
    const Recorded data = recorded(expected, settings, 1, 2, 1);
    CHECK_THROWS_AS(diagnose_observed(expected, {}, data.x, data.y), RequestError);
  }
  SECTION("of a dequantization, without its parameters") {
    const Formula& dequantize = formula("onnx.DequantizeLinear");
    Tensor codes(Type::uint8, {256});
    for (std::size_t i = 0; i < 256; ++i) codes.set_integer(i, static_cast<std::int64_t>(i));
    const Settings parameters{{"x_scale", Written::scalar("0.3")}, {"x_zero_point", Written::scalar("7")}};
    const Tensor y = dequantize({{"x", codes}}, parameters).outputs.begin()->second;
    const Diagnosis diagnosis = diagnose_observed(dequantize, {}, codes, y);
    INFO(diagnosis_text(diagnosis, "y.npy"));
    REQUIRE(diagnosis.recovered.size() == 1);
    CHECK(diagnosis.recovered.front().zero_point == 7);
    CHECK(diagnosis.recovered.front().scales == 1);
    CHECK(diagnosis.verdict == Diagnosis::Verdict::follows_expected);
  }
}
