#include "catch.hpp"
#include "interpreter/request.hpp"

using namespace qassay;
using namespace qassay::tests;

namespace {

/// "min_val, max_val, scale, zero_point" after one batch, two channels.
std::string observed(const std::string& x, const Texts& more = {}) {
  Texts set{{"dtype", "uint8"}, {"qscheme", "per_channel_affine"}};
  for (const auto& [name, text] : more) set[name] = text;
  const Tensor values = tensor(x);
  const Tensor rows = values.reshaped({2, static_cast<std::int64_t>(values.size()) / 2});
  const Evaluation evaluation = formula("pytorch.PerChannelMinMaxObserver")({{"x", rows}}, settings(set));
  return shown(evaluation, "min_val") + ", " + shown(evaluation, "max_val") + ", " + shown(evaluation, "scale") + ", " +
         shown(evaluation, "zero_point");
}

std::string unless_refused_for(const Texts& more) {
  return unless_refused([&] { observed("[1,2]", more); }, ErrorKind::out_of_domain, {});
}

}  // namespace

TEST_CASE("pytorch.PerChannelMinMaxObserver: a range, scale and zero point for each channel") {
  CHECK(observed("[1,255,-255,-1]") == "1 -255, 255 -1, 1 1, 0 255");
  CHECK(observed("[1,255,-255,-1]", {{"ch_axis", "1"}}) == "-255 -1, 1 255, 1.0039216 1.0039216, 254 1");
}

TEST_CASE("pytorch.PerChannelMinMaxObserver symmetric divides by half of the codes") {
  CHECK(observed("[-1,127.5,-127.5,3]", {{"qscheme", "per_channel_symmetric"}, {"dtype", "int8"}}) ==
        "-1 -127.5, 127.5 3, 1 1, 0 0");
  CHECK(observed("[-1,127.5,-127.5,3]", {{"qscheme", "per_channel_symmetric"}}) == "-1 -127.5, 127.5 3, 1 1, 128 128");
}

TEST_CASE("pytorch.PerChannelMinMaxObserver with floating parameters neither extends the range nor rounds") {
  const Texts floating{{"qscheme", "per_channel_affine_float_qparams"}};
  CHECK(observed("[1,256,-0.5,254.5]", floating) == "1 -0.5, 256 254.5, 1 1, -1 0.5");
  // A scale that is not above eps becomes 1.
  CHECK(observed("[2,2,0,0]", floating) == "2 0, 2 0, 1 1, -2 -0");
}

TEST_CASE("pytorch.PerChannelMinMaxObserver: NaN stays in its channel") {
  CHECK(observed("[-1,nan,0,255]") == "nan 0, nan 255, nan 1, 0 0");
}

TEST_CASE("pytorch.PerChannelMinMaxObserver grows") {
  const Texts before{{"min_val", "[-2,-1]"}, {"max_val", "[4,1]"}, {"eps", "1"}};
  CHECK(observed("[-3,2,0,2]", before) == "-3 -1, 4 2, 1 1, 3 1");
}

TEST_CASE("pytorch.PerChannelMinMaxObserver refuses a range without 0, and x of rank 1") {
  CHECK(unless_refused_for({{"quant_min", "1"}, {"quant_max", "9"}}).empty());
  CHECK(unless_refused(
            [] {
              formula("pytorch.PerChannelMinMaxObserver")(
                  {{"x", tensor("[1,2]")}}, settings({{"dtype", "uint8"}, {"qscheme", "per_channel_affine"}}));
            },
            ErrorKind::wrong_shape, {"axis"})
            .empty());
}
