// A formula as another one's settings call it, with words chosen that those do not have.
#pragma once

#include <string>
#include <vector>

#include "interpreter/formula.hpp"

namespace qassay {

/// A formula, and values for parameters of its own: openvino_cpu.FakeQuantize with node=jit.
struct Variant {
  const Formula* formula = nullptr;
  Settings set = {};

  Variant() = default;
  Variant(const Formula& of) : formula(&of) {}  // NOLINT: every formula is one of its variants
  Variant(const Formula& of, Settings values) : formula(&of), set(std::move(values)) {}

  /// "openvino_cpu.FakeQuantize with node=jit"
  std::string text() const;
  friend bool operator==(const Variant& a, const Variant& b) { return a.text() == b.text(); }
};

/// One for every combination of words of the choices that `asked` says nothing about, the defaults first.
std::vector<Variant> variants_of(const Formula& formula, const Signature& asked);

}  // namespace qassay
