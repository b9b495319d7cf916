// qassay diff: two tensors beside each other.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "interpreter/error.hpp"
#include "tools/commands.hpp"
#include "tools/harness/policy.hpp"
#include "tools/npy.hpp"
#include "tools/report/report.hpp"

namespace qassay {
namespace {

constexpr const char* kExamples = R"(Examples:
  qassay diff golden/y.npy mine/y.npy
      codes, compared as integers; exit 1 if one differs
  qassay diff expected.npy got.npy --scale 0.1 --policy 'within 1 lsb'
      real outputs, counted in steps of 0.1
  qassay diff a.npy:int4 b.npy:int4 --zero-point -3 --format json)";

struct DiffOptions {
  std::string expected;
  std::string got;
  std::string scale;
  std::string zero_point;
  std::string policy;
  std::string format = "text";
  std::size_t most_shown = 10;
};

/// One value for all elements, or one for each.
Tensor unit(const std::string& option, const std::string& text, Type type, const Shape& shape) {
  if (!text.starts_with('@')) {
    Tensor scalar(type, {});
    scalar.set_bits(0, parse_number(text, type));
    return scalar;
  }
  Tensor tensor = read_tensor(text.substr(1));
  if (tensor.size() != 1 && tensor.shape() != shape) {
    throw RequestError(ErrorKind::wrong_shape, fmt::format("{}: has the shape {}, expected one value or {}", option,
                                                           to_text(tensor.shape()), to_text(shape)));
  }
  return tensor;
}

Grid grid_from(const DiffOptions& options, const Tensor& expected) {
  Grid grid;
  const bool is_real = is_floating(expected.type());
  if (!options.scale.empty() && is_real) {
    grid.scale = [scale = unit("--scale", options.scale, Type::float32, expected.shape())](std::size_t i) {
      return scale.real(scale.size() == 1 ? 0 : i);
    };
  }
  if (!options.zero_point.empty() && !is_real) {
    grid.zero_point = [zero_point = unit("--zero-point", options.zero_point, Type::int32, expected.shape())](
                          std::size_t i) { return zero_point.integer(zero_point.size() == 1 ? 0 : i); };
  }
  return grid;
}

ShownElement shown(const Difference& difference, const Shape& shape) {
  ShownElement element{difference, Shape(shape.size()), {}, {}};
  auto rest = static_cast<std::int64_t>(difference.element);
  for (std::size_t d = shape.size(); d-- > 0; rest /= shape[d]) element.index[d] = rest % shape[d];
  return element;
}

void diff(const DiffOptions& options) {
  const Tensor expected = read_tensor(options.expected);
  const Tensor got = read_tensor(options.got);
  if (expected.type() != got.type() || expected.shape() != got.shape()) {
    throw RequestError(
        ErrorKind::wrong_shape,
        fmt::format("{} is {} {}, {} is {} {}; both must be alike", options.expected, name(expected.type()),
                    to_text(expected.shape()), options.got, name(got.type()), to_text(got.shape())));
  }
  const Policy policy = options.policy.empty() ? Policy() : Policy::parse(options.policy);
  policy.require_meaning_for(expected.type());
  OutputResult result;
  result.comparison =
      compare("elements", ExpectedOutput{expected, {}, {}}, got, grid_from(options, expected), options.most_shown);
  for (const Difference& difference : result.comparison.shown) {
    result.shown.push_back(shown(difference, expected.shape()));
  }
  const auto objection = policy.objection(result.comparison);
  if (options.format == "json") {
    nlohmann::json report = output_as_json(result);
    report["policy"] = policy.text();
    report["verdict"] = objection || result.comparison.elements == 0 ? "mismatch" : "pass";
    fmt::print("{}\n", report.dump(1));
  } else {
    fmt::print("{}", output_as_text(result));
    if (objection) fmt::print("{}: {}\n", policy.text(), *objection);
  }
  if (result.comparison.elements == 0) fmt::print(stderr, "nothing was compared: the tensors are empty\n");
  set_exit(objection || result.comparison.elements == 0 ? Exit::mismatches : Exit::as_expected);
}

}  // namespace

void add_diff_command(CLI::App& program) {
  auto options = std::make_shared<DiffOptions>();
  CLI::App* command = program.add_subcommand("diff", "Compare two .npy files: LSB, ULP, SQNR");
  command->add_option("expected", options->expected, "FILE.npy or FILE.npy:type")->required()->type_name("A");
  command->add_option("got", options->got, "FILE.npy or FILE.npy:type")->required()->type_name("B");
  command->add_option("--scale", options->scale, "The step of real elements: a number, or @FILE.npy")->type_name("S");
  command
      ->add_option("--zero-point", options->zero_point, "The code that stands for 0, for SQNR: a number, or @FILE.npy")
      ->type_name("Z");
  command->add_option("--policy", options->policy, "What is good enough (default: exact)")->type_name("POLICY");
  command->add_option("--max-shown", options->most_shown, "Elements shown")->type_name("N")->capture_default_str();
  command->add_option("--format", options->format, "text or json")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  command->footer(kExamples);
  command->callback([options] { diff(*options); });
}

}  // namespace qassay
