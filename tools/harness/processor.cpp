#include "tools/harness/processor.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>

namespace qassay {
namespace {

constexpr std::array<std::string_view, 20> kFeaturesThatMatter{
    "amx_bf16", "amx_int8",    "asimd",    "asimddp",     "asimdhp",     "avx",      "avx2",
    "avx512f",  "avx512_bf16", "avx_vnni", "avx512_fp16", "avx512_vnni", "avx512bw", "avx512dq",
    "avx512vl", "bf16",        "f16c",     "fma",         "i8mm",        "sse4_1"};

}  // namespace

bool Processor::has(std::string_view feature) const {
  return std::ranges::find(features, feature) != features.end();
}

Processor this_processor(const std::filesystem::path& description) {
  Processor processor;
  std::ifstream file(description);
  for (std::string line; std::getline(file, line) && !line.empty();) {  // the first processor's paragraph
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos || colon + 2 > line.size()) continue;
    const std::string value = line.substr(colon + 2);
    if (line.starts_with("model name")) processor.model = value;
    if (!line.starts_with("flags") && !line.starts_with("Features")) continue;
    std::istringstream words(value);
    for (std::string word; words >> word;) {
      if (std::ranges::find(kFeaturesThatMatter, word) != kFeaturesThatMatter.end()) processor.features.push_back(word);
    }
  }
  std::ranges::sort(processor.features);
  return processor;
}

}  // namespace qassay
