#include "interpreter/registry.hpp"

#include <cctype>
#include <set>

#include "catch.hpp"

using namespace qassay;

namespace {

bool is_word(std::string_view text) {
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text.front())) == 0 &&
         std::ranges::all_of(text, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; });
}

bool is_version(std::string_view text) {
  return !text.empty() &&
         std::ranges::all_of(text, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.'; });
}

/// The kinds of parameter that may play a role.
bool plays(Role role, ParameterKind kind) {
  switch (role) {
    case Role::scale:
    case Role::input_scale:
    case Role::weight_scale:
    case Role::minimum:
    case Role::maximum:
    case Role::eps:
    case Role::averaging_const:
    case Role::input_low:
    case Role::input_high:
    case Role::output_low:
    case Role::output_high:
    case Role::factor:
    case Role::shift:
    case Role::grad_factor: return kind == ParameterKind::real;
    case Role::zero_point: return is_spread(kind);
    case Role::input_zero_point:
    case Role::weight_zero_point: return kind == ParameterKind::integer;
    case Role::dtype:
    case Role::zero_point_dtype: return kind == ParameterKind::dtype;
    case Role::axis:
    case Role::block_size:
    case Role::group_size:
    case Role::quant_min:
    case Role::quant_max:
    case Role::bins:
    case Role::levels:
    case Role::rank:
    case Role::opset: return kind == ParameterKind::whole;
    case Role::block_shape: return kind == ParameterKind::shape;
    case Role::precision:
    case Role::contraction:
    case Role::node:
    case Role::low_precision_transforms:
    case Role::destination:
    case Role::accumulator_op: return kind == ParameterKind::choice;
    case Role::symmetry: return kind == ParameterKind::choice || kind == ParameterKind::boolean;
    case Role::saturate:
    case Role::reduce_range:
    case Role::observer_on:
    case Role::fake_quant_on:
    case Role::per_row: return kind == ParameterKind::boolean;
  }
  return false;
}

/// Whether a default is one of the values a parameter can have.
bool is_valid_default(const Parameter& parameter) {
  const std::string_view text = parameter.fallback;
  switch (parameter.kind) {
    case ParameterKind::dtype: {
      const auto type = type_named(text);
      return type && std::ranges::find(parameter.types, *type) != parameter.types.end();
    }
    case ParameterKind::choice: return std::ranges::find(parameter.words, text) != parameter.words.end();
    case ParameterKind::boolean: return text == "0" || text == "1" || text == "true" || text == "false";
    case ParameterKind::shape: return text == "tensor";
    case ParameterKind::whole: {
      if (text == "none" || text == "lowest" || text == "highest") return true;
      Tensor holder(Type::int64, {});
      holder.set_bits(0, parse_number(text, Type::int64));
      return parameter.lowest <= holder.integer(0) && holder.integer(0) <= parameter.highest;
    }
    case ParameterKind::real: parse_number(text, Type::float64); return true;
    default: parse_number(text, Type::int64); return true;
  }
}

}  // namespace

TEST_CASE("formula ids are unique and well-formed: dialect.Op or dialect.Op@version") {
  std::set<std::string_view> ids;
  for (const Formula& formula : all_formulas()) {
    const std::string_view id = formula.id();
    CAPTURE(id);
    CHECK(ids.insert(id).second);
    CHECK(std::ranges::count(id, '.') >= 1);
    CHECK(is_word(dialect_of(id)));
    CHECK(is_word(op_of(id)));
    const bool has_version = id.find('@') != std::string_view::npos;
    CHECK(has_version == !version_of(id).empty());
    if (has_version) {
      CHECK(is_version(version_of(id)));
      // A version is another way to compute something that has a plain one.
      CHECK(find_formula(id.substr(0, id.find('@'))) != nullptr);
    }
    CHECK(std::string(id) == std::string(dialect_of(id)) + "." + std::string(op_of(id)) + (has_version ? "@" : "") +
                                 std::string(version_of(id)));
    CHECK(find_formula(id) == &formula);
  }
  CHECK(ids.size() >= 50);
}

TEST_CASE("dialects stand together") {
  std::set<std::string_view> seen;
  std::string_view current;
  for (const Formula& formula : all_formulas()) {
    const std::string_view dialect = dialect_of(formula.id());
    if (dialect == current) continue;
    CHECK(seen.insert(dialect).second);
    current = dialect;
  }
}

TEST_CASE("every formula is complete: readings, inputs, outputs, steps, what it says of itself") {
  for (const Formula& formula : all_formulas()) {
    const Signature& signature = *formula.signature;
    CAPTURE(signature.id);
    CHECK((formula.check && formula.evaluate && formula.trace && formula.exact));
    CHECK_FALSE(signature.summary.empty());
    CHECK_FALSE(signature.source.empty());
    CHECK_FALSE(signature.edges.empty());
    CHECK_FALSE(signature.steps.empty());
    CHECK_FALSE(signature.outputs.empty());
    if (signature.authority == Authority::specification) CHECK(signature.verified.empty());
    std::set<std::string_view> names;
    for (const Input& input : signature.inputs) {
      CHECK(is_word(input.name));
      CHECK(names.insert(input.name).second);
      CHECK_FALSE(input.types.empty());
      CHECK(std::set<Type>(input.types.begin(), input.types.end()).size() == input.types.size());
    }
    std::set<std::string_view> outputs;
    for (const Output& output : signature.outputs) {
      CHECK(is_word(output.name));
      CHECK(outputs.insert(output.name).second);
      if (output.rule == OutputRule::of_dtype) CHECK(signature.parameter(Role::dtype) != nullptr);
      if (output.rule == OutputRule::of_input) CHECK_FALSE(signature.inputs.empty());
      if (!output.sum_of.empty()) CHECK(outputs.contains(output.sum_of));
    }
    for (const Step& step : signature.steps) CHECK_FALSE((step.name.empty() || step.about.empty()));
  }
}

TEST_CASE("every parameter is sane: one of a role, of a kind that fits, with a valid default") {
  for (const Formula& formula : all_formulas()) {
    const Signature& signature = *formula.signature;
    std::set<std::string_view> names;
    std::set<Role> roles;
    for (const Input& input : signature.inputs) names.insert(input.name);
    for (const Parameter& parameter : signature.parameters) {
      CAPTURE(signature.id, parameter.name);
      CHECK(is_word(parameter.name));
      CHECK(names.insert(parameter.name).second);
      CHECK(roles.insert(parameter.role).second);
      CHECK_FALSE(name(parameter.role).empty());
      CHECK(plays(parameter.role, parameter.kind));
      CHECK_FALSE(parameter.about.empty());
      CHECK((parameter.kind == ParameterKind::choice) == !parameter.words.empty());
      for (const auto& [alias, meant] : parameter.aliases) {
        CHECK(std::ranges::find(parameter.words, meant) != parameter.words.end());
        CHECK(std::ranges::find(parameter.words, alias) == parameter.words.end());
      }
      if (parameter.kind == ParameterKind::dtype) CHECK_FALSE(parameter.types.empty());
      if (!parameter.types.empty() && parameter.kind != ParameterKind::dtype)
        CHECK(parameter.kind == ParameterKind::integer);
      CHECK(parameter.lowest <= parameter.highest);
      if (!parameter.fallback.empty()) CHECK(is_valid_default(parameter));
      CHECK(signature.parameter(parameter.name) == &parameter);
      CHECK(signature.parameter(parameter.role) == &parameter);
      if (parameter.spread == Spread::along_axis) {
        CHECK(is_spread(parameter.kind));
        CHECK(signature.parameter(Role::axis) != nullptr);
      }
      if (parameter.kind == ParameterKind::integer_or_real)
        CHECK(signature.parameter(Role::zero_point_dtype) != nullptr);
      if (parameter.own_type == OwnType::of_output) CHECK(signature.parameter(Role::dtype) != nullptr);
      if (parameter.within == Within::output_type) CHECK(signature.parameter(Role::dtype) != nullptr);
      if (parameter.within == Within::quant_range) {
        CHECK(signature.parameter(Role::quant_min) != nullptr);
        CHECK(signature.parameter(Role::quant_max) != nullptr);
      }
      if (parameter.spread == Spread::in_groups) CHECK(signature.parameter(Role::group_size) != nullptr);
      // Kept in 32 bits where no type limits it.
      if (parameter.kind == ParameterKind::integer) CHECK(parameter.within != Within::any);
    }
    CAPTURE(signature.id);
    CHECK((signature.parameter(Role::block_size) == nullptr || signature.parameter(Role::axis) != nullptr));
    CHECK((signature.parameter(Role::quant_min) == nullptr) == (signature.parameter(Role::quant_max) == nullptr));
  }
}

TEST_CASE("the parts of an id") {
  CHECK(dialect_of("onnx.QuantizeLinear") == "onnx");
  CHECK(op_of("onnx.QuantizeLinear") == "QuantizeLinear");
  CHECK(version_of("onnx.QuantizeLinear").empty());
  CHECK(dialect_of("pytorch.quantize_per_tensor@2.13") == "pytorch");
  CHECK(op_of("pytorch.quantize_per_tensor@2.13") == "quantize_per_tensor");
  CHECK(version_of("pytorch.quantize_per_tensor@2.13") == "2.13");
}
