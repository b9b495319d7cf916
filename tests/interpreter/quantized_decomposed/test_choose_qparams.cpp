#include "catch.hpp"
#include "interpreter/request.hpp"

using namespace qassay;
using namespace qassay::tests;

namespace {

constexpr const char* kId = "quantized_decomposed.choose_qparams";

std::string chosen(const char* x, const Texts& more = {}) {
  Texts set{{"quant_min", "-128"}, {"quant_max", "127"}, {"eps", "0x1p-23"}, {"dtype", "int8"}};
  for (const auto& [name, text] : more) set[name] = text;
  const Evaluation evaluation = formula("quantized_decomposed.choose_qparams")({{"x", tensor(x)}}, settings(set));
  CHECK(evaluation.outputs.find("scale")->second.type() == Type::float64);
  CHECK(evaluation.outputs.find("zero_point")->second.type() == Type::int64);
  CHECK(evaluation.outputs.find("scale")->second.shape().empty());
  return shown(evaluation, "scale") + " " + shown(evaluation, "zero_point");
}

const Texts kUint8{{"quant_min", "0"}, {"quant_max", "255"}, {"dtype", "uint8"}};

}  // namespace

TEST_CASE("quantized_decomposed.choose_qparams: the range, extended to hold zero, over the codes") {
  CHECK(chosen("[-1,254,7]") == "1 -127");
  CHECK(chosen("[-2.5,252.5]", kUint8) == "1 2");
  CHECK(chosen("[5,255]", kUint8) == "1 0");
  CHECK(chosen("[-255,-5]") == "1 127");
}

TEST_CASE("quantized_decomposed.choose_qparams: eps is rounded to binary32") {
  CHECK(chosen("[0,1]", {{"eps", "0.1"}}) == "0.10000000149011612 -128");
  CHECK(chosen("[0,0]") == "1.1920928955078125e-07 -128");
}

TEST_CASE("quantized_decomposed.choose_qparams: an offset of NaN is INT_MIN, and the difference wraps") {
  CHECK(chosen("[nan,1]") == "nan 127");
  CHECK(chosen("[nan,1]", kUint8) == "nan 0");
  CHECK(chosen("[-inf,1]") == "inf 127");
  CHECK(chosen("[inf,1]") == "inf -128");
}

TEST_CASE("quantized_decomposed.choose_qparams refuses no elements and ranges without zero") {
  CHECK(unless_refused([] { chosen("[]"); }, ErrorKind::out_of_domain, {kId, "[0]"}) == "");
  CHECK(unless_refused([] { chosen("[1]", {{"quant_min", "1"}}); }, ErrorKind::out_of_domain, {kId, "[1, 127]"}) == "");
  CHECK(unless_refused(
            [] {
              chosen("[1]", {{"quant_min", "0"}, {"quant_max", "0"}});
            },
            ErrorKind::out_of_domain, {kId, "[0, 0]"}) == "");
}
