#include <fmt/format.h>

#include "tools/cases.hpp"
#include "tools/json_document.hpp"

namespace qassay {

std::map<std::string, Trap, std::less<>> load_traps(const std::filesystem::path& file) {
  const JsonValue json = read_json(file);
  json.expect_keys({"schema", "traps"});
  constexpr std::string_view kSchema = "qassay-traps-1";
  if (const JsonValue& schema = json.at("schema"); schema.string() != kSchema)
    schema.fail(fmt::format("found '{}', expected '{}'", schema.text, kSchema));
  std::map<std::string, Trap, std::less<>> traps;
  for (const JsonValue& row : json.at("traps").array()) {
    row.expect_keys({"name", "title", "wrong", "cost", "reports"});
    Trap trap;
    trap.name = row.at("name").sentence();
    if (trap.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") != std::string::npos)
      row.at("name").fail("expected small letters, digits and '_'");
    trap.title = row.at("title").sentence();
    trap.wrong = row.at("wrong").sentence();
    trap.cost = row.at("cost").sentence();
    if (const JsonValue* reports = row.find("reports")) {
      for (const JsonValue& report : reports->array()) {
        if (report.string().find('/') == std::string::npos || report.text.find('#') == std::string::npos)
          report.fail("expected owner/repository#number");
        trap.reports.push_back(report.text);
      }
    }
    if (const std::string name = trap.name; !traps.emplace(name, std::move(trap)).second)
      row.at("name").fail(fmt::format("the trap '{}' is described twice", name));
  }
  return traps;
}

}  // namespace qassay
