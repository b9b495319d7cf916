// Cases for tests/mock_adapters/mock.py, and that adapter as a backend.
#pragma once

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "catch.hpp"
#include "tools/cases.hpp"
#include "tools/harness/backend.hpp"
#include "tools/harness/temporary_folder.hpp"
#include "tools/npy.hpp"

namespace qassay::testing {

/// Whole numbers at scale 1: what the mock computes.
inline constexpr const char* kCases = R"({"schema": "qassay-cases-1", "formula": "onnx.QuantizeLinear", "groups": [
  {"id": "ones", "why": "whole numbers keep their value", "traps": [], "set": {"y_scale": "0x1p+0", "output_dtype": "uint8"},
   "tests": [{"x": "0x1p+0", "y": 1}, {"x": "0x1p+1", "y": 2}]},
  {"id": "tens", "why": "so do tens", "traps": [], "set": {"y_scale": "0x1p+0", "output_dtype": "uint8"},
   "tests": [{"x": "0x1.4p+3", "y": 10}, {"x": "0x1.4p+4", "y": 20}, {"x": "0x1.ep+4", "y": 30}]},
  {"id": "open", "why": "nothing is said of NaN", "traps": [], "set": {"y_scale": "0x1p+0", "output_dtype": "uint8"},
   "tests": [{"x": "nan", "y": "unspecified"}]},
  {"id": "refused", "why": "a zero point must be a code", "traps": [],
   "set": {"y_scale": "0x1p+0", "y_zero_point": 300, "output_dtype": "uint8"},
   "in": {"x": {"type": "float32", "shape": [1], "values": ["0x1p+0"]}}, "expect": {"error": "zero_point_out_of_range"}}
]})";

/// The named groups of the cases above.
inline std::vector<CaseSpec> cases(const std::vector<std::string>& groups) {
  const qassay::TemporaryFolder folder;
  std::filesystem::create_directory(folder.path() / "onnx");
  const std::filesystem::path file = folder.path() / case_file_of("onnx.QuantizeLinear");
  write_file(file, kCases);
  std::vector<CaseSpec> chosen;
  for (CaseSpec& spec : load_cases({file})) {
    if (std::ranges::find(groups, spec.group_id()) != groups.end()) chosen.push_back(std::move(spec));
  }
  REQUIRE(chosen.size() == groups.size());
  return chosen;
}

inline Backend mock(const std::string& mode) {
  Backend backend;
  backend.name = backend.title = "mock:" + mode;
  backend.program = {"python3", "-I", "-S", std::string(QASSAY_SOURCE_ROOT) + "/tests/mock_adapters/mock.py", mode};
  backend.folder = "/";
  backend.time_limit = std::chrono::seconds(5);
  return backend;
}

}  // namespace qassay::testing
