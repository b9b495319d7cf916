#include "catch.hpp"
#include "interpreter/request.hpp"

using namespace qassay;
using namespace qassay::tests;

namespace {

std::string faked(const char* x, const char* scale, const char* zero_point, const char* node) {
  return result("openvino_cpu.fake_quantize_learnable_per_channel_affine", "y", {{"x", x}},
                {{"scale", scale},
                 {"zero_point", zero_point},
                 {"axis", "0"},
                 {"quant_min", "-128"},
                 {"quant_max", "127"},
                 {"node", node}});
}

}  // namespace

TEST_CASE("openvino_cpu.fake_quantize_learnable_per_channel_affine: NaN goes to the node's own end") {
  CHECK(faked("[nan,-192.75]", "[1.5,1.5]", "[1,1]", "snippets") == "-193.5 -193.5");
  CHECK(faked("[nan,-192.75]", "[1.5,1.5]", "[1,1]", "jit") == "189 -193.5");
  CHECK(faked("[nan,-192.75]", "[1.5,1.5]", "[1,1]", "reference") == "nan -193.5");
}
