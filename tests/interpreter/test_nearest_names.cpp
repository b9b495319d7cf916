#include "interpreter/nearest_names.hpp"

#include "catch.hpp"

using namespace qassay;

using Names = std::vector<std::string>;

TEST_CASE("nearest names come nearest first, case ignored") {
  const Names names{"scale", "scales", "zero_point", "axis"};
  CHECK(nearest_names("scal", names) == Names{"scale", "scales"});
  CHECK(nearest_names("SCALE", names) == Names{"scale", "scales"});
  CHECK(nearest_names("zero_pont", names) == Names{"zero_point"});
  CHECK(nearest_names("axes", names, 1) == Names{"axis"});
  CHECK(nearest_names("contraction", names).empty());
  CHECK(nearest_names("", {}).empty());
}

TEST_CASE("a name without its dialect is near") {
  const Names names{"onnx.QuantizeLinear", "onnxruntime.QuantizeLinear", "pytorch.quantize_per_tensor"};
  CHECK(nearest_names("QuantizeLinear", names) == Names{"onnx.QuantizeLinear", "onnxruntime.QuantizeLinear"});
  CHECK(nearest_names("onnx.Quantizelinaer", names).front() == "onnx.QuantizeLinear");
}

TEST_CASE("an offer is a phrase, or nothing") {
  CHECK(did_you_mean("scal", {"scale", "axis"}) == " (did you mean 'scale'?)");
  CHECK(did_you_mean("scal", {"scale", "scales"}) == " (did you mean 'scale' or 'scales'?)");
  CHECK(did_you_mean("scal", {"dtype"}) == "");
}
