#include "catch.hpp"
#include "interpreter/request.hpp"

using namespace qassay;
using namespace qassay::tests;

namespace {

std::string faked(const std::string& x, const char* low, const char* high, const char* levels, const Texts& more = {}) {
  Texts set{{"input_low", low}, {"input_high", high}, {"output_low", low}, {"output_high", high}, {"levels", levels}};
  for (const auto& [name, text] : more) set[name] = text;
  return result("openvino_cpu.FakeQuantize", "y", {{"x", x}}, set);
}

const Texts kJit{{"node", "jit"}};
const Texts kReference{{"node", "reference"}};

}  // namespace

TEST_CASE("openvino_cpu.FakeQuantize: NaN goes to one end, which depends on the node") {
  CHECK(faked("[nan]", "-1", "1", "256") == "-1");
  CHECK(faked("[nan]", "-1", "1", "256", kJit) == "1.0000001");
  CHECK(faked("[nan]", "-1", "1", "256", kReference) == "nan");
}

TEST_CASE("openvino_cpu.FakeQuantize: the last point need not be output_high") {
  for (const Texts& node : {Texts{}, kJit}) CHECK(faked("[5,0.9]", "-0.3", "0.9", "16", node) == "0.9000001 0.9000001");
}

TEST_CASE("openvino_cpu.FakeQuantize: bounds the other way round, equal, and far apart") {
  CHECK(faked("[0.5,-2,2]", "1", "-1", "256", kJit) == "1 1 1");
  CHECK(faked("[0.5,1,1.5]", "1", "1", "256") == "nan nan nan");
  CHECK(faked("[0,bits:0x7e967699]", "-3e38", "3e38", "256") == "nan nan");
  CHECK(faked("[0,bits:0x000186a0,1]", "-1e-40", "1e-40", "256") == "nan inf inf");
}

TEST_CASE("openvino_cpu.FakeQuantize: bounds rewritten by low-precision transformations") {
  const Texts rewritten{{"lp_transforms_mode", "yes"}};
  // Measured, openvino 2026.4.1.
  CHECK(faked("[0,0.5]", "-0.35", "0.9", "256", rewritten) == "-0.0019607958 0.49803922");
  CHECK(faked("[0,0.5]", "-0.35", "0.9", "256") == "-0.001960766 0.49803925");
  for (const char* levels : {"2", "3", "17", "128"}) {
    CAPTURE(levels);
    CHECK(faked("[0,0.5]", "-0.35", "0.9", levels, rewritten) == faked("[0,0.5]", "-0.35", "0.9", levels));
  }
}

TEST_CASE("openvino_cpu.FakeQuantize: outputs that are one value become a constant of uint8") {
  Texts set{{"lp_transforms_mode", "yes"}, {"output_low", "-1.5"}, {"output_high", "-1.5"}};
  CHECK(faked("[0,nan]", "-1", "1", "256", set) == "255 255");
  set["output_low"] = set["output_high"] = "300.7";
  CHECK(faked("[0]", "-1", "1", "16", set) == "44");
  CHECK(faked("[0]", "-1", "1", "17", set) == "300.7");
  set["lp_transforms_mode"] = "no";
  CHECK(faked("[0]", "-1", "1", "256", set) == "300.7");
}

TEST_CASE("openvino_cpu.FakeQuantize: constants lose subnormal values if they are tensors") {
  const auto at = [](const char* low) {
    Texts set{{"input_low", low}, {"input_high", "1"}, {"output_low", "0"}, {"output_high", "1"}, {"levels", "2"}};
    const Evaluation evaluation = formula("openvino_cpu.FakeQuantize")({{"x", tensor("[nan,nan]")}}, settings(set));
    return shown(evaluation, "y");
  };
  CHECK(at("bits:0x00000001") == "0 0");
  Texts set{{"output_low", "[bits:0x00000001,1]"}, {"output_high", "2"}};
  CHECK(faked("[nan,nan]", "-1", "1", "2", set) == "0 1");
  set["output_low"] = "[bits:0x00800000,1]";
  CHECK(faked("[nan,nan]", "-1", "1", "2", set) == "1.1754944e-38 1");
  set["output_low"] = "bits:0x00000001";
  CHECK(faked("[nan,nan]", "-1", "1", "2", set) == "1e-45 1e-45");
  set["node"] = "reference";
  CHECK(faked("[-2,-2]", "-1", "1", "2", set) == "0 0");
}

TEST_CASE("openvino_cpu.FakeQuantize: bfloat16 has its constants in bfloat16, unless bounds were rewritten") {
  const Texts set{{"lp_transforms_mode", "yes"}};
  CHECK(faked("[0.71875]:bfloat16", "0", "1", "17") == faked("[0.71875]:bfloat16", "0", "1", "17", set));
  CHECK(faked("[0x1p-130]:bfloat16", "0", "0x1p-100", "2", {{"output_low", "0x1p-130"}}) == "0");
}

TEST_CASE("openvino_cpu.FakeQuantize: channels along the third axis keep scale and shift apart") {
  const float low = -0.35F;
  const float high = 0.9F;
  const auto along = [&](const Shape& shape) {
    const Settings set{{"input_low", Written::scalar("0")},
                       {"input_high", Written::scalar("255")},
                       {"output_low", Written{{"-0.35", "-0.35"}, shape, std::nullopt, std::nullopt}},
                       {"output_high", Written{{"0.9", "0.9"}, shape, std::nullopt, std::nullopt}},
                       {"levels", Written::scalar("256")},
                       {"lp_transforms_mode", Written::scalar("yes")}};
    Tensor x(Type::float32, {2, 64, 2});
    for (std::size_t i = 0; i < x.size(); ++i) x.set_real(i, static_cast<double>(i));
    return formula("openvino_cpu.FakeQuantize")({{"x", x}}, set).outputs.at("y");
  };
  const Tensor apart = along({2});
  const float shift = (0 * high - 255 * low) / (high - low);
  const float scale = (high - low) / 255;
  for (std::size_t i = 0; i < apart.size(); ++i) CHECK(apart.as<float>()[i] == (static_cast<float>(i) - shift) * scale);
  CHECK_FALSE(apart == along({2, 1, 1}));
}

TEST_CASE("openvino_cpu.FakeQuantize refuses to rewrite bounds of two shapes") {
  const Texts set{{"lp_transforms_mode", "yes"}, {"output_low", "[0,0]"}};
  CHECK(unless_refused([&] { faked("[1,2]", "0", "1", "256", set); }, ErrorKind::wrong_shape,
                       {"output_low", "[2]", "output_high", "lp_transforms_mode"}) == "");
  CHECK(refusal_of([&] { faked("[1,2]", "0", "1", "17", set); }) == std::nullopt);
}
