// Counts over many elements what a CHECK for each would say, and remembers the first fault.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <string>

namespace qassay::tests {

class Tally {
 public:
  /// `describe()` is asked for the text of the first fault only.
  template <class Describe>
  void expect(bool is_right, Describe describe) {
    ++checked_;
    if (!is_right && wrong_++ == 0) first_ = describe();
  }

  std::size_t checked() const { return checked_; }

  /// Nothing, if something was checked and all of it was right.
  std::string faults() const {
    if (checked_ == 0) return "nothing was checked";
    return wrong_ == 0 ? "" : fmt::format("{} of {} wrong, first: {}", wrong_, checked_, first_);
  }

 private:
  std::size_t checked_ = 0;
  std::size_t wrong_ = 0;
  std::string first_;
};

}  // namespace qassay::tests
