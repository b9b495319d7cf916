#include "tools/case_program.hpp"

#include "catch.hpp"
#include "tools/cases.hpp"
#include "tools/harness/run.hpp"
#include "tools/harness/temporary_folder.hpp"
#include "tools/npy.hpp"

using namespace qassay;
using testing::contains;

namespace {

constexpr const char* kSteps = R"([
  {"call": "onnx.QuantizeLinear", "in": {"x": "x"}, "with": {"y_scale": "scale", "y_zero_point": "zero_point"},
   "set": {"output_dtype": "uint8"}, "out": {"y": "codes"}},
  {"call": "onnx.DequantizeLinear", "in": {"x": "codes"}, "with": {"x_scale": "scale", "x_zero_point": "zero_point"},
   "out": {"y": "values"}}
])";

std::string program(const std::string& steps, const std::string& groups = R"([
  {"id": "g", "why": "w", "set": {"scale": "0x1p-1", "zero_point": 3}, "in": {"x": {"type": "float32", "values": ["0x1p0", "0x1.4p0", "-0x1p3"]}}}
])") {
  return R"({"schema": "qassay-cases-1", "formula": "program.there_and_back", "steps": )" + steps + R"(, "groups": )" +
         groups + "}";
}

std::vector<CaseSpec> load(const std::string& text) {
  const TemporaryFolder folder;
  write_file(folder.path() / "p.json", text);
  return load_cases({folder.path() / "p.json"});
}

std::string complaint(const std::string& text) {
  try {
    load(text);
    return "accepted";
  } catch (const RequestError& error) {
    return error.what();
  }
}

RunResults run(const std::string& backend, const std::vector<CaseSpec>& cases) {
  RunOptions options;
  options.backends = {find_backend(backend)};
  options.cases = cases;
  Progress progress;
  return run_cases(options, progress);
}

}  // namespace

TEST_CASE("a program's values are all its outputs, and its free names its inputs and parameters") {
  const CaseSpec spec = load(program(kSteps)).at(0);
  CHECK(spec.name == "program.there_and_back/g");
  const Signature& signature = *spec.formula->signature;
  REQUIRE(signature.inputs.size() == 1);
  CHECK(signature.inputs[0].name == "x");
  REQUIRE(signature.outputs.size() == 2);
  CHECK(signature.outputs[0].name == "codes");
  CHECK(signature.outputs[1].name == "values");
  CHECK(signature.parameter("scale") != nullptr);
  CHECK(signature.parameter("zero_point") != nullptr);
  const Case made = spec.materialise();
  const Tensor& codes = made.expectation.outputs.at("codes").values;
  CHECK(codes.integer(0) == 5);
  CHECK(codes.integer(1) == 5);  // 2.5 is a tie
  CHECK(codes.integer(2) == 0);
  CHECK(made.expectation.outputs.at("values").values.real(2) == -1.5);
  CHECK(spec.asked_formulas() == std::vector<std::string_view>{"onnx.QuantizeLinear", "onnx.DequantizeLinear"});
}

TEST_CASE("a backend is asked step by step, and the first step that parts is named") {
  const std::vector<CaseSpec> cases = load(program(kSteps, R"([
    {"id": "g", "why": "w", "set": {"scale": 1, "zero_point": 0}, "in": {"x": {"type": "float32", "values": ["0x1p40", "0x1p0"]}}}
  ])"));
  const RunResults same = run("dialect:onnx", cases);
  CHECK(same.cases.at(0).verdict == Verdict::pass);
  // The reference's quotients beyond int32 become INT_MIN; what follows is right of a wrong code.
  const RunResults parted = run("dialect:onnx_reference", cases);
  REQUIRE(parted.cases.at(0).verdict == Verdict::mismatch);
  CHECK(parted.cases[0].outputs.at(0).comparison.mismatches == 1);
  CHECK(parted.cases[0].outputs.at(1).comparison.mismatches == 1);
  CHECK_THAT(parted.cases[0].diagnosis, contains("step 1, codes = onnx.QuantizeLinear, is the first"));
}

TEST_CASE("a step that a backend does not claim is no failure of it") {
  const RunResults results = run("dialect:pytorch", load(program(kSteps)));
  CHECK(results.cases.at(0).verdict == Verdict::unsupported);
  CHECK_THAT(results.cases[0].message, contains("does not claim onnx.QuantizeLinear"));
}

TEST_CASE("mistakes in a program are named with their place") {
  CHECK_THAT(complaint(program("[]")), contains("/steps") && contains("is empty"));
  CHECK_THAT(complaint(program(R"([{"call": "onnx.QuantiseLinear"}])")),
             contains("/steps/0/call") && contains("QuantizeLinear"));
  CHECK_THAT(complaint(program(R"([{"call": "onnx.QuantizeLinear", "in": {"z": "x"}, "out": {"y": "y"}}])")),
             contains("/steps/0/in/z") && contains("has no input 'z'"));
  CHECK_THAT(complaint(program(
                 R"([{"call": "onnx.QuantizeLinear", "in": {"x": "x"}, "with": {"scal": "s"}, "out": {"y": "y"}}])")),
             contains("/steps/0/with/scal") && contains("y_scale"));
  CHECK_THAT(complaint(program(R"([{"call": "onnx.QuantizeLinear", "in": {"x": "x"}, "out": {"q": "y"}}])")),
             contains("/steps/0/out/q") && contains("has no output 'q'"));
  CHECK_THAT(complaint(program(R"([{"call": "onnx.QuantizeLinear", "in": {"x": "x"}, "out": {}}])")),
             contains("names no output"));
  CHECK_THAT(complaint(R"({"schema": "qassay-cases-1", "formula": "mine", "steps": [], "groups": []})"),
             contains("/formula") && contains("program."));
  CHECK_THAT(complaint(program(R"([
    {"call": "onnx.QuantizeLinear", "in": {"x": "x"}, "set": {"y_scale": 1}, "out": {"y": "y"}},
    {"call": "onnx.QuantizeLinear", "in": {"x": "x"}, "set": {"y_scale": 1}, "out": {"y": "y"}}])")),
             contains("/steps/1/out/y") && contains("already"));
}
