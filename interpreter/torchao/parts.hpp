// Parts of torchao's formulas.
#pragma once

#include "interpreter/pytorch/parts.hpp"
#include "interpreter/torchao/parameters.hpp"

namespace qassay::torchao {

/// (quant_max + quant_min + 1) / 2, a Python float: exact in binary64, and not an integer for every range.
template <class Integer>
QASSAY_STEP auto middle_of(const Integer& quant_min, const Integer& quant_max) {
  auto sum = add(integer_to_binary64(quant_max), integer_to_binary64(quant_min));
  return divide(add(sum, constant(1, sum)), constant(2, sum));
}

/// torch.amin and torch.amax of every block; NaN if one element is NaN.
struct BlockRange : pytorch::Range<Spread::freely> {
  inline static const Signature signature{
      .id = "torchao.range",
      .summary = "lowest = min(x), highest = max(x), block by block",
      .kind = FormulaKind::reduce,
      .inputs = {{"x", {Type::float32}, "any shape"}},
      .parameters = {block_size_parameter()},
      .outputs = {{"lowest", OutputRule::fixed, Type::float32, ""}, {"highest", OutputRule::fixed, Type::float32, ""}},
      .slices = Spread::freely,
      .steps = {{"minimum", ""}, {"maximum", ""}},
  };
};

/// The signature of what chooses scale and zero point for the range of a block.
inline Signature choice_signature(std::string_view id, Type zero_point, std::vector<Step> steps) {
  return pytorch::choice_signature(
      id, {codes_parameter("target_dtype"), quant_min_parameter(), quant_max_parameter(), eps_parameter()},
      Type::float32, zero_point, std::move(steps));
}

/// The range of every block, and what `Choice` makes of it.
template <class Choice>
ProgramCalls range_and_choice() {
  return pytorch::range_and_choice<BlockRange, Choice>();
}

}  // namespace qassay::torchao
