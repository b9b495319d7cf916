// What `qassay trap` says, as text, as JSON, and as a page.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "tools/report/report.hpp"
#include "tools/trap/grid_comparison.hpp"

namespace qassay {

struct TrapResults {
  std::string command;
  std::string file;
  GridRequest request;
  std::vector<TensorGrids> tensors;
  std::vector<std::string> left_out;  ///< tensors of the file that can be no weights
};

/// At most `most_shown` channels, the noisiest first.
std::string trap_as_text(const TrapResults& results, Colours colours, std::size_t most_shown);

/// The format that README.md beside this file states.
nlohmann::json trap_as_json(const TrapResults& results);

/// One page that needs no network.
std::string trap_as_page(const TrapResults& results);

/// The text of trap.html, which the page is made from.
extern const char* const kTrapTemplate;

/// "max_side", "same_codes".
std::string_view name(GridCause cause);
std::string_view name(GridVerdict verdict);

/// In a sentence without a full stop.
std::string explained(GridCause cause, const GridRequest& request);
std::string explained(GridVerdict verdict);

/// How either side comes by its scale, with n.
std::string training_rule(const GridRequest& request);
std::string deployed_rule(const GridRequest& request);

/// What helps, with what it leaves of the difference here; and what does not.
std::vector<std::string> remedies(const TrapResults& results);

}  // namespace qassay
