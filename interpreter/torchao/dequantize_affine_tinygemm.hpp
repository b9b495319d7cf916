#pragma once

#include "interpreter/elementwise.hpp"
#include "interpreter/torchao/parts.hpp"

namespace qassay::torchao {

/// torchao's _dequantize_affine_tinygemm, one element. Everything is computed in binary32, and after each step the
/// value lies in a tensor of the type of the output.
struct dequantize_affine_tinygemm {
  inline static const Signature signature{
      .id = "torchao.dequantize_affine_tinygemm",
      .summary = "y = (q - middle) * scale + zero_point, middle = (quant_max + quant_min + 1) / 2",
      .inputs = {{"q", kCodeTypes, "codes, any shape"}},
      .parameters = {block_size_parameter(), scale_parameter(), float_zero_point_parameter(), quant_min_parameter(),
                     quant_max_parameter(), real_output_parameter()},
      .outputs = {{"y", OutputRule::of_dtype, {}, "shaped like q"}},
      .steps = {{"ends", "quant_max + quant_min, one exact addition"},
                {"sum", "ends + 1, one exact addition"},
                {"middle", "sum / 2, one exact division, then binary32"},
                {"difference", "q - middle, one binary32 subtraction, then the type of y"},
                {"product", "difference * scale, one binary32 multiplication, then the type of y"},
                {"y", "product + zero_point, not fused, one binary32 addition, then the type of y"}},
      .edges = "int32 codes above 2^24 are rounded before the middle is subtracted.",
      .source = "torchao/quantization/quant_primitives.py, _dequantize_affine_tinygemm_no_dtype_check",
      .verified = "torchao 0.18.0, torch 2.13.0",
  };

  template <class Real>
  struct Element {
    using Number = Real;
    using Input = Integer<Real>;
    Single<Real> scale;
    Single<Real> zero_point;
    Integer<Real> quant_min;
    Integer<Real> quant_max;
    Real in_y;

    static Element at(const Values<Real>& values) {
      return {values.binary32(Role::scale), values.binary32(Role::zero_point), values.whole(Role::quant_min),
              values.whole(Role::quant_max), values.zero()};
    }
    QASSAY_STEP auto operator()(Input q) const {
      auto middle = to_binary32(middle_of(quant_min, quant_max));
      auto difference = in_format_of(in_y, subtract(integer_to_binary32(q), middle));
      auto product = in_format_of(in_y, multiply(to_binary32(difference), scale));
      return in_format_of(in_y, add(to_binary32(product), zero_point));
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
