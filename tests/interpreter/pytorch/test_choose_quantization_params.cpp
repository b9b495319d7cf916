#include "catch.hpp"
#include "interpreter/request.hpp"

using namespace qassay;
using namespace qassay::tests;

namespace {

std::string chosen(const char* output, const char* min, const char* max, const char* qmin = "0",
                   const char* qmax = "255", const char* preserve_sparsity = "false") {
  return result("pytorch.ChooseQuantizationParams", output, {},
                {{"min", min}, {"max", max}, {"qmin", qmin}, {"qmax", qmax}, {"preserve_sparsity", preserve_sparsity}});
}

}  // namespace

TEST_CASE("pytorch.ChooseQuantizationParams extends a range to hold 0") {
  CHECK(chosen("scale", "[-128,1,-2]", "[127,255,-1]") == "1 1 0.007843138");
  CHECK(chosen("zero_point", "[-128,1,-2]", "[127,255,-1]") == "128 0 255");
}

TEST_CASE("pytorch.ChooseQuantizationParams: exactly symmetric data get 127") {
  CHECK(chosen("zero_point", "[-1,-3,-0.1]", "[1,3,0.1]") == "127 127 128");
}

TEST_CASE("pytorch.ChooseQuantizationParams: a symmetric range has one code more below 0") {
  CHECK(chosen("scale", "[-8,-1,-8]", "[1,7,7]", "-8", "7", "true") == "1 1 1");
  CHECK(chosen("zero_point", "[-8,-1,-8]", "[1,7,7]", "-8", "7", "true") == "0 0 0");
  // Measured, torch 2.13.0.
  CHECK(chosen("scale", "-1.149", "2.534", "-8", "7", "true") == "0.362");
  // A one-sided range stays as it is.
  CHECK(chosen("zero_point", "[0,-1]", "[1,0]", "-127", "127", "true") == "-127 127");
}

TEST_CASE("pytorch.ChooseQuantizationParams raises small scales") {
  CHECK(chosen("scale", "[0,0,-1e-12]", "[0,1e-12,1e-12]") == "0.1 6.1e-05 6.1e-05");
  CHECK(chosen("zero_point", "[0,0,-1e-12]", "[0,1e-12,1e-12]") == "0 0 128");
  CHECK(chosen("scale", "[0]", "[1e-38]") == "0.1");  // the scale is subnormal, its reciprocal infinite
}

TEST_CASE("pytorch.ChooseQuantizationParams: NaN, infinities and the wrong way round") {
  // Measured, torch 2.13.0.
  CHECK(chosen("scale", "[nan,-1,-inf,0]", "[1,nan,0,inf]") == "nan nan inf inf");
  CHECK(chosen("zero_point", "[nan,-1,-inf,0]", "[1,nan,0,inf]") == "-2147483648 -2147483648 255 -2147483648");
  CHECK(chosen("scale", "inf", "-inf") == "0.1");
  CHECK(chosen("zero_point", "inf", "-inf") == "0");
  CHECK(chosen("zero_point", "-1", "1", "5", "5") == "5");
}

TEST_CASE("pytorch.ChooseQuantizationParams wants codes whose difference is an int32") {
  CHECK(unless_refused([] { chosen("scale", "-1", "1", "-2147483648", "0"); }, ErrorKind::out_of_domain,
                       {"qmax - qmin is 2147483648"})
            .empty());
}
