#include "tools/harness/interrupt.hpp"

#include <csignal>

namespace qassay {
namespace {

volatile std::sig_atomic_t interrupted = 0;

void note_interrupt(int /*signal*/) {
  interrupted = 1;
}

void handle(void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = static_cast<int>(SA_RESETHAND);  // the second signal has its usual effect
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

}  // namespace

InterruptGuard::InterruptGuard() {
  interrupted = 0;
  handle(note_interrupt);
}

InterruptGuard::~InterruptGuard() {
  handle(SIG_DFL);
  interrupted = 0;
}

bool is_interrupted() {
  return interrupted != 0;
}

}  // namespace qassay
