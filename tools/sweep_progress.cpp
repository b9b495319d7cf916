#include "tools/sweep_progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <string>

namespace qassay {

SweepProgress::SweepProgress() : is_shown_(isatty(STDERR_FILENO) != 0) {}

void SweepProgress::operator()(double share) {
  if (!is_shown_) return;
  const std::scoped_lock lock(mutex_);
  const int percent = static_cast<int>(share * 100);
  if (percent == shown_) return;
  shown_ = percent;
  fmt::print(stderr, "\r[{:<40}] {:3}%", std::string(static_cast<std::size_t>(percent) * 40 / 100, '#'), percent);
  if (percent >= 100) fmt::print(stderr, "\r{:60}\r", "");
  std::fflush(stderr);
}

}  // namespace qassay
