#include "catch.hpp"
#include "interpreter/request.hpp"

using namespace qassay;
using namespace qassay::tests;

namespace {

/// y and mask for codes in [-8, 7] with the scale 0.5.
std::string faked(const std::string& x, const char* zero_point, const char* output = "y") {
  return result("pytorch.fake_quantize_per_tensor_affine", output, {{"x", x}},
                {{"scale", "0.5"}, {"zero_point", zero_point}, {"quant_min", "-8"}, {"quant_max", "7"}});
}

}  // namespace

TEST_CASE("pytorch.fake_quantize_per_tensor_affine rounds before the zero point is added") {
  CHECK(faked("[0.25,0.75,1.25,-0.25]", "1") == "0 1 1 0");
  CHECK(faked("[3.5,3.74,3.75,-4.25,-4.26]", "0") == "3.5 3.5 3.5 -4 -4");
  CHECK(faked("[3.5,3.74,3.75,-4.25,-4.26]", "0", "mask") == "true true false true false");
}

TEST_CASE("pytorch.fake_quantize_per_tensor_affine: NaN gives quant_min's value, infinities saturate") {
  // Measured, torch 2.13.0.
  CHECK(faked("[0.25,nan,inf,1e30,1e10,-1e30]", "1") == "0 -4.5 3 3 3 -4.5");
  CHECK(faked("[0.25,nan,inf,1e30,1e10,-1e30]", "1", "mask") == "true false false false false false");
}

TEST_CASE("pytorch.fake_quantize_per_tensor_affine never gives -0") {
  CHECK(faked("[-0,-0.1,0]", "0") == "0 0 0");
}

TEST_CASE("pytorch.fake_quantize_per_tensor_affine: y has the type of x") {
  for (const char* type : {"float32", "float16", "bfloat16", "float64"}) {
    CAPTURE(type);
    CHECK(faked("[0.8]:" + std::string(type), "0") == "1");
    const Evaluation evaluation = formula("pytorch.fake_quantize_per_tensor_affine")(
        {{"x", tensor("[0.3]:" + std::string(type))}},
        settings({{"scale", "0.1"}, {"zero_point", "0"}, {"quant_min", "-8"}, {"quant_max", "7"}}));
    const Tensor& y = evaluation.outputs.find("y")->second;
    CHECK(name(y.type()) == type);
    CHECK(evaluation.outputs.find("mask")->second.type() == Type::boolean);
    // The product is a binary32 one even for a binary64 x.
    CHECK(y.bits(0) == encode(y.type(), static_cast<double>(3.0F * 0.1F)));
  }
}
