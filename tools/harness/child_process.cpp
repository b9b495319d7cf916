#include "tools/harness/child_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <system_error>
#include <thread>
#include <utility>

#include "tools/harness/interrupt.hpp"

extern char** environ;

namespace qassay {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kLongestLine = std::size_t{16} << 20U;
constexpr std::size_t kErrorLinesKept = 20;
constexpr std::size_t kLongestErrorLine = 1000;
constexpr auto kSlice = 100ms;         // how often an exit or an interrupt is looked for
constexpr auto kTimeToDisappear = 1s;  // between closing the pipes and becoming a zombie

[[noreturn]] void fail(int error, const std::string& what) {
  throw std::system_error(error, std::generic_category(), what);
}

struct Pipe {
  Descriptor read_end;
  Descriptor write_end;
};

Pipe make_pipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) fail(errno, "pipe");
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

void make_nonblocking(const Descriptor& descriptor) {
  fcntl(descriptor.number(), F_SETFL, fcntl(descriptor.number(), F_GETFL) | O_NONBLOCK);
}

enum class Group { own, ours };

/// Starts the program with signals as a shell would leave them.
pid_t spawn(const Command& command, Group group, int input, int output, int error) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, error, STDERR_FILENO);
  posix_spawn_file_actions_addchdir_np(&actions, command.folder.c_str());

  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigset_t to_default;
  sigemptyset(&none);
  sigemptyset(&to_default);
  for (const int signal : {SIGPIPE, SIGINT, SIGTERM}) sigaddset(&to_default, signal);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &to_default);
  const int in_group = group == Group::own ? POSIX_SPAWN_SETPGROUP : 0;
  posix_spawnattr_setflags(&attributes, static_cast<short>(in_group | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF));

  std::vector<char*> arguments;
  for (const std::string& argument : command.arguments) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  pid_t pid = -1;
  const int result = posix_spawnp(&pid, arguments[0], &actions, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (result != 0) fail(result, fmt::format("cannot start '{}'", command.arguments[0]));
  return pid;
}

/// "exit code 3", "SIGSEGV (Segmentation fault)".
std::string ending_of(int status) {
  if (!WIFSIGNALED(status)) return fmt::format("exit code {}", WEXITSTATUS(status));
  const int signal = WTERMSIG(status);
  const char* const short_name = sigabbrev_np(signal);
  return fmt::format("SIG{} ({})", short_name != nullptr ? short_name : std::to_string(signal), strsignal(signal));
}

}  // namespace

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  std::swap(number_, other.number_);
  return *this;
}

void Descriptor::close() {
  if (number_ >= 0) ::close(number_);
  number_ = -1;
}

ChildProcess::ChildProcess(const Command& command) {
  // A program that ended must show as an error of write(), not end this one.
  std::signal(SIGPIPE, SIG_IGN);
  Pipe input = make_pipe();
  Pipe output = make_pipe();
  Pipe error = make_pipe();
  pid_ = spawn(command, Group::own, input.read_end.number(), output.write_end.number(), error.write_end.number());
  input_ = std::move(input.write_end);
  output_pipe_ = std::move(output.read_end);
  error_pipe_ = std::move(error.read_end);
  for (const Descriptor* pipe : {&input_, &output_pipe_, &error_pipe_}) make_nonblocking(*pipe);
}

ChildProcess::~ChildProcess() {
  kill();
}

ChildProcess::Event ChildProcess::exchange(std::string_view text, std::string& line, Clock::time_point deadline) {
  for (;;) {
    if (take_line(line)) return Event::line;
    if (output_.size() > kLongestLine) return Event::line_too_long;
    if (is_interrupted()) return Event::interrupted;
    const auto now = Clock::now();
    if (now >= deadline) return Event::timed_out;

    std::array<pollfd, 3> polled{pollfd{output_pipe_.number(), POLLIN, 0}, pollfd{error_pipe_.number(), POLLIN, 0},
                                 pollfd{text.empty() ? -1 : input_.number(), POLLOUT, 0}};
    const auto wait = std::min<Clock::duration>(deadline - now, kSlice);
    poll(polled.data(), polled.size(),
         static_cast<int>(std::chrono::duration_cast<std::chrono::milliseconds>(wait).count()) + 1);
    if (polled[1].revents != 0) read_errors();
    if (polled[2].revents != 0 && !write_some(text)) text = {};
    if (polled[0].revents != 0) {
      if (read_output()) continue;
      // The end of its output. A program that exits closes it a moment before it is gone.
      return wait_until(Clock::now() + kTimeToDisappear) ? Event::exited : Event::closed_output;
    }
    // A program can be gone while something it started holds its output open.
    if (polled[1].revents == 0 && has_exited()) {
      read_output();
      return take_line(line) ? Event::line : Event::exited;
    }
  }
}

/// False once nobody reads.
bool ChildProcess::write_some(std::string_view& text) {
  const ssize_t written = write(input_.number(), text.data(), text.size());
  if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
  return written >= 0 || errno == EAGAIN || errno == EINTR;
}

/// False at the end of the output.
bool ChildProcess::read_output() {
  std::array<char, 65536> buffer;
  const ssize_t count = read(output_pipe_.number(), buffer.data(), buffer.size());
  if (count > 0) output_.append(buffer.data(), static_cast<std::size_t>(count));
  return count > 0 || (count < 0 && (errno == EAGAIN || errno == EINTR));
}

bool ChildProcess::take_line(std::string& line) {
  const std::size_t end = output_.find('\n', scanned_);
  scanned_ = end == std::string::npos ? output_.size() : 0;
  if (end == std::string::npos) return false;
  line = output_.substr(0, end);
  output_.erase(0, end + 1);
  return true;
}

void ChildProcess::read_errors() {
  std::array<char, 65536> buffer;
  for (int rounds = 0; rounds < 16; ++rounds) {  // a flood must not keep us from the answer
    const ssize_t count = read(error_pipe_.number(), buffer.data(), buffer.size());
    if (count == 0) error_pipe_.close();
    if (count <= 0) return;
    note_error_text({buffer.data(), static_cast<std::size_t>(count)});
  }
}

void ChildProcess::note_error_text(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view part = text.substr(0, end);
    error_rest_ += part.substr(0, kLongestErrorLine - std::min(kLongestErrorLine, error_rest_.size()));
    if (end == std::string_view::npos) return;
    error_lines_.push_back(std::exchange(error_rest_, {}));
    if (error_lines_.size() > kErrorLinesKept) error_lines_.pop_front();
    text.remove_prefix(end + 1);
  }
}

std::string ChildProcess::last_error_lines() const {
  std::string text = fmt::format("{}", fmt::join(error_lines_, "\n"));
  if (!error_rest_.empty()) text += (text.empty() ? "" : "\n") + error_rest_;
  return text;
}

/// Looks without collecting it, so that its process group cannot be given to another.
bool ChildProcess::has_exited() {
  siginfo_t info = {};
  return waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == pid_;
}

bool ChildProcess::wait_until(Clock::time_point deadline) {
  while (!has_exited()) {
    if (Clock::now() >= deadline) return false;
    if (error_pipe_.is_open()) read_errors();
    std::this_thread::sleep_for(2ms);
  }
  return true;
}

void ChildProcess::finish(std::chrono::milliseconds patience) {
  if (pid_ < 0) return;
  input_.close();
  wait_until(Clock::now() + patience);
  kill();
}

void ChildProcess::kill() {
  if (pid_ < 0) return;
  ::kill(-pid_, SIGKILL);
  while (waitpid(pid_, &status_, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  if (error_pipe_.is_open()) read_errors();
}

std::string ChildProcess::ending() const {
  return ending_of(status_);
}

std::string run_to_end(const Command& command) {
  const Descriptor nothing(open("/dev/null", O_RDONLY | O_CLOEXEC));
  const pid_t pid = spawn(command, Group::ours, nothing.number(), STDERR_FILENO, STDERR_FILENO);
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return status == 0 ? std::string() : ending_of(status);
}

}  // namespace qassay
