// Formulas do not depend on the caller's rounding mode or flush-to-zero bits.
#pragma once

#include <cfenv>

namespace qassay {

/// While it lives: round to nearest, subnormals honoured. The caller's environment comes back afterwards.
class DefaultFloatEnvironment {
 public:
  DefaultFloatEnvironment() {
    std::fegetenv(&callers_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~DefaultFloatEnvironment() { std::fesetenv(&callers_); }
  DefaultFloatEnvironment(const DefaultFloatEnvironment&) = delete;
  DefaultFloatEnvironment& operator=(const DefaultFloatEnvironment&) = delete;

 private:
  std::fenv_t callers_{};
};

}  // namespace qassay
