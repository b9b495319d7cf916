#include "catch.hpp"
#include "interpreter/request.hpp"

using namespace qassay;
using namespace qassay::tests;

namespace {

/// "min_val, max_val, scale, zero_point" after one batch.
std::string observed(const std::string& x, const Texts& more = {}) {
  Texts set{{"dtype", "uint8"}, {"qscheme", "per_tensor_affine"}};
  for (const auto& [name, text] : more) set[name] = text;
  const Evaluation evaluation = formula("pytorch.MovingAverageMinMaxObserver")({{"x", tensor(x)}}, settings(set));
  return shown(evaluation, "min_val") + ", " + shown(evaluation, "max_val") + ", " + shown(evaluation, "scale") + ", " +
         shown(evaluation, "zero_point");
}

std::string unless_refused_for(const Texts& more) {
  return unless_refused([&] { observed("[1,2]", more); }, ErrorKind::out_of_domain, {});
}

}  // namespace

TEST_CASE("pytorch.MovingAverageMinMaxObserver extends the range to hold 0") {
  CHECK(observed("[1,255]") == "1, 255, 1, 0");
  CHECK(observed("[-255,-1]") == "-255, -1, 1, 255");
  CHECK(observed("[100,100]") == "100, 100, 0.39215687, 0");
}

TEST_CASE("pytorch.MovingAverageMinMaxObserver: ties go to the even step") {
  CHECK(observed("[-0.5,254.5]") == "-0.5, 254.5, 1, 0");
  CHECK(observed("[-1.5,253.5]") == "-1.5, 253.5, 1, 2");
  CHECK(observed("[-2.5,252.5]") == "-2.5, 252.5, 1, 2");
}

TEST_CASE("pytorch.MovingAverageMinMaxObserver symmetric divides by half of the codes") {
  CHECK(observed("[-1,127.5]", {{"qscheme", "per_tensor_symmetric"}, {"dtype", "int8"}}) == "-1, 127.5, 1, 0");
  CHECK(observed("[-1,127.5]", {{"qscheme", "per_tensor_symmetric"}}) == "-1, 127.5, 1, 128");
  CHECK(observed("[-1,127.5]", {{"qscheme", "per_tensor_symmetric"}, {"dtype", "uint16"}, {"eps", "1"}}) ==
        "-1, 127.5, 1, 32768");
  CHECK(observed("[-1,7.5]", {{"qscheme", "per_tensor_symmetric"}, {"quant_min", "-8"}, {"quant_max", "7"}}) ==
        "-1, 7.5, 1, -1");
}

TEST_CASE("pytorch.MovingAverageMinMaxObserver reduces 8 bits alone, and what was given") {
  CHECK(observed("[0,127]", {{"reduce_range", "true"}}) == "0, 127, 1, 0");
  CHECK(observed("[-64,63]", {{"reduce_range", "true"}, {"dtype", "int8"}}) == "-64, 63, 1, 0");
  CHECK(observed("[-4,3]", {{"reduce_range", "true"}, {"quant_min", "-7"}, {"quant_max", "7"}}) == "-4, 3, 1, 0");
  CHECK(observed("[-32768,32767]", {{"reduce_range", "true"}, {"dtype", "int16"}}) == "-32768, 32767, 1, 0");
}

TEST_CASE("pytorch.MovingAverageMinMaxObserver: one end of the range alone counts for nothing") {
  CHECK(observed("[0,255]", {{"quant_max", "7"}}) == "0, 255, 1, 0");
}

TEST_CASE("pytorch.MovingAverageMinMaxObserver: scales end at eps") {
  CHECK(observed("[0,0]") == "0, 0, 1.1920929e-07, 0");
  CHECK(observed("[-1,0]", {{"eps", "1"}}) == "-1, 0, 1, 1");
}

TEST_CASE("pytorch.MovingAverageMinMaxObserver: NaN stays, and an infinity has no scale") {
  // Measured, torch 2.13.0: INT_MIN is subtracted and wraps.
  CHECK(observed("[-1,nan]") == "nan, nan, nan, 0");
  CHECK(observed("[-1,nan]", {{"dtype", "int8"}}) == "nan, nan, nan, 127");
  CHECK(observed("[-1,inf]") == "-1, inf, inf, 0");
}

TEST_CASE("pytorch.MovingAverageMinMaxObserver: nothing was seen, or nothing more") {
  CHECK(observed("[]") == "inf, -inf, 1, 0");
  CHECK(observed("[]", {{"min_val", "0"}, {"max_val", "255"}}) == "0, 255, 1, 0");
}

TEST_CASE("pytorch.MovingAverageMinMaxObserver averages") {
  const Texts before{{"min_val", "-2"}, {"max_val", "4"}, {"averaging_const", "0.5"}, {"eps", "1"}};
  CHECK(observed("[-4,2]", before) == "-3, 3, 1, 3");
  CHECK(observed("[-4,2]", {{"averaging_const", "0.5"}, {"eps", "1"}}) == "-4, 2, 1, 4");
  // It begins anew only if both ends are as in the beginning.
  CHECK(observed("[-4,2]", {{"min_val", "-2"}, {"averaging_const", "0.5"}, {"eps", "1"}}).starts_with("-3, "));
}

TEST_CASE(
    "pytorch.MovingAverageMinMaxObserver refuses a range without 0, of one code, and of more codes than int8 has, and "
    "a minimum above its maximum") {
  CHECK(unless_refused_for({{"quant_min", "1"}, {"quant_max", "9"}}).empty());
  CHECK(unless_refused_for({{"quant_min", "0"}, {"quant_max", "0"}}).empty());
  CHECK(unless_refused_for({{"quant_min", "-128"}, {"quant_max", "128"}, {"dtype", "int8"}}).empty());
  CHECK(unless_refused_for({{"min_val", "3"}, {"max_val", "-3"}, {"averaging_const", "0"}}).empty());
}
