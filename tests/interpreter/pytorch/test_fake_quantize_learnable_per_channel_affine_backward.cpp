#include "catch.hpp"
#include "interpreter/request.hpp"

using namespace qassay;
using namespace qassay::tests;

namespace {

constexpr std::string_view kId = "pytorch.fake_quantize_learnable_per_channel_affine_backward";

/// The gradients for codes in [-8, 7], dy of ones.
Evaluation gradients(const Tensor& x, const Texts& set) {
  Texts all{{"scale", "1"}, {"zero_point", "0"}, {"axis", "0"}, {"quant_min", "-8"}, {"quant_max", "7"}};
  for (const auto& [name, text] : set) all[name] = text;
  Tensor ones(Type::float32, x.shape());
  for (std::size_t i = 0; i < ones.size(); ++i) ones.set_real(i, 1);
  return formula(kId)({{"x", x}, {"dy", ones}}, settings(all));
}

}  // namespace

TEST_CASE("pytorch.fake_quantize_learnable_per_channel_affine_backward has the zero points of the forward pass") {
  // Out of range the term is the bound less the zero point.
  const Evaluation evaluation =
      gradients(tensor("[100,100,100,100]", Shape{4, 1}), {{"zero_point", "[-3,2.5,3.5,300]"}});
  CHECK(shown(evaluation, "dscale_terms") == "10 5 3 0");
  CHECK(shown(evaluation, "dzero_point") == "-1 -1 -1 -1");
}

TEST_CASE("pytorch.fake_quantize_learnable_per_channel_affine_backward adds up each channel") {
  const Tensor x = tensor("[0.75,100,-100,0.25,1,100]", Shape{2, 3});
  const Evaluation rows = gradients(x, {{"scale", "[0.5,1]"}});
  CHECK(shown(rows, "dx") == "1 0 0 1 1 0");
  CHECK(shown(rows, "dscale_terms") == "0.5 7 -8 -0.25 0 7");
  CHECK(shown(rows, "dscale") == "-0.5 6.75");
  CHECK(shown(rows, "dzero_point") == "-1 -1");
  const Evaluation columns = gradients(x, {{"scale", "[0.5,1,2]"}, {"axis", "-1"}});
  CHECK(shown(columns, "dscale") == "0 7 -1");
}

TEST_CASE("pytorch.fake_quantize_learnable_per_channel_affine_backward: the error is fused, or not") {
  const auto with = [](const char* contraction) {
    return shown(gradients(tensor("[0.5]", Shape{1, 1}), {{"scale", "[0x1.99999ap-4]"}, {"contraction", contraction}}),
                 "dscale");
  };
  CHECK(with("fma") == "7.4505806e-08");
  CHECK(with("none") == "0");
}

TEST_CASE("pytorch.fake_quantize_learnable_per_channel_affine_backward of nothing gives the parameters themselves") {
  // Measured, torch 2.13.0.
  const Evaluation evaluation =
      gradients(Tensor(Type::float32, Shape{2, 0}), {{"scale", "[0.25,3]"}, {"zero_point", "[2.5,-1]"}});
  CHECK(shown(evaluation, "dscale") == "0.25 3");
  CHECK(shown(evaluation, "dzero_point") == "2.5 -1");
}

TEST_CASE(
    "pytorch.fake_quantize_learnable_per_channel_affine_backward wants two dimensions, and a range that holds 0") {
  CHECK(unless_refused(
            [] {
              gradients(tensor("[1,2]"), {{"scale", "[1,1]"}});
            },
            ErrorKind::wrong_shape, {"axis"})
            .empty());
  CHECK(unless_refused(
            [] {
              gradients(tensor("[1]", Shape{1, 1}), {{"quant_max", "-1"}});
            },
            ErrorKind::out_of_domain, {"must hold 0"})
            .empty());
}
