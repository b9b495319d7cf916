// A formula over a tensor is the formula of each element, with the parameters of its place.
#include "interpreter/elementwise.hpp"

#include <cmath>
#include <thread>

#include "catch.hpp"
#include "interpreter/request_maker.hpp"
#include "interpreter/tally.hpp"

using namespace qassay;
using namespace qassay::tests;

namespace {

/// Those whose parameters are one value, lie along an axis or in blocks of it, and count for their own place alone.
/// test_arguments_spread.cpp and test_broadcast.cpp have others.
std::vector<const Formula*> elementwise_formulas() {
  std::vector<const Formula*> found;
  for (const Formula& formula : all_formulas()) {
    const Signature& signature = *formula.signature;
    const bool is_meant = signature.kind == FormulaKind::elementwise && !signature.inputs.empty() &&
                          formula.reach == ParameterReach::own_place &&
                          signature.parameter(Role::block_shape) == nullptr &&
                          std::ranges::none_of(signature.parameters, [](const Parameter& parameter) {
                            return parameter.spread == Spread::along_tokens || parameter.spread == Spread::in_groups ||
                                   parameter.spread == Spread::broadcast;
                          });
    if (is_meant) found.push_back(&formula);
  }
  return found;
}

Tensor element_of(const Tensor& tensor, std::size_t index, const Shape& shape) {
  Tensor one(tensor.type(), shape);
  one.set_bits(0, tensor.bits(index));
  return one;
}

std::size_t axis_of(const Request& request, std::size_t rank) {
  const auto axis = request.settings.find("axis");
  if (axis == request.settings.end()) return 0;
  const std::int64_t n = std::stoll(axis->second.elements.front());
  return static_cast<std::size_t>(n < 0 ? n + static_cast<std::int64_t>(rank) : n);
}

/// The place of a parameter's value for the element at `index`, by its coordinates.
std::size_t value_index(const Shape& values, const Shape& shape, std::size_t axis, std::int64_t block_size,
                        std::size_t index) {
  std::vector<std::int64_t> coordinates(shape.size());
  auto rest = static_cast<std::int64_t>(index);
  for (std::size_t d = shape.size(); d-- > 0;) {
    coordinates[d] = rest % shape[d];
    rest /= shape[d];
  }
  if (element_count(values) == 1) return 0;
  if (block_size == 0) return static_cast<std::size_t>(coordinates[axis]);
  coordinates[axis] /= block_size;
  std::int64_t at = 0;
  for (std::size_t d = 0; d < shape.size(); ++d) at = at * values[d] + coordinates[d];
  return static_cast<std::size_t>(at);
}

/// The request for one element, worked out by hand: a tensor [1] with the parameters of that element alone.
Request request_for_one(const Formula& formula, const Request& whole, std::size_t index) {
  const Tensor& x = whole.inputs.find(formula.signature->inputs.front().name)->second;
  const std::size_t axis = axis_of(whole, x.shape().size());
  const auto block = whole.settings.find("block_size");
  const std::int64_t block_size = block == whole.settings.end() ? 0 : std::stoll(block->second.elements.front());
  Request one;
  // Rank 1 is a case of its own in some kernels.
  const Shape shape = x.shape().size() > 1 ? Shape{1, 1} : Shape{1};
  for (const auto& [name, tensor] : whole.inputs) one.inputs.emplace(name, element_of(tensor, index, shape));
  for (const auto& [name, written] : whole.settings) {
    Written single = written;
    if (written.shape && !written.shape->empty()) {
      single.elements = {written.elements[value_index(*written.shape, x.shape(), axis, block_size, index)]};
      single.shape = Shape{1};
    }
    if (name == "axis" || name == "block_size") single.elements = {"0"};
    one.settings.emplace(name, single);
  }
  return one;
}

void check_against_elements(const Formula& formula, const Request& request, Tally& tally) {
  const Evaluation whole = formula(request.inputs, request.settings);
  const std::size_t size = request.inputs.begin()->second.size();
  for (std::size_t i = 0; i < size; ++i) {
    const Request single = request_for_one(formula, request, i);
    const Evaluation one = formula(single.inputs, single.settings);
    for (const auto& output : whole.outputs) {
      const std::string& name = output.first;
      const Tensor& values = output.second;
      tally.expect(values.bits(i) == one.outputs.find(name)->second.bits(0),
                   [&] { return fmt::format("{}{}: {}[{}]", formula.id(), to_text(request), name, i); });
      const auto open = whole.unspecified.find(name);
      const bool is_open = open != whole.unspecified.end() && open->second[i] != 0;
      tally.expect(is_open == one.unspecified.contains(name), [&] {
        return fmt::format("{}{}: {}[{}] is {}open", formula.id(), to_text(request), name, i, is_open ? "" : "not ");
      });
    }
  }
}

}  // namespace

TEST_CASE("every element is computed with the parameters of its place") {
  RequestMaker maker(20);
  const std::vector<Shape> shapes{{5}, {1}, {4, 3}, {2, 3, 4}, {3, 1, 2, 2}};
  for (const Formula* formula : elementwise_formulas()) {
    CAPTURE(formula->id());
    Tally tally;
    for (const Spreading spreading : {Spreading::one_value, Spreading::along_axis, Spreading::blocks}) {
      if (!can_spread(*formula->signature, spreading)) continue;
      for (const Shape& shape : shapes) {
        // Axes, negative ones too, and block sizes that leave a ragged end come by chance.
        for (int i = 0; i < 8; ++i) check_against_elements(*formula, maker.make(*formula, shape, spreading), tally);
      }
    }
    CHECK(tally.faults() == "");
  }
}

TEST_CASE("parameters along the first, a middle and the last axis, by hand") {
  // x[i][j][k] = 24, so that codes are 24 / scale.
  const Inputs x{{"x", tensor("[24,24,24,24,24,24,24,24,24,24,24,24]", Shape{2, 3, 2})}};
  const auto codes = [&](const Texts& set) { return shown(formula("onnx.QuantizeLinear")(x, settings(set)), "y"); };
  CHECK(codes({{"y_scale", "[1,2]"}, {"axis", "0"}}) == "24 24 24 24 24 24 12 12 12 12 12 12");
  CHECK(codes({{"y_scale", "[1,2]"}, {"axis", "-3"}}) == "24 24 24 24 24 24 12 12 12 12 12 12");
  CHECK(codes({{"y_scale", "[1,2,3]"}, {"axis", "1"}}) == "24 24 12 12 8 8 24 24 12 12 8 8");
  CHECK(codes({{"y_scale", "[1,2]"}, {"axis", "2"}}) == "24 12 24 12 24 12 24 12 24 12 24 12");
  CHECK(codes({{"y_scale", "[1,2]"}, {"axis", "-1"}}) == "24 12 24 12 24 12 24 12 24 12 24 12");
  CHECK(codes({{"y_scale", "1"}, {"y_zero_point", "[0,1,2]"}}) == "24 24 25 25 26 26 24 24 25 25 26 26");
}

TEST_CASE("blocks along either axis, with a ragged end, by hand") {
  const Inputs x{{"x", tensor("[24,24,24,24,24,24]", Shape{2, 3})}};
  const auto codes = [&](std::vector<std::string> scales, Shape shape, const char* axis, const char* block_size) {
    Settings set = settings({{"axis", axis}, {"block_size", block_size}});
    set.emplace("y_scale", Written{std::move(scales), std::move(shape), std::nullopt, std::nullopt});
    return shown(formula("onnx.QuantizeLinear")(x, set), "y");
  };
  CHECK(codes({"1", "2", "3", "4"}, {2, 2}, "1", "2") == "24 24 12 8 8 6");
  CHECK(codes({"1", "2", "3"}, {1, 3}, "0", "2") == "24 12 8 24 12 8");
  CHECK(codes({"1", "2", "3", "4", "6", "8"}, {2, 3}, "0", "1") == "24 12 8 6 4 3");
  CHECK(codes({"1", "2"}, {2, 1}, "-1", "7") == "24 24 24 12 12 12");
}

TEST_CASE("the result does not depend on the length or on chunks") {
  RequestMaker maker(21);
  const std::int64_t longest = 2 * static_cast<std::int64_t>(elementwise_detail::kChunk) + 1;
  for (const Formula* formula : elementwise_formulas()) {
    if (!can_spread(*formula->signature, Spreading::one_value)) continue;
    CAPTURE(formula->id());
    Tally tally;
    const Request request = maker.make(*formula, {longest}, Spreading::one_value);
    const Evaluation whole = formula->evaluate(formula->arguments(request.inputs, request.settings), request.inputs);
    std::vector<std::int64_t> lengths{4095, 4096, 4097, 8191, 8192};
    for (std::int64_t length = 1; length <= 67; ++length) lengths.push_back(length);
    for (const std::int64_t length : lengths) {
      Inputs part;
      for (const auto& [name, tensor] : request.inputs) {
        Tensor first(tensor.type(), {length});
        std::ranges::copy(tensor.bytes().first(first.bytes().size()), first.bytes().begin());
        part.emplace(name, std::move(first));
      }
      const Evaluation result = (*formula)(part, request.settings);
      for (const auto& output : result.outputs) {
        const std::string& name = output.first;
        const Tensor& values = output.second;
        const auto expected = whole.outputs.find(name)->second.bytes().first(values.bytes().size());
        tally.expect(std::ranges::equal(values.bytes(), expected), [&] {
          return fmt::format("{}{}: {} of length {}", formula->id(), to_text(request), name, length);
        });
      }
    }
    CHECK(tally.faults() == "");
    CHECK(tally.checked() >= lengths.size());
  }
}

TEST_CASE("long channels are computed in chunks with their own parameters") {
  const std::int64_t length = static_cast<std::int64_t>(elementwise_detail::kChunk) + 5;
  Tensor x(Type::float32, {2, length});
  for (std::size_t i = 0; i < x.size(); ++i) x.set_real(i, 24);
  const Evaluation evaluation =
      formula("onnx.QuantizeLinear")({{"x", x}}, settings({{"y_scale", "[1,2]"}, {"axis", "0"}}));
  const Tensor& codes = evaluation.outputs.find("y")->second;
  Tally tally;
  for (std::size_t i = 0; i < codes.size(); ++i) {
    tally.expect(codes.integer(i) == (i < static_cast<std::size_t>(length) ? 24 : 12),
                 [&] { return fmt::format("[{}]: {}", i, codes.integer(i)); });
  }
  CHECK(tally.faults() == "");
}

TEST_CASE("tensors of rank 0 and of no elements") {
  RequestMaker maker(22);
  for (const Formula* formula : elementwise_formulas()) {
    CAPTURE(formula->id());
    if (can_spread(*formula->signature, Spreading::one_value)) {
      const Request scalar = maker.make(*formula, {}, Spreading::one_value);
      const Evaluation evaluation = (*formula)(scalar.inputs, scalar.settings);
      for (const auto& [name, values] : evaluation.outputs) CHECK(values.shape().empty());
      Tally tally;
      check_against_elements(*formula, scalar, tally);
      CHECK(tally.faults() == "");
    }
    // torch has no range of no zero points.
    if (formula->id() == "pytorch.fake_quantize_learnable_per_channel_affine") continue;
    for (const Shape& shape : {Shape{0}, Shape{3, 0}, Shape{2, 0, 4}}) {
      const Spreading spreading =
          can_spread(*formula->signature, Spreading::one_value) ? Spreading::one_value : Spreading::along_axis;
      const Request empty = maker.make(*formula, shape, spreading);
      const Evaluation evaluation = (*formula)(empty.inputs, empty.settings);
      CHECK(evaluation.outputs.size() == formula->signature->outputs.size());
      for (const auto& [name, values] : evaluation.outputs) {
        CHECK(values.shape() == shape);
        CHECK(values.size() == 0);
      }
      CHECK(evaluation.unspecified.empty());
    }
  }
}

TEST_CASE("NaN outputs have no payload and no sign") {
  const auto check = [](const Evaluation& evaluation) {
    const Tensor& y = evaluation.outputs.find("y")->second;
    REQUIRE(y.size() > 0);
    for (std::size_t i = 0; i < y.size(); ++i) CHECK(y.bits(i) == encode(y.type(), NAN));
  };
  // 0 * inf has a sign bit on x86.
  const Tensor zeros = tensor("[0,0,0]:int8");
  check(formula("onnxruntime.DequantizeLinear")({{"x", zeros}}, settings({{"x_scale", "inf"}})));
  check(formula("onnxruntime.DequantizeLinear")(
      {{"x", zeros}},
      settings({{"x_scale", "bits:0xffc00123:float32"}, {"output_dtype", "float16"}, {"opset", "23"}})));
  check(formula("onnx.DequantizeLinear")({{"x", zeros}},
                                         settings({{"x_scale", "bits:0xffa1"}, {"output_dtype", "bfloat16"}})));
  for (const char* type : {"float32", "float16", "bfloat16", "float64"}) {
    check(formula("pytorch.fake_quantize_per_tensor_affine")(
        {{"x", tensor("[1,nan,-inf]:" + std::string(type))}},
        settings({{"scale", "nan"}, {"zero_point", "0"}, {"quant_min", "-8"}, {"quant_max", "7"}})));
  }
}

TEST_CASE("formulas run on several threads at once") {
  RequestMaker maker(23);
  struct Job {
    const Formula* formula;
    Request request;
    Evaluation expected;
  };
  std::vector<Job> jobs;
  for (const Formula& formula : all_formulas()) {
    for (int i = 0; i < 6; ++i) {
      const Request request = maker.make(formula);
      jobs.push_back({&formula, request, formula(request.inputs, request.settings)});
    }
  }
  std::array<Tally, 4> tallies;
  std::vector<std::thread> threads;
  for (Tally& tally : tallies) {
    threads.emplace_back([&jobs, &tally] {
      for (int round = 0; round < 5; ++round) {
        for (const Job& job : jobs) {
          const Evaluation result = (*job.formula)(job.request.inputs, job.request.settings);
          const Arguments arguments = job.formula->arguments(job.request.inputs, job.request.settings);
          const bool has_steps = !job.formula->trace(arguments, job.request.inputs, 0).empty();
          tally.expect(has_steps && difference(result, job.expected).empty(),
                       [&] { return fmt::format("{}{}", job.formula->id(), to_text(job.request)); });
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const Tally& tally : tallies) CHECK(tally.faults() == "");
}
