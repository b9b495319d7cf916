#include <fmt/format.h>
#include <signal.h>

#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "interpreter/registry.hpp"
#include "tools/harness/adapter_process.hpp"
#include "tools/harness/request.hpp"
#include "tools/harness/temporary_folder.hpp"
#include "tools/npy.hpp"

using namespace qassay;
using namespace std::chrono_literals;
using Kind = Answer::Kind;
using testing::contains;

namespace {

Command mock(const std::string& mode) {
  return {{"python3", "-I", "-S", std::string(QASSAY_SOURCE_ROOT) + "/tests/mock_adapters/mock.py", mode}, "/"};
}

/// A request for [0, 1, 2] with its input in place.
nlohmann::json request_in(const std::filesystem::path& folder, const std::string& name = "a case") {
  Tensor x(Type::float32, {3});
  for (std::size_t i = 0; i < 3; ++i) x.set_real(i, static_cast<double>(i));
  write_npy(folder / "x.npy", x);
  return {{"case", name},
          {"formula", "onnx.QuantizeLinear"},
          {"inputs", {{"x", {{"type", "float32"}, {"shape", {3}}, {"path", (folder / "x.npy").string()}}}}},
          {"outputs", {{"y", {{"type", "uint8"}, {"shape", {3}}, {"path", (folder / "y.npy").string()}}}}},
          {"parameters", nlohmann::json::object()}};
}

Answer ask(const std::string& mode, std::chrono::milliseconds limit = 5s) {
  const TemporaryFolder folder;
  AdapterProcess adapter(mock(mode), limit);
  return adapter.ask(request_in(folder.path()));
}

std::string start_failure(const std::string& mode, std::chrono::milliseconds limit = 5s) {
  try {
    const AdapterProcess adapter(mock(mode), limit);
    return "started";
  } catch (const BackendFailure& failure) {
    return failure.what();
  }
}

}  // namespace

TEST_CASE("an adapter's hello is read") {
  const AdapterProcess adapter(mock("right"), 5s);
  CHECK(adapter.hello().backend == "mock");
  CHECK(adapter.hello().version == "1.0");
  CHECK(adapter.hello().packages == std::map<std::string, std::string>{{"luck", "0.1"}});
  CHECK(adapter.hello().claims("onnx.QuantizeLinear"));
  CHECK_FALSE(adapter.hello().claims("onnx.DequantizeLinear"));
}

TEST_CASE("an adapter that does not start is no backend") {
  CHECK_THAT(start_failure("no_hello"),
             contains("ended before its hello: exit code 1") && contains("cannot import luck"));
  CHECK_THAT(start_failure("silent", 100ms), contains("no hello within 0.3 s"));
  CHECK_THAT(start_failure("garbage_hello"), contains("its first line is no hello: Welcome!"));
  CHECK_THAT(start_failure("hello_without_formulas"), contains("is no hello"));
  CHECK_THAT(start_failure("protocol_2"), contains("speaks protocol 2"));
  CHECK_THROWS_AS(AdapterProcess({{"/no/such/program"}, "/"}, 5s), BackendFailure);
  CHECK_THROWS_AS(AdapterProcess({{"python3"}, "/no/such/folder"}, 5s), BackendFailure);
}

TEST_CASE("every way to answer has its kind") {
  struct Row {
    const char* mode;
    Kind kind;
    const char* message;
  };
  const auto row = GENERATE(values<Row>({
      {"right", Kind::done, ""},
      {"floods_stderr", Kind::done, ""},
      {"unsupported", Kind::unsupported, "no kernel"},
      {"refuses", Kind::refused, "scale must not be 1"},
      {"segfault", Kind::crash, "SIGSEGV"},
      {"exit", Kind::crash, "exit code 3\nits last lines of standard error:\nfatal: out of luck"},
      {"exit_leaving_a_child", Kind::crash, "exit code 5"},
      {"garbage", Kind::broken, "printed no JSON: Segmentation fault? no"},
      {"no_object", Kind::broken, "printed no JSON: [1, 2]"},
      {"wrong_case", Kind::broken, "answered another case"},
      {"no_status", Kind::broken, "unknown status"},
      {"unknown_status", Kind::broken, "unknown status"},
      {"two_lines", Kind::broken, "more than one line"},
      {"endless_line", Kind::broken, "more than 16 MiB"},
      {"closes_stdout", Kind::broken, "closed its standard output"},
  }));
  CAPTURE(row.mode);
  const Answer answer = ask(row.mode);
  CHECK(static_cast<int>(answer.kind) == static_cast<int>(row.kind));
  CHECK_THAT(answer.message, contains(row.message));
}

TEST_CASE("a hang ends at the time limit, with its whole process group") {
  const auto start = std::chrono::steady_clock::now();
  const Answer answer = ask("hang", 300ms);
  CHECK(static_cast<int>(answer.kind) == static_cast<int>(Kind::timeout));
  CHECK_THAT(answer.message, contains("no answer within 0.3 s"));
  CHECK(std::chrono::steady_clock::now() - start < 3s);
}

TEST_CASE("after a broken answer the process is gone, after a proper one it is not") {
  const TemporaryFolder folder;
  AdapterProcess broken(mock("garbage"), 5s);
  broken.ask(request_in(folder.path()));
  CHECK_FALSE(broken.is_usable());
  AdapterProcess refusing(mock("refuses"), 5s);
  refusing.ask(request_in(folder.path()));
  CHECK(refusing.is_usable());
  CHECK(static_cast<int>(refusing.ask(request_in(folder.path())).kind) == static_cast<int>(Kind::refused));
  refusing.finish();
}

TEST_CASE("no more than twenty lines of standard error are kept") {
  ChildProcess process({{"python3", "-c", "import sys\nfor i in range(50): print('line', i, file=sys.stderr)"}, "/"});
  std::string line;
  CHECK(process.exchange({}, line, ChildProcess::Clock::now() + 5s) == ChildProcess::Event::exited);
  process.finish(1s);
  CHECK_THAT(process.last_error_lines(), contains("line 30\n") && contains("line 49") && !contains("line 29"));
  CHECK(process.ending() == "exit code 0");
}

TEST_CASE("a program that reads nothing cannot block a large request") {
  ChildProcess process({{"sleep", "60"}, "/"});
  std::string line;
  const std::string large(std::size_t{4} << 20U, 'x');
  CHECK(process.exchange(large, line, ChildProcess::Clock::now() + 300ms) == ChildProcess::Event::timed_out);
}

TEST_CASE("outputs are believed only if they are what was asked for") {
  const TemporaryFolder folder;
  const auto read = [&](const std::string& mode) -> std::string {
    std::filesystem::remove(folder.path() / "y.npy");
    const nlohmann::json request = request_in(folder.path());
    AdapterProcess adapter(mock(mode), 5s);
    REQUIRE(static_cast<int>(adapter.ask(request).kind) == static_cast<int>(Kind::done));
    try {
      const auto outputs = read_outputs(*formula("onnx.QuantizeLinear").signature, request);
      return fmt::format("{} {}", outputs.at(0).integer(1), outputs.at(0).integer(2));
    } catch (const RequestError& error) {
      return error.what();
    }
  };
  CHECK(read("right") == "1 2");
  CHECK_THAT(read("missing_output"), contains("said done, but output 'y' is missing"));
  CHECK_THAT(read("malformed_output"), contains("output 'y'"));
  CHECK_THAT(read("wrong_type"), contains("output 'y'") && contains("uint8"));
  CHECK_THAT(read("wrong_shape"), contains("output 'y' has the shape [3, 1], [3] was asked for"));
}
