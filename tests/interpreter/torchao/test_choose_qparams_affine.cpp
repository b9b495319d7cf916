#include "catch.hpp"
#include "interpreter/request.hpp"

using namespace qassay;
using namespace qassay::tests;

namespace {

constexpr const char* kId = "torchao.choose_qparams_affine";

std::string chosen(const char* x, const char* mapping, const char* low, const char* high, const Texts& more = {}) {
  Texts set{{"mapping_type", mapping}, {"target_dtype", "int32"}, {"quant_min", low}, {"quant_max", high}};
  for (const auto& [name, text] : more) set[name] = text;
  const Evaluation evaluation = formula(kId)({{"x", tensor(x)}}, settings(set));
  CHECK(evaluation.outputs.find("scale")->second.shape().empty());
  return shown(evaluation, "scale") + " " + shown(evaluation, "zero_point");
}

}  // namespace

TEST_CASE("torchao.choose_qparams_affine, asymmetric: the range, extended to hold zero, over the codes") {
  CHECK(chosen("[-1,254,7]", "ASYMMETRIC", "-128", "127") == "1 -127");
  CHECK(chosen("[-2.5,252.5]", "ASYMMETRIC", "0", "255") == "1 2");
  CHECK(chosen("[5,255]", "ASYMMETRIC", "0", "255") == "1 0");
  CHECK(chosen("[0,0]", "ASYMMETRIC", "0", "255") == "1.1754944e-38 0");
  CHECK(chosen("[0,0]", "ASYMMETRIC", "0", "255", {{"eps", "0.1"}}) == "0.1 0");
}

TEST_CASE("torchao.choose_qparams_affine, asymmetric: an offset of NaN is INT_MIN, outside the range") {
  CHECK(chosen("[nan,1]", "ASYMMETRIC", "-128", "127") == "nan -2147483648");
  CHECK(chosen("[-inf,1]", "ASYMMETRIC", "-128", "127") == "inf -2147483648");
  CHECK(chosen("[inf,1]", "ASYMMETRIC", "-128", "127") == "inf -128");
}

TEST_CASE("torchao.choose_qparams_affine, symmetric: the larger side over half of the codes, the middle code") {
  CHECK(chosen("[-255,3]", "SYMMETRIC", "-128", "127") == "2 0");
  CHECK(chosen("[-255,3]", "SYMMETRIC", "0", "255") == "2 128");
  CHECK(chosen("[-15,3]", "SYMMETRIC", "0", "15") == "2 8");
  CHECK(chosen("[-8,3]", "SYMMETRIC", "-6", "2") == "2 -1");
  CHECK(chosen("[-8,3]", "SYMMETRIC", "5", "2147483600") == "7.450581e-09 1073741824");
}

TEST_CASE("torchao.choose_qparams_affine, without clipping: each side over its own codes") {
  CHECK(chosen("[-256,127]", "SYMMETRIC_NO_CLIPPING_ERR", "-128", "127") == "2 0");
  CHECK(chosen("[-128,254]", "SYMMETRIC_NO_CLIPPING_ERR", "-128", "127") == "2 0");
  CHECK(chosen("[-1,255]", "SYMMETRIC_NO_CLIPPING_ERR", "0", "255") == "1 128");
}

TEST_CASE("torchao.choose_qparams_affine: a scale for each block") {
  const Tensor x = tensor("[0,255,0,510,-255,0,-510,0]", Shape{2, 4});
  Settings set = settings({{"mapping_type", "ASYMMETRIC"}, {"target_dtype", "uint8"}, {"block_size", "[1,2]"}});
  const Evaluation pairs = formula(kId)({{"x", x}}, set);
  CHECK(shown(pairs, "scale") == "1 2 1 2");
  CHECK(shown(pairs, "zero_point") == "0 0 255 255");
  CHECK(pairs.outputs.find("scale")->second.shape() == Shape{2, 2});
  set.insert_or_assign("block_size", Written::parse("[2,1]"));
  CHECK(formula(kId)({{"x", x}}, set).outputs.find("zero_point")->second.shape() == Shape{1, 4});
  set.insert_or_assign("block_size", Written::parse("[1,1]"));
  CHECK(unless_refused([&] { formula(kId)({{"x", x}}, set); }, ErrorKind::out_of_domain, {kId, "block_size"}) == "");
}

TEST_CASE("torchao.choose_qparams_affine: the steps of an element are those of its block") {
  const Tensor x = tensor("[0,255,0,510]", Shape{2, 2});
  const Settings set = settings({{"mapping_type", "ASYMMETRIC"}, {"target_dtype", "uint8"}, {"block_size", "[1,2]"}});
  const Arguments arguments = formula(kId).arguments({{"x", x}}, set);
  const std::vector<Exact> exact = formula(kId).exact(arguments, {{"x", x}}, 3);
  CHECK(exact[0] == Exact(2));
  CHECK(formula(kId).trace(arguments, {{"x", x}}, 3)[1].result.value() == 510);
}
