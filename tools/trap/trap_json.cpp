#include <nlohmann/json.hpp>

#include "tools/trap/trap_report.hpp"

namespace qassay {
namespace {

using nlohmann::json;

json grid_as_json(const ScaleAndZeroPoint& grid) {
  return {{"scale", static_cast<double>(grid.scale)}, {"zero_point", grid.zero_point}};
}

/// The keys of an output's report that say something about weights.
json weights_as_json(const OutputComparison& comparison) {
  const json output = output_as_json({comparison, {}});
  json weights;
  for (const std::string key : {"elements", "mismatches", "nonfinite_mismatches", "lsb", "max_ulp", "sqnr"})
    weights[key] = output[key];
  return weights;
}

json channel_as_json(const ChannelGrids& channel) {
  return {{"min", static_cast<double>(channel.min)},
          {"max", static_cast<double>(channel.max)},
          {"training", grid_as_json(channel.training)},
          {"deployed", grid_as_json(channel.deployed)},
          {"ratio", channel.ratio()},
          {"cause", name(channel.cause)},
          {"codes_that_differ", channel.codes_that_differ},
          {"weights", weights_as_json(channel.weights)}};
}

json tensor_as_json(const TensorGrids& tensor) {
  json result{{"name", tensor.name},
              {"shape", tensor.shape},
              {"verdict", name(tensor.verdict)},
              {"codes_that_differ", tensor.codes_that_differ},
              {"differ_with_plain_module", tensor.differ_with_plain_module},
              {"differ_with_training_grid", tensor.differ_with_training_grid},
              {"weights", weights_as_json(tensor.weights)},
              {"causes", json::object()},
              {"channels", json::array()}};
  const auto causes = tensor.causes();
  for (std::size_t c = 0; c < kGridCauseCount; ++c) {
    if (causes[c] > 0) result["causes"][std::string(name(static_cast<GridCause>(c)))] = causes[c];
  }
  for (const ChannelGrids& channel : tensor.channels) result["channels"].push_back(channel_as_json(channel));
  return result;
}

json request_as_json(const GridRequest& request) {
  return {{"dtype", name(request.dtype)},
          {"quant_min", request.codes.lowest},
          {"quant_max", request.codes.highest},
          {"ch_axis", request.ch_axis ? json(*request.ch_axis) : json()},
          {"qscheme", request.is_symmetric ? "symmetric" : "affine"},
          {"eps", static_cast<double>(request.eps)}};
}

}  // namespace

json trap_as_json(const TrapResults& results) {
  const GridFormulas formulas = formulas_of(results.request);
  const GridVerdict verdict = worst_verdict(results.tensors);
  json report{{"schema", "qassay-trap-1"},
              {"qassay", QASSAY_VERSION},
              {"command", results.command},
              {"file", results.file},
              {"request", request_as_json(results.request)},
              {"training", {{"formulas", {formulas.fused}}, {"rule", training_rule(results.request)}}},
              {"deployed",
               {{"formulas", {formulas.observer, formulas.quantize, formulas.dequantize}},
                {"rule", deployed_rule(results.request)}}},
              {"verdict", name(verdict)},
              {"meaning", explained(verdict)},
              {"causes", json::object()},
              {"remedies", remedies(results)},
              {"tensors", json::array()},
              {"left_out", results.left_out}};
  if (results.request.is_symmetric) {
    const RatioEnds ends = ratio_ends(results.request);
    report["ratio_ends"] = {ends.min_side, ends.max_side};
  }
  for (std::size_t c = 0; c < kGridCauseCount; ++c) {
    const auto cause = static_cast<GridCause>(c);
    report["causes"][std::string(name(cause))] = explained(cause, results.request);
  }
  for (const TensorGrids& tensor : results.tensors) report["tensors"].push_back(tensor_as_json(tensor));
  return report;
}

}  // namespace qassay
