#include "catch.hpp"
#include "interpreter/request.hpp"

using namespace qassay;
using namespace qassay::tests;

namespace {

std::string values(const std::string& q, const char* scale, const char* zero_point) {
  const Tensor codes = tensor(q);
  return shown(formula("pytorch.dequantize_per_channel_float_qparams")(
                   {{"q", codes.reshaped({1, static_cast<std::int64_t>(codes.size())})}},
                   settings({{"scales", scale}, {"zero_points", zero_point}, {"axis", "0"}})),
               "y");
}

}  // namespace

TEST_CASE("pytorch.dequantize_per_channel_float_qparams subtracts first, and keeps the zero point's fraction") {
  CHECK(values("[0,1,-128,127]:int8", "[0.5]", "[0.5]") == "-0.25 0.25 -64.25 63.25");
  CHECK(values("[3]:uint8", "[-0.1]", "[3]") == "-0");
}

TEST_CASE("pytorch.dequantize_per_channel_float_qparams limits nothing") {
  CHECK(values("[0,1]:uint8", "[0]", "[1]") == "-0 0");
  CHECK(values("[0,1,3]:uint8", "[inf]", "[1]") == "-inf nan inf");
  CHECK(values("[0]:uint8", "[1]", "[nan]") == "nan");
}

TEST_CASE("pytorch.dequantize_per_channel_float_qparams: codes of 32 bits are rounded before the difference") {
  CHECK(values("[16777217]:int32", "[1]", "[1]") == "16777215");
  CHECK(values("[2147483647]:int32", "[1]", "[1]") == "2147483600");
}
