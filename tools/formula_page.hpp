// A formula's page and the index of all formulas, written from their signatures.
#pragma once

#include <string>
#include <vector>

#include "interpreter/formula.hpp"

namespace qassay {

/// A formula's page for people: what it computes, step by step, its inputs, parameters, outputs, edges and source.
std::string page_text(const Signature& signature);

/// The same as JSON.
std::string page_json(const Signature& signature);

/// The lines of `qassay list`.
std::string list_text(const std::vector<const Formula*>& formulas);
std::string list_json(const std::vector<const Formula*>& formulas);
/// The table in interpreter/README.md.
std::string list_markdown(const std::vector<const Formula*>& formulas);

}  // namespace qassay
