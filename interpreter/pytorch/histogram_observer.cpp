#include "interpreter/pytorch/histogram_observer.hpp"

namespace qassay::pytorch {

namespace {

float real_of(const Arguments& arguments, Role role) {
  return static_cast<float>(arguments.real(role, {}));
}
Traced traced(float value, std::string_view name) {
  return Traced(Type::float32, static_cast<double>(value)).from({.step = std::nullopt, .name = name});
}
Tensor scalar_of(float value) {
  return Tensor::scalar(Type::float32, static_cast<double>(value));
}
std::vector<float> elements_of(const Tensor& tensor) {
  return {tensor.as<float>(), tensor.as<float>() + tensor.size()};
}

// ---- the histogram

/// Refuses a histogram of another length than its range goes with.
Histogram seen_before(const Arguments& arguments, const Inputs& inputs) {
  const Tensor& counts = inputs.find("histogram")->second;
  const auto bins = static_cast<std::size_t>(arguments.whole(Role::bins));
  Histogram seen{elements_of(counts), {real_of(arguments, Role::minimum), real_of(arguments, Role::maximum)}};
  if (seen.counts.empty() && seen.is_empty()) seen.counts.resize(bins);
  if (seen.counts.size() == bins && counts.shape().size() == 1) return seen;
  throw RequestError(
      ErrorKind::wrong_shape,
      fmt::format("pytorch.HistogramObserver: histogram has the shape {}, expected [{}]{}", to_text(counts.shape()),
                  bins, seen.is_empty() ? ", or [0] for none yet" : ", one count for each bin"));
}

Histogram observed(const Arguments& arguments, const Inputs& inputs) {
  return observe(seen_before(arguments, inputs), elements_of(inputs.find("x")->second),
                 static_cast<std::size_t>(arguments.whole(Role::bins)),
                 arguments.choice<Contraction>(Role::contraction));
}

Evaluation evaluate_observe(const Arguments& arguments, const Inputs& inputs) {
  const DefaultFloatEnvironment environment;
  const Histogram histogram = observed(arguments, inputs);
  Tensor counts(Type::float32, {static_cast<std::int64_t>(histogram.counts.size())});
  store(counts, 0, counts.size(), histogram.counts.data());
  Evaluation evaluation;
  evaluation.outputs.emplace("histogram", std::move(counts));
  evaluation.outputs.emplace("min_val", scalar_of(histogram.ends.lowest));
  evaluation.outputs.emplace("max_val", scalar_of(histogram.ends.highest));
  return evaluation;
}

/// The bin of one element.
Trace trace_observe(const Arguments& arguments, const Inputs& inputs, std::size_t index) {
  const DefaultFloatEnvironment environment;
  const Tensor& x = inputs.find("x")->second;
  Trace trace;
  if (index >= x.size() || std::isinf(x.real(index))) return trace;
  const Histogram histogram = observed(arguments, inputs);
  const auto bins = static_cast<float>(histogram.counts.size());
  const TraceRecorder recorder(trace);
  const Traced lowest = traced(histogram.ends.lowest, "min_val");
  const Traced distance = subtract(traced(static_cast<float>(x.real(index)), "x"), lowest);
  const Traced span = subtract(traced(histogram.ends.highest, "max_val"), lowest);
  truncate_to_int64(divide(multiply(distance, traced(bins, "bins")), span));
  return trace;
}

// ---- the range to quantize

/// The ends of the range of some bins; `behind` is the bin behind the last.
template <class Real>
std::array<Real, 2> ends_of_bins(Real min_val, Real max_val, Real bins, Real first, Real behind) {
  Real width = divide(subtract(max_val, min_val), bins);
  return {add(min_val, multiply(width, first)), add(min_val, multiply(width, behind))};
}

struct Found {
  Ends range;
  float bins;
  float first;
  float behind;
};

/// Nothing where nothing was seen.
std::optional<Found> found_bins(const Arguments& arguments, const Inputs& inputs) {
  const Histogram histogram{elements_of(inputs.find("histogram")->second),
                            {real_of(arguments, Role::minimum), real_of(arguments, Role::maximum)}};
  if (histogram.is_empty()) return std::nullopt;
  const Bins bins = bins_worth_quantizing(histogram, row(arguments.type(Role::dtype)).bits);
  return Found{histogram.ends, static_cast<float>(histogram.counts.size()), static_cast<float>(bins.first),
               static_cast<float>(bins.last + 1)};
}

Evaluation evaluate_search(const Arguments& arguments, const Inputs& inputs) {
  const DefaultFloatEnvironment environment;
  std::array<float, 2> ends{real_of(arguments, Role::minimum), real_of(arguments, Role::maximum)};
  if (const auto found = found_bins(arguments, inputs)) {
    ends = ends_of_bins(found->range.lowest, found->range.highest, found->bins, found->first, found->behind);
  }
  Evaluation evaluation;
  evaluation.outputs.emplace("lowest", scalar_of(ends[0]));
  evaluation.outputs.emplace("highest", scalar_of(ends[1]));
  return evaluation;
}

Trace trace_search(const Arguments& arguments, const Inputs& inputs, std::size_t /*index*/) {
  const DefaultFloatEnvironment environment;
  Trace trace;
  if (const auto found = found_bins(arguments, inputs)) {
    const TraceRecorder recorder(trace);
    ends_of_bins(traced(found->range.lowest, "min_val"), traced(found->range.highest, "max_val"),
                 traced(found->bins, "bins"), traced(found->first, "first bin"),
                 traced(found->behind, "behind last bin"));
  }
  return trace;
}

/// Of the bins that the machine finds.
std::vector<Exact> exact_search(const Arguments& arguments, const Inputs& inputs, std::size_t /*index*/) {
  const DefaultFloatEnvironment environment;
  const auto found = found_bins(arguments, inputs);
  if (!found) return {Exact(arguments.real(Role::minimum, {})), Exact(arguments.real(Role::maximum, {}))};
  const auto ends = ends_of_bins(Exact(found->range.lowest), Exact(found->range.highest), Exact(found->bins),
                                 Exact(found->first), Exact(found->behind));
  return {ends[0], ends[1]};
}

}  // namespace

const Signature HistogramObserver::Observe::signature{
    .id = "pytorch.HistogramObserver/histogram",
    .summary = "histogram, min_val, max_val after one batch more",
    .kind = FormulaKind::reduce,
    .inputs = {{"x", {Type::float32}, ""}, histogram_input()},
    .parameters = {minimum_parameter("min_val"), maximum_parameter("max_val"), bins_parameter(),
                   contraction_parameter()},
    .outputs = {{"min_val", OutputRule::fixed, Type::float32, ""},
                {"max_val", OutputRule::fixed, Type::float32, ""},
                {"histogram", OutputRule::fixed, Type::float32, ""}},
    .steps = {},
};

Formula HistogramObserver::Observe::formula() {
  Formula formula;
  formula.signature = &signature;
  formula.check = [](const Arguments&) {};
  formula.evaluate = evaluate_observe;
  formula.trace = trace_observe;
  formula.exact = [](const Arguments& arguments, const Inputs& inputs, std::size_t /*index*/) {
    const Histogram histogram = observed(arguments, inputs);
    return std::vector<Exact>{Exact(histogram.ends.lowest), Exact(histogram.ends.highest)};
  };
  return formula;
}

const Signature HistogramObserver::Search::signature{
    .id = "pytorch.HistogramObserver/range",
    .summary = "the ends of the bins worth quantizing",
    .kind = FormulaKind::reduce,
    .inputs = {{"histogram", {Type::float32}, ""}},
    .parameters = {minimum_parameter("min_val"), maximum_parameter("max_val"),
                   *HistogramObserver::signature.parameter(Role::dtype)},
    .outputs = {{"lowest", OutputRule::fixed, Type::float32, ""}, {"highest", OutputRule::fixed, Type::float32, ""}},
    .steps = {},
};

Formula HistogramObserver::Search::formula() {
  Formula formula;
  formula.signature = &signature;
  formula.check = [](const Arguments&) {};
  formula.evaluate = evaluate_search;
  formula.trace = trace_search;
  formula.exact = exact_search;
  return formula;
}

void HistogramObserver::check(const Arguments& arguments) {
  check_observer(arguments);
  const float lowest = real_of(arguments, Role::minimum);
  const float highest = real_of(arguments, Role::maximum);
  const bool has_seen_nothing = std::isinf(lowest) && std::isinf(highest) && lowest > highest;
  if (has_seen_nothing || (std::isfinite(lowest) && std::isfinite(highest) && lowest <= highest)) return;
  throw RequestError(
      ErrorKind::out_of_domain,
      fmt::format("{}: [min_val, max_val] is [{}, {}]; this observer has a finite range or, before anything was seen, "
                  "[inf, -inf]",
                  signature.id, lowest, highest));
}

ProgramCalls HistogramObserver::program(const Arguments& arguments) {
  const bool is_symmetric = arguments.choice<QScheme>(Role::symmetry) == QScheme::symmetric;
  ProgramCall qparams =
      is_symmetric ? qparams_call<QScheme::symmetric>(arguments) : qparams_call<QScheme::affine>(arguments);
  for (auto& [parameter, source] : qparams.parameters) {
    if (parameter == "min_val") source = FromValue{"lowest"};
    if (parameter == "max_val") source = FromValue{"highest"};
  }
  return {{Observe::formula(),
           {{"x", "x"}, {"histogram", "histogram"}},
           {{"min_val", FromValue{"min_val"}},
            {"max_val", FromValue{"max_val"}},
            {"bins", FromValue{"bins"}},
            {"contraction", FromValue{"contraction"}}},
           {{"histogram", "histogram"}, {"min_val", "min_val"}, {"max_val", "max_val"}}},
          {Search::formula(),
           {{"histogram", "histogram"}},
           {{"min_val", FromValue{"min_val"}}, {"max_val", FromValue{"max_val"}}, {"dtype", FromValue{"dtype"}}},
           {{"lowest", "lowest"}, {"highest", "highest"}}},
          std::move(qparams)};
}

}  // namespace qassay::pytorch
