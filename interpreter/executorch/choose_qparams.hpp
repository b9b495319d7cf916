#pragma once

#include "interpreter/executorch/parts.hpp"

namespace qassay::executorch {

/// ExecuTorch's kernel of quantized_decomposed.choose_qparams: quant_utils' rule, not that of the observers.
struct choose_qparams {
  inline static const Signature signature{
      .id = "executorch.choose_qparams",
      .summary =
          "scale = (max(x, 0) - min(x, 0)) / (quant_max - quant_min) in binary64, at least 6.1e-5; zero_point = "
          "clamp(quant_min - min / scale)",
      .kind = FormulaKind::composite,
      .inputs = {{"x", {Type::float32}, "any shape"}},
      .parameters = {quantized_decomposed::quant_min_parameter(),
                     quantized_decomposed::quant_max_parameter(),
                     {.name = "eps",
                      .role = Role::eps,
                      .kind = ParameterKind::real,
                      .fallback = "0",
                      .own_type = OwnType::float64,
                      .spread = Spread::alone,
                      .about = "without effect"},
                     quantized_decomposed::dtype_parameter()},
      .outputs = {{"scale", OutputRule::fixed, Type::float64, "one value, not rounded to binary32"},
                  {"zero_point", OutputRule::fixed, Type::int64, "one value"}},
      .slices = Spread::alone,
      .steps = kChoosingSteps,
      .edges =
          "An infinity gives scale inf and, where it leaves no number, zero point INT_MIN, outside every range. The "
          "process ends at a NaN in first place and at a range of codes that is empty or wider than int32.",
      .source = "executorch/kernels/quantized/cpu/op_choose_qparams.cpp, choose_qparams",
      .verified = "executorch 1.5.1",
  };

  static ProgramCalls program() {
    return found_range_and_choice<Spread::alone>(FromValue{"quant_min"}, FromValue{"quant_max"});
  }

  static void check(const Arguments& arguments) { quantized_decomposed::check_has_elements(arguments); }
};

}  // namespace qassay::executorch
