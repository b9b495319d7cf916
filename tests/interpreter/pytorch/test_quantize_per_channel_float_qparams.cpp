#include "catch.hpp"
#include "interpreter/request.hpp"

using namespace qassay;
using namespace qassay::tests;

namespace {

std::string codes(const std::string& x, const char* scale, const char* zero_point, const char* dtype = "qint8") {
  const Tensor values = tensor(x);
  return shown(formula("pytorch.quantize_per_channel_float_qparams")(
                   {{"x", values.reshaped({1, static_cast<std::int64_t>(values.size())})}},
                   settings({{"scales", scale}, {"zero_points", zero_point}, {"axis", "0"}, {"dtype", dtype}})),
               "q");
}

}  // namespace

TEST_CASE("pytorch.quantize_per_channel_float_qparams adds the zero point before rounding, and does not round it") {
  CHECK(codes("[0.5,1.5,2.5,-0.5]", "[1]", "[0]") == "0 2 2 0");
  CHECK(codes("[0.5,1.5,2.5,-0.5]", "[1]", "[0.5]") == "1 2 3 0");
  CHECK(codes("[0.3,1,-0.75]", "[1]", "[-0.75]") == "0 0 -2");
}

TEST_CASE("pytorch.quantize_per_channel_float_qparams rounds the product before the sum") {
  CHECK(codes("[0x1.99999ep-6]", "[0x1.99999ap-4]", "[0.25]") == "0");  // fused it gives 1
  CHECK(codes("[2.25]", "[0x1.333334p-2]", "[0]") == "8");              // a division gives 7
}

TEST_CASE("pytorch.quantize_per_channel_float_qparams keeps the low 32 bits of an int64") {
  // Measured, torch 2.13.0.
  CHECK(codes("[nan,inf,-inf,3e9,1e10,-3e9,0x1p63]", "[1]", "[0]") == "0 0 0 -128 127 127 0");
  CHECK(codes("[nan,inf,-inf,3e9,1e10,-3e9,0x1p63]", "[1]", "[0]", "quint8") == "0 0 0 0 255 255 0");
  CHECK(codes("[0x1p32,0x1.000002p32]", "[1]", "[0]") == "0 127");
}

TEST_CASE("pytorch.quantize_per_channel_float_qparams: a scale of 0 counts as 1") {
  CHECK(codes("[3,-2]", "[0]", "[1]") == "4 -1");
  CHECK(codes("[3,-2]", "[-0]", "[1]") == "4 -1");
  CHECK(codes("[3,0]", "[1e-45]", "[1]") == "0 0");  // the reciprocal is infinite
  CHECK(codes("[3,-2]", "[-1]", "[1]") == "-2 3");
}
