#include "tools/generators.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "tools/cases.hpp"
#include "tools/exact_number.hpp"

namespace qassay {
namespace {

constexpr std::uint64_t kMostElements = std::uint64_t{1} << 28U;

using Bits = std::vector<std::uint64_t>;

std::uint64_t mask_of(int bits) {
  return bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
}

std::uint64_t sign_bit(Type floating) {
  return std::uint64_t{1} << (row(floating).bits - 1);
}

std::uint64_t infinity_bits(Type floating) {
  return mask_of(row(floating).exponent_bits) << (row(floating).precision - 1);
}

/// The values between which a formula does what it is for: the middle half of its steps, and as much again around it.
std::pair<double, double> working_range(Type type, const GeneratorView& view) {
  constexpr std::size_t kSteps = 1024;
  if (view.formula->signature->kind != FormulaKind::elementwise || !view.is_first_input) return {-1, 1};
  const Tensor steps = boundary_inputs(*view.formula, view.settings, type, kSteps, 0);
  if (steps.size() == 0) return {-1, 1};
  const double low = steps.real((steps.size() - 1) / 4);
  const double high = steps.real(steps.size() - 1 - (steps.size() - 1) / 4);
  const double width = high > low ? high - low : std::abs(high) + 1;
  return {low - 0.6 * width, high + 0.6 * width};
}

Bits random_bits(const Generator& generator, Type type, const GeneratorView& view) {
  RandomBits random(generator.seed ^ RandomBits(view.slice).next());
  const auto [low, high] = working_range(type, view);
  Bits list;
  for (std::uint64_t i = 0; i < generator.count; ++i) {
    const std::uint64_t drawn = random.next();
    if (i % 2 == 0) {
      const std::uint64_t any = drawn >> (64 - row(type).bits);
      list.push_back(is_floating(type) ? any
                                       : bits_at(type, static_cast<std::int64_t>(
                                                           static_cast<std::uint64_t>(lowest_order(type)) + any)));
      continue;
    }
    const double fraction = static_cast<double>(drawn >> 11U) * 0x1p-53;
    const double value = low + (high - low) * fraction;
    if (is_floating(type)) {
      list.push_back(encode(type, value));
    } else {
      const double code = std::clamp(std::floor(value), static_cast<double>(lowest_order(type)),
                                     static_cast<double>(highest_order(type)));
      list.push_back(bits_at(type, static_cast<std::int64_t>(code)));
    }
  }
  return list;
}

Bits all_values(Type type) {
  if (row(type).bits > 16) {
    throw RequestError(ErrorKind::bad_file,
                       fmt::format("exhaustive: {} has too many values; use stride or boundary", name(type)));
  }
  Bits list;
  if (is_floating(type)) {
    for (std::uint64_t bits = 0; bits <= mask_of(row(type).bits); ++bits) list.push_back(bits);
  } else {
    for (std::int64_t order = lowest_order(type); order <= highest_order(type); ++order)
      list.push_back(bits_at(type, order));
  }
  return list;
}

Bits every_so_many(const Generator& generator, Type type) {
  const int width = row(type).bits;
  if (width != 8 * row(type).storage_bytes || width > 32) {
    throw RequestError(ErrorKind::bad_file,
                       fmt::format("stride: is for types of 8, 16 and 32 bits, not {}", name(type)));
  }
  const std::uint64_t last = mask_of(width);
  if (generator.offset > last || (last - generator.offset) / generator.step >= kMostElements) {
    throw RequestError(
        ErrorKind::bad_file,
        fmt::format("stride: from {} in steps of {} gives {} values of {}; expected 1 to 2^28", generator.offset,
                    generator.step, generator.offset > last ? 0 : (last - generator.offset) / generator.step + 1,
                    name(type)));
  }
  Bits list;
  for (std::uint64_t bits = generator.offset; bits <= last; bits += generator.step) list.push_back(bits);
  return list;
}

Bits list_of(const Generator& generator, Type type, const GeneratorView& view) {
  Bits list;
  switch (generator.kind) {
    case Generator::Kind::boundary: {
      if (view.formula->signature->kind != FormulaKind::elementwise || !view.is_first_input) {
        throw RequestError(ErrorKind::bad_file,
                           "boundary: is for the first input of an elementwise formula; use other generators");
      }
      const Tensor steps = boundary_inputs(*view.formula, view.settings, type, generator.steps, 1);
      for (std::size_t i = 0; i < steps.size(); ++i) list.push_back(steps.bits(i));
      return list;
    }
    case Generator::Kind::exhaustive: return all_values(type);
    case Generator::Kind::special:
      for (const SpecialValue& value : special_values(type)) list.push_back(value.bits);
      return list;
    case Generator::Kind::random: return random_bits(generator, type, view);
    case Generator::Kind::stride: return every_so_many(generator, type);
    case Generator::Kind::values:
      for (const CaseNumber& value : generator.values) list.push_back(value.bits(type));
      return list;
  }
  return list;
}

/// Collects special values; what stands there already keeps its first name.
class SpecialList {
 public:
  void add(std::string name, std::uint64_t bits) {
    if (std::ranges::find(values_, bits, &SpecialValue::bits) == values_.end())
      values_.push_back({std::move(name), bits});
  }
  std::vector<SpecialValue> take() { return std::move(values_); }

 private:
  std::vector<SpecialValue> values_;
};

std::vector<SpecialValue> special_integers(Type type) {
  SpecialList list;
  const CodeRange range = type == Type::boolean ? CodeRange{0, 1} : code_range(type);
  struct Place {
    std::string_view name;
    std::int64_t code;
  };
  for (const auto& [name, code] :
       {Place{"lowest", range.lowest}, Place{"lowest + 1", range.lowest + 1}, Place{"-1", -1}, Place{"0", 0},
        Place{"1", 1}, Place{"highest - 1", range.highest - 1}, Place{"highest", range.highest}}) {
    if (range.contains(code)) list.add(std::string(name), bits_at(type, code));
  }
  return list.take();
}

/// Numbers at whose neighbours roundings and conversions go wrong: ties, where a binary32 has no fraction any more, and
/// where integer types end.
struct Landmark {
  std::string_view name;
  double value;
};
constexpr std::array kLandmarks{
    Landmark{"0.5", 0.5},     Landmark{"1", 1},         Landmark{"1.5", 1.5},     Landmark{"2.5", 2.5},
    Landmark{"2^7", 0x1p7},   Landmark{"2^8", 0x1p8},   Landmark{"2^15", 0x1p15}, Landmark{"2^16", 0x1p16},
    Landmark{"2^22", 0x1p22}, Landmark{"2^23", 0x1p23}, Landmark{"2^24", 0x1p24}, Landmark{"2^31", 0x1p31},
    Landmark{"2^32", 0x1p32}, Landmark{"2^63", 0x1p63}, Landmark{"2^64", 0x1p64},
};

std::vector<SpecialValue> special_reals(Type type) {
  SpecialList list;
  const std::uint64_t infinity = infinity_bits(type);
  const std::uint64_t hidden = std::uint64_t{1} << (row(type).precision - 1);
  const std::uint64_t quiet = hidden >> 1U;
  const auto add = [&](const std::string& name, std::uint64_t magnitude) {
    list.add(name, magnitude);
    list.add("-" + name, magnitude | sign_bit(type));
  };
  add("zero", 0);
  add("smallest subnormal", 1);
  add("largest subnormal", hidden - 1);
  add("smallest normal", hidden);
  add("above the smallest normal", hidden + 1);
  add("below the largest", infinity - 2);
  add("largest", infinity - 1);
  add("infinity", infinity);
  add("quiet nan", infinity | quiet);
  add("quiet nan with a payload", infinity | quiet | 1);
  add("signalling nan", infinity | 1);
  add("nan of ones", infinity | (hidden - 1));
  for (const Landmark& landmark : kLandmarks) {
    const std::uint64_t bits = encode(type, landmark.value);
    if (bits >= infinity) continue;
    add(std::string(landmark.name), bits);
    add(fmt::format("below {}", landmark.name), bits - 1);
    add(fmt::format("above {}", landmark.name), bits + 1);
  }
  constexpr int kFirstPower = -32;
  constexpr int kLastPower = 64;
  for (int power = std::max(kFirstPower, lowest_exponent(type)); power <= std::min(kLastPower, highest_exponent(type));
       ++power) {
    add(fmt::format("2^{}", power), encode(type, std::ldexp(1.0, power)));
  }
  return list.take();
}

}  // namespace

std::uint64_t CaseNumber::bits(Type type) const {
  try {
    return must_be_exact ? parse_exact(text, type) : parse_number(text, type);
  } catch (const RequestError& error) {
    throw RequestError(ErrorKind::bad_file, fmt::format("{}: {}", place, error.what()));
  }
}

std::vector<std::uint64_t> generate(const std::vector<Generator>& generators, Type type, const GeneratorView& view) {
  Bits list;
  for (const Generator& generator : generators)
    std::ranges::copy(list_of(generator, type, view), std::back_inserter(list));
  return list;
}

std::vector<std::uint64_t> deal(const std::vector<std::uint64_t>& list, std::size_t count) {
  Bits dealt(count);
  const bool is_roomy = count >= list.size();
  for (std::size_t i = 0; i < count; ++i) dealt[i] = list[is_roomy ? i % list.size() : i * list.size() / count];
  return dealt;
}

std::vector<SpecialValue> special_values(Type type) {
  return is_floating(type) ? special_reals(type) : special_integers(type);
}

Settings settings_of_slice(const Arguments& arguments, const Settings& settings, std::size_t index) {
  Settings slice = settings;
  for (const Parameter& parameter : arguments.signature->parameters) {
    const std::optional<Tensor>& tensor = arguments[parameter.role].tensor;
    if (!tensor || !arguments[parameter.role].is_set || tensor->shape().empty()) continue;
    const bool is_vector = parameter.spread == Spread::freely || parameter.spread == Spread::along_axis;
    slice.insert_or_assign(std::string(parameter.name),
                           Written::of(arguments[parameter.role].value({index}, is_vector ? Shape{1} : Shape{})));
  }
  if (const Parameter* axis = arguments.signature->parameter(Role::axis))
    slice.insert_or_assign(std::string(axis->name), Written::scalar("0"));
  if (const Parameter* block_size = arguments.signature->parameter(Role::block_size)) {
    if (const auto found = slice.find(block_size->name); found != slice.end()) slice.erase(found);
  }
  return slice;
}

std::uint64_t RandomBits::next() {
  state_ += 0x9e3779b97f4a7c15U;
  std::uint64_t bits = state_;
  bits = (bits ^ (bits >> 30U)) * 0xbf58476d1ce4e5b9U;
  bits = (bits ^ (bits >> 27U)) * 0x94d049bb133111ebU;
  return bits ^ (bits >> 31U);
}

std::int64_t order_of(Type type, std::uint64_t bits) {
  if (is_floating(type)) {
    const auto magnitude = static_cast<std::int64_t>(bits & (sign_bit(type) - 1));
    return (bits & sign_bit(type)) != 0 ? -1 - magnitude : magnitude;
  }
  Tensor holder(type, {});
  holder.set_bits(0, bits);
  return holder.integer(0);
}

std::uint64_t bits_at(Type type, std::int64_t order) {
  if (!is_floating(type)) return static_cast<std::uint64_t>(order) & mask_of(8 * row(type).storage_bytes);
  return order >= 0 ? static_cast<std::uint64_t>(order) : static_cast<std::uint64_t>(-1 - order) | sign_bit(type);
}

std::int64_t lowest_order(Type type) {
  if (is_floating(type)) return -1 - highest_order(type);
  return type == Type::boolean ? 0 : lowest(type);
}

std::int64_t highest_order(Type type) {
  if (is_floating(type)) return static_cast<std::int64_t>(infinity_bits(type));
  return type == Type::boolean ? 1 : highest(type);
}

}  // namespace qassay
