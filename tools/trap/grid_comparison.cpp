#include "tools/trap/grid_comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "interpreter/error.hpp"
#include "interpreter/pytorch/choose_quantization_params.hpp"
#include "interpreter/registry.hpp"
#include "tools/harness/policy.hpp"

namespace qassay {
namespace {

/// The same values with an axis in front.
Tensor axis_first(const Tensor& tensor, std::size_t axis) {
  const Shape& shape = tensor.shape();
  const auto width = static_cast<std::size_t>(row(tensor.type()).storage_bytes);
  const auto channels = static_cast<std::size_t>(shape[axis]);
  std::size_t outer = 1;
  for (std::size_t d = 0; d < axis; ++d) outer *= static_cast<std::size_t>(shape[d]);
  const std::size_t run = tensor.size() == 0 ? 0 : tensor.size() / outer / channels * width;
  Shape moved = shape;
  std::rotate(moved.begin(), moved.begin() + static_cast<std::ptrdiff_t>(axis),
              moved.begin() + static_cast<std::ptrdiff_t>(axis) + 1);
  Tensor result = Tensor::uncleared(tensor.type(), std::move(moved));
  for (std::size_t c = 0; c < channels; ++c) {
    for (std::size_t o = 0; o < outer; ++o) {
      std::memcpy(result.bytes().data() + (c * outer + o) * run, tensor.bytes().data() + (o * channels + c) * run, run);
    }
  }
  return result;
}

/// Elements [first, first + count).
Tensor part(const Tensor& tensor, std::size_t first, std::size_t count) {
  const auto width = static_cast<std::size_t>(row(tensor.type()).storage_bytes);
  Tensor result = Tensor::uncleared(tensor.type(), {static_cast<std::int64_t>(count)});
  std::memcpy(result.bytes().data(), tensor.bytes().data() + first * width, count * width);
  return result;
}

Tensor as_type(const Tensor& tensor, Type type) {
  Tensor result(type, tensor.shape());
  for (std::size_t i = 0; i < tensor.size(); ++i) {
    if (is_floating(type)) result.set_real(i, tensor.real(i));
    else result.set_integer(i, tensor.integer(i));
  }
  return result;
}

/// Scales (binary32) and zero points (int32) of all channels.
struct Grids {
  Tensor scale;
  Tensor zero_point;

  ScaleAndZeroPoint at(std::size_t channel) const {
    return {static_cast<float>(scale.real(channel)), zero_point.integer(channel)};
  }
};

/// A scale computed by the fused operator, with the weights on its grid; one by the observer, with the range.
struct TrainingSide {
  Grids grids;
  Tensor weights;
};
struct ObservedSide {
  Grids grids;
  Tensor min;
  Tensor max;
};

/// The formulas on one tensor, channels in front.
class Formulas {
 public:
  Formulas(const Tensor& x, const GridRequest& request)
      : x_(x), request_(request), ids_(formulas_of(request)), is_per_channel_(request.ch_axis.has_value()) {}

  TrainingSide train() const {
    Settings settings = code_range_settings();
    settings["symmetric_quant"] = Written::scalar(request_.is_symmetric ? "true" : "false");
    settings["per_row_fake_quant"] = Written::scalar(is_per_channel_ ? "true" : "false");
    if (is_per_channel_) settings["ch_axis"] = Written::scalar("0");
    Outputs outputs = formula(ids_.fused)({{"x", x_}}, settings).outputs;
    return {{take(outputs, "scale"), take(outputs, "zero_point")}, take(outputs, "y")};
  }

  ObservedSide observe() const {
    Settings settings = code_range_settings();
    settings["dtype"] = dtype();
    settings["qscheme"] = Written::scalar(fmt::format("{}_{}", is_per_channel_ ? "per_channel" : "per_tensor",
                                                      request_.is_symmetric ? "symmetric" : "affine"));
    settings["eps"] = Written::of(Tensor::scalar(Type::float32, static_cast<double>(request_.eps)));
    if (is_per_channel_) settings["ch_axis"] = Written::scalar("0");
    Outputs outputs = formula(ids_.observer)({{"x", x_}}, settings).outputs;
    return {{take(outputs, "scale"), take(outputs, "zero_point")}, take(outputs, "min_val"), take(outputs, "max_val")};
  }

  Tensor quantize(const Grids& grids) const {
    Settings settings = decomposed_settings(grids);
    settings["dtype"] = dtype();
    Outputs outputs = formula(ids_.quantize)({{"x", x_}}, settings).outputs;
    return take(outputs, "q");
  }

  Tensor dequantize(const Tensor& codes, const Grids& grids) const {
    Outputs outputs = formula(ids_.dequantize)({{"q", codes}}, decomposed_settings(grids)).outputs;
    return take(outputs, "y");
  }

  Tensor fake_quantize(const Grids& grids) const {
    Settings settings = code_range_settings();
    settings["scale"] = Written::of(grids.scale);
    settings["zero_point"] = Written::of(grids.zero_point);
    if (is_per_channel_) settings["axis"] = Written::scalar("0");
    Outputs outputs = formula(ids_.plain)({{"x", x_}}, settings).outputs;
    return take(outputs, "y");
  }

 private:
  static Tensor take(Outputs& outputs, std::string_view name) { return std::move(outputs.find(name)->second); }

  Written dtype() const { return Written::scalar(std::string(name(request_.dtype))); }

  Settings code_range_settings() const {
    return {{"quant_min", Written::scalar(std::to_string(request_.codes.lowest))},
            {"quant_max", Written::scalar(std::to_string(request_.codes.highest))}};
  }

  /// A channel's scale stays as it is; a tensor's is a Python float.
  Settings decomposed_settings(const Grids& grids) const {
    Settings settings = code_range_settings();
    if (is_per_channel_) {
      settings["scales"] = Written::of(grids.scale);
      settings["zero_points"] = Written::of(as_type(grids.zero_point, Type::int64));
      settings["axis"] = Written::scalar("0");
    } else {
      settings["scale"] = Written::of(as_type(grids.scale, Type::float64));
      settings["zero_point"] = Written::of(as_type(grids.zero_point, Type::int64));
    }
    return settings;
  }

  const Tensor& x_;
  const GridRequest& request_;
  GridFormulas ids_;
  bool is_per_channel_;
};

bool is_one_ulp(float a, float b) {
  return std::nextafter(a, b) == b;
}

/// Which side the scales of a range with 0 inside come from. The operator compares |min| / (n + 1) with max / n, the
/// observer |min| with max.
GridCause side_of(float min, float max, std::int64_t n) {
  if (max >= -min) return GridCause::max_side;
  const Rational from_min = Rational(-static_cast<double>(min)) * n;
  const Rational from_max = Rational(static_cast<double>(max)) * (n + 1);
  return from_min > from_max ? GridCause::min_side : GridCause::both_sides;
}

GridCause cause_of(const ChannelGrids& channel, const GridRequest& request) {
  const ScaleAndZeroPoint& training = channel.training;
  const ScaleAndZeroPoint& deployed = channel.deployed;
  if (training == deployed) return GridCause::equal;
  if (channel.min == 0 && channel.max == 0) return GridCause::all_zero;
  const bool is_floored = training.scale == pytorch::kSmallestScale || deployed.scale == request.eps;
  if (is_floored && training.scale != deployed.scale) return GridCause::floored;
  if (request.is_symmetric && (channel.min >= 0 || channel.max <= 0)) return GridCause::one_sided;
  if (training.scale == deployed.scale || is_one_ulp(training.scale, deployed.scale)) {
    return training.zero_point == deployed.zero_point ? GridCause::one_ulp : GridCause::zero_point;
  }
  return request.is_symmetric ? side_of(channel.min, channel.max, request.half()) : GridCause::other;
}

GridVerdict verdict_of(const TensorGrids& tensor) {
  const auto has_only = [&](std::initializer_list<GridCause> causes) {
    return std::ranges::all_of(tensor.channels, [&](const ChannelGrids& channel) {
      return std::ranges::find(causes, channel.cause) != causes.end();
    });
  };
  if (has_only({GridCause::equal}) && tensor.weights.mismatches == 0) return GridVerdict::exact;
  if (has_only({GridCause::equal, GridCause::one_ulp, GridCause::all_zero}) && tensor.codes_that_differ == 0)
    return GridVerdict::same_codes;
  static const Policy one_lsb = Policy::parse("within 1 lsb");
  return one_lsb.objection(tensor.weights) ? GridVerdict::differs : GridVerdict::within_one_lsb;
}

OutputComparison compare_weights(const Tensor& training, const Tensor& deployed, const Grid& grid) {
  return compare("weights", {training, {}, {}}, deployed, grid, 0);
}

std::size_t mismatches(const Tensor& a, const Tensor& b) {
  return compare_weights(a, b, {}).mismatches;
}

/// With the channels' axis in front.
TensorGrids compare_on(const Tensor& x, const GridRequest& request) {
  const Formulas formulas(x, request);
  const TrainingSide training = formulas.train();
  const ObservedSide observed = formulas.observe();
  const Tensor training_codes = formulas.quantize(training.grids);
  const Tensor codes = formulas.quantize(observed.grids);
  const Tensor deployed = formulas.dequantize(codes, observed.grids);

  TensorGrids result;
  result.channels.resize(request.ch_axis ? static_cast<std::size_t>(x.shape()[0]) : 1);
  const std::size_t length = x.size() / result.channels.size();
  for (std::size_t c = 0; c < result.channels.size(); ++c) {
    ChannelGrids& channel = result.channels[c];
    channel.min = static_cast<float>(observed.min.real(c));
    channel.max = static_cast<float>(observed.max.real(c));
    channel.training = training.grids.at(c);
    channel.deployed = observed.grids.at(c);
    channel.cause = cause_of(channel, request);
    const double step = static_cast<double>(channel.deployed.scale);
    channel.weights = compare_weights(part(training.weights, c * length, length), part(deployed, c * length, length),
                                      {[step](std::size_t /*element*/) { return step; }, {}});
    for (std::size_t i = c * length; i < (c + 1) * length; ++i) {
      const bool is_same =
          training_codes.integer(i) - channel.training.zero_point == codes.integer(i) - channel.deployed.zero_point;
      if (!is_same) ++channel.codes_that_differ;
    }
    result.codes_that_differ += channel.codes_that_differ;
  }
  result.weights = compare_weights(
      training.weights, deployed,
      {[&](std::size_t i) { return static_cast<double>(result.channels[i / length].deployed.scale); }, {}});
  result.differ_with_plain_module = mismatches(formulas.fake_quantize(observed.grids), deployed);
  result.differ_with_training_grid = mismatches(training.weights, formulas.dequantize(training_codes, training.grids));
  result.verdict = verdict_of(result);
  return result;
}

void require_finite(const Tensor& weights) {
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (!std::isfinite(weights.as<float>()[i])) {
      throw RequestError(ErrorKind::out_of_domain, fmt::format("element {} is {}; expected finite weights", i,
                                                               decimal_text(weights.type(), weights.bits(i))));
    }
  }
}

/// Counted from the front.
std::size_t checked_axis(const Shape& shape, std::int64_t axis) {
  const auto rank = static_cast<std::int64_t>(shape.size());
  if (rank < 2) {
    throw RequestError(
        ErrorKind::wrong_shape,
        fmt::format("has the shape {}; channels need a further axis, or give --per-tensor", to_text(shape)));
  }
  if (axis < -rank || axis >= rank) {
    throw RequestError(ErrorKind::axis_out_of_range, fmt::format("has the shape {}; --ch-axis {} is none of its axes, "
                                                                 "expected {} to {}",
                                                                 to_text(shape), axis, -rank, rank - 1));
  }
  return static_cast<std::size_t>(axis < 0 ? axis + rank : axis);
}

}  // namespace

GridFormulas formulas_of(const GridRequest& request) {
  constexpr std::string_view kFused = "pytorch.fused_moving_avg_obs_fake_quant";
  if (request.ch_axis) {
    return {kFused, "pytorch.MovingAveragePerChannelMinMaxObserver", "quantized_decomposed.quantize_per_channel",
            "quantized_decomposed.dequantize_per_channel", "pytorch.fake_quantize_per_channel_affine"};
  }
  return {kFused, "pytorch.MovingAverageMinMaxObserver", "quantized_decomposed.quantize_per_tensor",
          "quantized_decomposed.dequantize_per_tensor", "pytorch.fake_quantize_per_tensor_affine"};
}

std::array<std::size_t, kGridCauseCount> TensorGrids::causes() const {
  std::array<std::size_t, kGridCauseCount> counts{};
  for (const ChannelGrids& channel : channels) ++counts[static_cast<std::size_t>(channel.cause)];
  return counts;
}

TensorGrids compare_grids(std::string_view name, const Tensor& weights, const GridRequest& request) {
  try {
    if (weights.size() == 0) throw RequestError(ErrorKind::wrong_shape, "is empty; expected weights");
    require_finite(weights);
    TensorGrids result;
    if (request.ch_axis) {
      const std::size_t axis = checked_axis(weights.shape(), *request.ch_axis);
      result = axis == 0 ? compare_on(weights, request) : compare_on(axis_first(weights, axis), request);
    } else {
      result = compare_on(weights, request);
    }
    result.name = name;
    result.type = weights.type();
    result.shape = weights.shape();
    return result;
  } catch (const RequestError& error) {
    throw RequestError(error.kind(), fmt::format("{}: {}", name, error.what()));
  }
}

RatioEnds ratio_ends(const GridRequest& request) {
  const auto n = static_cast<double>(request.half());
  return {(2 * n + 1) / (2 * (n + 1)), (2 * n + 1) / (2 * n)};
}

std::vector<ChannelPlace> noisiest_channels(const std::vector<TensorGrids>& tensors) {
  const auto quietness = [&](const ChannelPlace& place) {
    const Sqnr& sqnr = tensors[place.tensor].channels[place.channel].weights.sqnr;
    if (sqnr.kind == Sqnr::Kind::decibels) return sqnr.decibels;
    const double infinity = std::numeric_limits<double>::infinity();
    return sqnr.kind == Sqnr::Kind::no_signal ? -infinity : infinity;
  };
  std::vector<ChannelPlace> places;
  for (std::size_t t = 0; t < tensors.size(); ++t) {
    for (std::size_t c = 0; c < tensors[t].channels.size(); ++c) places.push_back({t, c});
  }
  std::ranges::stable_sort(places, {}, quietness);
  return places;
}

GridVerdict worst_verdict(const std::vector<TensorGrids>& tensors) {
  GridVerdict worst = GridVerdict::exact;
  for (const TensorGrids& tensor : tensors) worst = std::max(worst, tensor.verdict);
  return worst;
}

bool is_one_graph(GridVerdict verdict) {
  return verdict <= GridVerdict::same_codes;
}

}  // namespace qassay
