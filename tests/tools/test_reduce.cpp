#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "interpreter/registry.hpp"
#include "mutants/mutants.hpp"
#include "temporary_folder.hpp"
#include "tools/diagnosis/case_reduction.hpp"
#include "tools/diagnosis/reduced_case.hpp"
#include "tools/diagnosis/simplicity.hpp"
#include "tools/generators.hpp"
#include "tools/npy.hpp"

using namespace qassay;

namespace {

CaseSpec case_of(const testing::TemporaryFolder& folder, const std::string& formula_id, const std::string& group) {
  const auto file = folder.write(
      "case.json", R"({"schema": "qassay-cases-1", "formula": ")" + formula_id + R"(", "groups": [)" + group + "]}");
  std::vector<CaseSpec> specs = load_cases({file});
  REQUIRE(specs.size() == 1);
  return specs.front();
}

Respondent respondent_of(std::string_view mutant) {
  return [&found = *mutants::find(mutant)](const CaseSpec& spec, const Case& made) {
    std::vector<Tensor> outputs;
    Outputs given = found.evaluate(*spec.formula, made.inputs, spec.settings);
    for (const Output& output : spec.formula->signature->outputs)
      outputs.push_back(std::move(given.find(output.name)->second));
    return std::pair(Answer{}, std::move(outputs));
  };
}

/// The right outputs, unless some element is one that a backend dies of.
Respondent dying_of(double deadly) {
  return [deadly](const CaseSpec& spec, const Case& made) {
    const Tensor& x = made.inputs.begin()->second;
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (x.real(i) > deadly) return std::pair(Answer{Answer::Kind::crash, "SIGSEGV"}, std::vector<Tensor>{});
    }
    return std::pair(Answer{}, std::vector<Tensor>{(*spec.formula)(made.inputs, spec.settings).outputs.at("y")});
  };
}

/// The verdict of the reduced case, written as a file and read again.
Verdict verdict_of_file(const testing::TemporaryFolder& folder, const CaseSpec& spec, const Reduction& reduction,
                        const Respondent& respondent) {
  const auto file = folder / "reduced.json";
  write_file(file, case_file_with(*spec.formula, reduced_group(spec, reduction, "it")));
  const std::vector<CaseSpec> again = load_cases({file});
  REQUIRE(again.size() == 1);
  CHECK(again.front().traps() == spec.traps());
  return reduce_case(again.front(), respondent, {.most_calls = 1}).verdict;
}

constexpr const char* kBoundary =
    R"({"id": "all", "why": "w", "traps": ["reciprocal"],
        "set": {"y_scale": 0.1, "y_zero_point": 77, "output_dtype": "uint8", "opset": 25},
        "in": {"x": {"type": "float32", "generate": ["boundary", "special"]}}})";

}  // namespace

TEST_CASE("numbers have an order of simplicity", "[reduce]") {
  const auto simpler = [](double a, double b) {
    return simplicity(Type::float32, encode(Type::float32, a)) < simplicity(Type::float32, encode(Type::float32, b));
  };
  CHECK(simpler(0, 1));
  CHECK(simpler(1, 2));
  CHECK(simpler(1, -1));
  CHECK(simpler(1024, 1.5));
  CHECK(simpler(1.5, static_cast<double>(0.1F)));
  CHECK(simpler(0.1, INFINITY));
  CHECK(simpler(INFINITY, NAN));
  for (const std::uint64_t start : {0x3dcccccdULL, 0x00000003ULL, 0xff7fffffULL, 0x7f800000ULL, 0x3f800000ULL}) {
    const std::vector<std::uint64_t> numbers = simpler_numbers(Type::float32, start);
    CHECK_FALSE(numbers.empty());
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      CHECK(simplicity(Type::float32, numbers[i]) < simplicity(Type::float32, start));
      CHECK((i == 0 || simplicity(Type::float32, numbers[i - 1]) < simplicity(Type::float32, numbers[i])));
    }
  }
  CHECK(simpler_numbers(Type::float32, 0).empty());
  CHECK(simpler_numbers(Type::uint8, 0).empty());
  CHECK(simpler_numbers(Type::int8, 5).front() == 0);
}

TEST_CASE("a failing case is reduced to one element and simple parameters", "[reduce]") {
  const testing::TemporaryFolder folder;
  const CaseSpec spec = case_of(folder, "onnx.QuantizeLinear", kBoundary);
  for (const std::string_view mutant :
       {"reciprocal", "double_intermediate", "ties_away", "floor", "half_odd", "zero_point_before_rounding", "wrap",
        "int32_indefinite", "narrow_range", "float16_quotient", "flush_inputs"}) {
    CAPTURE(mutant);
    const Respondent respondent = respondent_of(mutant);
    const Reduction reduction = reduce_case(spec, respondent);
    if (mutant == "flush_inputs") {  // with this scale subnormal numbers are zeros anyway
      CHECK(reduction.verdict == Verdict::pass);
      continue;
    }
    CHECK(reduction.verdict == Verdict::mismatch);
    CHECK(reduction.elements > 500);
    CHECK(reduction.x.shape() == Shape{1});
    CHECK(reduction.calls <= 500);
    CHECK_FALSE(reduction.was_cut_short);
    CHECK(reduction.settings.size() <= 2);
    const Tensor scale = *reduction.settings.at("y_scale").tensor;
    // With a scale of few bits every tie is a binary32 number, and no quotient is rounded onto one.
    const std::int64_t most_bits = mutant == "double_intermediate" ? 20 : 6;
    CHECK(simplicity(Type::float32, scale.bits(0)).significant_bits <= most_bits);
    CHECK(verdict_of_file(folder, spec, reduction, respondent) == Verdict::mismatch);
  }
}

TEST_CASE("ties need no more than a half and a scale of 1", "[reduce]") {
  const testing::TemporaryFolder folder;
  const CaseSpec spec = case_of(folder, "onnx.QuantizeLinear", kBoundary);
  const Reduction reduction = reduce_case(spec, respondent_of("ties_away"));
  CHECK(reduction.x.real(0) == 0.5);
  CHECK(reduction.settings.at("y_scale").tensor->real(0) == 1);
  CHECK(reduction.settings.size() == 1);
  const nlohmann::ordered_json group = reduced_group(spec, reduction, "mutant:ties_away");
  CHECK(group.at("id") == "reduced-all");
  CHECK(group.at("set") == nlohmann::ordered_json{{"y_scale", "0x1p+0"}});
  CHECK(group.at("tests") == nlohmann::ordered_json::parse(R"([{"x": "0x1p-1", "y": 0}])"));
  CHECK(group.at("traps") == nlohmann::ordered_json{"reciprocal"});
}

TEST_CASE("what depends on the place keeps the elements that it needs", "[reduce]") {
  const testing::TemporaryFolder folder;
  const CaseSpec channels = case_of(folder, "onnx.QuantizeLinear", R"({"id": "channels", "why": "w", "traps": [],
      "set": {"y_scale": [0.1, 0.3, 0.7], "y_zero_point": [1, 2, 3], "axis": 1},
      "in": {"x": {"type": "float32", "shape": [5, 3, 7], "generate": ["boundary"]}}})");
  for (const std::string_view mutant : {"first_channel_only", "reversed_channels"}) {
    CAPTURE(mutant);
    const Respondent respondent = respondent_of(mutant);
    const Reduction reduction = reduce_case(channels, respondent);
    CHECK(reduction.verdict == Verdict::mismatch);
    CHECK(reduction.x.size() <= 2);
    CHECK(verdict_of_file(folder, channels, reduction, respondent) == Verdict::mismatch);
  }
  const CaseSpec tail = case_of(folder, "onnx.QuantizeLinear", kBoundary);
  const Reduction reduction = reduce_case(tail, respondent_of("tail_off_by_one"));
  CHECK(reduction.x.size() == 2);
  CHECK(verdict_of_file(folder, tail, reduction, respondent_of("tail_off_by_one")) == Verdict::mismatch);
}

TEST_CASE("other formulas and blocks are reduced too", "[reduce]") {
  struct Row {
    std::string_view mutant;
    const char* formula;
    const char* group;
  };
  for (
      const Row& row : {
          Row{"folded", "onnx.DequantizeLinear",
              R"({"id": "a", "why": "w", "traps": [], "set": {"x_scale": [[0.1, 0.3], [0.7, 0.9]], "x_zero_point": [[3, 4], [5, 6]],
                   "axis": 1, "block_size": 4}, "in": {"x": {"type": "uint8", "shape": [2, 8], "generate": ["exhaustive"]}}})"},
          Row{"fixed_point_double", "onnxruntime.requantize",
              R"({"id": "a", "why": "w", "traps": [], "set": {"x_scale": 0.05, "w_scale": [0.02, 0.03], "y_scale": 0.1, "axis": 0},
                   "in": {"acc": {"type": "int32", "shape": [2, 200], "generate": ["boundary"]}}})"},
          Row{"ties_away", "pytorch.fake_quantize_per_channel_affine",
              R"({"id": "a", "why": "w", "traps": [], "set": {"scale": [0.1, 0.3], "zero_point": [3, 5], "axis": 0, "quant_min": 0,
                   "quant_max": 255}, "in": {"x": {"type": "float32", "shape": [2, 800], "generate": ["boundary"]}}})"},
      }) {
    CAPTURE(row.mutant, row.formula);
    const testing::TemporaryFolder folder;
    std::string group = row.group;
    if (row.mutant == "folded") {
      const auto typed = [&](const std::string& list, const std::string& type) {
        group.replace(group.find(list), list.size(),
                      R"({"type": ")" + type + R"(", "shape": [2, 2], "values": )" +
                          (type == "uint8" ? "[3, 4, 5, 6]}" : "[0.1, 0.3, 0.7, 0.9]}"));
      };
      typed("[[0.1, 0.3], [0.7, 0.9]]", "float32");
      typed("[[3, 4], [5, 6]]", "uint8");
    }
    const CaseSpec spec = case_of(folder, row.formula, group);
    const Respondent respondent = respondent_of(row.mutant);
    const Reduction reduction = reduce_case(spec, respondent);
    CHECK(reduction.verdict == Verdict::mismatch);
    CHECK(reduction.x.size() == 1);
    CHECK(verdict_of_file(folder, spec, reduction, respondent) == Verdict::mismatch);
  }
}

TEST_CASE("a crash is reduced without knowing its element", "[reduce]") {
  const testing::TemporaryFolder folder;
  const CaseSpec spec = case_of(folder, "onnx.QuantizeLinear", kBoundary);
  const Respondent respondent = dying_of(3);
  const Reduction reduction = reduce_case(spec, respondent);
  CHECK(reduction.verdict == Verdict::crash);
  CHECK(reduction.message == "SIGSEGV");
  CHECK(reduction.x.size() == 1);
  CHECK(reduction.x.real(0) > 3);
  CHECK(reduction.settings.at("y_scale").tensor->real(0) == 1);
  CHECK(verdict_of_file(folder, spec, reduction, respondent) == Verdict::crash);
}

TEST_CASE("a case that must be refused stays refused by the formula", "[reduce]") {
  const testing::TemporaryFolder folder;
  const CaseSpec spec = case_of(folder, "onnx.QuantizeLinear", R"({"id": "refused", "why": "w", "traps": [],
      "set": {"y_scale": "0x1p+0", "y_zero_point": 300, "output_dtype": "uint8"},
      "in": {"x": {"type": "float32", "shape": [4], "values": [1, 2, 3, 4]}}, "expect": {"error": "zero_point_out_of_range"}})");
  const Respondent accepts = [](const CaseSpec&, const Case& made) {
    return std::pair(Answer{}, std::vector<Tensor>{Tensor(Type::uint8, made.inputs.begin()->second.shape())});
  };
  const Reduction reduction = reduce_case(spec, accepts);
  CHECK(reduction.verdict == Verdict::mismatch);
  CHECK(reduction.x.size() == 1);
  CHECK(verdict_of_file(folder, spec, reduction, accepts) == Verdict::mismatch);
}

TEST_CASE("a limit of calls is kept and said", "[reduce]") {
  const testing::TemporaryFolder folder;
  const CaseSpec spec = case_of(folder, "onnx.QuantizeLinear", kBoundary);
  const Reduction reduction = reduce_case(spec, respondent_of("reciprocal"), {.most_calls = 5});
  CHECK(reduction.calls == 5);
  CHECK(reduction.was_cut_short);
  CHECK(reduction.verdict == Verdict::mismatch);
  CHECK(verdict_of_file(folder, spec, reduction, respondent_of("reciprocal")) == Verdict::mismatch);
}
