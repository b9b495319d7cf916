#include <nlohmann/json.hpp>

#include "tools/report/page.hpp"
#include "tools/trap/trap_report.hpp"

namespace qassay {

std::string trap_as_page(const TrapResults& results) {
  return filled_page(kTrapTemplate, trap_as_json(results));
}

}  // namespace qassay
