#include "tools/commands.hpp"

namespace qassay {
namespace {

Exit chosen = Exit::as_expected;

}  // namespace

void set_exit(Exit code) {
  chosen = code;
}

Exit chosen_exit() {
  return chosen;
}

}  // namespace qassay
