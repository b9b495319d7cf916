#include "catch.hpp"
#include "interpreter/request.hpp"

using namespace qassay;
using namespace qassay::tests;

namespace {

std::string chosen(const char* output, const char* min, const char* max, const Texts& more = {}) {
  Texts set{{"min", min}, {"max", max}};
  set.insert(more.begin(), more.end());
  return result("pytorch.choose_quantization_params_dynamic", output, {}, set);
}

}  // namespace

TEST_CASE("pytorch.choose_quantization_params_dynamic keeps the scale in binary64") {
  const Evaluation evaluation =
      formula("pytorch.choose_quantization_params_dynamic")({}, settings({{"min", "-1"}, {"max", "1"}}));
  CHECK(evaluation.outputs.find("scale")->second.type() == Type::float64);
  CHECK(evaluation.outputs.find("scale")->second.real(0) == 2.0 / 255);
  CHECK(shown(evaluation, "zero_point") == "128");  // FBGEMM has 127
}

TEST_CASE("pytorch.choose_quantization_params_dynamic halves the codes towards 0") {
  const Texts reduced{{"reduce_range", "true"}};
  CHECK(chosen("scale", "[0,-127]", "[127,0]", reduced) == "1 1");
  CHECK(chosen("zero_point", "[0,-127]", "[127,0]", reduced) == "0 127");
  const Texts odd{{"reduce_range", "true"}, {"qmin", "-7"}, {"qmax", "7"}};
  CHECK(chosen("scale", "-3", "3", odd) == "1");
  CHECK(chosen("zero_point", "-3", "3", odd) == "0");
}

TEST_CASE("pytorch.choose_quantization_params_dynamic raises small scales") {
  CHECK(chosen("scale", "[0,0]", "[0,1e-12]") == "0.1 6.0999998822808266e-05");
  CHECK(chosen("zero_point", "[0,0]", "[0,1e-12]") == "0 0");
}

TEST_CASE("pytorch.choose_quantization_params_dynamic refuses a range the wrong way round") {
  const auto refused = [](const char* min, const char* max) {
    return unless_refused([&] { chosen("scale", min, max); }, ErrorKind::out_of_domain, {"min"});
  };
  CHECK(refused("1", "0").empty());
  CHECK(refused("[0,nan]", "[1,1]").empty());
  CHECK(refused("inf", "-inf").empty());
}
