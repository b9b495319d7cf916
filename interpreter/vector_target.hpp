// Which instruction set the loops run with. It never changes a bit of the result.
#pragma once

#include <cstdint>

#if defined(__x86_64__) && defined(__GNUC__)
#define QASSAY_HAS_VECTOR_TARGETS 1
#endif

namespace qassay {

enum class VectorTarget : std::uint8_t { baseline, avx2, avx512 };

/// The best this processor has; QASSAY_VECTOR_TARGET (baseline, avx2, avx512) in the environment lowers it.
VectorTarget vector_target();

}  // namespace qassay
