#include <nlohmann/json.hpp>
#include <stdexcept>

#include "tools/report/page.hpp"
#include "tools/report/report.hpp"

namespace qassay {

std::string filled_page(std::string page, const nlohmann::json& data) {
  constexpr std::string_view kMarker = "/*RESULTS*/";
  const std::size_t marker = page.find(kMarker);
  if (marker == std::string::npos) throw std::logic_error("the page has no /*RESULTS*/");
  // No text may end the script element that holds the results.
  std::string safe;
  for (const char c : data.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)) {
    if (c == '<') safe += "\\u003c";
    else safe += c;
  }
  return page.replace(marker, kMarker.size(), safe);
}

std::string html_report(const RunResults& results) {
  return filled_page(kHtmlTemplate, json_report(results));
}

}  // namespace qassay
