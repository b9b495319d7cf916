// Which instruction set the loops run with. It never changes a bit of the result.
#pragma once

#include <cstdint>

#if defined(__x86_64__) && defined(__GNUC__)
#define QASSAY_HAS_AVX2_TARGET 1
#endif

namespace qassay {

enum class VectorTarget : std::uint8_t { baseline, avx2 };

/// The best this processor has; QASSAY_VECTOR_TARGET=baseline in the environment asks for the plain one.
VectorTarget vector_target();

}  // namespace qassay
