// How far a run is: one line on a terminal that is written over.
#pragma once

#include <chrono>
#include <cstddef>
#include <mutex>
#include <string_view>

namespace qassay {

class Progress {
 public:
  /// Shown on standard error if that is a terminal.
  Progress();
  ~Progress() { clear(); }

  void start(std::size_t total);
  /// One more is done; may be called from any thread.
  void note_done(std::string_view what);
  void clear();

 private:
  using Clock = std::chrono::steady_clock;

  bool is_shown_;
  std::mutex mutex_;
  std::size_t total_ = 0;
  std::size_t done_ = 0;
  Clock::time_point started_;
  Clock::time_point last_drawn_;
};

}  // namespace qassay
