#include "tools/harness/adapter_process.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <system_error>

namespace qassay {
namespace {

using nlohmann::json;
using namespace std::chrono_literals;

constexpr auto kPatienceAtTheEnd = 5s;

/// The beginning of a line, for a message.
std::string shortened(std::string_view line) {
  constexpr std::size_t kMost = 120;
  std::string text;
  for (const char c : line.substr(0, kMost)) text += static_cast<unsigned char>(c) < 0x20 ? '?' : c;
  return line.size() > kMost ? text + "…" : text;
}

std::string seconds(std::chrono::milliseconds time) {
  return fmt::format("{:g} s", static_cast<double>(time.count()) / 1000);
}

Hello parse_hello(const std::string& line) {
  const json message = json::parse(line);
  if (const auto protocol = message.at("protocol").get<int>(); protocol != 1) {
    throw BackendFailure(fmt::format("its adapter speaks protocol {}, this qassay protocol 1", protocol));
  }
  Hello hello{message.at("backend"), message.at("version"), {}, message.at("formulas")};
  if (message.contains("packages")) message["packages"].get_to(hello.packages);
  return hello;
}

ChildProcess::Clock::time_point in(std::chrono::milliseconds time) {
  return ChildProcess::Clock::now() + time;
}

}  // namespace

bool Hello::claims(std::string_view formula_id) const {
  return std::ranges::find(formulas, formula_id) != formulas.end();
}

AdapterProcess::AdapterProcess(const Command& command, std::chrono::milliseconds time_limit) try
    : time_limit_(time_limit), process_(command) {
  using Event = ChildProcess::Event;
  std::string line;
  const auto start_limit = 3 * time_limit;
  const Event event = process_.exchange({}, line, in(start_limit));
  if (event != Event::line) process_.kill();
  switch (event) {
    case Event::line: break;
    case Event::exited: throw BackendFailure(with_error_lines("ended before its hello: " + process_.ending()));
    case Event::closed_output: throw BackendFailure(with_error_lines("closed its standard output before its hello"));
    case Event::timed_out: throw BackendFailure(with_error_lines("said no hello within " + seconds(start_limit)));
    case Event::line_too_long: throw BackendFailure(with_error_lines("began with a line of more than 16 MiB"));
    case Event::interrupted: throw BackendFailure("interrupted");
  }
  try {
    hello_ = parse_hello(line);
  } catch (const json::exception&) {
    throw BackendFailure(with_error_lines(
        fmt::format("its first line is no hello: {}\nexpected {{\"protocol\": 1, \"backend\": …, \"version\": …, "
                    "\"formulas\": […]}}",
                    shortened(line))));
  }
} catch (const std::system_error& error) {
  throw BackendFailure(error.what());
}

Answer AdapterProcess::ask(const json& request) {
  std::string line;
  const auto event = process_.exchange(request.dump() + "\n", line, in(time_limit_));
  return judge(event, line, request.at("case"));
}

Answer AdapterProcess::judge(ChildProcess::Event event, const std::string& line, const std::string& case_name) {
  using Event = ChildProcess::Event;
  using Kind = Answer::Kind;
  switch (event) {
    case Event::line: break;
    case Event::exited: return give_up(Kind::crash, "");
    case Event::timed_out: return give_up(Kind::timeout, "no answer within " + seconds(time_limit_));
    case Event::closed_output: return give_up(Kind::broken, "closed its standard output without an answer");
    case Event::line_too_long: return give_up(Kind::broken, "printed a line of more than 16 MiB");
    case Event::interrupted: return give_up(Kind::interrupted, "interrupted");
  }
  const json answer = json::parse(line, nullptr, false);
  if (!answer.is_object()) return give_up(Kind::broken, "printed no JSON: " + shortened(line));
  if (!answer.contains("case") || answer["case"] != case_name) {
    return give_up(Kind::broken, "answered another case: " + shortened(line));
  }
  if (process_.has_more_output()) return give_up(Kind::broken, "printed more than one line for one request");
  const std::string why = answer.contains("why") && answer["why"].is_string() ? answer["why"] : json("no reason given");
  const json status = answer.value("status", json());
  if (status == "done") return {Kind::done, {}};
  if (status == "unsupported") return {Kind::unsupported, why};
  if (status == "error") return {Kind::refused, why};
  return give_up(Kind::broken, "gave an unknown status: " + shortened(line));
}

Answer AdapterProcess::give_up(Answer::Kind kind, const std::string& what) {
  is_usable_ = false;
  process_.kill();
  const std::string message = kind == Answer::Kind::crash ? "ended without an answer: " + process_.ending() : what;
  return {kind, with_error_lines(message)};
}

std::string AdapterProcess::with_error_lines(std::string message) const {
  const std::string lines = process_.last_error_lines();
  return lines.empty() ? message : message + "\nits last lines of standard error:\n" + lines;
}

void AdapterProcess::finish() {
  process_.finish(kPatienceAtTheEnd);
}

}  // namespace qassay
