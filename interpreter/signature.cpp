#include "interpreter/signature.hpp"

#include <algorithm>
#include <array>

#include "interpreter/error.hpp"

namespace qassay {

std::string_view name(Role role) {
  static constexpr std::array<std::string_view, kRoleCount> kNames{"scale",
                                                                   "zero_point",
                                                                   "input_scale",
                                                                   "weight_scale",
                                                                   "dtype",
                                                                   "axis",
                                                                   "block_size",
                                                                   "quant_min",
                                                                   "quant_max",
                                                                   "precision",
                                                                   "saturate",
                                                                   "opset",
                                                                   "contraction",
                                                                   "zero_point_dtype",
                                                                   "accumulator_op",
                                                                   "minimum",
                                                                   "maximum",
                                                                   "eps",
                                                                   "averaging_const",
                                                                   "symmetry",
                                                                   "reduce_range",
                                                                   "observer_on",
                                                                   "fake_quant_on",
                                                                   "per_row",
                                                                   "grad_factor",
                                                                   "block_shape",
                                                                   "group_size",
                                                                   "input_zero_point",
                                                                   "weight_zero_point",
                                                                   "bins",
                                                                   "input_low",
                                                                   "input_high",
                                                                   "output_low",
                                                                   "output_high",
                                                                   "levels",
                                                                   "node",
                                                                   "low_precision_transforms",
                                                                   "factor",
                                                                   "shift",
                                                                   "destination",
                                                                   "rank"};
  return kNames[static_cast<std::size_t>(role)];
}

std::string_view name(FormulaKind kind) {
  switch (kind) {
    case FormulaKind::elementwise: return "elementwise";
    case FormulaKind::reduce: return "reduce";
    case FormulaKind::composite: return "composite";
  }
  return {};
}

std::string_view name(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::missing_parameter: return "missing_parameter";
    case ErrorKind::unknown_parameter: return "unknown_parameter";
    case ErrorKind::wrong_type: return "wrong_type";
    case ErrorKind::wrong_shape: return "wrong_shape";
    case ErrorKind::axis_out_of_range: return "axis_out_of_range";
    case ErrorKind::zero_point_out_of_range: return "zero_point_out_of_range";
    case ErrorKind::out_of_domain: return "out_of_domain";
    case ErrorKind::bad_value: return "bad_value";
    case ErrorKind::bad_file: return "bad_file";
    case ErrorKind::not_found: return "not_found";
  }
  return {};
}

bool is_spread(ParameterKind kind) {
  return kind == ParameterKind::real || kind == ParameterKind::integer || kind == ParameterKind::integer_or_real;
}

bool lies_along_axis(const Signature& signature) {
  return std::ranges::find(signature.parameters, Spread::along_axis, &Parameter::spread) != signature.parameters.end();
}

bool needs_row(const Signature& signature) {
  return lies_along_axis(signature) || signature.parameter(Role::group_size) != nullptr;
}

const Parameter* Signature::parameter(Role role) const {
  const auto found = std::ranges::find(parameters, role, &Parameter::role);
  return found == parameters.end() ? nullptr : &*found;
}

const Parameter* Signature::parameter(std::string_view name) const {
  const auto found = std::ranges::find(parameters, name, &Parameter::name);
  return found == parameters.end() ? nullptr : &*found;
}

std::string_view dialect_of(std::string_view id) {
  return id.substr(0, id.find('.'));
}

std::string_view op_of(std::string_view id) {
  const std::string_view rest = id.substr(std::min(id.size(), id.find('.') + 1));
  return rest.substr(0, rest.find('@'));
}

std::string_view version_of(std::string_view id) {
  const std::size_t at = id.find('@');
  return at == std::string_view::npos ? std::string_view{} : id.substr(at + 1);
}

}  // namespace qassay
