#include "tools/harness/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace qassay {
namespace {

using namespace std::chrono_literals;

constexpr auto kBetweenDrawings = 100ms;
constexpr std::size_t kNameWidth = 60;

}  // namespace

Progress::Progress() : is_shown_(isatty(STDERR_FILENO) != 0), started_(Clock::now()) {}

void Progress::start(std::size_t total) {
  const std::lock_guard lock(mutex_);
  total_ = total;
  done_ = 0;
  started_ = Clock::now();
}

void Progress::note_done(std::string_view what) {
  if (!is_shown_) return;
  const std::lock_guard lock(mutex_);
  ++done_;
  const auto now = Clock::now();
  if (now - last_drawn_ < kBetweenDrawings) return;
  last_drawn_ = now;
  const double seconds = std::chrono::duration<double>(now - started_).count();
  const double rate = static_cast<double>(done_) / std::max(seconds, 1e-3);
  const auto left = static_cast<long>(static_cast<double>(total_ - done_) / rate);
  fmt::print(stderr, "\r{}/{}  {:.0f}/s  {}:{:02} left  {}\x1b[K", done_, total_, rate, left / 60, left % 60,
             what.size() > kNameWidth ? std::string(what.substr(0, kNameWidth - 1)) + "…" : std::string(what));
  std::fflush(stderr);
}

void Progress::clear() {
  if (!is_shown_) return;
  fmt::print(stderr, "\r\x1b[K");
  std::fflush(stderr);
}

}  // namespace qassay
