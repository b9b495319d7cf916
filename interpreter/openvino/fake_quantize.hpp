#pragma once

#include "interpreter/openvino/bounds_parts.hpp"
#include "interpreter/openvino/narrowing_parts.hpp"

namespace qassay::openvino {

/// FakeQuantize-1 as OpenVINO's reference kernels compute it (ov::Model::evaluate), one element.
///
/// The grid is an index from 0 to levels - 1, and ties are broken on that index: where it is odd at a zero point of 0,
/// every tie goes the other way than in QuantizeLinear.
struct FakeQuantize {
  inline static const Signature signature{
      .id = "openvino.FakeQuantize",
      .summary =
          "y = round_half_even((x - input_low) / (input_high - input_low) * (levels - 1)) / (levels - 1) * "
          "(output_high - output_low) + output_low",
      .inputs = {{"x", kRealTypes, "any shape"}},
      .parameters = fake_quantize_parameters(),
      .outputs = {{"y", OutputRule::of_input, {}, "shaped like x"}},
      .steps = {{"below", "at or below the smaller input bound: output_low"},
                {"above", "above the larger input bound: output_high"},
                {"distance", "x - input_low"},
                {"fraction", "distance / (input_high - input_low), two roundings"},
                {"index", "fraction * (levels - 1), to an integral value, ties to even"},
                {"y", "index / (levels - 1) * (output_high - output_low) + output_low, one rounding an operation"},
                {"converted", "to the type of x; to bfloat16 by cutting, unless the last bit kept is 1"}},
      .edges =
          "NaN stays NaN. input_low may be above input_high; where they are equal y is a step. A span beyond binary32 "
          "gives NaN. The last index may give another value than output_high.",
      .source = "openvino/src/core/reference/include/openvino/reference/fake_quantize.hpp",
      .verified = "openvino 2026.4.1",
  };

  template <class Real>
  struct Element {
    using Number = Real;
    using Input = Real;
    Bounds<Real> bounds;
    Ending ending = Ending::as_it_is;

    static Element at(const Values<Real>& values) {
      return {given_bounds(values), values.input_type() == Type::bfloat16 ? Ending::cut : Ending::as_it_is};
    }
    QASSAY_STEP Real operator()(Real x) const { return ended(on_grid(x), ending); }
    QASSAY_STEP Real on_grid(Real x) const {
      auto first = at_most_keeping_nan(bounds.input_low, bounds.input_high);
      auto last = at_least_keeping_nan(bounds.input_low, bounds.input_high);
      if (is_below(x, first) || is_equal(x, first)) return take(bounds.output_low);
      if (is_below(last, x)) return take(bounds.output_high);
      auto distance = subtract(x, bounds.input_low);
      auto fraction = divide(distance, subtract(bounds.input_high, bounds.input_low));
      auto index = round_half_even(multiply(fraction, bounds.intervals));
      auto place = divide(index, bounds.intervals);
      return add(multiply(place, subtract(bounds.output_high, bounds.output_low)), bounds.output_low);
    }
  };
};

}  // namespace qassay::openvino
