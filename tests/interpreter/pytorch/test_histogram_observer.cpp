#include "catch.hpp"
#include "interpreter/request.hpp"

using namespace qassay;
using namespace qassay::tests;

namespace {

/// After one batch, with as many bins as the histogram given, else 4.
Evaluation observe(const std::string& x, const std::string& histogram = "[]", const Texts& more = {}) {
  const Tensor before = tensor(histogram);
  Texts set{{"dtype", "uint8"}, {"qscheme", "per_tensor_affine"}, {"bins", "4"}};
  if (before.size() > 0) set["bins"] = std::to_string(before.size());
  for (const auto& [name, text] : more) set[name] = text;
  return formula("pytorch.HistogramObserver")({{"x", tensor(x)}, {"histogram", before}}, settings(set));
}

/// "counts; min_val, max_val; scale, zero_point".
std::string observed(const std::string& x, const std::string& histogram = "[]", const Texts& more = {}) {
  const Evaluation evaluation = observe(x, histogram, more);
  return shown(evaluation, "histogram") + "; " + shown(evaluation, "min_val") + ", " + shown(evaluation, "max_val") +
         "; " + shown(evaluation, "scale") + ", " + shown(evaluation, "zero_point");
}

std::string counts(const std::string& x, const std::string& histogram = "[]", const Texts& more = {}) {
  return shown(observe(x, histogram, more), "histogram");
}

std::string unless_refused_for(const std::string& x, const std::string& histogram, const Texts& more,
                               ErrorKind kind = ErrorKind::out_of_domain) {
  return unless_refused([&] { observe(x, histogram, more); }, kind, {});
}

Texts state(const std::string& min_val, const std::string& max_val, Texts more = {}) {
  more.insert({{"min_val", min_val}, {"max_val", max_val}});
  return more;
}

}  // namespace

TEST_CASE("pytorch.HistogramObserver: a value on an edge is in the bin above, the largest in the last") {
  CHECK(counts("[0,1,2,3,4]") == "1 1 1 2");
  CHECK(counts("[-2,-1,-0.5,0,2]") == "1 2 1 1");
  CHECK(counts("[0,0.99999994,1,4]") == "2 1 0 1");
}

TEST_CASE("pytorch.HistogramObserver: one value is in the middle of a range of 2") {
  CHECK(observed("[5,5,5]") == "0 0 3 0; 5, 5; 0.019607844, 0");
  // The neighbours of 2^25 are 2 and 4 away.
  CHECK(counts("[33554432]") == "0 1 0 0");
  CHECK(counts("[3.4028235e38]") == "0 0 0 1");
}

TEST_CASE("pytorch.HistogramObserver: with its range as it was, counts are added") {
  CHECK(counts("[0.5,2.5,2.5]", "[1,1,1,2]", state("0", "4")) == "2 1 3 2");
  CHECK(counts("[5]", "[0,0,3,0]", state("5", "5")) == "0 0 4 0");
}

TEST_CASE("pytorch.HistogramObserver: where the range grows, sixteenths of bins move") {
  CHECK(counts("[8]", "[16,32,0,16]", state("0", "4")) == "48 16 0 1");
  CHECK(counts("[-4]", "[16,32,0,16]", state("0", "4")) == "1 0 48 16");
  // The new edges are at 1.25 and 2.5: the last four sixteenths of the second bin and the first eight of the third go
  // on.
  CHECK(counts("[5]", "[16,16,16,16]", state("0", "4")) == "20 20 20 5");
}

TEST_CASE("pytorch.HistogramObserver: one value goes with all its counts to its new bin") {
  CHECK(counts("[9]", "[0,0,3,0]", state("5", "5")) == "3 0 0 1");
  CHECK(counts("[1]", "[0,0,3,0]", state("5", "5")) == "1 0 0 3");
}

TEST_CASE("pytorch.HistogramObserver: what overflows") {
  // x * bins is infinite, and its index the first bin's; MAX - -MAX is infinite, and nothing is counted.
  CHECK(counts("[0,1e38,3e38]") == "3 0 0 0");
  CHECK(observed("[-3e38,0,3e38]") == "0 0 0 0; -3e+38, 3e+38; nan, 0");
}

TEST_CASE("pytorch.HistogramObserver leaves out infinities and refuses NaN") {
  CHECK(counts("[0,inf,4,-inf]") == "1 0 0 1");
  CHECK(observed("[inf,-inf]") == "0 0 0 0; inf, -inf; 1, 0");
  CHECK(unless_refused_for("[0,nan]", "[]", {}).empty());
}

TEST_CASE("pytorch.HistogramObserver: nothing was seen, or nothing more") {
  CHECK(observed("[]") == "0 0 0 0; inf, -inf; 1, 0");
  CHECK(counts("[]", "[1,1,1,2]", state("0", "4")) == "1 1 1 2");
}

TEST_CASE("pytorch.HistogramObserver: the range goes down to the bins worth quantizing") {
  // Measured, torch 2.13.0. The last of four bins goes: 191.25 / 255.
  CHECK(observed("[0.5]", "[1,1,1,1]", state("0", "255")) == "2 1 1 1; 0, 255; 0.75, 0");
  CHECK(observed("[0.5]", "[1,1,1,1]", state("-1", "254")) == "2 1 1 1; -1, 254; 0.75, 1");
  CHECK(
      observed("[0.5]", "[1,1,1,1]", state("-127.5", "1", {{"qscheme", "per_tensor_symmetric"}, {"dtype", "int8"}})) ==
      "1 1 1 2; -127.5, 1; 1, 0");
}

TEST_CASE("pytorch.HistogramObserver searches with all codes of the type, whatever the range given") {
  const Texts range{{"quant_min", "0"}, {"quant_max", "15"}};
  CHECK(observed("[0.5]", "[1,1,1,1]", state("0", "255", range)) == "2 1 1 1; 0, 255; 12.75, 0");
}

TEST_CASE("pytorch.HistogramObserver takes 2048 bins of itself") {
  const Evaluation evaluation =
      formula("pytorch.HistogramObserver")({{"x", tensor("[0,1]")}, {"histogram", tensor("[]")}},
                                           settings({{"dtype", "uint8"}, {"qscheme", "per_tensor_affine"}}));
  CHECK(evaluation.outputs.find("histogram")->second.shape() == Shape{2048});
}

TEST_CASE("pytorch.HistogramObserver refuses what is no state of it") {
  CHECK(unless_refused_for("[0]", "[]", state("0", "1"), ErrorKind::wrong_shape).empty());
  CHECK(unless_refused_for("[0]", "[1,2,3]", {{"bins", "4"}}, ErrorKind::wrong_shape).empty());
  CHECK(unless_refused_for("[0]", "[1,2,3]", state("1", "0")).empty());
  CHECK(unless_refused_for("[0]", "[1,2,3]", state("nan", "0")).empty());
  CHECK(unless_refused_for("[0]", "[1,2,3]", state("0", "inf")).empty());
  CHECK(unless_refused_for("[0]", "[]", {{"bins", "0"}}).empty());
}
