// Ctrl-C: everything that takes long asks, stops cleanly and still reports what there is.
#pragma once

namespace qassay {

/// While it lives, SIGINT and SIGTERM set a flag instead of ending the program; a second one ends it at once.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
};

/// Whether SIGINT or SIGTERM came in the lifetime of the guard that there is.
bool is_interrupted();

}  // namespace qassay
