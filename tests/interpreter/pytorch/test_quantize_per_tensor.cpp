#include "catch.hpp"
#include "interpreter/request.hpp"

using namespace qassay;
using namespace qassay::tests;

namespace {

std::string codes(std::string_view id, const std::string& x, const char* zero_point, const char* dtype,
                  const char* scale = "0.5") {
  return result(id, "q", {{"x", x}}, {{"scale", scale}, {"zero_point", zero_point}, {"dtype", dtype}});
}

constexpr const char* kNew = "pytorch.quantize_per_tensor";
constexpr const char* kLegacy = "pytorch.quantize_per_tensor@2.13";

}  // namespace

TEST_CASE("pytorch.quantize_per_tensor rounds before the zero point is added, @2.13 after") {
  CHECK(codes(kNew, "[0.25,0.75,1.25]", "3", "quint8") == "3 5 5");
  CHECK(codes(kLegacy, "[0.25,0.75,1.25]", "3", "quint8") == "4 4 6");
  CHECK(codes(kNew, "[0.25,0.75]", "3", "qint32") == "3 5");
  CHECK(codes(kLegacy, "[0.25,0.75]", "3", "qint32") == "4 4");
}

TEST_CASE("pytorch.quantize_per_tensor multiplies by the reciprocal") {
  CHECK(codes(kNew, "[0x1.8cccccp+0]", "0", "quint8", "0.1") == "16");  // a division gives 15
  CHECK(codes(kNew, "[0x1.800002p+0]", "0", "quint8", "0x1.555556p-2") == "5");
}

TEST_CASE("pytorch.quantize_per_tensor: the sum with the zero point wraps") {
  CHECK(codes(kNew, "[inf,nan,-inf]", "127", "quint8") == "255 255 0");
  CHECK(codes(kNew, "[inf,nan,-inf]", "128", "quint8") == "0 0 0");
  CHECK(codes(kNew, "[inf,nan,-inf]", "0", "qint8") == "127 127 -128");
  CHECK(codes(kNew, "[inf,nan,-inf]", "-1", "qint8") == "127 127 127");
  CHECK(codes(kNew, "[3e38,-3e38]", "200", "quint8") == "0 0");
}

TEST_CASE("pytorch.quantize_per_tensor@2.13: NaN gives the highest code, infinities saturate") {
  CHECK(codes(kLegacy, "[0.25,nan,inf,-inf,0.75]", "3", "quint8") == "4 255 255 0 4");  // measured, torch 2.13.0
  CHECK(codes(kLegacy, "[inf,nan,-inf]", "128", "quint8") == "255 255 0");
  CHECK(codes(kLegacy, "[inf,nan,-inf]", "-1", "qint8") == "127 127 -128");
}

TEST_CASE("pytorch.quantize_per_tensor to int32 goes through the scalar kernel: NaN gives INT_MIN") {
  for (const char* id : {kNew, kLegacy}) {
    CAPTURE(id);
    CHECK(codes(id, "[nan,inf,-inf,5]", "3", "qint32") == "-2147483648 2147483647 -2147483648 13");
  }
}

TEST_CASE("pytorch.quantize_per_tensor: scales are not checked") {
  CHECK(codes(kNew, "[1,-1]", "10", "quint8", "-0.5") == "8 12");
  CHECK(codes(kNew, "[1,-1,0]", "10", "quint8", "0") == "255 0 255");  // 0 * inf is NaN
}
