#include "interpreter/registry.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "interpreter/float_environment.hpp"
#include "interpreter/nearest_names.hpp"

namespace qassay {

std::span<const Formula> all_formulas() {
  static const std::vector<Formula> formulas = [] {
    std::vector<Formula> all;
    for (std::vector<Formula> dialect :
         {onnx::formulas(), onnxruntime::formulas(), onnx_reference::formulas(), pytorch::formulas(),
          quantized_decomposed::formulas(), torchao::formulas(), inductor::formulas(), executorch::formulas(),
          openvino::formulas(), openvino_cpu::formulas()}) {
      std::ranges::move(dialect, std::back_inserter(all));
    }
    return all;
  }();
  return formulas;
}

const Formula* find_formula(std::string_view id) {
  const auto formulas = all_formulas();
  const auto found = std::ranges::find(formulas, id, &Formula::id);
  return found == formulas.end() ? nullptr : &*found;
}

const Formula& formula(std::string_view id) {
  if (const Formula* found = find_formula(id)) return *found;
  std::vector<std::string> names;
  for (const Formula& known : all_formulas()) names.emplace_back(known.id());
  throw RequestError(ErrorKind::not_found,
                     fmt::format("no formula '{}'{}; 'qassay list' shows all", id, did_you_mean(id, names)));
}

Arguments Formula::arguments(const Inputs& inputs, const Settings& settings) const {
  const DefaultFloatEnvironment environment;
  Arguments checked = check_arguments(*signature, inputs, settings);
  check(checked);
  return checked;
}

Evaluation Formula::operator()(const Inputs& inputs, const Settings& settings) const {
  return evaluate(arguments(inputs, settings), inputs);
}

}  // namespace qassay
