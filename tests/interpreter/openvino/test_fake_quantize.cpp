#include "catch.hpp"
#include "interpreter/request.hpp"

using namespace qassay;
using namespace qassay::tests;

namespace {

std::string faked(const std::string& x, const char* low, const char* high, const char* levels, const Texts& more = {}) {
  Texts set{{"input_low", low}, {"input_high", high}, {"output_low", low}, {"output_high", high}, {"levels", levels}};
  for (const auto& [name, text] : more) set[name] = text;
  return result("openvino.FakeQuantize", "y", {{"x", x}}, set);
}

}  // namespace

TEST_CASE("openvino.FakeQuantize breaks ties on the index, not on the value") {
  CHECK(faked("[-1.5,-0.5,0.5,1.5]", "-2", "2", "5") == "-2 0 0 2");
  CHECK(faked("[-1.5,-0.5,0.5,1.5]", "-1", "2", "4") == "-1 -1 1 1");
}

TEST_CASE("openvino.FakeQuantize rounds every operation to binary32") {
  // Measured, openvino 2026.4.1.
  CHECK(faked("[0,0.5]", "-0.35", "0.9", "256") == "-0.0019607544 0.49803928");
  CHECK(faked("[5,0.9]", "-0.3", "0.9", "16") == "0.9 0.90000004");
}

TEST_CASE("openvino.FakeQuantize: bounds the other way round, equal, and far apart") {
  CHECK(faked("[0.5,-2,2]", "1", "-1", "256") == "0.4980392 1 -1");
  CHECK(faked("[0.5,1,1.5]", "1", "1", "256", {{"output_low", "0"}}) == "0 0 1");
  CHECK(faked("[0,bits:0x7e967699]", "-3e38", "3e38", "256") == "nan nan");
  CHECK(faked("[bits:0x00000000,bits:0x000186a0,1]", "-1e-40", "1e-40", "256") == "3.92e-43 1e-40 1e-40");
}

TEST_CASE("openvino.FakeQuantize: NaN stays, infinities go to the ends") {
  CHECK(faked("[nan,inf,-inf]", "-1", "1", "256") == "nan 1 -1");
}

TEST_CASE("openvino.FakeQuantize: bounds broadcast, each in its own shape") {
  const Written low{{"0", "10"}, Shape{2, 1}, std::nullopt, std::nullopt};
  const Written high{{"2", "4", "6"}, Shape{3}, std::nullopt, std::nullopt};
  const Settings set{{"input_low", Written::scalar("0")},
                     {"input_high", Written::scalar("2")},
                     {"output_low", low},
                     {"output_high", high},
                     {"levels", Written::scalar("3")}};
  const Evaluation evaluation = formula("openvino.FakeQuantize")({{"x", tensor("[0,1,2,0,1,2]", Shape{2, 3})}}, set);
  CHECK(shown(evaluation, "y") == "0 2 6 10 7 6");
}

TEST_CASE("openvino.FakeQuantize refuses bounds that do not broadcast, and too few levels") {
  CHECK(unless_refused([] { faked("[1,2,3]", "[0,0]", "1", "2"); }, ErrorKind::wrong_shape,
                       {"openvino.FakeQuantize", "input_low", "[2]", "[3]"}) == "");
  CHECK(unless_refused([] { faked("[1]", "0", "1", "0"); }, ErrorKind::out_of_domain, {"levels", "0"}) == "");
}
