#include <nlohmann/json.hpp>
#include <stdexcept>

#include "tools/report/report.hpp"

namespace qassay {

std::string html_report(const RunResults& results) {
  constexpr std::string_view kMarker = "/*RESULTS*/";
  std::string page = kHtmlTemplate;
  const std::size_t marker = page.find(kMarker);
  if (marker == std::string::npos) throw std::logic_error("report.html has no /*RESULTS*/");
  // No text may end the script element that holds the results.
  std::string data;
  for (const char c : json_report(results).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)) {
    if (c == '<') data += "\\u003c";
    else data += c;
  }
  return page.replace(marker, kMarker.size(), data);
}

}  // namespace qassay
