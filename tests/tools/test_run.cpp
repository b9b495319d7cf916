#include <fmt/format.h>
#include <fmt/ranges.h>
#include <signal.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <pugixml.hpp>
#include <thread>

#include "catch.hpp"
#include "interpreter/registry.hpp"
#include "tools/harness/interrupt.hpp"
#include "tools/harness/run.hpp"
#include "tools/harness/temporary_folder.hpp"
#include "tools/harness/witnesses.hpp"
#include "tools/mock_backend.hpp"
#include "tools/npy.hpp"
#include "tools/report/report.hpp"

using namespace qassay;
using namespace std::chrono_literals;
using testing::cases;
using testing::contains;
using testing::mock;

namespace {

RunResults run(const std::string& mode, const std::vector<std::string>& groups, RunOptions options = {}) {
  options.backends = {mock(mode)};
  options.cases = cases(groups);
  Progress progress;
  return run_cases(options, progress);
}

std::string verdicts(const RunResults& results) {
  std::vector<std::string_view> names;
  for (const CaseResult& result : results.cases) names.push_back(name(result.verdict));
  return fmt::format("{}", fmt::join(names, " "));
}

}  // namespace

TEST_CASE("every kind of adapter has its verdict") {
  const auto [mode, verdict, message] = GENERATE(table<std::string, std::string, std::string>({
      {"right", "pass", ""},
      {"floods_stderr", "pass", ""},
      {"off_by_one", "mismatch", "2 of 2 elements differ"},
      {"unsupported", "unsupported", "no kernel"},
      {"claims_nothing", "unsupported", "mock:claims_nothing does not claim onnx.QuantizeLinear"},
      {"refuses", "error", "scale must not be 1"},
      {"garbage", "error", "printed no JSON"},
      {"wrong_case", "error", "answered another case"},
      {"unknown_status", "error", "unknown status"},
      {"closes_stdout", "error", "closed its standard output"},
      {"missing_output", "error", "output 'y' is missing"},
      {"malformed_output", "error", "output 'y'"},
      {"wrong_type", "error", "output 'y'"},
      {"wrong_shape", "error", "output 'y' has the shape [2, 1]"},
      {"exit", "crash", "exit code 3"},
      {"segfault", "crash", "SIGSEGV"},
  }));
  CAPTURE(mode);
  const RunResults results = run(mode, {"ones"});
  CHECK(verdicts(results) == verdict);
  CHECK_THAT(results.cases.at(0).message, contains(message));
  CHECK(results.backends[0].failure.empty());
  CHECK(results.judged_cases() == (verdict == "pass" || verdict == "mismatch" ? 1 : 0));
}

TEST_CASE("a hang is a timeout") {
  RunOptions options;
  options.time_limit = 300ms;
  const RunResults results = run("hang", {"ones"}, options);
  CHECK(verdicts(results) == "timeout");
}

TEST_CASE("a backend that says no hello has no verdicts") {
  const RunResults results = run("no_hello", {"ones", "tens"});
  CHECK(results.cases.empty());
  CHECK_THAT(results.backends[0].failure, contains("cannot import luck"));
  CHECK(results.judged_cases() == 0);
}

TEST_CASE("a crash costs one case; a fresh process does the others") {
  CHECK(verdicts(run("dies_on_tens", {"ones", "tens", "open"})) == "pass crash unspecified");
}

TEST_CASE("a case that must be refused passes if it is, and only then") {
  CHECK(verdicts(run("refuses", {"refused"})) == "pass");
  const RunResults accepted = run("right", {"refused"});
  CHECK(verdicts(accepted) == "mismatch");
  CHECK_THAT(accepted.cases[0].message, contains("accepted what must be refused (zero_point_out_of_range)"));
  CHECK(verdicts(run("unsupported", {"refused"})) == "unsupported");
  CHECK(verdicts(run("segfault", {"refused"})) == "crash");
}

TEST_CASE("a case of which nothing is specified judges nothing") {
  const RunResults results = run("right", {"open"});
  CHECK(verdicts(results) == "unspecified");
  CHECK(results.elements() == 1);
  CHECK(results.compared() == 0);
  CHECK(results.judged_cases() == 0);
}

TEST_CASE("results have the order of the cases, whatever the number of processes") {
  RunOptions options;
  options.jobs = 3;
  const std::vector<std::string> groups{"ones", "tens", "open"};
  const RunResults parallel = run("off_by_one_in_tens", groups, options);
  CHECK(verdicts(parallel) == "pass mismatch unspecified");
  REQUIRE(parallel.cases.size() == 3);
  for (std::size_t i = 0; i < 3; ++i) CHECK(parallel.cases[i].spec == i);
}

TEST_CASE("only what is claimed runs where that is asked for") {
  RunOptions options;
  options.only_claimed = true;
  CHECK(run("claims_nothing", {"ones"}, options).cases.empty());
  CHECK(verdicts(run("right", {"ones"}, options)) == "pass");
}

TEST_CASE("a policy in place of exactness") {
  RunOptions options;
  options.judgement.policy = Policy::parse("within 1 lsb");
  const RunResults allowed = run("off_by_one", {"tens"}, options);
  CHECK(verdicts(allowed) == "pass");
  CHECK_FALSE(allowed.cases[0].is_bit_exact);
  CHECK(allowed.cases[0].outputs.at(0).comparison.mismatches == 3);
  CHECK(run("right", {"tens"}, options).cases[0].is_bit_exact);
  options.judgement.policy = Policy::parse("within 255 lsb");
  CHECK_THROWS_AS(run("right", {"tens"}, options), RequestError);
}

TEST_CASE("a known difference that shows nowhere is an unexpected pass, if all its cases ran") {
  RunResults results = run("off_by_one_in_tens", {"ones", "tens"});
  results.backends[0].known_differences = {
      {"*/ones", formula("onnx_reference.QuantizeLinear"), {}, "w", {}, {}},
      {"*/tens", formula("onnx_reference.QuantizeLinear"), {}, "w", {}, {}},
      {"*/absent", formula("onnx_reference.QuantizeLinear"), {}, "w", {}, {}},
  };
  RunResults sharded = results;
  find_unexpected_passes(sharded, {"onnx.QuantizeLinear/ones"});
  CHECK(verdicts(sharded) == "pass mismatch");
  find_unexpected_passes(results, {"onnx.QuantizeLinear/open"});
  CHECK(verdicts(results) == "unexpected_pass mismatch");
  CHECK(is_failure(results.cases[0].verdict));
  CHECK_THAT(results.cases[0].message, contains("remove the entry"));
}

TEST_CASE("a known difference is one that its cause reproduces") {
  // The backend gives 1 and 2 more than the specification says: as if the zero point were 1.
  const std::vector<CaseSpec> specs = cases({"ones"});
  const Case made = specs[0].materialise();
  Tensor given(Type::uint8, {2});
  given.set_integer(0, 9);
  const std::vector<KnownDifference> known{{"*/ones", formula("onnx_reference.QuantizeLinear"), {}, "w", {}, {}}};
  const CaseResult unexplained = judge(specs[0], made, {}, {given}, known, {});
  CHECK(unexplained.verdict == Verdict::mismatch);
  CHECK(unexplained.known_difference == nullptr);

  // A case file that expects something else than the cause computes.
  Case shifted = made;
  shifted.expectation.outputs.at("y").values.set_integer(0, 9);
  const Tensor as_cause = made.expectation.outputs.at("y").values;
  const CaseResult explained = judge(specs[0], shifted, {}, {as_cause}, known, {});
  CHECK(explained.verdict == Verdict::known_difference);
  CHECK(explained.known_difference == &known[0]);
  CHECK_FALSE(is_failure(explained.verdict));
}

TEST_CASE("a known crash is one by the signal that was named") {
  const std::vector<CaseSpec> specs = cases({"ones"});
  const Case made = specs[0].materialise();
  const Answer answer{Answer::Kind::crash, "ended without an answer: SIGILL (Illegal instruction)"};
  const auto verdict_with = [&](const std::string& signal) {
    const std::vector<KnownDifference> known{{"*/ones", std::nullopt, signal, "w", {}, {}}};
    return judge(specs[0], made, answer, {}, known, {}).verdict;
  };
  CHECK(verdict_with("SIGILL") == Verdict::known_difference);
  CHECK(verdict_with("SIGSEGV") == Verdict::crash);
}

TEST_CASE("that something is not refused is known by the kind of error") {
  const std::vector<CaseSpec> specs = cases({"refused"});
  const Case made = specs[0].materialise();
  REQUIRE(made.expectation.error);
  const auto verdict_with = [&](const std::string& kind) {
    const std::vector<KnownDifference> known{{"*", std::nullopt, {}, "w", {}, {}, kind}};
    return judge(specs[0], made, {}, {Tensor(Type::uint8, {1})}, known, {}).verdict;
  };
  CHECK(verdict_with(std::string(name(*made.expectation.error))) == Verdict::known_difference);
  CHECK(verdict_with("bad_value") == Verdict::mismatch);
}

TEST_CASE("an interrupt stops a run, keeps what there is and leaves no files") {
  const InterruptGuard guard;
  std::thread interrupter([] {
    std::this_thread::sleep_for(400ms);
    kill(getpid(), SIGINT);
  });
  const auto start = std::chrono::steady_clock::now();
  const RunResults results = run("hang", {"ones", "tens"});
  interrupter.join();
  CHECK(results.was_interrupted);
  CHECK(results.cases.empty());
  CHECK(results.backends[0].failure.empty());
  CHECK(std::chrono::steady_clock::now() - start < 3s);
}

TEST_CASE("the JSON report states counts, differences and how to run them again") {
  const nlohmann::json report = json_report(run("off_by_one_in_tens", {"ones", "tens", "open"}));
  CHECK(report.at("schema") == "qassay-results-1");
  CHECK(report.at("summary").at("pass") == 1);
  CHECK(report.at("summary").at("mismatch") == 1);
  CHECK(report.at("summary").at("elements") == 6);
  CHECK(report.at("summary").at("compared") == 5);
  CHECK(report.at("backends").at(0).at("version") == "1.0");
  CHECK(report.at("cells").at(0).at("mismatches") == 3);
  const nlohmann::json& passed = report.at("cases").at(0);
  CHECK_FALSE(passed.at("outputs").at(0).contains("shown"));
  CHECK(passed.at("outputs").at(0).at("sqnr") == "exact");
  const nlohmann::json& failed = report.at("cases").at(1);
  CHECK(failed.at("why") == "so do tens");
  CHECK(failed.at("reproduce") == "qassay check --backend mock:off_by_one_in_tens --case 'onnx.QuantizeLinear/tens'");
  const nlohmann::json& output = failed.at("outputs").at(0);
  CHECK(output.at("lsb").at("histogram") == nlohmann::json::parse("[[1, 3]]"));
  CHECK(output.at("shown").size() == 3);
  CHECK(output.at("shown").at(0).at("expected") == nlohmann::json::parse(R"({"value": "10", "bits": "0x0a"})"));
  CHECK(output.at("shown").at(0).at("got").at("value") == "11");
  CHECK(output.at("shown").at(0).at("inputs").at("x").at("bits") == "0x41200000");
  CHECK_THAT(
      output.at("shown").at(0).at("explain").get<std::string>(),
      contains("qassay explain onnx.QuantizeLinear") && contains("--set y_scale=0x1p+0") && contains(" x=0x1.4p+3"));
}

TEST_CASE("the JUnit report has a failure, an error and a skip where they belong") {
  pugi::xml_document document;
  REQUIRE(document.load_string(junit_report(run("off_by_one_in_tens", {"ones", "tens", "open"})).c_str()));
  const pugi::xml_node suite = document.child("testsuites").child("testsuite");
  CHECK(suite.attribute("tests").as_int() == 3);
  CHECK(suite.attribute("failures").as_int() == 1);
  CHECK(suite.attribute("skipped").as_int() == 1);
  CHECK(suite.find_child_by_attribute("name", "onnx.QuantizeLinear/tens").child("failure"));
  REQUIRE(document.load_string(junit_report(run("segfault", {"ones"})).c_str()));
  CHECK(document.child("testsuites").child("testsuite").attribute("errors").as_int() == 1);
  REQUIRE(document.load_string(junit_report(run("no_hello", {"ones"})).c_str()));
  CHECK(document.child("testsuites").child("testsuite").attribute("errors").as_int() == 1);
}

TEST_CASE("no text can end the HTML report's data") {
  RunResults results = run("refuses", {"ones"});
  results.cases[0].message = "</script><b>";
  const std::string page = html_report(results);
  CHECK_THAT(page, contains("\\u003c/script>\\u003cb>") && !contains("</script><b>") && !contains("/*RESULTS*/"));
}

TEST_CASE("the text report says so when nothing was compared") {
  CHECK_THAT(text_report(run("unsupported", {"ones"}), Colours::no, 3), contains("nothing was compared"));
  const std::string text = text_report(run("off_by_one_in_tens", {"ones", "tens"}), Colours::no, 3);
  CHECK_THAT(text, contains("mismatch onnx.QuantizeLinear/tens") && contains("expected 10, got 11, +1 lsb") &&
                       !contains("nothing was compared") && !contains("\x1b["));
  CHECK_THAT(text_report(run("off_by_one", {"ones"}), Colours::yes, 3), contains("\x1b["));
}

TEST_CASE("witnesses are recorded by version and corrected") {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "witnesses.json";
  write_file(file, R"({"other 2.0": ["x"], "mock:off_by_one_in_tens 1.0": ["onnx.QuantizeLinear/tens", "kept"]})");
  RunResults results = run("off_by_one_in_tens", {"ones", "tens", "open"});
  record_witnesses(results, file);  // not a real backend
  CHECK(nlohmann::json::parse(read_file(file)).at("other 2.0").size() == 1);
  CHECK(nlohmann::json::parse(read_file(file)).at("mock:off_by_one_in_tens 1.0").size() == 2);
  results.backends[0].is_witness = true;
  record_witnesses(results, file);
  CHECK(nlohmann::json::parse(read_file(file)) ==
        nlohmann::json::parse(
            R"({"other 2.0": ["x"], "mock:off_by_one_in_tens 1.0": ["kept", "onnx.QuantizeLinear/ones"]})"));
}
