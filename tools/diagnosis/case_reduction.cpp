#include "tools/diagnosis/case_reduction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <numeric>

#include "interpreter/parameter_layout.hpp"
#include "tools/diagnosis/case_trial.hpp"
#include "tools/diagnosis/simplicity.hpp"
#include "tools/generators.hpp"
#include "tools/harness/interrupt.hpp"
#include "tools/harness/translation.hpp"

namespace qassay {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kElementsTriedAlone = 12;
constexpr std::size_t kMostRounds = 4;
constexpr std::size_t kMostElementsSimplified = 16;
constexpr std::size_t kNumbersForEachElement = 4;

std::vector<std::size_t> numbers_up_to(std::size_t count) {
  std::vector<std::size_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

/// The slices of a tensor at these indices along an axis.
Tensor gathered(const Tensor& tensor, std::size_t axis, const std::vector<std::size_t>& indices) {
  Shape shape = tensor.shape();
  const auto length = static_cast<std::size_t>(shape[axis]);
  std::size_t inner = 1;
  for (std::size_t d = axis + 1; d < shape.size(); ++d) inner *= static_cast<std::size_t>(shape[d]);
  const std::size_t outer = tensor.size() / std::max<std::size_t>(length * inner, 1);
  shape[axis] = static_cast<std::int64_t>(indices.size());
  Tensor part(tensor.type(), shape);
  std::size_t place = 0;
  for (std::size_t o = 0; o < outer; ++o) {
    for (const std::size_t index : indices) {
      for (std::size_t i = 0; i < inner; ++i) part.set_bits(place++, tensor.bits((o * length + index) * inner + i));
    }
  }
  return part;
}

Tensor with_bits(Tensor tensor, std::size_t element, std::uint64_t bits) {
  tensor.set_bits(element, bits);
  return tensor;
}

/// The settings that were given, as they were checked: tensors and words.
Settings given_settings(const Arguments& arguments) {
  Settings settings = settings_of(arguments);
  std::erase_if(settings, [&](const auto& setting) {
    return !arguments[arguments.signature->parameter(std::string_view(setting.first))->role].is_set;
  });
  return settings;
}

class Reducer {
 public:
  Reducer(const CaseSpec& spec, const Respondent& respondent, const ReductionOptions& options)
      : signature_(*spec.formula->signature),
        formula_(*spec.formula),
        spec_(spec),
        runner_(spec, respondent),
        options_(options) {}

  Reduction run() {
    const Case made = spec_.materialise();
    refusal_ = made.expectation.error;
    best_ = {made.inputs.begin()->second, made.arguments ? given_settings(*made.arguments) : spec_.settings};
    reduction_.elements = best_.x.size();
    first_ = runner_.run(made);
    note("the case as it stands");
    reduction_.verdict = first_.verdict;
    reduction_.message = first_.message;
    if (is_failure(first_.verdict)) reduce();
    reduction_.x = best_.x;
    reduction_.settings = best_.settings;
    return std::move(reduction_);
  }

 private:
  void reduce() {
    if (!isolate(first_.failing)) {
      flatten();
      for (std::size_t axis = best_.x.shape().size(); axis-- > 0;) shrink(axis);
      if (best_.x.size() == 1) isolate({{0, {}}});
    }
    if (can_batch()) take_in_usual_types();
    for (std::size_t round = 0; round < kMostRounds; ++round) {
      const std::size_t before = accepted_;
      for (const Role role : {Role::scale, Role::input_scale, Role::weight_scale, Role::zero_point})
        if (const Parameter* parameter = signature_.parameter(role)) simplify(*parameter);
      for (const Parameter& parameter : signature_.parameters) simplify_other(parameter);
      simplify_x();
      if (accepted_ == before || is_over()) break;
    }
  }

  // --- trying

  bool is_over() {
    const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
    const bool is_over =
        reduction_.calls >= options_.most_calls || seconds >= options_.most_seconds || is_interrupted();
    reduction_.was_cut_short = reduction_.was_cut_short || is_over;
    return is_over;
  }
  void note(const std::string& what) {
    ++reduction_.calls;
    if (options_.progress) options_.progress(reduction_.calls, what);
  }
  /// Asks the backend, unless a limit is reached or the formula does not take it.
  std::optional<Trial> ask(const Candidate& candidate, const std::string& what) {
    const auto made = runner_.make(candidate, refusal_);
    if (!made || is_over()) return std::nullopt;
    Trial trial = runner_.run(*made, candidate.settings);
    note(what);
    return trial;
  }
  bool has_manner(const Failing& failing) const { return !manner_ || failing.manner == *manner_; }
  /// Takes the candidate if it fails as the case did.
  bool take(const Candidate& candidate, const std::string& what) {
    const auto trial = ask(candidate, what);
    if (!trial || trial->verdict != first_.verdict) return false;
    if (!trial->failing.empty() &&
        std::ranges::none_of(trial->failing, [this](const Failing& one) { return has_manner(one); }))
      return false;
    if (candidate.x.size() == 1 && !trial->failing.empty()) manner_ = trial->failing.front().manner;
    best_ = candidate;
    ++accepted_;
    return true;
  }
  bool is_one_element() const { return best_.x.size() == 1; }
  /// Elements of one tensor can be asked for at once.
  bool can_batch() const {
    return is_one_element() && first_.verdict == Verdict::mismatch && !refusal_ &&
           signature_.kind == FormulaKind::elementwise;
  }
  Shape shape_of_many(std::size_t count) const {
    const auto length = static_cast<std::int64_t>(count);
    return needs_row(signature_) ? Shape{1, length} : Shape{length};
  }

  // --- elements

  /// One of the failing elements alone, with its own parameters; the simplest that fails there too.
  bool isolate(std::vector<Failing> failing) {
    if (signature_.kind != FormulaKind::elementwise || refusal_) return false;
    const Tensor x = best_.x;
    std::ranges::stable_sort(failing, {},
                             [&](const Failing& one) { return simplicity(x.type(), x.bits(one.element)); });
    if (failing.size() > kElementsTriedAlone) failing.resize(kElementsTriedAlone);
    const Arguments arguments = formula_.arguments({{std::string(signature_.inputs.front().name), x}}, best_.settings);
    const ParameterLayout layout = parameter_layout(arguments);
    for (const Failing& one : failing) {
      Candidate alone{Tensor(x.type(), {1}), best_.settings};
      alone.x.set_bits(0, x.bits(one.element));
      alone.settings = settings_of_slice(arguments, best_.settings, layout.position(one.element).parameter_index);
      if (take(scalars_of(alone), "one element") || take(alone, "one element")) return true;
    }
    return false;
  }
  /// Scalars in place of vectors of one, where a formula takes them.
  Candidate scalars_of(Candidate candidate) const {
    bool has_vector = false;
    for (auto& [name, written] : candidate.settings) {
      const bool is_free = signature_.parameter(std::string_view(name))->spread == Spread::freely;
      if (written.tensor && written.tensor->size() == 1 && is_free) written.tensor = written.tensor->reshaped({});
      has_vector = has_vector || (written.tensor && !written.tensor->shape().empty());
    }
    for (const Role role : {Role::axis, Role::block_size}) {
      const Parameter* parameter = signature_.parameter(role);
      if (parameter != nullptr && !has_vector && !parameter->fallback.empty())
        if (const auto found = candidate.settings.find(parameter->name); found != candidate.settings.end())
          candidate.settings.erase(found);
    }
    return candidate;
  }
  void flatten() {
    if (best_.x.shape().size() == 1) return;
    take({best_.x.reshaped({static_cast<std::int64_t>(best_.x.size())}), best_.settings}, "one axis");
  }
  /// The candidate with these parts of an axis: elements, or blocks where those have parameters of their own.
  Candidate parts_of(std::size_t axis, const std::vector<std::size_t>& parts) const {
    const auto length = static_cast<std::size_t>(best_.x.shape()[axis]);
    const std::size_t unit = unit_of(axis);
    std::vector<std::size_t> indices;
    for (const std::size_t part : parts) {
      for (std::size_t i = part * unit; i < std::min(length, (part + 1) * unit); ++i) indices.push_back(i);
    }
    Candidate candidate{gathered(best_.x, axis, indices), best_.settings};
    const auto layout = layout_of_best();
    if (!layout || layout->is_per_tensor) return candidate;
    for (auto& [name, written] : candidate.settings) {
      if (!written.tensor || written.tensor->size() <= 1) continue;
      if (signature_.parameter(std::string_view(name))->spread == Spread::broadcast) {
        const std::size_t missing = best_.x.shape().size() - written.tensor->shape().size();
        if (axis >= missing && written.tensor->shape()[axis - missing] != 1)
          written.tensor = gathered(*written.tensor, axis - missing, parts);
      } else if (layout->is_blocked) written.tensor = gathered(*written.tensor, axis, parts);
      else if (axis == layout->axis) written.tensor = gathered(*written.tensor, 0, parts);
    }
    return candidate;
  }
  std::optional<ParameterLayout> layout_of_best() const {
    if (refusal_) return std::nullopt;
    return parameter_layout(
        formula_.arguments({{std::string(signature_.inputs.front().name), best_.x}}, best_.settings));
  }
  std::size_t unit_of(std::size_t axis) const {
    const auto layout = layout_of_best();
    return layout && layout->is_blocked && layout->axis == axis ? layout->block_size : 1;
  }
  /// Halves as long as one of them fails, then leaves out ever smaller parts.
  void shrink(std::size_t axis) {
    const std::size_t unit = unit_of(axis);
    const auto count = [&] { return (static_cast<std::size_t>(best_.x.shape()[axis]) + unit - 1) / unit; };
    const auto keep = [&](auto is_kept) {
      std::vector<std::size_t> parts = numbers_up_to(count());
      std::erase_if(parts, [&](std::size_t part) { return !is_kept(part); });
      return !parts.empty() && take(parts_of(axis, parts), "fewer elements");
    };
    while (count() > 1 && !is_over()) {
      const std::size_t half = count() / 2;
      if (!keep([&](std::size_t part) { return part < half; }) && !keep([&](std::size_t part) { return part >= half; }))
        break;
    }
    for (std::size_t size = std::max<std::size_t>(count() / 2, 1); size > 0 && count() > 1; size /= 2) {
      for (std::size_t end = count(); end > 0 && !is_over();) {
        const std::size_t first = end > size ? end - size : 0;
        keep([&](std::size_t part) { return part < first || part >= end; });
        end = first;
      }
    }
  }

  // --- values

  /// With these settings some element may fail that did not before.
  bool take_with_any_element(const Candidate& candidate, const std::string& what) {
    if (!can_batch()) return take(candidate, what);
    const std::vector<std::uint64_t> values =
        elements_to_try(formula_, candidate.settings, candidate.x.type(), candidate.x.bits(0));
    Tensor many(candidate.x.type(), shape_of_many(values.size()));
    for (std::size_t i = 0; i < values.size(); ++i) many.set_bits(i, values[i]);
    const auto trial = ask({many, candidate.settings}, what);
    if (!trial) return false;
    std::size_t tried = 0;
    for (const Failing& one : trial->failing) {
      if (!has_manner(one) || tried++ >= 3) continue;
      if (take({with_bits(candidate.x, 0, values[one.element]), candidate.settings}, what)) return true;
    }
    return false;
  }
  /// float32 in place of other floating types.
  void take_in_usual_types() {
    const Type usual = signature_.inputs.front().types.front();
    const auto converted = [](const Tensor& tensor, Type type) {
      if (!is_floating(tensor.type()) || !is_floating(type)) return tensor;
      Tensor result(type, tensor.shape());
      for (std::size_t i = 0; i < tensor.size(); ++i) result.set_real(i, tensor.real(i));
      return result;
    };
    Candidate candidate{converted(best_.x, usual), best_.settings};
    for (auto& [name, written] : candidate.settings) {
      const bool is_double = signature_.parameter(std::string_view(name))->own_type == OwnType::float64;
      if (written.tensor && !is_double) written.tensor = converted(*written.tensor, Type::float32);
    }
    take_with_any_element(candidate, "types");
  }
  /// Scales and zero points, each entry on its own.
  void simplify(const Parameter& parameter) {
    const auto found = best_.settings.find(parameter.name);
    if (found == best_.settings.end()) return;
    const std::string what(parameter.name);
    if (!parameter.fallback.empty() && take_without(parameter)) return;
    if (!found->second.tensor) return;
    for (std::size_t entry = 0; entry < found->second.tensor->size(); ++entry) {
      const Tensor tensor = *best_.settings.find(what)->second.tensor;
      std::vector<std::uint64_t> numbers = simpler_numbers(tensor.type(), tensor.bits(entry));
      // No scale becomes a scale that scales nothing.
      if (is_floating(tensor.type())) std::erase(numbers, encode(tensor.type(), 0));
      if (!is_one_element() && numbers.size() > kNumbersForEachElement) numbers.resize(kNumbersForEachElement);
      for (const std::uint64_t bits : numbers) {
        Candidate candidate = best_;
        candidate.settings.insert_or_assign(what, Written::of(with_bits(tensor, entry, bits)));
        if (is_over() || take_with_any_element(candidate, what)) break;
      }
    }
  }
  bool take_without(const Parameter& parameter) {
    Candidate candidate = best_;
    if (candidate.settings.erase(std::string(parameter.name)) == 0) return false;
    return take_with_any_element(candidate, std::string(parameter.name));
  }
  /// Everything else towards its default, and numbers towards zero.
  void simplify_other(const Parameter& parameter) {
    const auto found = best_.settings.find(parameter.name);
    if (found == best_.settings.end() || found->second.tensor ||
        (!parameter.fallback.empty() && take_without(parameter)))
      return;
    if (parameter.kind == ParameterKind::dtype) simplify_type(parameter);
    const bool is_end = parameter.role == Role::quant_min || parameter.role == Role::quant_max;
    if (!is_end || found->second.elements.size() != 1) return;
    const std::string what(parameter.name);
    const std::uint64_t current = parse_number(found->second.elements.front(), Type::int32);
    for (const std::uint64_t bits : simpler_numbers(Type::int32, current)) {
      Candidate candidate = best_;
      candidate.settings.insert_or_assign(what, Written::scalar(number_text(Type::int32, bits)));
      if (is_over() || take_with_any_element(candidate, what)) return;
    }
  }
  /// The types that stand before its own in the signature are the usual ones.
  void simplify_type(const Parameter& parameter) {
    const std::string what(parameter.name);
    const auto own = type_named(best_.settings.find(what)->second.elements.front());
    for (const Type type : parameter.types) {
      Candidate candidate = best_;
      candidate.settings.insert_or_assign(what, Written::scalar(std::string(name(type))));
      if (type == own || is_over() || take_with_any_element(candidate, what)) return;
    }
  }
  void simplify_x() {
    const std::string what(signature_.inputs.front().name);
    if (can_batch()) {
      take_with_any_element(best_, what);
      return;
    }
    const std::size_t count = std::min(best_.x.size(), kMostElementsSimplified);
    for (std::size_t i = 0; i < count; ++i) {
      std::vector<std::uint64_t> numbers = simpler_numbers(best_.x.type(), best_.x.bits(i));
      if (!is_one_element() && numbers.size() > kNumbersForEachElement) numbers.resize(kNumbersForEachElement);
      for (const std::uint64_t bits : numbers) {
        if (is_over() || take({with_bits(best_.x, i, bits), best_.settings}, what)) break;
      }
    }
  }

  const Signature& signature_;
  const Formula& formula_;
  const CaseSpec& spec_;
  TrialRunner runner_;
  const ReductionOptions& options_;
  Clock::time_point start_ = Clock::now();
  std::optional<ErrorKind> refusal_;
  Trial first_;                   ///< of the whole case
  std::optional<Manner> manner_;  ///< once there is one element
  Candidate best_;
  std::size_t accepted_ = 0;
  Reduction reduction_;
};

}  // namespace

Reduction reduce_case(const CaseSpec& spec, const Respondent& respondent, const ReductionOptions& options) {
  if (spec.formula->signature->inputs.size() != 1) {
    throw RequestError(ErrorKind::out_of_domain,
                       fmt::format("{}: only cases of formulas with one input are reduced", spec.name));
  }
  return Reducer(spec, respondent, options).run();
}

}  // namespace qassay
