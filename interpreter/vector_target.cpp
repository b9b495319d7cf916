#include "interpreter/vector_target.hpp"

#include <cstdlib>
#include <string_view>

namespace qassay {

VectorTarget vector_target() {
  static const VectorTarget target = [] {
#ifdef QASSAY_HAS_AVX2_TARGET
    const char* asked =
        std::getenv("QASSAY_VECTOR_TARGET");  // NOLINT(concurrency-mt-unsafe): read once, before threads
    const bool plain = asked != nullptr && std::string_view(asked) == "baseline";
    if (!plain && __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0 &&
        __builtin_cpu_supports("bmi2") != 0) {
      return VectorTarget::avx2;
    }
#endif
    return VectorTarget::baseline;
  }();
  return target;
}

}  // namespace qassay
