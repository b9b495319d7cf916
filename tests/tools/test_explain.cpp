#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "catch.hpp"
#include "interpreter/registry.hpp"
#include "interpreter/tally.hpp"
#include "tools/commands.hpp"
#include "tools/diagnosis/explanation.hpp"

using namespace qassay;
using qassay::testing::contains;
using qassay::tests::Tally;

namespace {

using Json = nlohmann::json;
using Texts = std::map<std::string, std::string>;

/// Standard output, kept in a file while this lives.
class Capture {
 public:
  Capture() {
    std::fflush(stdout);
    saved_ = dup(STDOUT_FILENO);
    dup2(fileno(file_), STDOUT_FILENO);
  }
  ~Capture() { restore(); }
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;

  std::string text() {
    restore();
    std::rewind(file_);
    std::string all;
    for (int c = std::fgetc(file_); c != EOF; c = std::fgetc(file_)) all += static_cast<char>(c);
    return all;
  }

 private:
  void restore() {
    if (saved_ < 0) return;
    std::fflush(stdout);
    dup2(saved_, STDOUT_FILENO);
    close(saved_);
    saved_ = -1;
  }
  std::FILE* file_ = std::tmpfile();
  int saved_ = -1;
};

/// What the command prints for these words.
std::string run(const std::string& words) {
  std::vector<std::string> arguments;
  std::istringstream stream(words);
  for (std::string word; stream >> word;) {
    std::erase(word, '\'');
    arguments.push_back(word);
  }
  std::ranges::reverse(arguments);  // as CLI11 wants them
  CLI::App program;
  add_explain_command(program);
  Capture capture;
  program.parse(arguments);
  return capture.text();
}

Json run_json(const std::string& words) {
  return Json::parse(run(words + " --format json"));
}

/// The message a command line is refused with.
std::string refusal(const std::string& words) {
  try {
    run(words);
  } catch (const RequestError& error) {
    return error.what();
  }
  return "not refused";
}

const Json& step(const Json& explanation, std::size_t number) {
  return explanation["steps"].at(number - 1);
}

/// The number of the step that decides, 0 for none; -1 if several claim to.
int deciding(const Json& explanation) {
  int number = 0;
  for (const Json& one : explanation["steps"]) {
    if (one["decides"] == true) number = number == 0 ? one["number"].get<int>() : -1;
  }
  return number;
}

std::vector<std::string> names(const Json& list) {
  std::vector<std::string> result;
  for (const Json& one : list) result.push_back(one["name"].is_null() ? "-" : one["name"].get<std::string>());
  return result;
}

}  // namespace

TEST_CASE("explain: a division that stops one ulp short of a tie") {
  const Json json = run_json("explain onnx.QuantizeLinear --set y_scale=0x1.414142p-6 --set y_zero_point=153 x=-2.5");
  CHECK(names(json["steps"]) == std::vector<std::string>{"quotient", "rounded", "shifted", "code"});
  CHECK(step(json, 1)["exact"] == "-1342177280/10526881");
  CHECK(step(json, 1)["operands"][0] ==
        Json({{"from", "x"}, {"type", "float32"}, {"value", "-2.5"}, {"bits", "0xc0200000"}}));
  CHECK(step(json, 2)["tie"] == Json({{"at", "-255/2"}, {"distance", "1/131072"}, {"distance_ulp", "1"}}));
  CHECK(step(json, 2)["operands"][0]["from"] == "S1");
  CHECK(step(json, 2)["note"] == "1 ulp above the tie -127.5");
  CHECK(deciding(json) == 2);
  CHECK(json["outputs"][0]["value"] == "26");
  CHECK(json["outputs"][0]["ideal"] == "26");
  // The reciprocal goes to the other side; so do the formulas that use it.
  CHECK(names(json["rules"]["differing"]) == std::vector<std::string>{"reciprocal", "floor"});
  CHECK(json["rules"]["base"] == "saturate(round_half_even(x / scale) + zero_point)");
  CHECK(json["rules"]["differing"][0]["value"] == "25");
  CHECK(json["rules"]["differing"][0]["difference"] == "-1");
  CHECK(names(json["formulas"]["differing"]) ==
        std::vector<std::string>{"pytorch.quantize_per_tensor", "pytorch.quantize_per_channel"});
}

TEST_CASE("explain: a quotient that rounds onto a tie, which its exact value is not") {
  const Json json = run_json(
      "explain pytorch.quantize_per_tensor@2.13 --set scale=0.1 --set zero_point=1"
      " --set dtype=quint8 x=0.25");
  CHECK(names(json["steps"]) ==
        std::vector<std::string>{"scale", "inverse", "shifted", "capped", "rounded", "integer", "code"});
  CHECK(step(json, 5)["tie"] == Json({{"at", "7/2"}, {"distance", "0"}, {"distance_ulp", "0"}}));
  CHECK(step(json, 5)["note"] == "tie: 3.5 exactly, even wins");
  CHECK(deciding(json) == 5);
  CHECK(json["because"] == "S5 meets a tie: 3.5 goes to the even 4.");
  CHECK(json["outputs"][0]["value"] == "4");
  CHECK(json["outputs"][0]["ideal"] == "3");
  CHECK_THAT(json["outputs"][0]["note"].get<std::string>(), contains("rounding changed it"));
  CHECK(json["rules"]["base"] == "saturate(round_half_even(fma(x, 1 / scale, zero_point)))");
  CHECK(json["formulas"]["agreeing"] >= 1);
  CHECK(json["formulas"]["differing"].size() == 5);

  const Json onto = run_json("explain onnx.QuantizeLinear --set y_scale=0.1 x=0.25");
  CHECK(step(onto, 1)["exact"] == "33554432/13421773");
  CHECK(step(onto, 1)["result"]["value"] == "2.5");
  CHECK(deciding(onto) == 2);
  CHECK_THAT(onto["because"].get<std::string>(), contains("S1 had rounded 33554432/13421773"));
  CHECK_THAT(onto["because"].get<std::string>(), contains("onto it."));
}

TEST_CASE("explain: NaN, infinities and saturation decide where they are turned into codes") {
  const Json nan = run_json("explain onnx.QuantizeLinear --set y_scale=1 x=nan");
  CHECK(nan["outputs"][0]["is_unspecified"] == true);
  CHECK(step(nan, 1)["result"]["bits"] == "0x7fc00000");
  CHECK(step(nan, 1)["exact"] == "nan");
  CHECK(step(nan, 1)["error_ulp"].is_null());
  CHECK(deciding(nan) == 4);
  CHECK(step(nan, 4)["note"] == "NaN becomes the bound");

  const Json infinite = run_json("explain onnx.QuantizeLinear --set y_scale=1 x=inf");
  CHECK(step(infinite, 3)["result"]["value"] == "inf");
  CHECK(step(infinite, 3)["result"]["type"] == "float64");  // no int64 is infinite
  CHECK(deciding(infinite) == 4);
  CHECK(infinite["outputs"][0]["value"] == "255");

  const Json saturated = run_json("explain onnx.QuantizeLinear --set y_scale=1 --set y_zero_point=-3:int8 x=130.75");
  CHECK(deciding(saturated) == 4);
  CHECK(saturated["because"] == "S4 turns 128 into 127 (limited).");

  const Json lost = run_json("explain onnx_reference.QuantizeLinear --set y_scale=1 x=3e9");
  CHECK(deciding(lost) == 3);
  CHECK(lost["outputs"][0]["value"] == "0");
  CHECK_THAT(lost["outputs"][0]["note"].get<std::string>(), contains("overflow changed it"));

  const Json wrapped = run_json(
      "explain onnx_reference.QuantizeLinear --set y_scale=1 --set y_zero_point=-3:int8"
      " x=-inf");
  CHECK(deciding(wrapped) == 4);
  CHECK(step(wrapped, 4)["note"] == "wraps");
  CHECK(wrapped["outputs"][0]["value"] == "127");

  const Json overflow = run_json("explain onnx.QuantizeLinear --set y_scale=1e-10 x=1e30");
  CHECK(step(overflow, 1)["note"] == "overflow: beyond the largest float32");
  CHECK(step(overflow, 1)["error_ulp"].is_null());
}

TEST_CASE("explain: a formula without any rounding says so") {
  const Json json = run_json("explain onnx.DequantizeLinear --set x_scale=0.5 x=7");
  CHECK(deciding(json) == 0);
  CHECK(json["because"] == "Nothing is rounded or limited on the way.");
  CHECK(json["rules"].is_null());
}

TEST_CASE("explain: --index chooses the channel, whatever the axis") {
  const std::string command =
      "explain pytorch.quantize_per_channel --set scales=[0.5,2,8] --set zero_points=[1,2,3] --set axis=3"
      " --set dtype=quint8 x=10 --index ";
  CHECK(run_json(command + "0")["outputs"][0]["value"] == "21");
  CHECK(run_json(command + "1")["outputs"][0]["value"] == "7");
  CHECK(run_json(command + "2")["outputs"][0]["value"] == "4");
  CHECK(run_json(command + "2")["elements"] == 3);
  CHECK(refusal(command + "3") == "--index 3: there are 3 channels, expected 0 to 2");
  CHECK_THAT(refusal("explain onnx.QuantizeLinear --set y_scale=1 x=1 --index 1"), contains("no vector of parameters"));
  CHECK_THAT(refusal("explain onnx.QuantizeLinear --set y_scale=[1,2] --set y_zero_point=[1,2,3] x=1"),
             contains("has 3 values, but another parameter has 2"));
}

TEST_CASE("explain: --index chooses the element of a tensor, and steps name their part") {
  const Json json = run_json("explain onnx.DynamicQuantizeLinear x=[0,2,-3,-2.5,1.34,0.5] --index 3");
  CHECK(json["outputs"].size() == 3);
  CHECK(json["outputs"][0]["value"] == "26");
  CHECK(json["outputs"][0]["ideal"] == "25");
  CHECK(json["outputs"][1]["ideal"] == "1/51");
  CHECK(names(json["steps"]) == std::vector<std::string>{"lowest", "highest", "span", "y_scale", "offset", "negated",
                                                         "rounded", "y_zero_point", "quotient", "rounded", "shifted",
                                                         "code"});
  CHECK(step(json, 9)["part"] == "onnx.QuantizeLinear");
  CHECK(step(json, 10)["operands"][0]["from"] == "S9");
  CHECK(step(json, 4)["operands"][0]["from"] == "S3");
  CHECK(deciding(json) == 10);
  CHECK(json["formulas"]["agreeing"] == 2);
  CHECK(run_json("explain onnx.DynamicQuantizeLinear x=[0,2,-3,-2.5,1.34,0.5] --index 2")["outputs"][0]["value"] ==
        "0");
  CHECK(refusal("explain onnx.DynamicQuantizeLinear x=[1,2] --index 2") ==
        "--index 2: there are 2 elements, expected 0 to 1");
}

TEST_CASE("explain: names follow the signature where a trace has more or fewer steps") {
  CHECK(names(run_json("explain pytorch.fake_quantize_per_tensor_affine --set scale=0.1 --set zero_point=1 --set "
                       "quant_min=0 --set quant_max=255 x=0.25")["steps"]) ==
        std::vector<std::string>{"scale", "inverse", "product", "rounded", "shifted", "raised", "code", "difference",
                                 "difference", "y"});
  CHECK(names(run_json("explain onnxruntime.DequantizeLinear --set x_scale=0.1 x=3")["steps"]) ==
        std::vector<std::string>{"difference", "product"});
  CHECK(names(run_json("explain pytorch.dequantize_per_tensor --set scale=0.1 --set zero_point=1 q=3")["steps"]) ==
        std::vector<std::string>{"difference", "scale", "product"});
  CHECK(names(run_json("explain onnx_reference.requantize --set x_scale=0.1 --set w_scale=0.1 --set y_scale=0.1 "
                       "acc=3")["steps"]) == std::vector<std::string>{"product", "multiplier", "scaled", "shifted",
                                                                      "limited", "limited", "rounded", "code", "code"});
  // With a floating zero point product and sum are one step, and neither is called something else.
  CHECK(names(run_json("explain pytorch.fake_quantize_per_channel_affine --set scale=0.1 --set zero_point=0.5 --set "
                       "zero_point_dtype=float32 --set axis=0 --set quant_min=0 --set quant_max=9 x=0.25")["steps"]) ==
        std::vector<std::string>{"inverse", "shifted", "-", "integer", "raised", "code", "difference", "y", "y"});
}

TEST_CASE("explain: numbers in every spelling") {
  const std::string command = "explain onnx.QuantizeLinear --set y_scale=0.5 ";
  for (const std::string x : {"x=3.25", "x=0x1.ap1", "x=bits:0x40500000", "x=3.25:float32", "x=[3.25]"}) {
    CHECK(run_json(command + x)["inputs"][0]["bits"] == "0x40500000");
  }
  CHECK(run_json(command + "x=3.25:float16")["inputs"][0]["bits"] == "0x4280");
  CHECK(run_json("explain onnx.QuantizeLinear --set scale=0.5 x=3.25")["outputs"][0]["value"] == "6");  // by role
  CHECK(run_json("explain onnx.DequantizeLinear --set x_scale=0.5 x=-3:int8")["inputs"][0]["bits"] == "0xfd");
}

TEST_CASE("explain: what is wrong is said") {
  CHECK_THAT(refusal("explain onnx.QuantizLinear x=1"), contains("did you mean 'onnx.QuantizeLinear'"));
  CHECK(refusal("explain onnx.QuantizeLinear --set y_scale=1") == "onnx.QuantizeLinear: x is missing; give x=NUMBER");
  CHECK(refusal("explain onnx.QuantizeLinear --set y_scale=1 x=1 x=2") == "x: given twice");
  CHECK_THAT(refusal("explain onnx.QuantizeLinear --set y_scale=1 x=1:flaot32"),
             contains("x=1:flaot32: no type 'flaot32' (did you mean 'float32'"));
  CHECK_THAT(refusal("explain onnx.QuantizeLinear --set y_scale=1 x=abc"), contains("x: 'abc' is no float32"));
  CHECK_THAT(refusal("explain onnx.QuantizeLinear --set y_scale=1 x=1:int8"), contains("input 'x' is int8"));
  CHECK_THAT(refusal("explain onnx.QuantizeLinear --set y_scale=1 x=[1,2]"), contains("one number at a time"));
  CHECK_THAT(refusal("explain onnx.QuantizeLinear x=1 y_scale=2"), contains("is a parameter; give it as --set"));
  CHECK_THAT(refusal("explain onnx.QuantizeLinear --set y_scale=1 x=1 z=2"), contains("no input 'z'; expected x=…"));
  CHECK_THAT(refusal("explain onnx.QuantizeLinear --set y_scale=1 x"), contains("expected NAME=VALUE"));
  CHECK_THAT(refusal("explain onnx.QuantizeLinear x=1"), contains("y_scale: is missing"));
  CHECK_THAT(refusal("explain onnx.QuantizeLinear --set y_scal=1 x=1"), contains("did you mean 'y_scale'"));
  CHECK_THAT(refusal("explain onnx.DynamicQuantizeLinear x=[]"), contains("there are 0 elements"));
  CHECK(refusal("explain onnx.QuantizeLinear --set y_scale=1 x=1 --index -1") == "--index -1: expected 0 or more");
  CHECK_THROWS_AS(run("explain onnx.QuantizeLinear --set y_scale=1 x=1 --format yaml"), CLI::ValidationError);
}

TEST_CASE("explain: every example of the help runs") {
  CLI::App program;
  add_explain_command(program);
  std::istringstream footer(program.get_subcommand("explain")->get_footer());
  int examples = 0;
  for (std::string line; std::getline(footer, line);) {
    const std::string start = "  qassay explain ";
    if (!line.starts_with(start)) continue;
    ++examples;
    CHECK_THAT(run("explain " + line.substr(start.size())), contains("Steps"));
  }
  CHECK(examples == 4);
}

TEST_CASE("explain: text is aligned, honours its width and marks one step") {
  const Formula& quantize = formula("onnx.QuantizeLinear");
  Tensor x(Type::float32, {1});
  x.set_real(0, 0.25);
  const Explanation explanation = explain(quantize, {{"x", x}}, {{"y_scale", Written::scalar("0.1")}}, 0);
  const std::string plain = explanation_text(explanation, {false, 100});
  CHECK(plain.find('\x1b') == std::string::npos);
  CHECK_THAT(plain, contains("\n> S2   rounded   round half to even\n"
                             "        S1            2.5   0x40200000          float32\n"
                             "        =             2     0x40000000          float32  tie: 2.5 exactly, even "
                             "wins\n"));
  CHECK_THAT(plain, contains("exactly       33554432/13421773 ~2.49999996275"));
  CHECK(std::ranges::count(plain, '>') == 1);
  std::istringstream narrow(explanation_text(explanation, {false, 60}));
  for (std::string line; std::getline(narrow, line);) {
    if (line.find("tie: ") != std::string::npos) CHECK(line.size() <= 60);
    CHECK((line.empty() || line.back() != ' '));
  }
  const std::string coloured = explanation_text(explanation, {true, 100});
  CHECK_THAT(coloured, contains("\x1b[33m"));
  std::string without_codes;
  for (std::size_t i = 0; i < coloured.size(); ++i) {
    if (coloured[i] == '\x1b') i = coloured.find('m', i);
    else without_codes += coloured[i];
  }
  std::string unpadded;
  std::istringstream lines(without_codes);
  for (std::string line; std::getline(lines, line);) unpadded += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  CHECK(unpadded == plain);
}

TEST_CASE("explain: few digits never look like the tie or the integer that a number is not") {
  CHECK(few_digits(Rational(1, 2)) == "0.5");
  CHECK(few_digits(Rational(1, 3)) == "0.333");
  CHECK(few_digits(Rational(49999, 100000)) == "0.49999");
  CHECK(few_digits(Rational(1000001, 1000000)) == "1.000001");
  CHECK(few_digits(Rational(-5, 8)) == "-0.625");
  CHECK(few_digits(Rational(BigInteger((BigInteger(1) << 80) + 1), BigInteger(1) << 81)) == "~0.5");
  CHECK(readable(Exact(Rational(-5, 2))) == "-2.5");
  CHECK(readable(Exact(Rational(1, 1024))) == "0.0009765625");
  CHECK(readable(Exact(Rational(1, 51))) == "1/51 ~0.0196078431373");
  CHECK(readable(Exact(Rational(-3))) == "-3");
  CHECK(decimal({Type::float32, 0x4effffff}) == "2147483520");
  CHECK(decimal({Type::float32, 0x80000000}) == "-0");
}

// ---- every formula ----

namespace {

std::string setting_for(const Parameter& parameter, const Signature& signature) {
  switch (parameter.role) {
    case Role::quant_min: return signature.parameter(Role::dtype) != nullptr ? "0" : "-10";
    case Role::quant_max: return "100";
    case Role::axis: return "0";
    case Role::dtype: return std::string(name(parameter.types.front()));
    default: break;
  }
  const std::string value = parameter.kind == ParameterKind::real ? "0.1" : "1";
  return parameter.spread == Spread::along_axis && signature.parameter(Role::axis) != nullptr ? "[" + value + "]"
                                                                                              : value;
}

Settings settings_for(const Signature& signature) {
  Settings settings;
  for (const Parameter& parameter : signature.parameters) {
    if (parameter.fallback.empty() || parameter.role == Role::zero_point)
      settings.emplace(parameter.name, Written::parse(setting_for(parameter, signature)));
  }
  return settings;
}

/// Elements of a type that formulas part on.
Tensor elements_of(Type type) {
  if (!is_floating(type)) {
    Tensor x(type, {4});
    for (std::size_t i = 0; i < 4; ++i)
      x.set_integer(i, std::array{lowest(type), std::int64_t{0}, std::int64_t{1}, highest(type)}[i]);
    return x;
  }
  const std::vector<double> values{-2.5, 0.25, 0.35, 1e30, -0.0, NAN, INFINITY, -INFINITY, 0x1p-149, 7.6999};
  Tensor x(type, {static_cast<std::int64_t>(values.size())});
  for (std::size_t i = 0; i < values.size(); ++i) x.set_real(i, values[i]);
  return x;
}

std::set<std::string> keys_of(const Json& object) {
  std::set<std::string> keys;
  for (const auto& [key, value] : object.items()) keys.insert(key);
  return keys;
}

double number(const Json& json) {
  const Type type = *type_named(json["type"].get<std::string>());
  Tensor holder(type, {});
  holder.set_bits(0, parse_number("bits:" + json["bits"].get<std::string>(), type));
  return holder.real(0);
}

/// The distance from a floating value to the next one away from zero.
Rational distance_to_next(const Json& json) {
  const Type type = *type_named(json["type"].get<std::string>());
  const std::uint64_t magnitude = encode(type, std::abs(number(json)));
  return Rational(decode(type, magnitude + 1)) - Rational(decode(type, magnitude));
}

bool are_errors_exact(const Json& explanation) {
  return std::ranges::all_of(explanation["steps"], [](const Json& one) {
    if (one["error_ulp"].is_null()) return true;
    const Rational error(one["error_ulp"].get<std::string>());
    const Rational exact(one["exact"].get<std::string>());
    if (std::abs(number(one["result"])) == decode(Type::float32, 0x7f7fffff)) return abs(error) < 1;
    return exact + error * distance_to_next(one["result"]) == Rational(number(one["result"])) &&
           abs(error) <= Rational(1, 2);
  });
}

bool are_ties_exact(const Json& explanation) {
  return std::ranges::all_of(explanation["steps"], [](const Json& one) {
    if (one["tie"].is_null()) return true;
    const Rational at(one["tie"]["at"].get<std::string>());
    const Rational distance(one["tie"]["distance"].get<std::string>());
    const Rational in_ulp(one["tie"]["distance_ulp"].get<std::string>());
    return at + distance == Rational(number(one["operands"][0])) && denominator(at) == 2 &&
           abs(distance) <= Rational(1, 2) && in_ulp * distance_to_next(one["operands"][0]) == distance;
  });
}

/// Each operand that comes from a step is what that step gave.
bool are_references_right(const Json& explanation) {
  return std::ranges::all_of(explanation["steps"], [&](const Json& one) {
    return std::ranges::all_of(one["operands"], [&](const Json& operand) {
      const std::string from = operand["from"].is_null() ? "" : operand["from"].get<std::string>();
      if (from.size() < 2 || from[0] != 'S') return true;
      const auto at = std::stoul(from.substr(1));
      const double before = number(step(explanation, at)["result"]);
      const double here = number(operand);
      return at < one["number"].get<std::size_t>() && (before == here || (std::isnan(before) && std::isnan(here)));
    });
  });
}

/// The last step gives the first output's value.
bool ends_in_output(const Json& explanation) {
  const double last = number(explanation["steps"].back()["result"]);
  const double output = number(explanation["outputs"][0]);
  return last == output || (std::isnan(last) && std::isnan(output));
}

const std::set<std::string> kKeys{"version",    "formula", "summary", "index",   "elements", "inputs",
                                  "parameters", "steps",   "because", "outputs", "formulas", "rules"};
const std::set<std::string> kStepKeys{"number", "name",   "act",       "kind", "part", "operands",
                                      "exact",  "result", "error_ulp", "tie",  "note", "decides"};
const std::set<std::string> kOutputKeys{"name",           "type",  "value",      "bits",
                                        "is_unspecified", "ideal", "from_ideal", "note"};

bool is_closed(const Json& explanation) {
  return keys_of(explanation) == kKeys &&
         std::ranges::all_of(explanation["steps"], [](const Json& one) { return keys_of(one) == kStepKeys; }) &&
         std::ranges::all_of(explanation["outputs"], [](const Json& one) { return keys_of(one) == kOutputKeys; });
}

/// The bits of all outputs of element `index` are those of a plain evaluation.
bool has_bits_of(const Json& explanation, const Evaluation& evaluation, std::size_t index) {
  return explanation["outputs"].size() == evaluation.outputs.size() &&
         std::ranges::all_of(explanation["outputs"], [&](const Json& output) {
           const Tensor& tensor = evaluation.outputs.find(output["name"].get<std::string>())->second;
           const StoredNumber expected{tensor.type(), tensor.bits(tensor.size() == 1 ? 0 : index)};
           return output["bits"] == bits_text(expected) && output["type"] == name(tensor.type());
         });
}

}  // namespace

TEST_CASE("explain: of every formula, the bits of a plain evaluation and exact distances") {
  for (const Formula& formula : all_formulas()) {
    const Signature& signature = *formula.signature;
    // One value goes in and one comes out: that is what is looked at here.
    const bool is_meant = signature.inputs.size() == 1 && (signature.kind == FormulaKind::elementwise ||
                                                           op_of(signature.id) == "DynamicQuantizeLinear");
    if (!is_meant) continue;
    const bool is_elementwise = signature.kind == FormulaKind::elementwise;
    const Settings settings = settings_for(signature);
    Tally bits, closed, errors, ties, references, ends;
    std::size_t deciders = 0;
    for (const Type type : signature.inputs.front().types) {
      const Tensor all = elements_of(type);
      for (std::size_t i = 0; i < all.size(); ++i) {
        Tensor x(type, signature.parameter(Role::group_size) != nullptr ? Shape{1, 1} : Shape{1});
        x.set_bits(0, all.bits(i));
        const std::size_t index = is_elementwise ? 0 : i;
        const Inputs inputs{{std::string(signature.inputs.front().name), is_elementwise ? x : all}};
        std::optional<Evaluation> evaluation;
        try {
          evaluation = formula(inputs, settings);
        } catch (const RequestError&) {
          continue;  // a type of a later opset
        }
        const Json json = Json::parse(explanation_json(explain(formula, inputs, settings, index)));
        const auto what = [&] { return fmt::format("{} {}", name(type), decimal_text(type, all.bits(i))); };
        bits.expect(has_bits_of(json, *evaluation, index), what);
        closed.expect(is_closed(json), what);
        errors.expect(are_errors_exact(json), what);
        ties.expect(are_ties_exact(json), what);
        references.expect(are_references_right(json), what);
        ends.expect(ends_in_output(json), what);
        deciders += deciding(json) > 0 ? 1 : 0;
      }
    }
    INFO(signature.id);
    CHECK(bits.faults() == "");
    CHECK(closed.faults() == "");
    CHECK(errors.faults() == "");
    CHECK(ties.faults() == "");
    CHECK(references.faults() == "");
    CHECK(ends.faults() == "");
    CHECK(bits.checked() >= (is_floating(signature.inputs.front().types.front()) ? 10 : 4));
    CHECK(deciders >= 1);
  }
}

TEST_CASE("explain: of a program, an element has its own channel's results") {
  Tensor x(Type::float32, {2, 3});
  for (std::size_t i = 0; i < x.size(); ++i) x.set_real(i, static_cast<double>(i));
  const Settings settings{{"dtype", Written::scalar("qint8")}, {"qscheme", Written::scalar("per_channel_affine")}};
  const Explanation explanation = explain(formula("pytorch.PerChannelMinMaxObserver"), {{"x", x}}, settings, 5);
  REQUIRE(explanation.outputs.size() == 4);
  CHECK(explanation.outputs[0].name == "min_val");
  CHECK(decimal(explanation.outputs[0].number) == "3");
  CHECK(explanation.outputs[0].ideal == Exact(3));
  CHECK(decimal(explanation.outputs[1].number) == "5");
}

TEST_CASE("explain: a further input of a shape of its own") {
  Tensor a(Type::uint8, {2, 2});
  Tensor b(Type::int8, {2, 1});
  for (std::size_t i = 0; i < a.size(); ++i) a.set_integer(i, static_cast<std::int64_t>(i));
  const Explanation explanation = explain(formula("onnx.MatMulInteger"), {{"A", a}, {"B", b}}, {}, 3);
  REQUIRE(explanation.inputs.size() == 2);
  CHECK(decimal(*explanation.inputs[0].number) == "3");
  CHECK(decimal(*explanation.inputs[1].number) == "0");
}
