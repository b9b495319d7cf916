// The goldens of one group of cases: what stands in its folder, and what the manifest says about it.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "tools/cases.hpp"
#include "tools/json_document.hpp"

namespace qassay {

/// Tensors of more bytes are not stored; the manifest has the digests of their blocks of so many bytes.
inline constexpr std::size_t kGoldenBlockBytes = 64 * 1024;

/// "onnxruntime 1.32.0" for each case that it reproduced bit for bit.
using Witnesses = std::map<std::string, std::vector<std::string>, std::less<>>;

struct GoldenGroup {
  std::string folder;                        ///< "onnx/quantize_linear/ties", below golden/
  std::map<std::string, std::string> files;  ///< by name in the folder: the content
  JsonValue json;                            ///< the group in the manifest
};

/// The folder of a case's group.
std::string golden_folder(const CaseSpec& spec);

/// All cases of one group. Throws what materialise() throws.
GoldenGroup make_golden_group(std::span<const CaseSpec> cases, const Witnesses& witnesses);

}  // namespace qassay
