// Formulas made of other formulas, for tools that take any: one after another, with fewer parameters, in another's
// words.
#pragma once

#include "interpreter/formula.hpp"

namespace qassay {

/// dequantize(quantize(x)) as an elementwise formula of its own. Parameters are merged by role, under quantize's names;
/// a real one is kept in the narrower of two types, so that both get the same number. The dtype is that of the codes;
/// what comes out has the type of x, where dequantize can give that. Throws RequestError for formulas that do not
/// chain.
Formula composition(const Formula& quantize, const Formula& dequantize, Type input_type);

/// The formula with these parameters given once and for all: its signature has only the others.
Formula with_fixed(const Formula& formula, const Settings& fixed);

/// The formula with its real parameters kept in the narrower of its own types and another's of the same role. Where
/// that is done both ways, both round what is written to the same numbers.
Formula as_narrow_as(const Formula& formula, const Signature& other);

/// The formula's first output alone.
Formula first_output_of(const Formula& formula);

/// An elementwise formula with the signature of another, whose arguments it takes by role: each run of elements with
/// its own parameters. It must need no parameters that the other lacks.
Formula in_words_of(const Formula& formula, const Formula& other);

}  // namespace qassay
