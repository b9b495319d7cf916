// Runs a formula that takes a whole tensor to scalars, in its readings.
//
// A formula is a struct F with
//   static const Signature signature;
//   template <class Real> static auto reduce(std::span<const Real>);    // a std::array of the outputs
// computed in binary32.
#pragma once

#include <span>

#include "interpreter/float_environment.hpp"
#include "interpreter/formula.hpp"

namespace qassay {

template <class F>
Formula reduction() {
  static constexpr auto input_of = [](const Arguments& arguments, const Inputs& inputs) -> const Tensor& {
    return inputs.find(arguments.signature->inputs.front().name)->second;
  };
  Formula formula;
  formula.signature = &F::signature;
  formula.check = [](const Arguments&) {};
  formula.evaluate = [](const Arguments& arguments, const Inputs& inputs) {
    const DefaultFloatEnvironment environment;
    const Tensor& x = input_of(arguments, inputs);
    std::vector<float> values(x.size());
    load(x, 0, x.size(), values.data());
    const auto results = F::template reduce<float>(values);
    Evaluation evaluation;
    for (std::size_t o = 0; o < results.size(); ++o) {
      evaluation.outputs.emplace(F::signature.outputs[o].name,
                                 Tensor::scalar(Type::float32, static_cast<double>(results[o])));
    }
    return evaluation;
  };
  formula.trace = [](const Arguments& arguments, const Inputs& inputs, std::size_t /*index*/) {
    const DefaultFloatEnvironment environment;
    const Tensor& x = input_of(arguments, inputs);
    std::vector<float> values(x.size());
    load(x, 0, x.size(), values.data());
    Trace trace;
    const auto results = F::template reduce<float>(values);
    for (std::size_t o = 0; o < results.size(); ++o) {
      const Traced result(Type::float32, static_cast<double>(results[o]));
      trace.push_back({std::string(F::signature.steps[o].name), {}, result.exact(), result});
    }
    return trace;
  };
  formula.exact = [](const Arguments& arguments, const Inputs& inputs, std::size_t /*index*/) {
    const DefaultFloatEnvironment environment;
    const Tensor& x = input_of(arguments, inputs);
    std::vector<Exact> values;
    for (std::size_t i = 0; i < x.size(); ++i) values.emplace_back(x.real(i));
    const auto results = F::template reduce<Exact>(values);
    return std::vector<Exact>(results.begin(), results.end());
  };
  return formula;
}

}  // namespace qassay
