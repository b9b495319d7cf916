// Throughput of formulas over float32 tensors, one thread. compare_with_peers.py runs this beside the real backends.
#include <benchmark/benchmark.h>

#include <cmath>

#include "interpreter/registry.hpp"

namespace {

using qassay::Settings;
using qassay::Written;

constexpr std::int64_t kElements = 1 << 18;

/// A formula with parameters, under the name by which its peer is known.
struct Subject {
  const char* id;
  Settings settings;
};

Settings with(std::initializer_list<std::pair<const char*, const char*>> pairs) {
  Settings settings;
  for (const auto& [name, text] : pairs) settings.emplace(name, Written::parse(text));
  return settings;
}

qassay::Tensor ramp() {
  qassay::Tensor x(qassay::Type::float32, {kElements});
  for (std::size_t i = 0; i < x.size(); ++i) x.set_real(i, 30 * std::sin(static_cast<double>(i)));
  return x;
}

void run(benchmark::State& state, const Subject& subject) {
  const qassay::Formula& formula = qassay::formula(subject.id);
  const qassay::Inputs inputs{{std::string(formula.signature->inputs.front().name), ramp()}};
  const qassay::Arguments arguments = formula.arguments(inputs, subject.settings);
  for (auto iteration : state) {
    (void)iteration;
    benchmark::DoNotOptimize(formula.evaluate(arguments, inputs));
  }
  state.SetItemsProcessed(state.iterations() * kElements);
}

}  // namespace

int main(int argument_count, char** arguments) {
  const Settings onnx = with({{"y_scale", "0.1"}, {"y_zero_point", "3"}, {"output_dtype", "uint8"}});
  const Settings torch = with({{"scale", "0.1"}, {"zero_point", "3"}, {"dtype", "uint8"}});
  const Settings fake = with({{"scale", "0.1"}, {"zero_point", "3"}, {"quant_min", "0"}, {"quant_max", "255"}});
  const std::initializer_list<Subject> subjects{
      {"onnx.QuantizeLinear", onnx},
      {"onnxruntime.QuantizeLinear", onnx},
      {"onnx_reference.QuantizeLinear", onnx},
      {"pytorch.quantize_per_tensor", torch},
      {"pytorch.quantize_per_tensor@2.13", torch},
      {"pytorch.fake_quantize_per_tensor_affine", fake},
  };
  for (const Subject& subject : subjects) {
    benchmark::RegisterBenchmark(subject.id, [subject](benchmark::State& state) { run(state, subject); });
  }
  benchmark::Initialize(&argument_count, arguments);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
