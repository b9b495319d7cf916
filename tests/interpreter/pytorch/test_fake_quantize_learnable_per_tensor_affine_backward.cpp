#include "catch.hpp"
#include "interpreter/request.hpp"

using namespace qassay;
using namespace qassay::tests;

namespace {

constexpr std::string_view kId = "pytorch.fake_quantize_learnable_per_tensor_affine_backward";

/// The gradients for codes in [-8, 7], dy of ones.
Evaluation gradients(const std::string& x, const Texts& set, const std::string& dy = {}) {
  Texts all{{"scale", "1"}, {"zero_point", "0"}, {"quant_min", "-8"}, {"quant_max", "7"}};
  for (const auto& [name, text] : set) all[name] = text;
  const Tensor values = tensor(x);
  Tensor ones(Type::float32, values.shape());
  for (std::size_t i = 0; i < ones.size(); ++i) ones.set_real(i, 1);
  return formula(kId)({{"x", values}, {"dy", dy.empty() ? ones : tensor(dy)}}, settings(all));
}

}  // namespace

TEST_CASE("pytorch.fake_quantize_learnable_per_tensor_affine_backward has a zero point of its own") {
  // Out of range the term is the bound less the zero point.
  const auto bound = [](const char* zero_point) {
    return shown(gradients("[100,-100]", {{"zero_point", zero_point}}), "dscale_terms");
  };
  CHECK(bound("-3") == "9 -6");  // counts as -2
  CHECK(bound("3") == "4 -11");
  CHECK(bound("2.5") == "4 -11");
  CHECK(bound("0.49999997") == "6 -9");
  CHECK(bound("300") == "0 -15");
}

TEST_CASE("pytorch.fake_quantize_learnable_per_tensor_affine_backward: in range, above and below") {
  const Evaluation evaluation = gradients("[0.75,100,-100]", {{"scale", "0.5"}, {"grad_factor", "0.5"}}, "[2,-4,8]");
  CHECK(shown(evaluation, "dx") == "2 -0 0");
  // 0.75 is the tie 1.5, code 2, error 0.25.
  CHECK(shown(evaluation, "dscale_terms") == "0.5 -14 -32");
  CHECK(shown(evaluation, "dzero_point_terms") == "0 1 -2");
  CHECK(shown(evaluation, "dscale") == "-45.5");
  CHECK(shown(evaluation, "dzero_point") == "-1");
}

TEST_CASE("pytorch.fake_quantize_learnable_per_tensor_affine_backward adds the zero point before rounding") {
  CHECK(shown(gradients("[0.5,1.5]", {{"zero_point", "1"}}), "dscale_terms") == "0.5 -0.5");
}

TEST_CASE("pytorch.fake_quantize_learnable_per_tensor_affine_backward: the error is fused, or not") {
  const auto with = [](const char* contraction) {
    return shown(gradients("[0.5]", {{"scale", "0x1.99999ap-4"}, {"contraction", contraction}}), "dscale_terms");
  };
  CHECK(with("fma") == "7.4505806e-08");
  CHECK(with("none") == "0");
}

TEST_CASE("pytorch.fake_quantize_learnable_per_tensor_affine_backward: NaN and infinity count as below") {
  CHECK(shown(gradients("[nan,inf,-inf,0x1p63]", {}), "dscale_terms") == "-8 -8 -8 -8");
  CHECK(shown(gradients("[1,100]", {}, "[nan,inf]"), "dx") == "nan nan");
}

TEST_CASE("pytorch.fake_quantize_learnable_per_tensor_affine_backward of nothing gives the parameters themselves") {
  // Measured, torch 2.13.0.
  const Evaluation evaluation = gradients("[]", {{"scale", "0.25"}, {"zero_point", "2.5"}});
  CHECK(evaluation.outputs.find("dx")->second.size() == 0);
  CHECK(shown(evaluation, "dscale") == "0.25");
  CHECK(shown(evaluation, "dzero_point") == "2.5");
}

TEST_CASE("pytorch.fake_quantize_learnable_per_tensor_affine_backward wants a range that holds 0") {
  CHECK(unless_refused(
            [] {
              gradients("[1]", {{"quant_min", "1"}});
            },
            ErrorKind::out_of_domain, {"must hold 0"})
            .empty());
  CHECK(unless_refused(
            [] {
              gradients("[1]", {{"zero_point", "nan"}});
            },
            ErrorKind::out_of_domain, {"zero_point"})
            .empty());
}
