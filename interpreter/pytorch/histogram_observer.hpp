#pragma once

#include <span>
#include <vector>

#include "interpreter/pytorch/observer_parts.hpp"

namespace qassay::pytorch {

struct Ends {
  float lowest;
  float highest;
};

/// What the observer keeps: how many values fell into each of equally wide bins between the smallest and the largest.
struct Histogram {
  std::vector<float> counts;
  Ends ends;
  bool is_empty() const { return std::isinf(ends.lowest) || std::isinf(ends.highest); }
};

/// Bins first to last.
struct Bins {
  std::int64_t first;
  std::int64_t last;
};

/// The histogram of everything seen and of one batch more. Throws RequestError for NaN.
Histogram observe(const Histogram& seen, std::span<const float> batch, std::size_t bins, Contraction contraction);

/// The bins worth quantizing, of as many as there are: outer ones go as long as the error falls by it.
Bins bins_worth_quantizing(const Histogram& histogram, int bits);

/// torch.sum of one dimension on one thread, in its order of additions.
float sum_as_torch_does(std::span<const float> terms);

inline Input histogram_input() {
  return {"histogram", {Type::float32}, "counts before the batch, one for each bin; [0]: none yet", InputShape::own};
}
inline Parameter bins_parameter() {
  return {.name = "bins",
          .role = Role::bins,
          .kind = ParameterKind::whole,
          .fallback = "2048",
          .lowest = 1,
          .highest = 1 << 16,
          .about = "how many the histogram has"};
}

/// torch.ao.quantization.HistogramObserver: the range that quantizes the histogram of everything seen with the smallest
/// error.
struct HistogramObserver {
  /// The histogram, its range, and how both follow a batch.
  struct Observe {
    static const Signature signature;
    static Formula formula();
  };
  /// From the histogram to the range to quantize.
  struct Search {
    static const Signature signature;
    static Formula formula();
  };

  inline static const Signature signature = [] {
    Signature whole =
        observer_signature({.id = "pytorch.HistogramObserver", .is_per_channel = false, .is_averaging = false});
    whole.summary = "histogram, min_val, max_val grow to hold x; scale, zero_point from the bins worth quantizing";
    whole.inputs.push_back(histogram_input());
    whole.parameters.push_back(bins_parameter());
    whole.parameters.push_back(contraction_parameter());
    whole.outputs.insert(whole.outputs.begin(), {"histogram", OutputRule::fixed, Type::float32, "after the batch"});
    whole.steps = {
        {"range", "smallest and largest finite element of x, and of what was seen"},
        {"bins", "int64((x - min_val) * bins / (max_val - min_val)) in binary32; max_val is in the last bin"},
        {"rebinning",
         "where the range grew, a sixteenth of every old count goes to the new bin of each sixteenth's middle; the "
         "edges are torch.linspace's, min_val + step * i with or without a rounding between"},
        {"histogram", "old counts and those of x"},
        {"bins worth quantizing",
         "the outermost bins go in steps of 1e-5 of all counts, on the side where more bins go, until the error "
         "grows: for each bin density * the integral of (value - middle of its code)^2, over 2^bits codes, added in "
         "torch.sum's order"},
        {"lowest, highest", "min_val + (max_val - min_val) / bins * bin, binary32"},
        {"scale", "as of MinMaxObserver, for lowest and highest"},
        {"zero_point", "as of MinMaxObserver"},
    };
    whole.edges =
        "NaN in x is refused, as torch does; infinities are left out. An empty x changes nothing. Before anything was "
        "seen: scale 1, zero point 0. A range that overflows binary32 counts nothing, and its scale is NaN. Where "
        "(x - min_val) * bins overflows, x counts in the first bin.";
    return whole;
  }();

  static void check(const Arguments& arguments);
  static ProgramCalls program(const Arguments& arguments);
};

}  // namespace qassay::pytorch
