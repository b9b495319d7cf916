#include <algorithm>
#include <map>

#include "catch.hpp"
#include "interpreter/registry.hpp"
#include "tools/golden/digest.hpp"
#include "tools/golden/manifest.hpp"
#include "tools/golden/store.hpp"
#include "tools/npy.hpp"
#include "tools/temporary_folder.hpp"

namespace qassay {
namespace {

namespace fs = std::filesystem;
using testing::contains;
using testing::refusal;
using testing::TemporaryFolder;

constexpr std::string_view kCases = R"({"schema": "qassay-cases-1", "formula": "onnx.QuantizeLinear", "groups": [
  {"id": "ties", "why": "w", "set": {"y_scale": "0x1p-1"}, "tests": [
    {"x": "0x1p-2", "y": 0}, {"x": "nan", "y": "unspecified"}, {"x": 1, "y": {"either": [2, 3]}},
    {"x": 2, "y": {"between": [3, 5]}}]},
  {"id": "crossed", "why": "w", "set": {"y_scale": 1}, "each": {"output_dtype": ["uint8", "int8"], "y_zero_point": [0, 1]},
    "in": {"x": {"shape": [2, 2], "values": [1, 2, 300, 1.00000005960464477540]}}},
  {"id": "refused", "why": "w", "set": {"y_scale": 1, "y_zero_point": 256}, "expect": {"error": "zero_point_out_of_range"}},
  {"id": "large", "why": "w", "set": {"y_scale": "0x1p0:float16"},
    "in": {"x": {"type": "float16", "generate": "exhaustive"}}}]})";

constexpr std::string_view kOtherCases = R"({"schema": "qassay-cases-1", "formula": "onnx.DequantizeLinear", "groups": [
  {"id": "codes", "why": "w", "set": {"x_scale": 1}, "in": {"x": {"type": "int4", "generate": "exhaustive"}}}]})";

/// A workspace with these cases and a folder of goldens.
struct Goldens {
  TemporaryFolder folder;

  explicit Goldens(std::string_view cases = kCases) {
    folder.write("cases/q.json", cases);
    folder.write("cases/d.json", kOtherCases);
  }
  GoldenRequest request(std::string_view only = "") const {
    GoldenRequest request;
    request.folder = folder / "golden";
    request.cases = load_cases({folder / "cases"});
    request.is_everything = only.empty();
    if (!only.empty()) std::erase_if(request.cases, [&](const CaseSpec& spec) { return spec.formula->id() != only; });
    return request;
  }
  std::vector<std::string> damage(std::string_view only = "") const { return check_goldens(request(only)).damage; }
  fs::path file(std::string_view path) const { return folder / ("golden/" + std::string(path)); }
  JsonValue group(const std::string& id) const {
    const JsonValue formula = read_manifest(file("MANIFEST.json")).at("onnx/quantize_linear");
    for (const JsonValue& found : formula.at("groups").items) {
      if (found.at("group").text == id) return found;
    }
    FAIL("no group " << id);
    return {};
  }
  std::map<std::string, std::string> contents() const {
    std::map<std::string, std::string> all;
    for (const auto& entry : fs::recursive_directory_iterator(folder / "golden")) {
      if (entry.is_regular_file()) all.emplace(entry.path().string(), TemporaryFolder::read(entry.path()));
    }
    return all;
  }
};

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("golden: SHA-256 of the standard's examples", "[golden]") {
  CHECK(sha256("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(sha256("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST_CASE("golden: written goldens pass, and are written the same again", "[golden]") {
  const Goldens goldens;
  const Lines files{"onnx/dequantize_linear/x.int4.npy",  "onnx/dequantize_linear/y.float32.npy",
                    "onnx/quantize_linear/x.float32.npy", "onnx/quantize_linear/y.int8.npy",
                    "onnx/quantize_linear/y.uint8.npy",   "MANIFEST.json"};
  Lines missing;
  for (const std::string& file : files) missing.push_back("missing: " + file);
  CHECK(goldens.damage() == missing);
  const GoldenSummary first = write_goldens(goldens.request());
  CHECK(first.formulas == 2);
  CHECK(first.cases == 8);
  CHECK(first.written == files);
  CHECK(goldens.damage().empty());
  const auto before = goldens.contents();
  std::size_t bytes = 0;
  for (const auto& [path, content] : before) bytes += content.size();
  CHECK(first.bytes == bytes);
  CHECK(write_goldens(goldens.request()).written.empty());
  fs::remove_all(goldens.folder / "golden");
  write_goldens(goldens.request());
  CHECK(goldens.contents() == before);
}

TEST_CASE("golden: the manifest says where each tensor stands", "[golden]") {
  const Goldens goldens;
  write_goldens(goldens.request());
  const JsonValue formula = read_manifest(goldens.file("MANIFEST.json")).at("onnx/quantize_linear");
  CHECK(formula.at("formula").text == "onnx.QuantizeLinear");
  CHECK(formula.at("revision").text == "1");
  for (const JsonValue& file : formula.at("files").items) {
    const std::string content = TemporaryFolder::read(goldens.file("onnx/quantize_linear/" + file.at("name").text));
    CHECK(file.at("sha256").text == sha256(content));
  }
  const JsonValue group = goldens.group("crossed");
  CHECK(group.at("inputs_from").dump() == R"({"x": {"shape": [2, 2], "values": [1, 2, 300, 1.00000005960464477540]}})");
  REQUIRE(group.at("cases").items.size() == 4);
  const JsonValue& last = group.at("cases").items[3];
  CHECK(last.at("case").text == "onnx.QuantizeLinear/crossed[output_dtype=int8,y_zero_point=1]");
  CHECK(last.at("parameters").at("y_scale").dump() == R"({"type": "float32", "shape": [], "values": ["0x3f800000"]})");
  CHECK(last.at("parameters").at("y_zero_point").at("values").dump() == "[1]");
  CHECK(last.at("parameters").at("output_dtype").text == "int8");
  CHECK(last.at("parameters").at("saturate").dump() == "true");
  CHECK(last.at("parameters").at("opset").dump() == "21");
  CHECK(last.find("witnesses") == nullptr);

  // The four cases have one input, which is stored once, behind that of "ties"; int8 outputs are in a file of their
  // own.
  for (const JsonValue& made : group.at("cases").items) CHECK(made.at("inputs").at("x").at("first").text == "4");
  CHECK(last.at("outputs").at("y").at("file").text == "y.int8.npy");
  CHECK(last.at("outputs").at("y").at("first").text == "4");
  CHECK(last.at("outputs").at("y").at("shape").dump() == "[2, 2]");
  CHECK(read_npy(goldens.file("onnx/quantize_linear/x.float32.npy")).real(6) == 300);
  const Tensor y = read_npy(goldens.file("onnx/quantize_linear/y.int8.npy"));
  CHECK(y.shape() == Shape{8});
  CHECK(y.integer(5) == 3);
  CHECK(y.integer(6) == 127);
  CHECK(last.at("outputs").at("y").at("sha256").text == sha256(std::string("\2\3\x7f\2")));
}

TEST_CASE("golden: what is not one exact value", "[golden]") {
  const Goldens goldens;
  write_goldens(goldens.request());
  const JsonValue ties = goldens.group("ties").at("cases").items[0];
  CHECK(ties.at("outputs").at("y").at("unspecified").dump() == "[[1, 1]]");
  CHECK(ties.at("outputs").at("y").at("allowed").dump() ==
        R"([{"element": 2, "either": [2, 3]}, {"element": 3, "between": [3, 5]}])");
  CHECK(goldens.group("ties").at("inputs_from").text == "tests");
  const JsonValue refused = goldens.group("refused").at("cases").items[0];
  CHECK(refused.at("error").text == "zero_point_out_of_range");
  CHECK(refused.at("parameters").at("y_zero_point").text == "256");
  CHECK(refused.find("outputs") == nullptr);
}

TEST_CASE("golden: large tensors are digests of their blocks", "[golden]") {
  const Goldens goldens;
  write_goldens(goldens.request());
  const JsonValue large = goldens.group("large").at("cases").items[0];
  const JsonValue& x = large.at("inputs").at("x");
  CHECK(x.find("file") == nullptr);
  CHECK(x.at("type").text == "float16");
  REQUIRE(x.at("blocks").items.size() == 2);
  const Tensor all = load_cases({goldens.folder / "cases"}).back().materialise().inputs.at("x");
  CHECK(x.at("sha256").text == sha256(all.bytes()));
  CHECK(x.at("blocks").items[1].text == sha256(all.bytes().subspan(kGoldenBlockBytes)));
  CHECK(large.at("outputs").at("y").at("file").text == "y.uint8.npy");  // just small enough
}

TEST_CASE("golden: damage is found", "[golden]") {
  const Goldens goldens;
  write_goldens(goldens.request());
  const std::string other = "onnx.DequantizeLinear";
  const std::string path = "onnx/quantize_linear/y.uint8.npy";
  const fs::path y = goldens.file(path);
  const std::string content = TemporaryFolder::read(y);
  const std::string manifest = TemporaryFolder::read(goldens.file("MANIFEST.json"));

  SECTION("a missing file") {
    fs::remove(y);
    CHECK(goldens.damage() == Lines{"missing: " + path});
    CHECK(goldens.damage(other) == Lines{"missing: " + path});
  }
  SECTION("one changed bit") {
    std::string changed = content;
    changed.back() = static_cast<char>(changed.back() ^ 1);
    write_file(y, changed);
    CHECK(goldens.damage() == Lines{"changed: " + path + " (not what the interpreter computes)"});
    CHECK(goldens.damage(other) == Lines{"changed: " + path + " (not what MANIFEST.json says)"});
    CHECK(write_goldens(goldens.request()).written == Lines{path});
  }
  SECTION("left-over files") {
    const std::string temporary = "onnx/quantize_linear/.y.uint8.npy.7-0.tmp";
    const std::string unknown = "onnx/quantize_linear/z.uint8.npy";
    write_file(goldens.file(unknown), content);
    write_file(goldens.file(temporary), "half");
    write_file(goldens.file("notes.txt"), "mine");
    write_file(goldens.file("README.md"), "kept");
    CHECK(goldens.damage() == Lines{"left over: notes.txt", "left over: " + temporary, "left over: " + unknown});
    CHECK(write_goldens(goldens.request()).removed == Lines{temporary, unknown});
    CHECK(goldens.damage() == Lines{"left over: notes.txt"});  // not ours to remove
  }
  SECTION("no manifest") {
    fs::remove(goldens.file("MANIFEST.json"));
    CHECK(goldens.damage() == Lines{"missing: MANIFEST.json"});
    CHECK(write_goldens(goldens.request()).written == Lines{"MANIFEST.json"});
    CHECK(TemporaryFolder::read(goldens.file("MANIFEST.json")) == manifest);
  }
  SECTION("half a manifest") {
    write_file(goldens.file("MANIFEST.json"), manifest.substr(0, manifest.size() / 2));
    REQUIRE(goldens.damage().size() == 1);
    CHECK_THAT(goldens.damage().front(), contains("changed: MANIFEST.json (") && contains("parse error"));
  }
  SECTION("another layout of the manifest") {
    write_file(goldens.file("MANIFEST.json"), manifest + "\n");
    CHECK(goldens.damage() == Lines{"changed: MANIFEST.json (its layout)"});
  }
  SECTION("an edited manifest") {
    std::string edited = manifest;
    edited.replace(edited.find("\"opset\": 21", edited.find("/crossed[")), 11, "\"opset\": 19");
    write_file(goldens.file("MANIFEST.json"), edited);
    CHECK(goldens.damage() == Lines{"changed: onnx/quantize_linear in MANIFEST.json (first "
                                    "onnx.QuantizeLinear/crossed[output_dtype=uint8,y_zero_point=0])"});
    CHECK(goldens.damage(other).empty());
  }
}

TEST_CASE("golden: an interrupted write shows", "[golden]") {
  const Goldens goldens;
  write_goldens(goldens.request());
  const Goldens next(std::string(kCases).replace(kCases.find("300"), 3, "-40"));
  write_goldens(next.request());
  goldens.folder.write("cases/q.json", TemporaryFolder::read(next.folder / "cases/q.json"));
  // Every state in which some of the new files stand already, and the old manifest is still there.
  std::size_t changed = 0;
  for (const auto& [path, content] : next.contents()) {
    const fs::path old = goldens.file(fs::relative(path, next.folder / "golden").string());
    if (old.filename() == "MANIFEST.json" || TemporaryFolder::read(old) == content) continue;
    CHECK_FALSE(goldens.damage().empty());
    write_file(old, content);
    ++changed;
  }
  CHECK(changed == 3);
  CHECK(goldens.damage().size() == 1);
  CHECK_THAT(goldens.damage().front(), contains("changed: onnx/quantize_linear in MANIFEST.json"));
  CHECK(write_goldens(goldens.request()).written == Lines{"MANIFEST.json"});
  CHECK(goldens.damage().empty());
}

TEST_CASE("golden: one formula alone, and a formula that goes away", "[golden]") {
  const Goldens goldens;
  write_goldens(goldens.request("onnx.DequantizeLinear"));
  CHECK(goldens.damage("onnx.DequantizeLinear").empty());
  CHECK_FALSE(goldens.damage().empty());
  CHECK(write_goldens(goldens.request("onnx.QuantizeLinear")).removed.empty());
  CHECK(goldens.damage().empty());
  const auto whole = goldens.contents();
  CHECK(write_goldens(goldens.request("onnx.QuantizeLinear")).written.empty());
  CHECK(goldens.contents() == whole);

  fs::remove(goldens.folder / "cases/d.json");
  CHECK(goldens.damage() == Lines{"left over: onnx/dequantize_linear/x.int4.npy",
                                  "left over: onnx/dequantize_linear/y.float32.npy",
                                  "left over: onnx/dequantize_linear in MANIFEST.json"});
  CHECK(write_goldens(goldens.request()).removed.size() == 2);
  CHECK_FALSE(fs::exists(goldens.file("onnx/dequantize_linear")));
  CHECK(goldens.damage().empty());
}

TEST_CASE("golden: changed outputs need a new revision", "[golden]") {
  const Goldens goldens;
  write_goldens(goldens.request());
  const fs::path manifest = goldens.file("MANIFEST.json");
  // As if the formula had given something else when these goldens were written.
  std::string text = TemporaryFolder::read(manifest);
  const std::string digest = sha256(std::string("\2\3\x7f\2"));
  REQUIRE(text.find(digest) != std::string::npos);
  text.replace(text.find(digest), digest.size(), sha256("something else"));
  write_file(manifest, text);
  CHECK_THAT(refusal([&] { write_goldens(goldens.request()); }),
             contains("the outputs of 1 cases changed") &&
                 contains("onnx.QuantizeLinear/crossed[output_dtype=int8,y_zero_point=1]") && contains("revision"));
  CHECK(TemporaryFolder::read(manifest) == text);
  text.replace(text.rfind("\"revision\": 1"), 13, "\"revision\": 7");  // QuantizeLinear's, behind DequantizeLinear's
  write_file(manifest, text);
  CHECK(write_goldens(goldens.request()).written == Lines{"MANIFEST.json"});
}

TEST_CASE("golden: witnesses are merged by case", "[golden]") {
  const Goldens goldens;
  goldens.folder.write("golden/witnesses.json", R"({"onnxruntime 1.32.0": ["onnx.QuantizeLinear/ties"],
      "mine 2": ["onnx.QuantizeLinear/ties", "onnx.QuantizeLinear/large"]})");
  write_goldens(goldens.request());
  CHECK(goldens.group("ties").at("cases").items[0].at("witnesses").dump() == R"(["mine 2", "onnxruntime 1.32.0"])");
  CHECK(goldens.damage().empty());
  goldens.folder.write("golden/witnesses.json", R"({"mine 2": ["onnx.QuantizeLinear/gone"]})");
  const Lines damage = goldens.damage();
  CHECK(std::ranges::count(damage, "left over: case onnx.QuantizeLinear/gone in witnesses.json") == 1);
  CHECK(std::ranges::count(damage, "changed: onnx/quantize_linear in MANIFEST.json (first onnx.QuantizeLinear/ties)") ==
        1);
  goldens.folder.write("golden/witnesses.json", "[]");
  CHECK_THAT(refusal([&] { goldens.damage(); }), contains("witnesses.json") && contains("expected"));
}

TEST_CASE("golden: a folder with other files is left alone", "[golden]") {
  const Goldens goldens;
  goldens.folder.write("golden/thesis.txt", "precious");
  CHECK_THAT(refusal([&] { write_goldens(goldens.request()); }), contains("thesis.txt") && contains("empty folder"));
  CHECK(goldens.contents().size() == 1);
}

TEST_CASE("golden: the folder has a limit", "[golden]") {
  std::string many = R"({"schema": "qassay-cases-1", "formula": "onnx.QuantizeLinear", "groups": [)";
  for (int i = 0; i < 300; ++i) {
    many +=
        (i > 0 ? "," : "") + (R"({"id": "g)" + std::to_string(i)) +
        R"(", "why": "w", "set": {"y_scale": 1}, "in": {"x": {"shape": [16000], "generate": {"random": {"count": 16000, "seed": )" +
        std::to_string(i) + "}}}}}";
  }
  const Goldens goldens(many + "]}");
  CHECK_THAT(refusal([&] { write_goldens(goldens.request()); }), contains("more than 20000000"));
  CHECK_FALSE(fs::exists(goldens.folder / "golden"));
}

}  // namespace qassay
