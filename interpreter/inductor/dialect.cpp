#include "interpreter/registry.hpp"

namespace qassay::inductor {

std::vector<Formula> formulas() {
  return {};
}

}  // namespace qassay::inductor
