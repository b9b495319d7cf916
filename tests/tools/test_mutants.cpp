#include "tests/mutants/mutants.hpp"

#include <algorithm>
#include <cmath>

#include "catch.hpp"
#include "interpreter/registry.hpp"
#include "tools/diagnosis/diagnosis.hpp"
#include "tools/diagnosis/simplicity.hpp"
#include "tools/harness/compare.hpp"

using namespace qassay;

namespace {

/// The usual settings with a scale and a zero point for each of so many channels.
Settings settings_of(const Signature& signature, std::string scale, std::string zero_point, int channels) {
  Settings settings = with_usual_values({}, signature);
  const auto set = [&](Role role, const std::string& text) {
    const Parameter* const parameter = signature.parameter(role);
    if (parameter == nullptr) return;
    std::string vector = "[" + text;
    for (int i = 1; i < channels; ++i) vector += "," + text;
    const bool is_vector = lies_along_axis(signature) && text.front() != '[';
    settings.insert_or_assign(std::string(parameter->name), Written::parse(is_vector ? vector + "]" : text));
  };
  set(Role::scale, scale);
  set(Role::zero_point, zero_point);
  if (const Parameter* axis = signature.parameter(Role::axis))
    settings.insert_or_assign(std::string(axis->name), Written::scalar("0"));
  return settings;
}

/// Steps with their neighbours, special values, small numbers, over three channels that no vector divides.
Inputs revealing_inputs(const Formula& formula) {
  const Input& input = formula.signature->inputs.front();
  const Type type = input.types.front();
  const std::uint64_t usual = is_floating(type) ? encode(type, 1.55) : 1;
  std::vector<std::uint64_t> values =
      elements_to_try(formula, settings_of(*formula.signature, "0.1", "3", 1), type, usual);
  while (values.size() % 3 != 0 || values.size() / 3 % 4 != 3) values.push_back(values[values.size() / 2]);
  Tensor x(type, {3, static_cast<std::int64_t>(values.size() / 3)});
  for (std::size_t i = 0; i < x.size(); ++i) x.set_bits(i, values[i * 7 % values.size()]);
  return {{std::string(input.name), std::move(x)}};
}

std::vector<Settings> revealing_settings(const Formula& formula) {
  const Signature& signature = *formula.signature;
  const auto with = [&](const char* scale, const char* zero_point) {
    return settings_of(signature, scale, zero_point, 3);
  };
  std::vector<Settings> all{with("0x1.99999ap-4", "3"), with("0.5", "131"),     with("0x1p-126", "3"),
                            with("0x1p-149", "0"),      with("0x1.8p127", "3"), with("0x1.555556p-2", "85")};
  all.push_back(with("0.1", "3"));  // where the scale is kept in binary64 it is no binary32 value
  const Parameter* dtype = signature.parameter(Role::dtype);
  if (dtype != nullptr && is_integer(dtype->types.front())) {
    all.push_back(with("0.5", "-3"));
    all.back().insert_or_assign(std::string(dtype->name), Written::scalar("int8"));
  }
  if (const Parameter* weights = signature.parameter(Role::weight_scale)) {
    for (const char* scale : {"[0.7,0.5,0.11]", "1", "0.25"}) {
      all.push_back(with("0.5", "7"));
      all.back().insert_or_assign(std::string(weights->name), Written::parse(scale));
      all.push_back(all.back());
      all.back().insert_or_assign(std::string(signature.parameter(Role::input_scale)->name), Written::scalar("0.25"));
    }
  } else if (signature.parameter(Role::axis) != nullptr) {
    all.push_back(with("[0.25,0.5,1]", "[0,9,100]"));
  }
  return all;
}

bool differs(const Outputs& outputs, const Formula& right, const Inputs& inputs, const Settings& settings) {
  const Outputs expected = right(inputs, settings).outputs;
  return std::ranges::any_of(
      outputs, [&](const auto& output) { return !is_same(output.second, expected.find(output.first)->second); });
}

}  // namespace

TEST_CASE("the base rule of every formula gives what the formula gives") {
  for (const Formula& right : all_formulas()) {
    if (!mutants::has_base_rule(*right.signature)) continue;
    const Inputs inputs = revealing_inputs(right);
    const Formula base = formula_of({nullptr, mutants::base_rule(*right.signature)}, right);
    for (const Settings& settings : revealing_settings(right)) {
      CAPTURE(right.id(), settings.begin()->second.elements);
      const Evaluation evaluation = right(inputs, settings);
      const Outputs given = base(inputs, settings).outputs;
      for (const auto& [name, tensor] : evaluation.outputs) {
        const Tensor& other = given.find(name)->second;
        const auto open = evaluation.unspecified.find(name);
        for (std::size_t i = 0; i < tensor.size(); ++i) {
          if (open != evaluation.unspecified.end() && open->second[i] != 0) continue;
          const bool is_equal =
              tensor.bits(i) == other.bits(i) || (std::isnan(tensor.real(i)) && std::isnan(other.real(i)));
          if (is_equal) continue;
          INFO(name << " of " << inputs.begin()->second.real(i) << ": " << tensor.real(i) << ", " << other.real(i));
          CHECK(is_equal);
        }
      }
    }
  }
}

TEST_CASE("every mutant is wrong somewhere, and refuses what the formula refuses") {
  CHECK(mutants::all().size() >= 30);
  for (const mutants::Mutant& mutant : mutants::all()) {
    CHECK(mutants::find(mutant.name) == &mutant);
    const Formula& right = mutants::home(mutant);
    CAPTURE(mutant.name, right.id());
    CHECK(mutant.applies_to(*right.signature));
    const Inputs inputs = revealing_inputs(right);
    const std::vector<Settings> all = revealing_settings(right);
    CHECK(std::ranges::any_of(all, [&](const Settings& settings) {
      return differs(mutant.evaluate(right, inputs, settings), right, inputs, settings);
    }));
    CHECK_THROWS_AS(mutant.evaluate(right, inputs, {{"nonsense", Written::parse("1")}}), RequestError);
  }
  CHECK(mutants::find("no such mutant") == nullptr);
}

TEST_CASE("mutants have one name each, and so do their mistakes") {
  const auto mutants = mutants::all();
  for (std::size_t a = 0; a < mutants.size(); ++a) {
    for (std::size_t b = a + 1; b < mutants.size(); ++b) {
      CAPTURE(mutants[a].name, mutants[b].name);
      CHECK(mutants[a].name != mutants[b].name);
      CHECK_FALSE(std::ranges::equal(mutants[a].changes, mutants[b].changes, [](const auto& x, const auto& y) {
        return x.aspect == y.aspect && x.choice == y.choice;
      }));
    }
  }
}

TEST_CASE("mistakes are made where formulas do otherwise") {
  const auto applies = [](std::string_view mutant, std::string_view id) {
    return mutants::find(mutant)->applies_to(*formula(id).signature);
  };
  CHECK(applies("truncate", "pytorch.quantize_per_tensor"));
  CHECK_FALSE(applies("truncate", "onnx.DequantizeLinear"));
  CHECK_FALSE(applies("wrong_axis", "pytorch.quantize_per_tensor"));
  CHECK(applies("reciprocal", "onnx.QuantizeLinear"));
  CHECK_FALSE(applies("reciprocal", "pytorch.quantize_per_tensor"));
  CHECK(applies("division", "pytorch.quantize_per_tensor"));
  CHECK(applies("fixed_point_double", "onnxruntime.requantize"));
  CHECK_FALSE(applies("nan_highest", "onnx_reference.QuantizeLinear"));
}

TEST_CASE("a mutant of a PyTorch formula makes one mistake on top of PyTorch's arithmetic") {
  const Formula& right = formula("pytorch.quantize_per_tensor");
  Tensor x(Type::float32, {3});
  x.set_real(0, 1.55);  // a tie of the reciprocal's product, none of the quotient
  x.set_real(1, 1.45);
  x.set_real(2, 1.5);
  const Settings settings{
      {"scale", Written::parse("0.1")}, {"zero_point", Written::parse("0")}, {"dtype", Written::parse("quint8")}};
  const Tensor down = mutants::find("floor")->evaluate(right, {{"x", x}}, settings).at("q");
  CHECK(down.integer(0) == 15);
  const Tensor odd = mutants::find("half_odd")->evaluate(right, {{"x", x}}, settings).at("q");
  CHECK(odd.integer(0) == 15);
  CHECK(odd.integer(2) == 15);
  CHECK(right({{"x", x}}, settings).outputs.at("q").integer(0) == 16);
}
