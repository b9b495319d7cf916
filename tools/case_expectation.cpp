#include "tools/case_expectation.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace qassay {
namespace {

[[noreturn]] void disagree(const StatedOutput& stated, const std::string& what) {
  throw RequestError(ErrorKind::bad_file, fmt::format("{}: {}", stated.place, what));
}

std::string text_of(Type type, std::uint64_t bits) {
  const std::string exact = number_text(type, bits);
  return is_floating(type) ? fmt::format("{} ({})", exact, decimal_text(type, bits)) : exact;
}

/// Applies one stated element.
class Applier {
 public:
  Applier(const StatedOutput& stated, std::string_view output, ExpectedOutput& expected)
      : stated_(stated), output_(output), expected_(expected), type_(expected.values.type()) {}

  void apply(std::size_t index, const StatedElement& element) {
    using Kind = StatedElement::Kind;
    if (element.kind == Kind::computed) return;
    const bool is_open = !expected_.unspecified.empty() && expected_.unspecified[index] != 0;
    const std::uint64_t computed = expected_.values.bits(index);
    std::vector<std::uint64_t> bits;
    for (const CaseNumber& number : element.numbers) bits.push_back(number.bits(type_));
    switch (element.kind) {
      case Kind::computed: return;
      case Kind::unspecified: open(index); return;
      case Kind::exact:
        if (is_open) fail(index, "states a value, but the specification leaves this element open; say \"unspecified\"");
        if (bits[0] != computed) {
          fail(index, fmt::format("states {}, but the formula computes {}", text_of(type_, bits[0]),
                                  text_of(type_, computed)));
        }
        return;
      case Kind::either:
        if (!is_open && std::ranges::find(bits, computed) == bits.end()) fail_outside(index, bits, computed);
        expected_.freedoms[index].either = bits;
        break;
      case Kind::between: {
        const std::int64_t lowest = order(index, bits[0]);
        const std::int64_t highest = order(index, bits[1]);
        if (lowest > highest) fail(index, "states an interval whose ends are the wrong way round");
        if (!is_open && (order(index, computed) < lowest || order(index, computed) > highest))
          fail_outside(index, bits, computed);
        expected_.freedoms[index].between = {bits[0], bits[1]};
        break;
      }
    }
    if (is_open) expected_.unspecified[index] = 0;
  }

 private:
  [[noreturn]] void fail(std::size_t index, const std::string& what) const {
    disagree(stated_, fmt::format("the output '{}', element {}: the case {}", output_, index, what));
  }
  [[noreturn]] void fail_outside(std::size_t index, const std::vector<std::uint64_t>& bits,
                                 std::uint64_t computed) const {
    std::vector<std::string> texts;
    for (const std::uint64_t b : bits) texts.push_back(text_of(type_, b));
    fail(index,
         fmt::format("allows {}, but the formula computes {}", fmt::join(texts, ", "), text_of(type_, computed)));
  }
  void open(std::size_t index) {
    expected_.unspecified.resize(expected_.values.size(), 0);
    expected_.unspecified[index] = 1;
  }
  std::int64_t order(std::size_t index, std::uint64_t bits) const {
    const std::int64_t order = order_of(type_, bits);
    if (is_floating(type_) && (order > highest_order(type_) || order < lowest_order(type_)))
      fail(index, "states an interval, but NaN stands in no order");
    return order;
  }

  const StatedOutput& stated_;
  std::string_view output_;
  ExpectedOutput& expected_;
  Type type_;
};

}  // namespace

ExpectedOutput expected_output(const StatedOutput* stated, const Tensor& computed,
                               const std::vector<std::uint8_t>* unspecified, std::string_view output) {
  ExpectedOutput expected;
  expected.values = computed;
  if (unspecified != nullptr) expected.unspecified = *unspecified;
  if (stated == nullptr) return expected;
  if (stated->type && *stated->type != computed.type()) {
    disagree(*stated, fmt::format("the output '{}': the case states {}, but the formula gives {}", output,
                                  name(*stated->type), name(computed.type())));
  }
  if (stated->shape && *stated->shape != computed.shape()) {
    disagree(*stated, fmt::format("the output '{}': the case states the shape {}, but the formula gives {}", output,
                                  to_text(*stated->shape), to_text(computed.shape())));
  }
  if (!stated->elements) {
    expected.unspecified.assign(computed.size(), 1);
    return expected;
  }
  if (stated->elements->size() != computed.size()) {
    disagree(*stated, fmt::format("the output '{}': the case states {} elements, but the formula gives {}", output,
                                  stated->elements->size(), computed.size()));
  }
  Applier applier(*stated, output, expected);
  for (std::size_t i = 0; i < computed.size(); ++i) applier.apply(i, (*stated->elements)[i]);
  return expected;
}

}  // namespace qassay
