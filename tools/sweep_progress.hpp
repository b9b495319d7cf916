// How far a sweep is, for whoever waits at a terminal.
#pragma once

#include <mutex>

namespace qassay {

/// A line over and over on a terminal's standard error; nothing elsewhere. Called with the share done, from any thread.
class SweepProgress {
 public:
  SweepProgress();
  void operator()(double share);

 private:
  bool is_shown_;
  std::mutex mutex_;
  int shown_ = -1;
};

}  // namespace qassay
