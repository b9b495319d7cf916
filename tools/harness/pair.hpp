// Two backends on the same case: what each did, and what separates them.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tools/harness/difference_class.hpp"
#include "tools/harness/fingerprint.hpp"
#include "tools/harness/judge.hpp"
#include "tools/harness/program_run.hpp"

namespace qassay {

/// One backend of a pair on one case.
struct PairSide {
  std::string_view name;
  const ProgramAnswer& given;
  const std::vector<KnownDifference>& known_differences;
};

/// The verdict on a pair: `pass` if both gave the same, every bit (or as much as a policy in `judgement` asks for);
/// `mismatch` if not; `known_difference` if each is what the case expects or what a known difference of its own
/// reproduces; `unsupported` if one cannot be asked or both refuse; otherwise how one of them failed.
/// `a` is the one under test; what `b` gave stands where expected outputs stand. `causes` are formulas to try beside
/// those of the registry that are alike.
CaseResult judge_pair(const CaseSpec& spec, const Case& made, const PairSide& a, const PairSide& b,
                      std::span<const Variant> causes, const Judgement& judgement);

}  // namespace qassay
