#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <pugixml.hpp>

#include "catch.hpp"
#include "interpreter/registry.hpp"
#include "mutants/mutants.hpp"
#include "tools/diagnosis/cell_diagnosis.hpp"
#include "tools/diagnosis/comparison.hpp"
#include "tools/diagnosis/pair_sweep.hpp"
#include "tools/harness/pair.hpp"
#include "tools/harness/run.hpp"
#include "tools/mock_backend.hpp"
#include "tools/report/report.hpp"

using namespace qassay;
using testing::contains;
using testing::mock;

namespace {

/// The cases of onnx.QuantizeLinear with these names.
std::vector<CaseSpec> onnx_cases(const std::vector<std::string>& names) {
  std::vector<CaseSpec> chosen;
  for (CaseSpec& spec : load_cases({std::string(QASSAY_SOURCE_ROOT) + "/cases/onnx/quantize_linear.json"})) {
    if (std::ranges::find(names, spec.name.substr(spec.name.find('/') + 1)) != names.end())
      chosen.push_back(std::move(spec));
  }
  REQUIRE(chosen.size() == names.size());
  return chosen;
}

RunOptions options_for(const Backend& a, const Backend& b, std::vector<CaseSpec> specs) {
  RunOptions options;
  options.backends = {a};
  options.against = b;
  options.cases = std::move(specs);
  return options;
}

RunResults run(const RunOptions& options) {
  Progress progress;
  return run_cases(options, progress);
}

RunResults run_mocks(const std::string& a, const std::string& b, const std::vector<std::string>& groups) {
  return run(options_for(mock(a), mock(b), testing::cases(groups)));
}

std::string verdicts(const RunResults& results) {
  std::vector<std::string_view> names;
  for (const CaseResult& result : results.cases) names.push_back(name(result.verdict));
  return fmt::format("{}", fmt::join(names, " "));
}

/// What a formula gives for a case, as a backend's answer.
ProgramAnswer answer_by(const Formula& formula, const CaseSpec& spec, const Case& made) {
  return {{}, *outputs_by(formula, *spec.formula->signature, settings_of(*made.arguments), made.inputs), {}};
}

DifferingElement reals(Type type, double expected, double got, std::optional<double> input = {}) {
  DifferingElement element{.type = type,
                           .difference = measured(type, 0, encode(type, expected), encode(type, got), {}),
                           .input = std::nullopt,
                           .lowest = -INFINITY,
                           .highest = INFINITY};
  if (input) element.input = TypedBits{Type::float32, encode(Type::float32, *input)};
  return element;
}

DifferingElement codes(std::int64_t expected, std::int64_t got) {
  const auto bits = [](std::int64_t code) { return static_cast<std::uint64_t>(code) & 0xffU; };
  return {.type = Type::int8,
          .difference = measured(Type::int8, 0, bits(expected), bits(got), {}),
          .input = std::nullopt,
          .lowest = -128,
          .highest = 127};
}

ToleranceFinding tolerance(std::string_view name, Type type, const std::vector<double>& expected,
                           const std::vector<double>& got) {
  const auto tensor = [type](const std::vector<double>& values) {
    Tensor made(type, {static_cast<std::int64_t>(values.size())});
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (is_floating(type)) made.set_real(i, values[i]);
      else made.set_integer(i, static_cast<std::int64_t>(values[i]));
    }
    return made;
  };
  return check_tolerance(tolerance_named(name), {tensor(expected), {}, {}}, tensor(got));
}

}  // namespace

TEST_CASE("a pair that gives the same passes") {
  const RunResults results = run_mocks("right", "floods_stderr", {"ones", "tens", "open"});
  CHECK(verdicts(results) == "pass pass pass");
  CHECK(results.compared() == 6);  // nothing is open between two backends
  CHECK(results.against->hello.version == "1.0");
  CHECK(results.cases[0].pair->classes.empty());
}

TEST_CASE("a pair that parts on ties") {
  const RunOptions options =
      options_for(find_backend("mutant:ties_away"), find_backend("dialect:onnx"), onnx_cases({"ties", "division"}));
  RunResults results = run(options);
  CHECK(verdicts(results) == "mismatch pass");
  diagnose_mismatches(results, options, 10);
  const PairFinding& pair = *results.cases[0].pair;
  REQUIRE(pair.classes.size() == 1);
  CHECK(pair.classes[0].kind == DifferenceClass::tie);
  CHECK(pair.classes[0].count == 4);
  CHECK(pair.sides[0].verdict == Verdict::mismatch);
  CHECK(pair.sides[0].fingerprint.fitting.empty());
  CHECK(pair.sides[0].fingerprint.tried > 5);
  CHECK_THAT(pair.sides[0].fingerprint.rule, contains("mutant:ties_away") && contains("away"));
  CHECK(pair.sides[1].verdict == Verdict::pass);
  REQUIRE_FALSE(pair.sides[1].fingerprint.fitting.empty());
  CHECK(pair.sides[1].fingerprint.fitting[0].formula->id() == "onnx.QuantizeLinear");
  CHECK(pair.sides[1].fingerprint.rule.empty());
  CHECK(pair.classes[0].explain[0].empty());
  CHECK(pair.classes[0].explain[1] ==
        "qassay explain onnx.QuantizeLinear --set output_dtype=int8 --set y_scale=0x1p+0 --set y_zero_point=0:int8 "
        "x=0x1p-1");
}

TEST_CASE("a pair of which one gives no outputs") {
  const auto [a, b, verdict, message] = GENERATE(table<std::string, std::string, std::string, std::string>({
      {"segfault", "right", "crash", "mock:segfault crashes: "},
      {"right", "segfault", "crash", "mock:right computes it; mock:segfault crashes: "},
      {"refuses", "right", "error", "mock:refuses refuses it: scale must not be 1; mock:right computes it"},
      {"right", "garbage", "error", "mock:garbage breaks the protocol: "},
      {"segfault", "refuses", "crash", "mock:refuses refuses it"},
      {"unsupported", "segfault", "crash", "mock:unsupported does not support it: no kernel; mock:segfault crashes"},
      {"unsupported", "right", "unsupported",
       "mock:unsupported does not support it: no kernel; mock:right computes it"},
      {"right", "claims_nothing", "unsupported", "mock:claims_nothing does not claim onnx.QuantizeLinear"},
      {"refuses", "unsupported", "unsupported", "refuses it"},
  }));
  CAPTURE(a, b);
  const RunResults results = run_mocks(a, b, {"ones"});
  CHECK(verdicts(results) == verdict);
  CHECK_THAT(results.cases.at(0).message, contains(message));
  CHECK(results.judged_cases() == 0);
}

TEST_CASE("what both refuse is no failure and no success") {
  const RunResults results = run_mocks("refuses", "refuses", {"ones", "refused"});
  CHECK(verdicts(results) == "unsupported unsupported");
  CHECK(results.judged_cases() == 0);
  CHECK_THAT(text_report(results, Colours::no, 3),
             contains("nothing was compared") && contains("2 unsupported: mock:refuses refuses it; mock:refuses"));
}

TEST_CASE("a case that must be refused is compared where both accept it") {
  CHECK(verdicts(run_mocks("right", "right", {"refused"})) == "pass");
  const RunResults results = run_mocks("off_by_one", "right", {"refused"});
  CHECK(verdicts(results) == "mismatch");
  CHECK(results.cases[0].pair->sides[1].verdict == Verdict::mismatch);
}

TEST_CASE("a known difference of either side explains a pair") {
  const std::vector<CaseSpec> specs = onnx_cases({"huge-quotients"});
  const CaseSpec& spec = specs[0];
  const Case made = spec.materialise();
  const Formula& cause = formula("onnx_reference.QuantizeLinear");
  const ProgramAnswer as_specified = answer_by(*spec.formula, spec, made);
  const ProgramAnswer by_cause = answer_by(cause, spec, made);
  const std::vector<KnownDifference> none;
  const std::vector<KnownDifference> known{{"*", cause, {}, "INT_MIN", {}, {}}};

  const CaseResult of_a = judge_pair(spec, made, {"a", by_cause, known}, {"b", as_specified, none}, {}, {});
  CHECK(of_a.verdict == Verdict::known_difference);
  CHECK(of_a.pair->sides[0].known_difference == &known[0]);
  CHECK(of_a.pair->sides[1].known_difference == nullptr);
  CHECK(of_a.pair->sides[0].fingerprint.fitting[0].formula == &cause);

  const CaseResult of_b = judge_pair(spec, made, {"a", as_specified, none}, {"b", by_cause, known}, {}, {});
  CHECK(of_b.verdict == Verdict::known_difference);
  CHECK(of_b.known_difference == &known[0]);
  CHECK(of_b.pair->sides[1].known_difference == &known[0]);

  // Without a cause, and with one for the wrong side, it stays a mismatch.
  CHECK(judge_pair(spec, made, {"a", by_cause, none}, {"b", as_specified, none}, {}, {}).verdict == Verdict::mismatch);
  CHECK(judge_pair(spec, made, {"a", by_cause, none}, {"b", as_specified, known}, {}, {}).verdict == Verdict::mismatch);

  // Both have one, and agree.
  const CaseResult both = judge_pair(spec, made, {"a", by_cause, known}, {"b", by_cause, known}, {}, {});
  CHECK(both.verdict == Verdict::pass);
  CHECK(both.pair->sides[0].known_difference == &known[0]);
}

TEST_CASE("a known refusal of one side explains a pair") {
  const std::vector<CaseSpec> specs = testing::cases({"refused"});
  const Case made = specs[0].materialise();
  const ProgramAnswer refused{{Answer::Kind::refused, "no"}, {}, {}};
  const ProgramAnswer crashed{{Answer::Kind::crash, "ended without an answer: SIGILL (Illegal instruction)"}, {}, {}};
  const std::vector<KnownDifference> none;
  const std::vector<KnownDifference> known{{"*", std::nullopt, "SIGILL", "w", {}, {}}};
  CHECK(judge_pair(specs[0], made, {"a", refused, none}, {"b", crashed, known}, {}, {}).verdict ==
        Verdict::known_difference);
  CHECK(judge_pair(specs[0], made, {"a", refused, none}, {"b", crashed, none}, {}, {}).verdict == Verdict::crash);
}

TEST_CASE("what the case leaves open is a difference between two backends, and is said to be open") {
  const std::vector<CaseSpec> specs = testing::cases({"open"});
  const Case made = specs[0].materialise();
  ProgramAnswer zero;
  zero.outputs.emplace_back(Type::uint8, Shape{1});
  ProgramAnswer one = zero;
  one.outputs[0].set_integer(0, 1);
  const CaseResult result = judge_pair(specs[0], made, {"a", one, {}}, {"b", zero, {}}, {}, {});
  CHECK(result.verdict == Verdict::mismatch);
  REQUIRE(result.pair->classes.size() == 1);
  CHECK(result.pair->classes[0].kind == DifferenceClass::nan_input);
}

TEST_CASE("a run whose backends are not both there judges nothing") {
  const RunResults no_other = run_mocks("right", "no_hello", {"ones"});
  CHECK(no_other.cases.empty());
  CHECK_THAT(no_other.against->failure, contains("cannot import luck"));
  CHECK(no_other.backends[0].failure.empty());
  const RunResults no_backend = run_mocks("no_hello", "right", {"ones"});
  CHECK(no_backend.cases.empty());
  CHECK(no_backend.against->failure.empty());
  CHECK_THAT(no_backend.backends[0].failure, contains("cannot import luck"));
}

TEST_CASE("several backends against one, and several processes, keep the order of the cases") {
  RunOptions options = options_for(mock("off_by_one"), mock("right"), testing::cases({"ones", "tens", "open"}));
  options.backends.push_back(mock("off_by_one_in_tens"));
  options.jobs = 2;
  CHECK(verdicts(run(options)) == "mismatch mismatch mismatch pass mismatch pass");
}

TEST_CASE("the class of a difference is the first that holds") {
  CHECK(class_of(reals(Type::float32, 1, 2, NAN)) == DifferenceClass::nan_input);
  CHECK(class_of(reals(Type::float32, 1, 2, -INFINITY)) == DifferenceClass::infinite_input);
  CHECK(class_of(reals(Type::float32, 1, NAN)) == DifferenceClass::nan_on_one_side);
  CHECK(class_of(reals(Type::float32, INFINITY, -INFINITY)) == DifferenceClass::opposite_ends);
  CHECK(class_of(reals(Type::float32, 1, INFINITY)) == DifferenceClass::infinity_on_one_side);
  CHECK(class_of(reals(Type::float32, 0.0, -0.0)) == DifferenceClass::sign_of_zero);
  CHECK(class_of(reals(Type::float32, 1, 1 + 0x1p-23)) == DifferenceClass::one_ulp);
  CHECK(class_of(reals(Type::float32, 1, 1 + 0x1p-20)) == DifferenceClass::several_ulp);
  CHECK(class_of(codes(-128, 127)) == DifferenceClass::opposite_ends);
  CHECK(class_of(codes(127, -127)) == DifferenceClass::end_on_one_side);
  CHECK(class_of(codes(127, 126)) == DifferenceClass::one_step);
  CHECK(class_of(codes(3, 9)) == DifferenceClass::several_steps);
  DifferingElement tie = codes(3, 4);
  tie.is_tie = true;
  CHECK(class_of(tie) == DifferenceClass::tie);
  for (std::size_t i = 0; i < difference_classes().size(); ++i)
    CHECK(static_cast<std::size_t>(difference_classes()[i].kind) == i);
}

TEST_CASE("a tolerance lets steps through or not") {
  // One code off everywhere is within the threshold of 1; three off pass by the mean of the relative differences.
  CHECK(tolerance("openvino", Type::uint8, {10, 20}, {11, 21}).passes);
  CHECK(tolerance("openvino", Type::uint8, {10, 20}, {13, 23}).passes);
  CHECK_FALSE(tolerance("openvino", Type::uint8, {1, 2}, {9, 18}).passes);
  CHECK(tolerance("openvino", Type::uint8, {1, 2}, {9, 18}).largest_difference == 16);
  // Where one side is 0 the relative difference counts as none, so the mean lets it through.
  CHECK(tolerance("openvino", Type::uint8, {0, 10}, {255, 10}).passes);
  CHECK(tolerance("openvino", Type::boolean, {0, 1}, {1, 1}).passes);
  CHECK(tolerance("openvino", Type::int32, {1000}, {1001}).passes);
  // Real numbers: 5% of the median magnitude that is expected, and a least threshold.
  CHECK(tolerance("openvino", Type::float32, {100, -100, 100, -100}, {104, -100, 100, -100}).passes);
  CHECK(tolerance("openvino", Type::float32, {1, 3, -2}, {1, 3, -2}).threshold == 0.1);
  CHECK(tolerance("openvino", Type::float32, {0, 0, 0}, {0x1p-20, 0, 0}).threshold == 1e-5);
  CHECK(tolerance("openvino", Type::float16, {0, 0, 0}, {0, 0, 0}).threshold == 1e-3);
  CHECK(tolerance("openvino", Type::bfloat16, {2, 4}, {2, 4}).threshold == 0.05 * 3);
  CHECK_FALSE(tolerance("openvino", Type::float32, {0.001F}, {0.1F}).passes);
  // NaN must meet NaN; an infinity and the last finite value are one.
  CHECK(tolerance("openvino", Type::float32, {NAN, 1}, {NAN, 1}).passes);
  CHECK_FALSE(tolerance("openvino", Type::float32, {NAN, 1}, {1, 1}).passes);
  CHECK_FALSE(tolerance("openvino", Type::float32, {1, 1}, {NAN, 1}).passes);
  CHECK(tolerance("openvino", Type::float16, {INFINITY, -INFINITY}, {65504, -65504}).passes);
  CHECK_FALSE(tolerance("openvino", Type::float32, {1, 1, 1}, {1, INFINITY, 1}).passes);

  CHECK_FALSE(tolerance("openvino-by-element", Type::uint8, {10, 20}, {11, 21}).passes);
  CHECK(tolerance("openvino-by-element", Type::float32, {1, 2}, {1.00009F, 2}).passes);
  CHECK_FALSE(tolerance("openvino-by-element", Type::float32, {1, 2}, {1.001F, 2}).passes);
  CHECK_THROWS_AS(tolerance_named("openvine"), RequestError);
}

TEST_CASE("every tolerance has an allowance for every type") {
  for (const Tolerance& known : all_tolerances()) {
    for (const TypeRow& type : type_rows()) {
      CAPTURE(known.name, type.name);
      const Tensor zero(type.type, {1});
      CHECK(check_tolerance(known, {zero, {}, {}}, zero).passes);
    }
  }
}

TEST_CASE("a tolerance stands beside the verdicts and changes none") {
  RunOptions options = options_for(mock("off_by_one"), mock("right"), testing::cases({"ones", "tens"}));
  options.judgement.tolerance = &tolerance_named("openvino");
  const RunResults pair = run(options);
  CHECK(verdicts(pair) == "mismatch mismatch");
  REQUIRE(pair.let_through());
  CHECK(pair.let_through()->cases == 2);
  CHECK(pair.let_through()->elements == 5);
  CHECK(pair.let_through()->whole_steps == 5);
  CHECK_THAT(text_report(pair, Colours::no, 3),
             contains("2 cases and 5 elements that differ pass it; 5 of them by a whole step"));
  options.against.reset();
  CHECK(run(options).let_through()->elements == 5);
  options.judgement.tolerance = &tolerance_named("openvino-by-element");
  CHECK(run(options).let_through()->cases == 0);
  options.judgement.tolerance = nullptr;
  CHECK_FALSE(run(options).let_through());
}

TEST_CASE("a sweep counts every input on which a pair parts") {
  const RunOptions options = options_for(find_backend("mutant:ties_away"), find_backend("dialect:onnx"),
                                         onnx_cases({"float16-own-quotient", "axis-by-hand"}));
  RunResults results = run(options);
  sweep_pairs(results, options, [](double) {});
  const auto swept = std::ranges::find_if(results.cases, [](const CaseResult& result) {
    return result.has_sweep() && result.pair->sweep->failure.empty();
  });
  REQUIRE(swept != results.cases.end());
  const SweepFinding& sweep = *swept->pair->sweep;
  CHECK(sweep.inputs == 65536);
  CHECK(sweep.tried == 65536);
  std::uint64_t in_classes = 0;
  for (const SweepClass& found : sweep.classes) in_classes += found.count;
  CHECK(in_classes == sweep.differing);
  const auto ties = std::ranges::find(sweep.classes, DifferenceClass::tie, &SweepClass::kind);
  REQUIRE(ties != sweep.classes.end());
  CHECK(ties->difference.lsb == 1);

  // The same count with no backend between.
  const CaseSpec& spec = results.specs[swept->spec];
  const Settings settings = settings_of(*spec.materialise().arguments);
  const Inputs all{{"x", block_of(Type::float16, 0, 65536)}};
  const Tensor right = (*spec.formula)(all, settings).outputs.at("y");
  const Tensor wrong = mutants::find("ties_away")->evaluate(*spec.formula, all, settings).at("y");
  std::uint64_t differing = 0;
  for (std::size_t i = 0; i < right.size(); ++i) differing += right.bits(i) == wrong.bits(i) ? 0 : 1;
  CHECK(sweep.differing == differing);

  const auto refused = std::ranges::find_if(results.cases, [](const CaseResult& result) {
    return result.has_sweep() && !result.pair->sweep->failure.empty();
  });
  REQUIRE(refused != results.cases.end());
  CHECK_THAT(refused->pair->sweep->failure, contains("values"));
}

TEST_CASE("reports of a pair name both sides") {
  RunOptions options = options_for(mock("off_by_one_in_tens"), mock("right"), testing::cases({"ones", "tens"}));
  options.judgement.tolerance = &tolerance_named("openvino");
  const RunResults results = run(options);
  const nlohmann::json report = json_report(results);
  CHECK(report.at("schema") == "qassay-pair-1");
  CHECK(report.at("against").at("name") == "mock:right");
  CHECK(report.at("summary").at("tolerance").at("whole_steps") == 3);
  const nlohmann::json& differing = report.at("cases").at(1);
  CHECK(differing.at("reproduce") ==
        "qassay check --backend mock:off_by_one_in_tens --against mock:right --case 'onnx.QuantizeLinear/tens'");
  const nlohmann::json& sides = differing.at("pair").at("sides");
  CHECK(sides.at(0).at("backend") == "mock:off_by_one_in_tens");
  CHECK(sides.at(1).at("fingerprint").at("fitting").at(0) == "onnx.QuantizeLinear");
  const nlohmann::json& found = differing.at("pair").at("classes").at(0);
  CHECK(found.at("class") == "one_step");
  CHECK(found.at("count") == 3);
  CHECK(found.at("example").at("expected").at("bits") == "0x0a");
  CHECK(found.at("example").at("got").at("bits") == "0x0b");
  CHECK(found.at("example").at("explain").size() == 2);
  CHECK(differing.at("outputs").at(0).at("tolerance").at("passes") == true);

  CHECK_THAT(text_report(results, Colours::no, 3),
             contains("against mock:right") && contains("mock:right gives 10, mock:off_by_one_in_tens gives 11") &&
                 contains("what separates them"));
  pugi::xml_document document;
  REQUIRE(document.load_string(junit_report(results).c_str()));
  const pugi::xml_node suite = document.child("testsuites").child("testsuite");
  CHECK(std::string(suite.attribute("name").value()) == "mock:off_by_one_in_tens 1.0 against mock:right 1.0");
  CHECK(suite.attribute("failures").as_int() == 1);
  REQUIRE(document.load_string(junit_report(run_mocks("right", "no_hello", {"ones"})).c_str()));
  CHECK(document.child("testsuites").child("testsuite").attribute("errors").as_int() == 1);
}
