#include "tools/case_inputs.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "interpreter/parameter_layout.hpp"
#include "tools/case_group.hpp"

namespace qassay {
namespace {

using Bits = std::vector<std::uint64_t>;

Tensor literal_tensor(const InputPlan& plan) {
  Tensor tensor(plan.type, *plan.shape);
  for (std::size_t i = 0; i < tensor.size(); ++i) tensor.set_bits(i, (*plan.literal)[i].bits(plan.type));
  return tensor;
}

/// Makes the inputs of one case.
class InputMaker {
 public:
  explicit InputMaker(const CaseSpec& spec) : spec_(spec), group_(*spec.group) {
    if (spec.length) {
      shape_ = Shape{static_cast<std::int64_t>(*spec.length)};
      return;
    }
    for (const Input& input : spec.formula->signature->inputs) {
      const auto plan = group_.inputs.find(input.name);
      if (!shape_ && plan != group_.inputs.end()) shape_ = plan->second.shape;
    }
  }

  Inputs make() {
    if (group_.inputs.empty()) return zeros();
    if (!shape_) find_shape();
    Inputs inputs;
    for (const auto& [name, plan] : group_.inputs) {
      inputs.emplace(name, plan.literal ? literal_tensor(plan) : generated_tensor(name, plan));
    }
    return inputs;
  }

 private:
  /// One zero each, for requests that are refused whatever the inputs.
  Inputs zeros() const {
    Inputs inputs;
    for (const Input& input : spec_.formula->signature->inputs)
      inputs.emplace(input.name, Tensor(input.types.front(), {1}));
    return inputs;
  }
  /// Without a shape the longest list decides.
  void find_shape() {
    std::size_t longest = 0;
    for (const auto& [name, plan] : group_.inputs) {
      lists_[name] = list_of(name, plan, spec_.settings, 0);
      longest = std::max(longest, lists_[name].size());
    }
    shape_ = Shape{static_cast<std::int64_t>(longest)};
  }
  Bits list_of(const std::string& name, const InputPlan& plan, const Settings& settings, std::uint64_t slice) const {
    GeneratorView view;
    view.formula = spec_.formula;
    view.settings = settings;
    view.is_first_input = name == spec_.formula->signature->inputs.front().name;
    view.slice = slice;
    Bits list = generate(plan.generators, plan.type, view);
    if (list.empty())
      throw RequestError(ErrorKind::bad_file, fmt::format("the generators of the input '{}' give no value", name));
    return list;
  }
  Tensor generated_tensor(const std::string& name, const InputPlan& plan) {
    Tensor tensor(plan.type, plan.shape.value_or(*shape_));
    const std::optional<Arguments> arguments = arguments_of_slices();
    if (!arguments || tensor.shape() != *shape_) {
      if (!lists_.contains(name)) lists_[name] = list_of(name, plan, spec_.settings, 0);
      const Bits dealt = deal(lists_[name], tensor.size());
      for (std::size_t i = 0; i < dealt.size(); ++i) tensor.set_bits(i, dealt[i]);
      return tensor;
    }
    const ParameterLayout layout = parameter_layout(*arguments);
    std::map<std::size_t, std::vector<std::size_t>> slices;
    for (std::size_t i = 0; i < tensor.size(); ++i) slices[layout.position(i).parameter_index].push_back(i);
    for (const auto& [index, elements] : slices) {
      const Bits list = list_of(name, plan, settings_of_slice(*arguments, spec_.settings, index), index);
      const Bits dealt = deal(list, elements.size());
      for (std::size_t i = 0; i < elements.size(); ++i) tensor.set_bits(elements[i], dealt[i]);
    }
    return tensor;
  }
  /// The arguments, where parameters differ from slice to slice.
  std::optional<Arguments> arguments_of_slices() const {
    if (group_.error) return std::nullopt;
    Inputs inputs;
    for (const auto& [name, plan] : group_.inputs) {
      inputs.emplace(name, plan.literal ? literal_tensor(plan) : Tensor(plan.type, plan.shape.value_or(*shape_)));
    }
    Arguments arguments = spec_.formula->arguments(inputs, spec_.settings);
    const bool any_spread = std::ranges::any_of(arguments.by_role, [](const Argument& argument) {
      return argument.tensor && !argument.tensor->shape().empty();
    });
    if (!any_spread || parameter_layout(arguments).is_per_tensor) return std::nullopt;
    return arguments;
  }

  const CaseSpec& spec_;
  const CaseGroup& group_;
  std::optional<Shape> shape_;
  std::map<std::string, Bits> lists_;
};

}  // namespace

Inputs make_inputs(const CaseSpec& spec) {
  return InputMaker(spec).make();
}

}  // namespace qassay
