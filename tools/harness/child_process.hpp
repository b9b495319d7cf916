// A program of its own: started in a process group, spoken to in lines, ended with everything it started.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <deque>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace qassay {

struct Command {
  std::vector<std::string> arguments;  ///< the program first; found in PATH
  std::filesystem::path folder;        ///< where it starts
};

/// An open file descriptor.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(other.number_) { other.number_ = -1; }
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int number() const { return number_; }
  bool is_open() const { return number_ >= 0; }
  void close();

 private:
  int number_;
};

class ChildProcess {
 public:
  using Clock = std::chrono::steady_clock;

  /// What ended the wait for a line.
  enum class Event { line, exited, closed_output, timed_out, line_too_long, interrupted };

  /// Throws std::system_error if the program cannot be started.
  explicit ChildProcess(const Command& command);
  /// Kills the group; leaves no zombie.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// Sends `text` while reading, then waits for one line (without its newline) until the deadline. A program that does
  /// not read what it is sent blocks nobody.
  Event exchange(std::string_view text, std::string& line, Clock::time_point deadline);

  /// Whether something was printed after the last line.
  bool has_more_output() const { return !output_.empty(); }
  /// The last lines of standard error, up to 20.
  std::string last_error_lines() const;

  /// Closes standard input and gives the program time to end by itself; then kills the group.
  void finish(std::chrono::milliseconds patience);
  void kill();
  /// "exit code 3", "SIGSEGV (Segmentation fault)"; of an ended process.
  std::string ending() const;

 private:
  bool has_exited();
  bool wait_until(Clock::time_point deadline);
  bool write_some(std::string_view& text);
  void read_errors();
  bool read_output();
  bool take_line(std::string& line);
  void note_error_text(std::string_view text);

  pid_t pid_ = -1;
  int status_ = 0;
  Descriptor input_;
  Descriptor output_pipe_;
  Descriptor error_pipe_;
  std::string output_;
  std::size_t scanned_ = 0;
  std::deque<std::string> error_lines_;
  std::string error_rest_;
};

/// Runs a program to its end with both its outputs on standard error. Its ending in words unless it was exit code 0.
/// Throws std::system_error if it cannot be started.
std::string run_to_end(const Command& command);

}  // namespace qassay
