#include "tools/diagnosis/probing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <unordered_map>

#include "tools/cases.hpp"
#include "tools/diagnosis/diagnosis.hpp"
#include "tools/generators.hpp"
#include "tools/harness/translation.hpp"

namespace qassay {
namespace {

/// How many formulas' steps are looked for, and how many candidates weighed, at a time.
constexpr std::size_t kMostStepped = 24;
constexpr std::size_t kMostWeighed = 8192;

/// Checked arguments for one-dimensional use, or nothing where they are refused.
std::optional<Arguments> accepted(const Formula& formula, const Inputs& inputs, const Settings& settings) {
  try {
    return formula.arguments(inputs, settings);
  } catch (const RequestError&) {
    return std::nullopt;
  }
}

/// One value for each parameter: the first of those given.
Settings as_scalars(const Formula& formula, const Settings& given) {
  const Signature& signature = *formula.signature;
  Settings scalars = given;
  for (const Parameter& parameter : signature.parameters) {
    const auto found = scalars.find(parameter.name);
    if (parameter.role == Role::block_size && found != scalars.end()) scalars.erase(found);
    else if (parameter.role == Role::axis) scalars.insert_or_assign(std::string(parameter.name), Written::scalar("0"));
    else if (found != scalars.end()) {
      Written& written = found->second;
      const Shape shape = parameter.spread == Spread::along_axis ? Shape{1} : Shape{};
      if (written.tensor) {
        Tensor one(written.tensor->type(), shape);
        one.set_bits(0, written.tensor->bits(0));
        written.tensor = std::move(one);
      } else if (!written.elements.empty()) {
        written.elements.resize(1);
        written.shape = shape;
      }
    }
  }
  return scalars;
}

void set_role(Settings& settings, const Signature& signature, Role role, const std::string& text) {
  const Parameter* parameter = signature.parameter(role);
  if (parameter == nullptr) return;
  Written written = Written::parse(text);
  if (parameter->spread == Spread::along_axis) written.shape = Shape{1};
  settings.insert_or_assign(std::string(parameter->name), written);
}

/// A variation of the bank. Nothing: as given.
struct Variation {
  enum class ZeroPoint : std::uint8_t { given, odd, high };

  const char* scale;
  ZeroPoint zero_point = ZeroPoint::odd;
  const char* input_scale = nullptr;
  const char* weight_scale = nullptr;
};
constexpr std::array kVariations{
    Variation{.scale = nullptr},
    Variation{.scale = "0.1"},
    Variation{.scale = "0x1.555556p-2", .zero_point = Variation::ZeroPoint::high},
    Variation{.scale = "0.0078431"},
    Variation{.scale = "0.7"},
    Variation{.scale = "0.3828125"},  // ties are exact, and the reciprocal of 49 is not, even in binary64
    Variation{.scale = "1", .input_scale = "0.5", .weight_scale = "0.5"},  // ties of accumulators
    Variation{.scale = "977"},                                             // accumulators beyond binary32's integers
    Variation{.scale = "0x1p-126"},
    Variation{.scale = "0x1p-130"},
    Variation{.scale = "0x1.8p126"},
};

/// A zero point a third of the way into the codes, odd; or the highest but two.
std::optional<std::int64_t> zero_point_of(const Arguments& arguments, Variation::ZeroPoint where) {
  const Signature& signature = *arguments.signature;
  const Parameter* parameter = signature.parameter(Role::zero_point);
  if (parameter == nullptr || arguments.is_real(*parameter) || where == Variation::ZeroPoint::given)
    return std::nullopt;
  CodeRange range = code_range(arguments.input_type == Type::int32 ? Type::int8 : Type::int16);
  if (is_integer(arguments.input_type) && signature.parameter(Role::input_scale) == nullptr)
    range = code_range(arguments.input_type);
  else if (signature.parameter(Role::quant_min) != nullptr)
    range = {arguments.whole(Role::quant_min), arguments.whole(Role::quant_max)};
  else range = code_range(arguments.output_type(0));
  const std::int64_t width = std::min<std::int64_t>(range.highest - range.lowest, 65535);
  if (where == Variation::ZeroPoint::high)
    return range.highest > 65535 ? 12345 : range.highest - std::min<std::int64_t>(2, width / 2);
  const std::int64_t low = range.lowest < -65535 ? 0 : range.lowest;
  const std::int64_t third = low + width / 3;
  return third % 2 == 0 ? third + 1 : third;
}

double scale_of(const Arguments& arguments) {
  const auto value = [&](Role role) { return arguments[role].tensor->real(0); };
  const Signature& signature = *arguments.signature;
  if (signature.parameter(Role::input_scale) != nullptr)
    return value(Role::scale) / (value(Role::input_scale) * value(Role::weight_scale));
  return signature.parameter(Role::scale) != nullptr ? value(Role::scale) : 1;
}

/// Numbers beside which conversions go wrong, in units of the scale.
constexpr std::array kLandmarks{0x1p7, 0x1p8, 0x1p15, 0x1p16, 0x1p23, 0x1p24, 0x1p31, 0x1p32, 0x1p63, 0x1p64};

}  // namespace

Tensor tensor_of(Type type, const std::vector<std::uint64_t>& bits) {
  Tensor tensor = Tensor::uncleared(type, {static_cast<std::int64_t>(bits.size())});
  for (std::size_t i = 0; i < bits.size(); ++i) tensor.set_bits(i, bits[i]);
  return tensor;
}

Inputs shaped_inputs(const Signature& signature, Tensor x) {
  const auto count = static_cast<std::int64_t>(x.size());
  Inputs inputs;
  inputs.emplace(signature.inputs.front().name, x.reshaped(needs_row(signature) ? Shape{1, count} : Shape{count}));
  return inputs;
}

std::vector<Settings> settings_bank(const Formula& expected, const Settings& given, Type input_type, bool varies) {
  const Signature& signature = *expected.signature;
  const Inputs one = shaped_inputs(signature, Tensor(input_type, {1}));
  const Settings scalars = as_scalars(expected, given);
  const Arguments arguments = expected.arguments(one, scalars);
  std::vector<Settings> bank{settings_of(arguments)};
  if (!varies) return bank;
  for (const Variation& variation : kVariations) {
    Settings varied = scalars;
    for (const auto& [role, text] :
         {std::pair(Role::scale, variation.scale), std::pair(Role::input_scale, variation.input_scale),
          std::pair(Role::weight_scale, variation.weight_scale)}) {
      if (text != nullptr) set_role(varied, signature, role, text);
    }
    if (const auto zero_point = zero_point_of(arguments, variation.zero_point))
      set_role(varied, signature, Role::zero_point, std::to_string(*zero_point));
    const auto checked = accepted(expected, one, varied);
    if (!checked) continue;
    Settings settings = settings_of(*checked);
    const bool is_new = std::ranges::none_of(bank, [&](const Settings& other) {
      return std::ranges::equal(settings, other, [](const auto& a, const auto& b) {
        return a.second.tensor == b.second.tensor && a.second.elements == b.second.elements;
      });
    });
    if (is_new) bank.push_back(std::move(settings));
  }
  return bank;
}

std::vector<std::uint64_t> candidate_inputs(const std::vector<Formula>& formulas, const Settings& settings,
                                            Type input_type, std::size_t steps_each) {
  std::set<std::uint64_t> candidates;
  if (row(input_type).bits <= 8) {
    for (std::int64_t order = lowest_order(input_type); order <= highest_order(input_type); ++order)
      candidates.insert(bits_at(input_type, order));
    return {candidates.begin(), candidates.end()};
  }
  const std::size_t stride = (formulas.size() + kMostStepped - 1) / kMostStepped;
  for (std::size_t f = 0; f < formulas.size(); f += stride) {
    const Formula& formula = formulas[f];
    try {
      const Tensor steps = boundary_inputs(formula, settings, input_type, steps_each, 1);
      for (std::size_t i = 0; i < steps.size(); ++i) candidates.insert(steps.bits(i));
    } catch (const RequestError&) {
      continue;  // another dialect's formula may refuse these parameters: then it steps nowhere
    }
  }
  for (const SpecialValue& special : special_values(input_type)) candidates.insert(special.bits);
  const Formula& first = formulas.front();
  const double scale =
      std::abs(scale_of(first.arguments(shaped_inputs(*first.signature, Tensor(input_type, {1})), settings)));
  for (const double landmark : kLandmarks) {
    for (const double sign : {1.0, -1.0}) {
      const double value = sign * landmark * scale;
      Tensor one(input_type, {});
      if (is_floating(input_type)) one.set_real(0, value);
      else if (std::abs(value) < 0x1p30) one.set_integer(0, std::llround(value));
      const std::int64_t order = order_of(input_type, one.bits(0));
      for (std::int64_t near = std::max(order - 1, lowest_order(input_type));
           near <= std::min(order + 1, highest_order(input_type)); ++near)
        candidates.insert(bits_at(input_type, near));
    }
  }
  // Between the steps, where nothing is close: odd and even codes, both signs.
  for (int code = -40; code <= 40; ++code) {
    Tensor one(input_type, {});
    if (is_floating(input_type)) one.set_real(0, (code + (code % 3) * 0.2) * scale);
    else if (std::abs(code * scale) < 0x1p30) one.set_integer(0, std::llround(code * scale));
    candidates.insert(one.bits(0));
  }
  return {candidates.begin(), candidates.end()};
}

std::vector<std::uint64_t> in_range(const Formula& expected, const Settings& settings, Type input_type,
                                    const std::vector<std::uint64_t>& candidates) {
  if (!is_floating(input_type) && expected.signature->parameter(Role::input_scale) == nullptr) return candidates;
  const Inputs inputs = shaped_inputs(*expected.signature, tensor_of(input_type, candidates));
  const Evaluation evaluation = expected.evaluate(expected.arguments(inputs, settings), inputs);
  const Tensor& y = evaluation.outputs.find(expected.signature->outputs.front().name)->second;
  const Tensor& x = inputs.begin()->second;
  double low = INFINITY;
  double high = -INFINITY;
  std::set<double> values;
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (std::isnan(y.real(i))) continue;
    low = std::min(low, y.real(i));
    high = std::max(high, y.real(i));
    values.insert(y.real(i));
  }
  // The two outermost codes are not looked at, unless there are but few.
  std::size_t margin = values.size() > 8 ? 2 : 1;
  while (margin-- > 0 && values.size() > 2) {
    values.erase(values.begin());
    values.erase(std::prev(values.end()));
  }
  const double smallest = is_floating(input_type) ? std::ldexp(1.0, lowest_exponent(input_type)) : 0;
  std::vector<std::uint64_t> inside;
  for (std::size_t i = 0; i < y.size(); ++i) {
    const double value = x.real(i);
    const bool is_plain = std::isfinite(value) && (value == 0 || std::abs(value) >= smallest);
    if (is_plain && values.contains(y.real(i))) inside.push_back(candidates[i]);
  }
  return inside;
}

std::vector<std::uint64_t> separating(const std::vector<Formula>& formulas, const Settings& settings, Type input_type,
                                      const std::vector<std::uint64_t>& all_candidates) {
  if (formulas.size() < 2 || all_candidates.empty()) return {};
  const std::vector<std::uint64_t> candidates =
      all_candidates.size() > kMostWeighed ? deal(all_candidates, kMostWeighed) : all_candidates;
  const Inputs inputs = shaped_inputs(*formulas.front().signature, tensor_of(input_type, candidates));
  const Arguments arguments = formulas.front().arguments(inputs, settings);
  std::vector<std::vector<std::uint64_t>> outputs;
  for (const Formula& formula : formulas) {
    std::vector<std::uint64_t> bits(candidates.size());
    Evaluation evaluation;
    try {
      evaluation = formula.evaluate(arguments, inputs);
    } catch (const RequestError&) {
      outputs.push_back(std::move(bits));  // refused: a class of its own
      continue;
    }
    for (const Output& output : formula.signature->outputs) {
      const auto found = evaluation.outputs.find(output.name);
      if (found == evaluation.outputs.end() || found->second.size() != bits.size()) continue;
      for (std::size_t i = 0; i < bits.size(); ++i) bits[i] = bits[i] * 0x9e3779b97f4a7c15U + found->second.bits(i);
    }
    outputs.push_back(std::move(bits));
  }
  // Greedily: the candidate that splits the classes into the most, until none splits them further.
  std::vector<std::size_t> classes(formulas.size(), 0);
  std::size_t count = 1;
  std::vector<std::uint64_t> chosen;
  std::vector<bool> is_useful(candidates.size(), true);
  const auto split_by = [&](std::size_t candidate) {
    std::unordered_map<std::uint64_t, std::size_t> numbers;
    std::vector<std::size_t> refined(formulas.size());
    for (std::size_t f = 0; f < formulas.size(); ++f) {
      const std::uint64_t key = outputs[f][candidate] * 0xbf58476d1ce4e5b9U ^ (classes[f] * 0x94d049bb133111ebU);
      refined[f] = numbers.try_emplace(key, numbers.size()).first->second;
    }
    return std::pair(numbers.size(), std::move(refined));
  };
  while (count < formulas.size()) {
    std::size_t best = candidates.size();
    std::size_t best_count = count;
    std::vector<std::size_t> best_classes;
    for (std::size_t c = 0; c < candidates.size(); ++c) {
      if (!is_useful[c]) continue;
      auto [now, refined] = split_by(c);
      if (now <= count) is_useful[c] = false;  // what splits nothing now never will
      if (now <= best_count) continue;
      best = c;
      best_count = now;
      best_classes = std::move(refined);
    }
    if (best == candidates.size()) break;
    chosen.push_back(candidates[best]);
    classes = std::move(best_classes);
    count = best_count;
  }
  return chosen;
}

std::vector<ShapedProbe> channel_probes(const Formula& expected, const Settings& settings, Type input_type) {
  const Signature& signature = *expected.signature;
  const Parameter* axis = signature.parameter(Role::axis);
  if (axis == nullptr) return {};
  struct Layout {
    Shape shape;
    std::int64_t axis;
  };
  const std::vector<Layout> layouts{{{4, 4}, 0}, {{4, 4}, 1}, {{3, 5}, 1}, {{2, 3, 4}, 1}, {{5, 2}, 0}};
  constexpr std::array kFactors{1.0, 0.3, 1.7, 0.9, 2.3};
  const Arguments scalars = expected.arguments(shaped_inputs(signature, Tensor(input_type, {1})), settings);
  std::vector<ShapedProbe> probes;
  for (const Layout& layout : layouts) {
    const auto channels = static_cast<std::size_t>(layout.shape[static_cast<std::size_t>(layout.axis)]);
    ShapedProbe probe{{}, settings};
    for (const Parameter& parameter : signature.parameters) {
      const auto& tensor = scalars[parameter.role].tensor;
      // QLinearConv has one scale for x and y, and a vector for the weights.
      const bool is_per_tensor =
          signature.parameter(Role::weight_scale) != nullptr && parameter.role != Role::weight_scale;
      if (!tensor || is_per_tensor) continue;
      Tensor vector(tensor->type(), {static_cast<std::int64_t>(channels)});
      for (std::size_t c = 0; c < channels; ++c) {
        if (is_floating(tensor->type())) vector.set_real(c, tensor->real(0) * kFactors[c]);
        else {
          const std::int64_t other =
              tensor->integer(0) + static_cast<std::int64_t>(c) * (tensor->integer(0) > 1 ? -1 : 1);
          vector.set_integer(c, std::clamp(other, lowest(tensor->type()), highest(tensor->type())));
        }
      }
      probe.settings.insert_or_assign(std::string(parameter.name), Written::of(std::move(vector)));
    }
    probe.settings.insert_or_assign(std::string(axis->name), Written::scalar(std::to_string(layout.axis)));
    Tensor x(input_type, layout.shape);
    const double unit =
        is_floating(input_type) || signature.parameter(Role::input_scale) != nullptr ? scale_of(scalars) : 1;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double value = (static_cast<double>(i % 7) + 1.3) * unit * (i % 2 == 0 ? 1 : -0.6);
      if (is_floating(input_type)) x.set_real(i, value);
      else
        x.set_integer(i, std::clamp(std::llround(std::abs(value)), static_cast<long long>(lowest(input_type)),
                                    static_cast<long long>(highest(input_type))));
    }
    probe.inputs.emplace(signature.inputs.front().name, std::move(x));
    if (accepted(expected, probe.inputs, probe.settings)) probes.push_back(std::move(probe));
  }
  return probes;
}

std::vector<ShapedProbe> length_probes(const Formula& expected, const Settings& settings, Type input_type,
                                       const std::vector<std::uint64_t>& values) {
  constexpr std::array kLengths{1, 2, 3, 4, 5, 7, 9, 11, 15, 17, 31, 33, 63, 65, 127};
  std::vector<ShapedProbe> probes;
  std::size_t next = 0;
  for (const int length : kLengths) {
    std::vector<std::uint64_t> bits;
    // A stride makes neighbours differ.
    for (int i = 0; i < length; ++i) bits.push_back(values[(next++ * 37) % values.size()]);
    probes.push_back({shaped_inputs(*expected.signature, tensor_of(input_type, bits)), settings});
  }
  return probes;
}

Settings with_usual_values(const Settings& given, const Signature& signature) {
  struct Usual {
    Role role;
    const char* text;
  };
  constexpr std::array kUsual{
      Usual{Role::scale, "0.1"},         Usual{Role::zero_point, "3"},     Usual{Role::input_scale, "0.05"},
      Usual{Role::weight_scale, "0.02"}, Usual{Role::dtype, "uint8"},      Usual{Role::quant_min, "0"},
      Usual{Role::quant_max, "255"},     Usual{Role::axis, "0"},           Usual{Role::input_low, "-12.8"},
      Usual{Role::input_high, "12.7"},   Usual{Role::output_low, "-12.8"}, Usual{Role::output_high, "12.7"},
      Usual{Role::levels, "256"},        Usual{Role::factor, "1"},         Usual{Role::rank, "1"}};
  Settings settings = by_own_names(given, signature);
  for (const auto& [role, text] : kUsual) {
    const Parameter* parameter = signature.parameter(role);
    if (parameter == nullptr || settings.contains(parameter->name)) continue;
    if (parameter->fallback.empty() || role == Role::zero_point)
      settings.emplace(parameter->name, Written::scalar(text));
  }
  return settings;
}

}  // namespace qassay
