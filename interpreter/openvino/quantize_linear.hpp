#pragma once

#include "interpreter/onnx/parameters.hpp"
#include "interpreter/openvino/fake_quantize.hpp"

namespace qassay::openvino {

/// ONNX QuantizeLinear as OpenVINO's ONNX front end decomposes it, on the reference kernels, one element: a
/// FakeQuantize whose grid is the codes, and a conversion.
///
/// The codes are counted from the lowest one, so that a tie goes to the even index above that and not to the even
/// quotient: where y_zero_point minus the lowest code is odd, every exact tie goes the other way than ONNX says.
struct QuantizeLinear {
  inline static const Signature signature{
      .id = "openvino.QuantizeLinear",
      .summary =
          "y = convert(FakeQuantize(x, y_scale * (lowest - y_zero_point), y_scale * (highest - y_zero_point), lowest, "
          "highest, codes))",
      .inputs = {{"x", kRealTypes, "any shape"}},
      .parameters = onnx::quantize_linear_parameters(),
      .outputs = {{"y", OutputRule::of_dtype, {}, "codes, shaped like x"}},
      .steps = {{"input bounds", "y_scale times the distance of the lowest and of the highest code, binary32"},
                {"y", "as openvino.FakeQuantize, from the lowest to the highest code"},
                {"code", "an integer; NaN becomes 0"}},
      .edges =
          "NaN gives 0, infinities saturate. A scale of 0 gives the lowest code up to x = 0 and the highest above; "
          "negative ones are used as they are. x and y_scale of other types than float32 are converted to it first.",
      .source = "openvino/src/frontends/onnx/frontend/src/op/quantize_linear.cpp, make_fake_quantize",
      .verified = "openvino 2026.4.1",
  };

  template <class Real>
  struct Element {
    using Number = Real;
    using Input = Real;
    FakeQuantize::Element<Real> grid;

    static Element at(const Values<Real>& values) { return {{code_bounds(values)}}; }
    QASSAY_STEP auto operator()(Real x) const { return code_or(grid(x), 0); }
  };
};

}  // namespace qassay::openvino
