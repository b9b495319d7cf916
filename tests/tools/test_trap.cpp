#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>

#include "catch.hpp"
#include "tools/npy.hpp"
#include "tools/temporary_folder.hpp"
#include "tools/trap/trap_report.hpp"
#include "tools/trap/weights.hpp"

namespace qassay {
namespace {

using testing::contains;
using testing::refusal;
using testing::TemporaryFolder;

Tensor weights(const Shape& shape, const std::vector<float>& values) {
  Tensor tensor(Type::float32, shape);
  for (std::size_t i = 0; i < tensor.size(); ++i) tensor.set_real(i, static_cast<double>(values.at(i)));
  return tensor;
}

/// One channel.
ChannelGrids channel(const std::vector<float>& values, const GridRequest& request = {}) {
  return compare_grids("w", weights({1, static_cast<std::int64_t>(values.size())}, values), request).channels.at(0);
}

Tensor random_weights(const Shape& shape) {
  std::mt19937 engine(1);  // NOLINT: the same weights every time
  Tensor tensor(Type::float32, shape);
  for (std::size_t i = 0; i < tensor.size(); ++i) tensor.set_real(i, static_cast<double>(engine()) / 0x1p31 - 1);
  return tensor;
}

GridRequest codes(std::int64_t lowest, std::int64_t highest) {
  GridRequest request;
  request.codes = {lowest, highest};
  return request;
}

GridRequest per_tensor_affine() {
  GridRequest request = codes(-128, 127);
  request.ch_axis.reset();
  request.is_symmetric = false;
  return request;
}

bool is_near(double a, double b) {
  return std::abs(a - b) <= 1e-6 * std::abs(b);
}

float from_bits(std::uint64_t bits) {
  return static_cast<float>(decode(Type::float32, bits));
}

TrapResults results_of(const Tensor& tensor, const GridRequest& request = {}) {
  TrapResults results{"qassay trap w.npy", "w.npy", request, {}, {}};
  results.tensors.push_back(compare_grids("w.npy", tensor, request));
  return results;
}

}  // namespace

TEST_CASE("trap: the side that decides both scales decides their ratio", "[trap]") {
  struct Row {
    std::int64_t lowest;
    std::int64_t highest;
    double min_side;
    double max_side;
  };
  for (const Row& row :
       {Row{-127, 127, 0.99609375, 1.00393701}, Row{-128, 127, 0.99609375, 1.00393701}, Row{-7, 7, 0.9375, 1.07142857},
        Row{-8, 7, 0.9375, 1.07142857}, Row{-3, 3, 0.875, 1.16666667}, Row{-1, 1, 0.75, 1.5}}) {
    CAPTURE(row.lowest, row.highest);
    const GridRequest request = codes(row.lowest, row.highest);
    const ChannelGrids max_side = channel({-0.2F, 0.9F, 0.1F}, request);
    CHECK(max_side.cause == GridCause::max_side);
    CHECK(is_near(max_side.ratio(), row.max_side));
    const ChannelGrids min_side = channel({-0.9F, 0.2F, 0.1F}, request);
    CHECK(min_side.cause == GridCause::min_side);
    CHECK(is_near(min_side.ratio(), row.min_side));
    const RatioEnds ends = ratio_ends(request);
    CHECK(is_near(ends.min_side, row.min_side));
    CHECK(is_near(ends.max_side, row.max_side));
  }
}

TEST_CASE("trap: between the ends each scale comes from another side", "[trap]") {
  const ChannelGrids found = channel({-1.0F, 0.999F, 0.1F});
  CHECK(found.cause == GridCause::both_sides);
  CHECK(is_near(found.ratio(), 255.0 / 254 * 0.999));
  CHECK(channel({-1.0F, 1.0F}).cause == GridCause::max_side);
}

TEST_CASE("trap: a channel of one sign gets an affine grid of half the scale in training", "[trap]") {
  const ChannelGrids positive = channel({0.5F, 1.0F, 0.25F});
  CHECK(positive.cause == GridCause::one_sided);
  CHECK(positive.training.zero_point == -127);
  CHECK(positive.deployed.zero_point == 0);
  CHECK(is_near(positive.ratio(), 0.5));
  const ChannelGrids negative = channel({-0.5F, -1.0F, -0.25F});
  CHECK(negative.cause == GridCause::one_sided);
  CHECK(negative.training.zero_point == 127);
}

TEST_CASE("trap: tiny channels stand on different floors", "[trap]") {
  const ChannelGrids found = channel({-1e-5F, 1e-5F});
  CHECK(found.cause == GridCause::floored);
  CHECK(found.training.scale == 6.1e-5F);
  CHECK(found.deployed.scale == 0x1p-12F);
  CHECK(std::abs(found.ratio() - 0.24986) < 1e-5);
}

TEST_CASE("trap: a channel of zeros is no difference", "[trap]") {
  const TensorGrids found = compare_grids("w", weights({2, 2}, {0, 0, 0, 0}), {});
  CHECK(found.channels[1].cause == GridCause::all_zero);
  CHECK(found.weights.mismatches == 0);
  CHECK(found.codes_that_differ == 0);
  CHECK(found.verdict == GridVerdict::same_codes);
}

TEST_CASE("trap: affine per tensor is at most 1 ulp off", "[trap]") {
  const Tensor x = weights({2}, {from_bits(0xbef39b0e), from_bits(0x3e257173)});
  const TensorGrids found = compare_grids("x", x, per_tensor_affine());
  REQUIRE(found.channels.size() == 1);
  CHECK(found.channels[0].training.scale == from_bits(0x3b23cdb1));
  CHECK(found.channels[0].deployed.scale == from_bits(0x3b23cdb2));
  CHECK(found.channels[0].cause == GridCause::one_ulp);
  CHECK(found.codes_that_differ == 0);
  CHECK(found.verdict == GridVerdict::same_codes);

  const TensorGrids same = compare_grids("x", weights({2}, {-1.0F, 1.0F}), per_tensor_affine());
  CHECK(same.channels[0].training.scale == same.channels[0].deployed.scale);
}

TEST_CASE("trap: verdicts", "[trap]") {
  // 255 steps of 2^-7 from -1: the same scale on both sides.
  const TensorGrids exact = compare_grids("x", weights({3}, {-1.0F, 0.25F, 0.9921875F}), per_tensor_affine());
  CHECK(exact.channels[0].cause == GridCause::equal);
  CHECK(exact.verdict == GridVerdict::exact);

  const Tensor w = random_weights({8, 5, 3, 3});
  const TensorGrids int8 = compare_grids("w", w, {});
  CHECK(int8.verdict >= GridVerdict::within_one_lsb);
  CHECK(int8.weights.sqnr.kind == Sqnr::Kind::decibels);
  CHECK(int8.weights.sqnr.decibels > 40);
  CHECK(int8.codes_that_differ > 0);
  CHECK(int8.codes_that_differ < int8.weights.mismatches);
  const TensorGrids int4 = compare_grids("w", w, codes(-7, 7));
  CHECK(int4.weights.sqnr.decibels < 25);
  CHECK(compare_grids("w", weights({1, 3}, {-0.2F, 0.9F, 0.1F}), {}).verdict == GridVerdict::within_one_lsb);
  CHECK(compare_grids("w", weights({1, 2}, {-1e-4F, 0.008F}), codes(-1, 1)).verdict == GridVerdict::within_one_lsb);
  CHECK(is_one_graph(GridVerdict::same_codes));
  CHECK_FALSE(is_one_graph(GridVerdict::within_one_lsb));
}

TEST_CASE("trap: channels and their sum", "[trap]") {
  const TensorGrids found = compare_grids("w", random_weights({6, 4, 3}), {});
  std::size_t mismatches = 0;
  std::size_t codes_that_differ = 0;
  std::map<std::int64_t, std::uint64_t> histogram;
  for (const ChannelGrids& one : found.channels) {
    mismatches += one.weights.mismatches;
    codes_that_differ += one.codes_that_differ;
    for (const auto& [steps, count] : one.weights.lsb->histogram) histogram[steps] += count;
  }
  CHECK(found.weights.elements == 72);
  CHECK(found.weights.mismatches == mismatches);
  CHECK(found.codes_that_differ == codes_that_differ);
  CHECK(found.weights.lsb->histogram == histogram);
}

TEST_CASE("trap: both remedies leave nothing", "[trap]") {
  for (const GridRequest& request : {GridRequest{}, codes(-7, 7), codes(-8, 7), per_tensor_affine()}) {
    const TensorGrids found = compare_grids("w", random_weights({8, 9}), request);
    CHECK(found.differ_with_plain_module == 0);
    CHECK(found.differ_with_training_grid == 0);
  }
}

TEST_CASE("trap: another axis is the same as its channels in front", "[trap]") {
  const Tensor w = random_weights({3, 4, 5});
  Tensor moved(Type::float32, {5, 3, 4});
  for (std::size_t i = 0; i < 12; ++i) {
    for (std::size_t c = 0; c < 5; ++c) moved.set_bits(c * 12 + i, w.bits(i * 5 + c));
  }
  const TensorGrids in_front = compare_grids("w", moved, {});
  for (const std::int64_t axis : {2, -1}) {
    GridRequest request;
    request.ch_axis = axis;
    const TensorGrids found = compare_grids("w", w, request);
    CHECK(found.shape == Shape{3, 4, 5});
    REQUIRE(found.channels.size() == 5);
    for (std::size_t c = 0; c < 5; ++c) {
      CHECK(found.channels[c].training == in_front.channels[c].training);
      CHECK(found.channels[c].weights.sqnr == in_front.channels[c].weights.sqnr);
    }
  }
}

TEST_CASE("trap: what can be no weights is refused by name", "[trap]") {
  const auto refused = [](const Tensor& tensor, std::int64_t axis = 0) {
    GridRequest request;
    request.ch_axis = axis;
    return refusal([&] { compare_grids("conv.weight", tensor, request); });
  };
  CHECK_THAT(refused(weights({2}, {1, 2})), contains("conv.weight: has the shape [2]") && contains("--per-tensor"));
  CHECK_THAT(refused(weights({2, 0}, {})), contains("conv.weight: is empty"));
  CHECK_THAT(refused(weights({1, 2}, {1, 2}), 2), contains("axis_out_of_range: conv.weight: ") && contains("-2 to 1"));
  const float nan = std::numeric_limits<float>::quiet_NaN();
  CHECK_THAT(refused(weights({1, 2}, {1, nan})), contains("conv.weight: element 1 is nan"));
}

TEST_CASE("trap: weights become float32 or are refused", "[trap]") {
  const TemporaryFolder folder;
  const std::string file = (folder / "w.npy").string();
  write_npy(file, Tensor::scalar(Type::float64, 0.5));
  CHECK(read_weights(file, {}).tensors.at(0).values == Tensor::scalar(Type::float32, 0.5));
  write_npy(file, Tensor::scalar(Type::float64, 0.1));
  CHECK_THAT(refusal([&] { read_weights(file, {}); }), contains("w.npy: element 0: 0.1 is no float32"));
  write_npy(file, Tensor(Type::float16, {2}));
  CHECK(read_weights(file, {}).tensors.at(0).values.type() == Type::float32);
  write_npy(file, Tensor(Type::int8, {2}));
  CHECK_THAT(refusal([&] { read_weights(file, {}); }), contains("holds int8"));
  CHECK_THAT(refusal([&] { read_weights(file, {"w"}); }), contains("no .safetensors file"));
}

TEST_CASE("trap: text, JSON and page say the same", "[trap]") {
  const TrapResults results = results_of(weights({3, 3}, {-0.2F, 0.9F, 0.1F, -0.9F, 0.2F, 0.3F, 0.5F, 1.0F, 0.25F}));
  const std::string text = trap_as_text(results, Colours::no, 2);
  CHECK_THAT(text, contains("pytorch.fused_moving_avg_obs_fake_quant") && contains("n = 127") && contains("max_side") &&
                       contains("min_side") && contains("one_sided") && contains("2 of 3 channels") &&
                       contains("0.500000 to 1.003937") && contains("0 of 9 weights would differ") &&
                       contains("does not help"));

  const nlohmann::json json = trap_as_json(results);
  CHECK(json["schema"] == "qassay-trap-1");
  CHECK(json["tensors"][0]["channels"].size() == 3);
  CHECK(json["tensors"][0]["causes"] == nlohmann::json{{"max_side", 1}, {"min_side", 1}, {"one_sided", 1}});
  CHECK(json["verdict"] == json["tensors"][0]["verdict"]);
  CHECK(json["tensors"][0]["channels"][2]["training"]["zero_point"] == -127);

  TrapResults hostile = results;
  hostile.file = "</script><b>";
  const std::string page = trap_as_page(hostile);
  CHECK_THAT(page, contains("\\u003c/script>"));
  CHECK(page.find("</script><b>") == std::string::npos);
}

TEST_CASE("trap: the noisiest channels come first", "[trap]") {
  const TrapResults results = results_of(weights({3, 2}, {0, 0, 0.5F, -0.9F, 1.0F, 0.31F}));
  const std::vector<ChannelPlace> places = noisiest_channels(results.tensors);
  REQUIRE(places.size() == 3);
  CHECK(places.back().channel == 0);
  CHECK(results.tensors[0].channels[places[0].channel].weights.sqnr.decibels <=
        results.tensors[0].channels[places[1].channel].weights.sqnr.decibels);
}

}  // namespace qassay
