// Runs a formula that takes many elements to one result, in its readings: over the whole tensor, or over each of the
// slices that its signature speaks of.
//
// A formula is a struct F with
//   static const Signature signature;                                   // `slices` says which elements belong together
//   template <class Real> static auto reduce(std::span<const Real>);    // a std::array of the outputs
// computed in binary32.
#pragma once

#include <span>

#include "interpreter/float_environment.hpp"
#include "interpreter/formula.hpp"
#include "interpreter/parameter_layout.hpp"

namespace qassay {

namespace reduction_detail {

inline const Tensor& input_of(const Arguments& arguments, const Inputs& inputs) {
  return inputs.find(arguments.signature->inputs.front().name)->second;
}

/// The elements of every slice, in the order of the tensor.
template <class Number>
std::vector<std::vector<Number>> slices_of(const Tensor& x, const ParameterLayout& layout) {
  std::vector<std::vector<Number>> slices(layout.slice_count());
  for (std::size_t first = 0; first < x.size(); first += layout.run_length) {
    std::vector<Number>& slice = slices[layout.position(first).parameter_index];
    const std::size_t at = slice.size();
    slice.resize(at + layout.run_length);
    load(x, first, layout.run_length, slice.data() + at);
  }
  return slices;
}

/// The elements of the slice that element `index` lies in.
inline std::vector<std::size_t> neighbours_of(std::size_t index, std::size_t size, const ParameterLayout& layout) {
  std::vector<std::size_t> elements;
  const std::size_t slice = layout.position(index).parameter_index;
  for (std::size_t first = 0; first < size; first += layout.run_length) {
    if (layout.position(first).parameter_index != slice) continue;
    for (std::size_t i = first; i < first + layout.run_length; ++i) elements.push_back(i);
  }
  return elements;
}

}  // namespace reduction_detail

/// The registry's row for a reduction.
template <class F>
Formula reduction() {
  namespace detail = reduction_detail;
  Formula formula;
  formula.signature = &F::signature;
  formula.check = [](const Arguments&) {};
  formula.evaluate = [](const Arguments& arguments, const Inputs& inputs) {
    const DefaultFloatEnvironment environment;
    const Tensor& x = detail::input_of(arguments, inputs);
    const ParameterLayout layout = parameter_layout(arguments);
    const auto slices = detail::slices_of<float>(x, layout);
    std::vector<Tensor> outputs(F::signature.outputs.size(), Tensor(Type::float32, layout.shape));
    for (std::size_t slice = 0; slice < slices.size(); ++slice) {
      const auto results = F::template reduce<float>(slices[slice]);
      for (std::size_t o = 0; o < results.size(); ++o) outputs[o].set_real(slice, static_cast<double>(results[o]));
    }
    Evaluation evaluation;
    for (std::size_t o = 0; o < outputs.size(); ++o)
      evaluation.outputs.emplace(F::signature.outputs[o].name, std::move(outputs[o]));
    return evaluation;
  };
  formula.trace = [](const Arguments& arguments, const Inputs& inputs, std::size_t index) {
    const DefaultFloatEnvironment environment;
    const Tensor& x = detail::input_of(arguments, inputs);
    std::vector<float> values;
    for (const std::size_t i : detail::neighbours_of(index, x.size(), parameter_layout(arguments)))
      values.push_back(static_cast<float>(x.real(i)));
    Trace trace;
    const auto results = F::template reduce<float>(values);
    for (std::size_t o = 0; o < results.size(); ++o) {
      const Traced result(Type::float32, static_cast<double>(results[o]));
      trace.push_back({std::string(F::signature.steps[o].name), {}, result.exact(), result});
    }
    return trace;
  };
  formula.exact = [](const Arguments& arguments, const Inputs& inputs, std::size_t index) {
    const DefaultFloatEnvironment environment;
    const Tensor& x = detail::input_of(arguments, inputs);
    std::vector<Exact> values;
    for (const std::size_t i : detail::neighbours_of(index, x.size(), parameter_layout(arguments)))
      values.emplace_back(x.real(i));
    const auto results = F::template reduce<Exact>(values);
    return std::vector<Exact>(results.begin(), results.end());
  };
  return formula;
}

}  // namespace qassay
