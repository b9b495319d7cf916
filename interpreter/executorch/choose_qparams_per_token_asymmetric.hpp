#pragma once

#include "interpreter/executorch/parts.hpp"

namespace qassay::executorch {

/// ExecuTorch's kernel of quantized_decomposed.choose_qparams_per_token_asymmetric: choose_qparams for int8, every
/// token by itself.
struct choose_qparams_per_token_asymmetric {
  inline static const Signature signature{
      .id = "executorch.choose_qparams_per_token_asymmetric",
      .summary =
          "scale = (max(x, 0) - min(x, 0)) / 255 in binary64, at least 6.1e-5; zero_point = clamp(-128 - min / scale)",
      .kind = FormulaKind::composite,
      .inputs = {{"x", {Type::float32}, "any shape; the last axis holds a token's elements"}},
      .parameters = {quantized_decomposed::token_dtype_parameter()},
      .outputs = {{"scale", OutputRule::fixed, Type::float64,
                   "one for each token, not rounded to binary32: x's shape with 1 in the last place"},
                  {"zero_point", OutputRule::fixed, Type::int64, "shaped like scale"}},
      .slices = Spread::along_tokens,
      .steps = kChoosingSteps,
      .edges =
          "As executorch.choose_qparams with quant_min -128 and quant_max 127. The process ends at a NaN in a token's "
          "first place.",
      .source = "executorch/kernels/quantized/cpu/op_choose_qparams.cpp, choose_qparams_per_token_asymmetric_out",
      .verified = "executorch 1.5.1",
  };

  static ProgramCalls program() {
    return found_range_and_choice<Spread::along_tokens>(Literal("-128"), Literal("127"));
  }

  static void check(const Arguments& arguments) { quantized_decomposed::check_tokens_have_elements(arguments); }
};

}  // namespace qassay::executorch
