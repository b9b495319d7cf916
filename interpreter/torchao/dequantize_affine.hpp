#pragma once

#include "interpreter/elementwise.hpp"
#include "interpreter/torchao/parameters.hpp"

namespace qassay::torchao {

/// torchao.quantization.dequantize_affine, one element: the difference in the type of the output, the product with a
/// binary32 scale in binary32.
struct dequantize_affine {
  inline static const Signature signature{
      .id = "torchao.dequantize_affine",
      .summary = "y = (y's type(q) - y's type(zero_point)) * scale",
      .inputs = {{"q", kCodeTypes, "codes, any shape"}},
      .parameters = {block_size_parameter(), scale_parameter(), zero_point_parameter(),
                     quant_min_parameter("the lowest code; without effect on y"),
                     quant_max_parameter("the highest code; without effect on y"), real_output_parameter()},
      .outputs = {{"y", OutputRule::of_dtype, {}, "shaped like q"}},
      .steps = {{"converted", "q and zero point in the type of y, rounded once or, to 16 bits, by way of binary32"},
                {"difference", "one subtraction in the type of y"},
                {"product", "one binary32 multiplication"},
                {"y", "converted to its type"}},
      .edges =
          "int32 codes above 2^24 are rounded before the zero point is subtracted. float16 overflows to infinity, "
          "which minus a zero point of infinity is NaN.",
      .source = "torchao/quantization/quant_primitives.py, _dequantize_affine_no_dtype_check",
      .verified = "torchao 0.18.0, torch 2.13.0",
  };

  template <class Real>
  struct Element {
    using Number = Real;
    using Input = Integer<Real>;
    Single<Real> scale;
    Integer<Real> zero_point;
    Real in_y;

    static Element at(const Values<Real>& values) {
      return {values.binary32(Role::scale), values.integer(Role::zero_point), values.zero()};
    }
    QASSAY_STEP auto operator()(Input q) const {
      auto converted = from_integer(q, in_y);
      auto difference = subtract(converted, from_integer(zero_point, in_y));
      return multiply(to_binary32(difference), scale);
    }
  };

  static void check(const Arguments& arguments) { check_range_fits(arguments, arguments.input_type); }

  static auto select(const Arguments& arguments, auto run) {
    switch (arguments.type(Role::dtype)) {
      case Type::float16: return run.template operator()<Element, Binary16>();
      case Type::bfloat16: return run.template operator()<Element, Bfloat16>();
      default: return run.template operator()<Element, float>();
    }
  }
};

}  // namespace qassay::torchao
