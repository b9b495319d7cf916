#include "tools/cases.hpp"
#include "tools/json_document.hpp"

#include <set>

#include "catch.hpp"
#include "interpreter/registry.hpp"
#include "tools/temporary_folder.hpp"

namespace qassay {
namespace {

using testing::contains;
using testing::refusal;
using testing::TemporaryFolder;

/// A case file with these groups.
std::string file_of(const std::string& groups, const std::string& formula = "onnx.QuantizeLinear") {
  return R"({"schema": "qassay-cases-1", "formula": ")" + formula + R"(", "groups": [)" + groups + "]}";
}

/// A group with these further members.
std::string group(const std::string& members, const std::string& id = "g") {
  return R"({"id": ")" + id + R"(", "why": "because", )" + members + "}";
}

std::vector<CaseSpec> load(const std::string& content) {
  const TemporaryFolder folder;
  return load_cases({folder.write("cases.json", content)});
}

std::string loading(const std::string& content) {
  return refusal([&] { load(content); });
}

/// The first case of one group.
Case made(const std::string& members, const std::string& formula = "onnx.QuantizeLinear") {
  return load(file_of(group(members), formula)).front().materialise();
}

std::string making(const std::string& members, const std::string& formula = "onnx.QuantizeLinear") {
  return refusal([&] { made(members, formula); });
}

const std::string kScale = R"("set": {"y_scale": "0x1p-1"}, )";

}  // namespace

TEST_CASE("cases: tests are stacked into one tensor with what they expect", "[cases]") {
  const Case c = made(kScale + R"("tests": [
      {"x": "0x1p-2", "y": 0}, {"x": 0.75, "y": 2}, {"x": "nan", "y": "unspecified"},
      {"x": "inf", "y": {"either": [255, 127]}}, {"x": 3, "y": {"between": [5, "7"]}}])");
  CHECK(c.inputs.at("x").shape() == Shape{5});
  CHECK(c.inputs.at("x").real(1) == 0.75);
  const ExpectedOutput& y = c.expectation.outputs.at("y");
  CHECK(y.values.type() == Type::uint8);
  CHECK(y.values.integer(1) == 2);
  CHECK(y.unspecified == std::vector<std::uint8_t>{0, 0, 1, 0, 0});
  CHECK(y.freedoms.at(3).either == std::vector<std::uint64_t>{255, 127});
  CHECK(y.freedoms.at(4).between == std::pair<std::uint64_t, std::uint64_t>{5, 7});
  CHECK(y.freedoms.size() == 2);
  CHECK(c.arguments.has_value());
}

TEST_CASE("cases: a formula without inputs is tested by its parameters", "[cases]") {
  const std::string id = "pytorch.ChooseQuantizationParams";
  const std::string codes = R"("set": {"qmin": 0, "qmax": 255)";
  const Case rows = made(codes + R"(}, "tests": [{"min": "-0x1p+7", "max": 127, "scale": 1, "zero_point": 128},
      {"min": 0, "max": "0x1.fep+7", "scale": "0x1p+0"}])",
                         id);
  CHECK(rows.inputs.empty());
  CHECK(rows.arguments->shape == Shape{2});
  CHECK(rows.arguments->real(Role::maximum, {1}) == 255);
  CHECK(rows.expectation.outputs.at("zero_point").values.integer(1) == 0);
  const std::string bare = codes + R"(, "min": ["-0x1p+7", 0], "max": [127, 255]})";
  CHECK(made(bare, id).expectation.outputs.at("scale").values.real(1) == 1);
  CHECK(making(bare + R"(, "out": {"scale": [1, 1]})", id).empty());
  CHECK(load(file_of(group(bare), id)).front().generators() == "\"none\"");
  CHECK(making(R"("set": {"qmin": 0}, "expect": {"error": "missing_parameter"})", id).empty());
  CHECK_THAT(making(codes + R"(}, "tests": [{"min": 0, "max": 1, "scale": 1}])", id),
             contains("element 0: the case states 0x1p+0"));
  CHECK_THAT(
      loading(file_of(group(codes + R"(}, "tests": [{"min": 0, "max": 1, "scale": 1}, {"min": 0, "scale": 1}])"), id)),
      contains("/groups/0/tests/1: the key 'max' is missing"));
  CHECK_THAT(loading(file_of(group(bare + R"(, "tests": [{"min": 0, "scale": 1}])"), id)),
             contains("/groups/0/tests/0/min") && contains("stands in \"set\" or \"each\" too"));
  CHECK_THAT(loading(file_of(group(codes + R"(}, "tests": [{"qmin": 0, "scale": 1}])"), id)),
             contains("/groups/0/tests/0/qmin") && contains("no output 'qmin'"));
}

TEST_CASE("cases: what the specification leaves open is unspecified without being said", "[cases]") {
  const Case c = made(kScale + R"("in": {"x": {"values": ["nan", 1]}})");
  CHECK(c.expectation.outputs.at("y").unspecified == std::vector<std::uint8_t>{1, 0});
  CHECK(made(kScale + R"("in": {"x": {"values": [1]}})").expectation.outputs.at("y").unspecified.empty());
}

TEST_CASE("cases: names, crossed values and lengths", "[cases]") {
  const auto cases = load(file_of(group(R"("each": {"y_scale": ["0x1p-1", 0.1], "y_zero_point": [0, 3]},
      "lengths": {"from": 1, "to": 2}, "in": {"x": {"generate": "special"}})")));
  std::vector<std::string> names;
  for (const CaseSpec& c : cases) names.push_back(c.name);
  CHECK(names == std::vector<std::string>{"onnx.QuantizeLinear/g[y_scale=0x1p-1,y_zero_point=0,length=1]",
                                          "onnx.QuantizeLinear/g[y_scale=0x1p-1,y_zero_point=0,length=2]",
                                          "onnx.QuantizeLinear/g[y_scale=0x1p-1,y_zero_point=3,length=1]",
                                          "onnx.QuantizeLinear/g[y_scale=0x1p-1,y_zero_point=3,length=2]",
                                          "onnx.QuantizeLinear/g[y_scale=0.1,y_zero_point=0,length=1]",
                                          "onnx.QuantizeLinear/g[y_scale=0.1,y_zero_point=0,length=2]",
                                          "onnx.QuantizeLinear/g[y_scale=0.1,y_zero_point=3,length=1]",
                                          "onnx.QuantizeLinear/g[y_scale=0.1,y_zero_point=3,length=2]"});
  CHECK(cases[7].materialise().inputs.at("x").shape() == Shape{2});
  CHECK(cases[7].materialise().arguments->integer(Role::zero_point, {}) == 3);
}

TEST_CASE("cases: decimals are rounded once, from their text", "[cases]") {
  // The nearest float32 of this decimal is 1 + 2^-23; a double in between is a tie, and would round to 1.
  const std::string decimal = "1.00000005960464477540";
  const Case c = made(R"("set": {"y_scale": )" + decimal + R"(}, "in": {"x": {"values": [)" + decimal + "]}}");
  CHECK(c.arguments->real(Role::scale, {}) == 1 + 0x1p-23);
  CHECK(c.inputs.at("x").real(0) == 1 + 0x1p-23);
}

TEST_CASE("cases: types after a colon and in tensors", "[cases]") {
  const Case half = made(R"("set": {"y_scale": "0x1.998p-4:float16"}, "tests": [
      {"x": "0x1p-4:float16", "y": 1}, {"x": "0x1p-3", "y": 1}])");
  CHECK(half.inputs.at("x").type() == Type::float16);
  CHECK(half.arguments->own_type(Role::scale) == Type::float16);
  const Case vector = made(R"("set": {"y_scale": {"type": "float32", "shape": [2], "values": [1, "0x1p+1"]}, "axis": 0},
      "in": {"x": {"type": "float32", "shape": [2, 2], "values": [4, 6, 4, 6]}},
      "out": {"y": {"type": "uint8", "shape": [2, 2], "values": [4, 6, 2, 3]}})");
  CHECK(vector.inputs.at("x").shape() == Shape{2, 2});
  CHECK_THAT(loading(file_of(group(kScale + R"("tests": [{"x": "1:float16", "y": 2}, {"x": "1:float32", "y": 2}])"))),
             contains("/groups/0/tests/1/x") && contains("one type a group"));
}

TEST_CASE("cases: stated values guard the interpreter", "[cases]") {
  CHECK_THAT(making(kScale + R"("tests": [{"x": 1, "y": 2}, {"x": 1, "y": 3}])"),
             contains("bad_file: ") && contains("/groups/0") && contains("onnx.QuantizeLinear/g") &&
                 contains("element 1: the case states 3, but the formula computes 2"));
  CHECK_THAT(making(kScale + R"("tests": [{"x": 1, "y": {"either": [3, 4]}}])"),
             contains("allows 3, 4, but the formula computes 2"));
  CHECK_THAT(making(kScale + R"("tests": [{"x": 1, "y": {"between": [3, 4]}}])"), contains("computes 2"));
  CHECK_THAT(making(kScale + R"("tests": [{"x": 1, "y": {"between": [4, 1]}}])"), contains("wrong way round"));
  CHECK_THAT(making(kScale + R"("tests": [{"x": "nan", "y": 0}])"), contains("leaves this element open"));
  CHECK_THAT(making(kScale + R"("tests": [{"x": 1, "y": 256}])"), contains("256") && contains("is not in [0, 255]"));
  CHECK_THAT(making(kScale + R"("in": {"x": {"values": [1, 2]}}, "out": {"y": [2]})"),
             contains("states 1 elements, but the formula gives 2"));
  CHECK_THAT(making(kScale + R"("in": {"x": {"values": [1]}}, "out": {"y": {"type": "int8", "values": [2]}})"),
             contains("states int8, but the formula gives uint8"));
  CHECK_THAT(making(kScale + R"("in": {"x": {"values": [1]}}, "out": {"y": {"shape": [1, 1], "values": [2]}})"),
             contains("the shape [1, 1], but the formula gives [1]"));
  const std::string dequantize = R"("set": {"x_scale": "0x1.99999ap-4"}, )";
  CHECK(making(dequantize + R"("tests": [{"x": 3, "y": "0x1.333334p-2"}])", "onnx.DequantizeLinear").empty());
  CHECK_THAT(making(dequantize + R"("tests": [{"x": 0, "y": "-0"}])", "onnx.DequantizeLinear"),
             contains("states -0 (-0), but the formula computes 0 (0)"));
  CHECK_THAT(making(dequantize + R"("tests": [{"x": 3, "y": "0x1.3333333p-2"}])", "onnx.DequantizeLinear"),
             contains("is no float32 value"));
}

TEST_CASE("cases: an output may be unspecified as a whole", "[cases]") {
  const Case c = made(kScale + R"("in": {"x": {"values": [1, 2]}}, "out": {"y": "unspecified"})");
  CHECK(c.expectation.outputs.at("y").unspecified == std::vector<std::uint8_t>{1, 1});
}

TEST_CASE("cases: expected errors", "[cases]") {
  const auto expecting = [](const std::string& members, const std::string& kind) {
    return members + R"("expect": {"error": ")" + kind + R"("})";
  };
  CHECK(made(expecting("", "missing_parameter")).expectation.error == ErrorKind::missing_parameter);
  CHECK_FALSE(made(expecting("", "missing_parameter")).arguments.has_value());
  CHECK(making(expecting(R"("set": {"y_scale": 1, "y_zero_point": 256}, )", "zero_point_out_of_range")).empty());
  CHECK(making(expecting(R"("set": {"y_scale": 1, "zero": 0}, )", "unknown_parameter")).empty());
  CHECK(making(expecting(
                   R"("set": {"y_scale": [1, 2], "axis": 7}, "in": {"x": {"shape": [2, 2], "values": [1, 2, 3, 4]}}, )",
                   "axis_out_of_range"))
            .empty());
  CHECK_THAT(making(expecting(kScale, "wrong_type")), contains("the formula accepts these parameters"));
  CHECK_THAT(making(expecting("", "wrong_type")),
             contains("expects the error wrong_type, but the formula refuses with missing_parameter"));
  CHECK_THAT(loading(file_of(group(expecting("", "wrong_typ")))), contains("did you mean 'wrong_type'?"));
  CHECK_THAT(loading(file_of(group(expecting("", "bad_file")))), contains("no error 'bad_file'"));
  CHECK_THAT(loading(file_of(group(expecting(R"("in": {"x": {"generate": "boundary"}}, )", "wrong_type")))),
             contains("which must refuse here"));
  CHECK_THAT(loading(file_of(group(expecting(R"("tests": [{"x": 1, "y": 1}], )", "wrong_type")))),
             contains("/groups/0/tests"));
}

TEST_CASE("cases: every mistake in a file is named with its place", "[cases]") {
  struct Mistake {
    std::string content;
    std::string place;
    std::string message;
  };
  const std::string tests = R"("tests": [{"x": 1, "y": 2}])";
  const std::vector<Mistake> mistakes{
      {"{", "cases.json: parse error at line 1", ""},
      {"", "cases.json: ", "parse error"},
      {"[]", ": /: ", "found a list, expected an object"},
      {R"({"schema": "qassay-cases-1", "formula": "onnx.QuantizeLinear"})", ": /: ", "'groups' is missing"},
      {R"({"schema": "qassay-cases-2", "formula": "onnx.QuantizeLinear", "groups": []})", "/schema",
       "expected 'qassay-cases-1'"},
      {file_of(""), "/groups: ", "is empty"},
      {file_of(group(tests), "onnx.QuantiseLinear"), "/formula", "did you mean 'onnx.QuantizeLinear'"},
      {R"({"schema": "qassay-cases-1", "formulas": "x", "groups": []})", "/formulas", "did you mean 'formula'?"},
      {file_of(R"({"id": "g", ")" + tests.substr(1) + "}"), "/groups/0: ", "'why' is missing"},
      {file_of(R"({"id": "g", "why": "", )" + tests + "}"), "/groups/0/why", "is empty"},
      {file_of(group(tests, "G h")), "/groups/0/id", "expected small letters"},
      {file_of(group(tests, "../h")), "/groups/0/id", "expected small letters"},
      {file_of(group(kScale + tests) + "," + group(kScale + tests)), "/groups/1/id", "two groups have the id 'g'"},
      {file_of(group(tests + R"(, "lenghts": {})")), "/groups/0/lenghts", "did you mean 'lengths'?"},
      {file_of(group(tests + R"(, "why": "again")")), "cases.json: ", "the key 'why' is given twice"},
      {file_of(group(R"("set": {"y_scal": 1}, )" + tests)), "/groups/0/set/y_scal", "did you mean 'y_scale'?"},
      {file_of(group(R"("set": {"y_scale": "0.1"}, )" + tests)), "/groups/0/set/y_scale", "'0.1' is not exact"},
      {file_of(group(R"("set": {"y_scale": "1e3"}, )" + tests)), "/groups/0/set/y_scale", "or a JSON number"},
      {file_of(group(R"("set": {"y_scale": ["0x1p0", "0x1q0"]}, )" + tests)), "/groups/0/set/y_scale/1",
       "is not exact"},
      {file_of(group(R"("set": {"y_scale": "0x1p0:float17"}, )" + tests)), "/groups/0/set/y_scale",
       "'float17' is no type"},
      {file_of(group(R"("set": {"y_scale": null}, )" + tests)), "/groups/0/set/y_scale", ""},
      {file_of(group(R"("set": {"y_scale": {"value": [1]}}, )" + tests)), "/groups/0/set/y_scale/value",
       "did you mean 'values'?"},
      {file_of(group(R"("set": {"y_scale": 1}, "each": {"y_scale": [2]}, )" + tests)), "/each/y_scale",
       "stands in \"set\" too"},
      {file_of(group(R"("each": {"y_scale": []}, )" + tests)), "/groups/0/each/y_scale", "is empty"},
      {file_of(group(R"("each": {"y_scale": [1, 1]}, )" + tests)), "/groups/0", "names must be unique"},
      {file_of(group(kScale.substr(0, kScale.size() - 2))), "/groups/0: ", "has no inputs"},
      {file_of(group(tests + R"(, "in": {})")), "/groups/0/tests", "either \"tests\" or \"in\""},
      {file_of(group(R"("tests": [])")), "/groups/0/tests", "is empty"},
      {file_of(group(R"("tests": [{"x": 1}])")), "/groups/0/tests/0", "states no output"},
      {file_of(group(R"("tests": [{"y": 1}])")), "/groups/0/tests/0", "'x' is missing"},
      {file_of(group(R"("tests": [{"x": 1, "y": 1, "z": 1}])")), "/groups/0/tests/0/z", "no output 'z'"},
      {file_of(group(R"("tests": [{"x": "0.1", "y": 1}])")), "/groups/0/tests/0/x", "is not exact"},
      {file_of(group(R"("tests": [{"x": "0x1.0000001p+0", "y": 1}])")), "/groups/0/tests/0/x", "is no float32 value"},
      {file_of(group(R"("tests": [{"x": "16777217", "y": 1}])")), "/groups/0/tests/0/x", "is no float32 value"},
      {file_of(group(R"("tests": [{"x": "0x1p+200", "y": 1}])")), "/groups/0/tests/0/x", "is no float32 value"},
      {file_of(group(R"("tests": [{"x": "bits:0x123456789", "y": 1}])")), "/groups/0/tests/0/x", "more than 32 bits"},
      {file_of(group(R"("tests": [{"x": -0, "y": 1}])")), "line 1", "write the string \"-0\""},
      {file_of(group(R"("tests": [{"x": 1, "y": 0.5}])")), "/groups/0/tests/0/y",
       "the decimal 0.5 is no exact expectation"},
      {file_of(group(R"("tests": [{"x": 1, "y": 1e2}])")), "/groups/0/tests/0/y", "no exact expectation"},
      {file_of(group(R"("tests": [{"x": 1, "y": "0.5"}])")), "/groups/0/tests/0/y", "is not exact"},
      {file_of(group(R"("tests": [{"x": 1, "y": "unspecifed"}])")), "/groups/0/tests/0/y", "is not exact"},
      {file_of(group(R"("tests": [{"x": 1, "y": {"either": [1]}}])")), "/groups/0/tests/0/y/either",
       "two values or more"},
      {file_of(group(R"("tests": [{"x": 1, "y": {"between": [1, 2, 3]}}])")), "/y/between",
       "expected [lowest, highest]"},
      {file_of(group(R"("tests": [{"x": 1, "y": {"either": [1, 2], "between": [1, 2]}}])")), "/tests/0/y",
       "expected one of"},
      {file_of(group(R"("in": {"y": {"values": [1]}})")), "/groups/0/in/y", "no input 'y'"},
      {file_of(group(R"("in": {})")), "/groups/0/in", "'x' is missing"},
      {file_of(group(R"("in": {"x": {}})")), "/groups/0/in/x", "either \"values\" or \"generate\""},
      {file_of(group(R"("in": {"x": {"type": "float33", "values": [1]}})")), "/in/x/type", "did you mean 'float32'"},
      {file_of(group(R"("in": {"x": {"shape": [3], "values": [1]}})")), "/in/x/values", "1 values for the shape [3]"},
      {file_of(group(R"("in": {"x": {"shape": [-1], "values": [1]}})")), "/in/x/shape/0", "expected an integer from 0"},
      {file_of(group(R"("in": {"x": {"values": ["1:float16"]}})")), "/in/x/values/0", "has no place in a list"},
      {file_of(group(R"("in": {"x": {"generate": "boundry"}})")), "/in/x/generate", "did you mean 'boundary'?"},
      {file_of(group(R"("in": {"x": {"generate": []}})")), "/in/x/generate", "is empty"},
      {file_of(group(R"("in": {"x": {"generate": {"random": {"count": 5}}}})")), "/generate/random",
       "'seed' is missing"},
      {file_of(group(R"("in": {"x": {"generate": {"random": {"count": 1.5, "seed": 1}}}})")), "/random/count",
       "found 1.5"},
      {file_of(group(R"("in": {"x": {"generate": {"stride": {"step": 0, "offset": 0}}}})")), "/stride/step", "from 1"},
      {file_of(group(R"("in": {"x": {"generate": {"boundary": {"codes": 0}}}})")), "/boundary/codes", "from 1"},
      {file_of(group(R"("in": {"x": {"generate": {"values": []}}})")), "/generate/values", "is empty"},
      {file_of(group(R"("lengths": {"from": 3, "to": 2}, "in": {"x": {"generate": "special"}})")), "/lengths/to",
       "from 3"},
      {file_of(group(R"("lengths": {"from": 1, "to": 2}, "in": {"x": {"values": [1]}})")), "/groups/0/lengths",
       "need generators"},
      {file_of(group(R"("lengths": {"from": 1, "to": 2}, "in": {"x": {"shape": [4], "generate": "special"}})")),
       "/groups/0/lengths", "need generators"},
      {file_of(group(tests + R"(, "out": {"y": [1]})")), "/groups/0/out", "state the outputs already"},
      {file_of(group(R"("in": {"x": {"values": [1]}}, "out": {"z": [1]})")), "/groups/0/out/z", "no output 'z'"},
      {file_of(group(tests + R"(, "traps": ["a", "a"])")), "/groups/0/traps/1", "is named twice"},
  };
  for (const Mistake& mistake : mistakes) {
    CAPTURE(mistake.content);
    const std::string refused = loading(mistake.content);
    CHECK_THAT(refused, contains("bad_file: ") && contains("cases.json") && contains(mistake.place));
    CHECK_THAT(refused, contains(mistake.message));
  }
}

TEST_CASE("cases: what only shows with the formula is named with the case", "[cases]") {
  const std::string tests = R"("tests": [{"x": 1, "y": 2}])";
  CHECK_THAT(making(R"("set": {"y_scale": "0x1.99999999p-4"}, )" + tests),
             contains("bad_value: ") && contains("/groups/0: onnx.QuantizeLinear/g: y_scale:") &&
                 contains("is no float32 value; the nearest is 0x1.99999ap-4"));
  CHECK_THAT(making(R"("set": {"y_scale": 1, "y_zero_point": 300}, )" + tests),
             contains("zero_point_out_of_range: ") && contains("onnx.QuantizeLinear/g"));
  CHECK_THAT(
      making(
          R"("set": {"y_scale": 0}, "in": {"x": {"type": "float16", "generate": {"stride": {"step": 1, "offset": 99999}}}})"),
      contains("stride: from 99999"));
  CHECK_THAT(making(kScale + R"("in": {"x": {"generate": "exhaustive"}})"), contains("float32 has too many values"));
}

TEST_CASE("cases: folders are searched, schemas and traps are not cases", "[cases]") {
  const TemporaryFolder folder;
  const std::string tests = kScale + R"("tests": [{"x": 1, "y": 2}])";
  folder.write("b/second.json", file_of(group(tests, "two")));
  folder.write("a/first.json", file_of(group(tests + R"(, "traps": ["ties_away"])", "one")));
  folder.write("schema/cases.schema.json", "{}");
  folder.write("notes.txt", "none of these");
  const auto cases = load_cases({folder.path()});
  REQUIRE(cases.size() == 2);
  CHECK(cases[0].name == "onnx.QuantizeLinear/one");
  CHECK(cases[1].group_id() == "two");
  CHECK(cases[0].traps() == std::vector<std::string>{"ties_away"});

  const std::string trap = R"({"name": "ties_away", "title": "t", "wrong": "w", "cost": "c", "reports": ["a/b#1"]})";
  folder.write("traps.json", R"({"schema": "qassay-traps-1", "traps": [)" + trap + "]}");
  CHECK(load_cases({folder.path()}).size() == 2);
  CHECK(load_traps(folder / "traps.json").at("ties_away").reports == std::vector<std::string>{"a/b#1"});
  folder.write("b/second.json", file_of(group(tests + R"(, "traps": ["ties_awy"])", "two")));
  CHECK_THAT(refusal([&] { load_cases({folder.path()}); }),
             contains("second.json: /groups/0/traps/0") && contains("did you mean 'ties_away'?"));
  folder.write("b/second.json", file_of(group(tests, "one")));
  CHECK_THAT(refusal([&] { load_cases({folder.path()}); }), contains("names must be unique"));
  CHECK_THAT(refusal([&] { load_cases({folder / "schema"}); }), contains("cases.schema.json"));
  CHECK_THAT(refusal([&] { load_cases({folder / "none"}); }), contains("neither a case file nor a folder"));

  folder.write("traps.json", R"({"schema": "qassay-traps-1", "traps": [)" + trap + "," + trap + "]}");
  CHECK_THAT(refusal([&] { load_traps(folder / "traps.json"); }), contains("/traps/1/name") && contains("twice"));
  folder.write("traps.json", R"({"schema": "qassay-traps-1", "traps": [{"name": "x"}]})");
  CHECK_THAT(refusal([&] { load_traps(folder / "traps.json"); }), contains("/traps/0: the key 'title' is missing"));
}

TEST_CASE("cases: a formula's file", "[cases]") {
  CHECK(case_file_of("onnx.QuantizeLinear") == "onnx/quantize_linear.json");
  CHECK(case_file_of("onnx.QLinearMatMul") == "onnx/q_linear_mat_mul.json");
  CHECK(case_file_of("tosa.RESCALE") == "tosa/rescale.json");
  CHECK(case_file_of("pytorch.fake_quantize_per_tensor_affine") == "pytorch/fake_quantize_per_tensor_affine.json");
  CHECK(case_file_of("pytorch.quantize_per_tensor@2.13") == "pytorch/quantize_per_tensor@2.13.json");
  std::set<std::string> files;
  for (const Formula& formula : all_formulas()) files.insert(case_file_of(formula.id()).string());
  CHECK(files.size() == all_formulas().size());
}

}  // namespace qassay

TEST_CASE("an exponent may begin with a zero, a number may not be a negative one") {
  CHECK(qassay::parse_json("[1e-05, 2E-07]", "f").items.at(0).text == "1e-05");
  CHECK_THROWS_AS(qassay::parse_json("[-0]", "f"), qassay::RequestError);
}
