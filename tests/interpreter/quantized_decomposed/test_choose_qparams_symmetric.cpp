#include "catch.hpp"
#include "interpreter/request.hpp"

using namespace qassay;
using namespace qassay::tests;

namespace {

std::string chosen(const char* x, const char* quant_min, const char* quant_max, const char* dtype) {
  const Evaluation evaluation = formula("quantized_decomposed.choose_qparams_symmetric")(
      {{"x", tensor(x)}},
      settings({{"quant_min", quant_min}, {"quant_max", quant_max}, {"eps", "0x1p-23"}, {"dtype", dtype}}));
  return shown(evaluation, "scale") + " " + shown(evaluation, "zero_point");
}

}  // namespace

TEST_CASE("quantized_decomposed.choose_qparams_symmetric: the larger side over half of the codes") {
  CHECK(chosen("[-255,3]", "-128", "127", "int8") == "2 0");
  CHECK(chosen("[51,255]", "-128", "127", "int8") == "2 0");
  CHECK(chosen("[-254,3]", "-127", "127", "int8") == "2 0");
  CHECK(chosen("[0,0]", "-128", "127", "int8") == "1.1920928955078125e-07 0");
  CHECK(chosen("[nan,1]", "-128", "127", "int8") == "nan 0");
}

TEST_CASE("quantized_decomposed.choose_qparams_symmetric: the zero point depends on the type alone") {
  CHECK(chosen("[-255,3]", "0", "255", "uint8") == "2 128");
  CHECK(chosen("[-15,3]", "0", "15", "uint8") == "2 128");
  CHECK(chosen("[-65535,3]", "0", "65535", "uint16") == "2 0");
}
