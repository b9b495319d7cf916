#include "interpreter/registry.hpp"

namespace qassay::executorch {

std::vector<Formula> formulas() {
  return {};
}

}  // namespace qassay::executorch
