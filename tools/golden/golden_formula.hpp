// The goldens of one formula: what stands in its folder, and what the manifest says about it.
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

struct GoldenFormula {
  std::string folder;                        ///< "onnx/quantize_linear", below golden/
  std::map<std::string, std::string> files;  ///< by name in the folder: the content
  JsonValue json;                            ///< the formula in the manifest
};

/// A formula's folder.
std::string golden_folder(const Formula& formula);

/// The cases of one formula, group by group. Throws what materialise() throws.
GoldenFormula make_golden_formula(std::span<const CaseSpec> cases, const Witnesses& witnesses);

}  // namespace qassay
