#include "catch.hpp"
#include "interpreter/request.hpp"

using namespace qassay;
using namespace qassay::tests;

namespace {

std::string codes(std::string_view id, const std::string& x, const char* dtype, const char* zero_points = "[3]") {
  const Evaluation evaluation =
      formula(id)({{"x", tensor(x).reshaped({1, static_cast<std::int64_t>(tensor(x).size())})}},
                  settings({{"scales", "[0.5]"}, {"zero_points", zero_points}, {"axis", "0"}, {"dtype", dtype}}));
  return shown(evaluation, "q");
}

constexpr const char* kNew = "pytorch.quantize_per_channel";
constexpr const char* kLegacy = "pytorch.quantize_per_channel@2.13";

}  // namespace

TEST_CASE("pytorch.quantize_per_channel rounds before the zero point is added, @2.13 after") {
  CHECK(codes(kNew, "[0.25,0.75,1.25]", "quint8") == "3 5 5");
  CHECK(codes(kLegacy, "[0.25,0.75,1.25]", "quint8") == "4 4 6");
}

TEST_CASE("pytorch.quantize_per_channel: NaN gives 0, or INT_MIN, and infinities saturate") {
  CHECK(codes(kLegacy, "[0.25,nan,inf,-inf,0.75]", "quint8") == "4 0 255 0 4");  // measured, torch 2.13.0
  for (const char* id : {kNew, kLegacy}) {
    CAPTURE(id);
    CHECK(codes(id, "[nan,inf,-inf]", "quint8", "[200]") == "0 255 0");
    CHECK(codes(id, "[nan,inf,-inf]", "qint8", "[-100]") == "0 127 -128");
    CHECK(codes(id, "[nan,inf,-inf]", "qint32", "[5]") == "-2147483648 2147483647 -2147483648");
  }
}

TEST_CASE("pytorch.quantize_per_channel: a scale and zero point for each channel") {
  for (const char* id : {kNew, kLegacy}) {
    CAPTURE(id);
    const auto along = [&](const char* axis) {
      return shown(
          formula(id)({{"x", tensor("[6,6,6,6]", Shape{2, 2})}},
                      settings({{"scales", "[1,2]"}, {"zero_points", "[0,10]"}, {"axis", axis}, {"dtype", "qint8"}})),
          "q");
    };
    CHECK(along("0") == "6 6 13 13");
    CHECK(along("1") == "6 13 6 13");
    CHECK(along("-1") == "6 13 6 13");
  }
}
