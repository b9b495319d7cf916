// The processor a run was made on: backends compute differently on different ones.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace qassay {

struct Processor {
  std::string model;
  std::vector<std::string> features;  ///< those that change results or kernels, sorted

  bool has(std::string_view feature) const;
};

/// Read from the kernel's description; empty where there is none.
Processor this_processor(const std::filesystem::path& description = "/proc/cpuinfo");

}  // namespace qassay
