// The grid of a FakeQuantize: where it lies on either side, and where that comes from.
#pragma once

#include "interpreter/elementwise.hpp"
#include "interpreter/openvino/parameters.hpp"

namespace qassay::openvino {

/// A grid of `intervals` + 1 points between two bounds, and what they become.
template <class Real>
struct Bounds {
  Real input_low;
  Real input_high;
  Real output_low;
  Real output_high;
  Real intervals;
};

/// As a FakeQuantize is given them.
template <class Real>
Bounds<Real> given_bounds(const Values<Real>& values) {
  return {values.real(Role::input_low), values.real(Role::input_high), values.real(Role::output_low),
          values.real(Role::output_high), values.single(values.raw_whole(Role::levels) - 1)};
}

/// As the PyTorch front end works them out.
template <class Translation, class Real>
Bounds<Real> translated_bounds(const Values<Real>& values) {
  const auto [input_low, input_high, output_low, output_high, levels] =
      Translation::template Element<Real>::at(values)();
  return {input_low, input_high, output_low, output_high,
          values.single(values.raw_whole(Role::quant_max) - values.raw_whole(Role::quant_min))};
}

/// As the ONNX front end works them out for QuantizeLinear: where x has the lowest and the highest code, and these.
template <class Real>
Bounds<Real> code_bounds(const Values<Real>& values) {
  const CodeRange codes = values.codes(Role::dtype);
  auto scale = values.binary32(Role::scale);
  auto zero_point = integer_to_binary32(values.integer(Role::zero_point));
  auto lowest = values.single(codes.lowest);
  auto highest = values.single(codes.highest);
  return {multiply(scale, subtract(lowest, zero_point)), multiply(scale, subtract(highest, zero_point)), lowest,
          highest, values.single(codes.highest - codes.lowest)};
}

/// The integer; NaN and infinities become `otherwise`.
template <class Real>
QASSAY_STEP Integer<Real> code_or(Real y, int otherwise) {
  return to_integer(is_nan(y) || is_infinite(y) ? take(constant(otherwise, y)) : y);
}

}  // namespace qassay::openvino
