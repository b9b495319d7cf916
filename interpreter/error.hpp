// Errors that a person can act on.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace qassay {

/// What is wrong with a request. Cases name these kinds in `{"error": kind}`.
enum class ErrorKind : std::uint8_t {
  missing_parameter,
  unknown_parameter,
  wrong_type,
  wrong_shape,
  axis_out_of_range,
  zero_point_out_of_range,
  out_of_domain,
  bad_value,  ///< text that is no number, dtype or word
  bad_file,   ///< a file that cannot be read, or not written as it must be
  not_found,  ///< no formula, case or backend of that name
};

std::string_view name(ErrorKind kind);

/// A mistake in what was asked for: what is wrong and where, what was expected, what to do next.
class RequestError : public std::runtime_error {
 public:
  RequestError(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
  ErrorKind kind() const { return kind_; }

 private:
  ErrorKind kind_;
};

}  // namespace qassay
