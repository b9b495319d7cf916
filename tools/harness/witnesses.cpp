#include "tools/harness/witnesses.hpp"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "interpreter/error.hpp"
#include "tools/npy.hpp"

namespace qassay {

void record_witnesses(const RunResults& results, const std::filesystem::path& file) {
  std::map<std::string, std::set<std::string>> witnesses;
  try {
    if (std::filesystem::exists(file)) nlohmann::json::parse(read_file(file)).get_to(witnesses);
  } catch (const nlohmann::json::exception& error) {
    throw RequestError(ErrorKind::bad_file, fmt::format("{}: {}; expected {{\"backend version\": [\"case\", …]}}",
                                                        file.string(), error.what()));
  }
  for (const CaseResult& result : results.cases) {
    const BackendResult& backend = results.backends[result.backend];
    if (!backend.is_witness) continue;
    std::set<std::string>& cases = witnesses[fmt::format("{} {}", backend.name, backend.hello.version)];
    const std::string& name = results.specs[result.spec].name;
    if (result.is_bit_exact) cases.insert(name);
    else cases.erase(name);
  }
  std::erase_if(witnesses, [](const auto& entry) { return entry.second.empty(); });
  write_file(file, nlohmann::json(witnesses).dump(1) + "\n");
}

}  // namespace qassay
