#include "catch.hpp"
#include "interpreter/registry.hpp"
#include "tools/harness/known_differences.hpp"
#include "tools/harness/temporary_folder.hpp"
#include "tools/harness/translation.hpp"
#include "tools/npy.hpp"

using namespace qassay;
using testing::contains;

namespace {

/// x / scale is a tie at most of these, and far beyond int32 at the last.
Inputs awkward_inputs() {
  Tensor x(Type::float32, {4});
  for (const auto& [i, value] : {std::pair<std::size_t, double>{0, 0.25}, {1, 0.75}, {2, 1.25}, {3, 1e30}})
    x.set_real(i, value);
  return {{"x", std::move(x)}};
}

const Settings kSettings{{"y_scale", Written::parse("0.5")}, {"output_dtype", Written::parse("int8")}};

std::vector<Tensor> outputs_of(const char* id) {
  const Formula& evaluated = formula(id);
  return {evaluated(awkward_inputs(), kSettings).outputs.at("y")};
}

std::string load(const std::string& text, const Processor& processor = {}) {
  const TemporaryFolder folder;
  write_file(folder.path() / "known.json", text);
  try {
    std::string found;
    for (const KnownDifference& entry : load_known_differences(folder.path() / "known.json", processor))
      found += entry.cases + "|" + entry.cause_text() + "|" + entry.why + "|" + entry.upstream + ";";
    return found;
  } catch (const RequestError& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("globs know * and ? and nothing else") {
  CHECK(matches_glob("onnx.QuantizeLinear/*", "onnx.QuantizeLinear/ties[y_scale=0x1p-1]"));
  CHECK(matches_glob("*/ties[y_scale=*]", "onnx.QuantizeLinear/ties[y_scale=0x1p-1]"));
  CHECK(matches_glob("a*b*c", "aXbYbZc"));
  CHECK(matches_glob("a?c", "abc"));
  CHECK(matches_glob("**", ""));
  CHECK_FALSE(matches_glob("a?c", "ac"));
  CHECK_FALSE(matches_glob("ties[ab]", "tiesa"));
  CHECK_FALSE(matches_glob("a*b", "abc"));
  CHECK_FALSE(matches_glob("", "a"));
}

TEST_CASE("entries are read, and refused with their place") {
  CHECK(load(R"([{"cases": "a/*", "cause": "onnx.QuantizeLinear", "why": "w", "upstream": "o/r#1"}])") ==
        "a/*|onnx.QuantizeLinear|w|o/r#1;");
  CHECK(load(R"([{"cases": "a/*", "crash": "SIGILL", "why": "w"}])") == "a/*|the process dies by SIGILL|w|;");
  CHECK_THAT(load(R"([{"cases": "a", "cause": "onnx.QuantizeLinear", "crash": "SIGILL", "why": "w"}])"),
             contains("one of cause, crash and accepts"));
  CHECK(load("[]").empty());
  CHECK_THAT(load("{}"), contains("expected a JSON list"));
  CHECK_THAT(load("[{"), contains("expected a JSON list"));
  CHECK_THAT(load(R"([{"cases": "a", "cause": "onnx.QuantiseLinear", "why": "w"}])"),
             contains("/0") && contains("QuantizeLinear"));
  CHECK_THAT(load(R"([{"cases": "a", "cause": "onnx.QuantizeLinear"}])"),
             contains("needs cases, why, and one of cause, crash and accepts"));
  CHECK_THAT(load(R"([{"cases": "a", "cause": "onnx.QuantizeLinear", "why": "w", "until": "x"}])"),
             contains("unknown key 'until'"));
  CHECK_THAT(load(R"([{"cases": 3, "cause": "onnx.QuantizeLinear", "why": "w"}])"), contains("/0"));
}

TEST_CASE("an entry may set parameters of its cause") {
  const std::string entry =
      R"([{"cases": "a", "cause": "openvino_cpu.QuantizeLinear", "set": {"NAME": "jit"}, "why": "w"}])";
  const auto with = [&](const std::string& name) { return std::string(entry).replace(entry.find("NAME"), 4, name); };
  CHECK_THAT(load(with("node")), contains("with node=jit"));
  CHECK_THAT(load(with("knot")), contains("/0") && contains("no parameter 'knot'"));

  const Variant cause(formula("openvino_cpu.QuantizeLinear"), {{"node", Written::scalar("jit")}});
  CHECK(cause.text() == "openvino_cpu.QuantizeLinear with node=jit");
  const Signature& asked = *formula("onnx.QuantizeLinear").signature;
  const Inputs nan{{"x", Tensor::uncleared(Type::float32, {1})}};
  Inputs inputs = nan;
  inputs.at("x").set_real(0, std::nan(""));
  const Settings settings{{"y_scale", Written::parse("0.5")}, {"output_dtype", Written::scalar("uint8")}};
  Tensor highest(Type::uint8, {1});
  highest.set_integer(0, 255);
  CHECK(reproduces(cause, asked, settings, inputs, {highest}));
  CHECK_FALSE(reproduces(formula("openvino_cpu.QuantizeLinear"), asked, settings, inputs, {highest}));
}

TEST_CASE("variants: every word of the choices that were not asked for, the defaults first") {
  const Signature& asked = *formula("onnx.QuantizeLinear").signature;
  const std::vector<Variant> variants = variants_of(formula("openvino_cpu.QuantizeLinear"), asked);
  REQUIRE(variants.size() == 8);
  CHECK(variants.front().text() == "openvino_cpu.QuantizeLinear with lp_transforms_mode=no node=snippets");
  CHECK(variants_of(formula("onnx.QuantizeLinear"), asked).size() == 1);
}

TEST_CASE("an entry may hold on some processors only") {
  const std::string entry = R"([{"cases": "a", "cause": "onnx.QuantizeLinear", "why": "w", "processor": "avx512f"}])";
  CHECK(load(entry).empty());
  CHECK_FALSE(load(entry, Processor{"", {"avx2", "avx512f"}}).empty());
}

TEST_CASE("no file is no known difference") {
  CHECK(load_known_differences("/no/such/file.json", {}).empty());
}

TEST_CASE("a cause must reproduce every element") {
  const Formula& cause = formula("onnx_reference.QuantizeLinear");
  const Signature& asked = *formula("onnx.QuantizeLinear").signature;
  const std::vector<Tensor> specified = outputs_of("onnx.QuantizeLinear");
  std::vector<Tensor> given = outputs_of("onnx_reference.QuantizeLinear");
  REQUIRE(given[0].integer(3) != specified[0].integer(3));  // the overflow that the reference has
  CHECK(reproduces(cause, asked, kSettings, awkward_inputs(), given));
  CHECK_FALSE(reproduces(cause, asked, kSettings, awkward_inputs(), specified));
  given[0].set_integer(0, given[0].integer(0) + 1);
  CHECK_FALSE(reproduces(cause, asked, kSettings, awkward_inputs(), given));
}

TEST_CASE("a cause that cannot be evaluated reproduces nothing") {
  const Signature& asked = *formula("onnx.QuantizeLinear").signature;
  const std::vector<Tensor> given = outputs_of("onnx.QuantizeLinear");
  CHECK_FALSE(reproduces(formula("onnx.DequantizeLinear"), asked, kSettings, awkward_inputs(), given));
  CHECK_FALSE(refuses(formula("onnx.QuantizeLinear"), asked, kSettings, awkward_inputs()));
  const Settings out_of_range{{"y_scale", Written::parse("1")}, {"y_zero_point", Written::parse("300")}};
  CHECK(refuses(formula("onnx.QuantizeLinear"), asked, out_of_range, awkward_inputs()));
}

TEST_CASE("settings are said in another formula's words") {
  const Signature& onnx = *formula("onnx.QuantizeLinear").signature;
  const Signature& fake = *formula("pytorch.fake_quantize_per_tensor_affine").signature;
  const Settings settings = translate(kSettings, onnx, fake);
  CHECK(settings.at("scale").elements == std::vector<std::string>{"0.5"});
  CHECK(settings.at("quant_min").elements == std::vector<std::string>{"-128"});
  CHECK(settings.at("quant_max").elements == std::vector<std::string>{"127"});
  CHECK(settings.size() == 3);
  const Arguments arguments = formula("onnx.QuantizeLinear").arguments(awkward_inputs(), kSettings);
  const Settings complete = settings_of(arguments);
  CHECK(complete.size() == onnx.parameters.size());
  CHECK(complete.at("output_dtype").elements == std::vector<std::string>{"int8"});
  CHECK(complete.at("y_scale").tensor->real(0) == 0.5);
}
