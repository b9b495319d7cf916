#include "interpreter/vector_target.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace qassay {
namespace {

VectorTarget best_of_this_processor() {
#ifdef QASSAY_HAS_VECTOR_TARGETS
  const bool has_avx2 =
      __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0 && __builtin_cpu_supports("bmi2") != 0;
  const bool has_avx512 = __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
                          __builtin_cpu_supports("avx512cd") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
                          __builtin_cpu_supports("avx512vl") != 0;
  if (has_avx2) return has_avx512 ? VectorTarget::avx512 : VectorTarget::avx2;
#endif
  return VectorTarget::baseline;
}

VectorTarget asked_for() {
  const char* asked =
      std::getenv("QASSAY_VECTOR_TARGET");  // NOLINT(concurrency-mt-unsafe): nothing sets the environment
  const std::string_view name = asked == nullptr ? "" : asked;
  if (name == "baseline") return VectorTarget::baseline;
  return name == "avx2" ? VectorTarget::avx2 : VectorTarget::avx512;
}

}  // namespace

VectorTarget vector_target() {
  static const VectorTarget target = std::min(best_of_this_processor(), asked_for());
  return target;
}

}  // namespace qassay
