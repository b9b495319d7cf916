// Valid requests to any formula, made from its signature alone.
#pragma once

#include "interpreter/awkward.hpp"
#include "interpreter/request.hpp"

namespace qassay::tests {

enum class Spreading : std::uint8_t { one_value, along_axis, blocks };

/// Makes requests that a formula accepts: any type, any choice, awkward values; half the real inputs near the steps of
/// the scale.
class RequestMaker {
 public:
  explicit RequestMaker(std::uint64_t seed) : dice_(seed) {}

  /// One for this shape of the inputs. `spreading` is how scales and zero points lie, as far as the formula has that.
  Request make(const Formula& formula, const Shape& shape, Spreading spreading);

  /// One with any small shape and spreading.
  Request make(const Formula& formula);

  Dice& dice() { return dice_; }

 private:
  Request attempt(const Signature& signature, const Shape& shape, Spreading spreading);

  Dice dice_;
};

/// Whether a formula can spread its parameters so.
bool can_spread(const Signature& signature, Spreading spreading);

/// Settings by role, for any formula: those it has not are left out, those it needs besides get plain values. Per-axis
/// parameters become lists of one value along axis 0.
Settings settings_by_role(const Signature& signature, const std::map<Role, std::string>& values);

}  // namespace qassay::tests
