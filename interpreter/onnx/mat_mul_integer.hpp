#pragma once

#include <fmt/format.h>

#include "interpreter/formula.hpp"

namespace qassay::onnx {

/// ONNX MatMulInteger, one element: a row of A times a column of B, in integers.
struct MatMulInteger {
  inline static const Signature signature{
      .id = "onnx.MatMulInteger",
      .summary = "Y[i, j] = sum over k of (A[i, k] - a_zero_point) * (B[k, j] - b_zero_point), modulo 2^32",
      .kind = FormulaKind::reduce,
      .authority = Authority::specification,
      .inputs = {{"A", {Type::uint8, Type::int8}, "codes, two axes"},
                 {"B", {Type::uint8, Type::int8}, "codes, two axes, as many rows as A has columns", InputShape::own}},
      .parameters = {{.name = "a_zero_point",
                      .role = Role::input_zero_point,
                      .kind = ParameterKind::integer,
                      .fallback = "0",
                      .within = Within::input_type,
                      .spread = Spread::alone,
                      .about = "one value; a value for each row is not done here"},
                     {.name = "b_zero_point",
                      .role = Role::weight_zero_point,
                      .kind = ParameterKind::integer,
                      .fallback = "0",
                      .within = Within::int32,
                      .spread = Spread::alone,
                      .about = "one value of B's type; a value for each column is not done here"}},
      .outputs = {{"Y", OutputRule::fixed, Type::int32,
                   "accumulators, a row for each of A's, a column for each of B's"}},
      .slices = Spread::alone,
      .steps = {{"differences", "codes less zero points, exactly"},
                {"products", "exactly"},
                {"Y", "their sum; the specification says that it may not overflow, so the order is free"}},
      .edges = "An int32 that overflows is not specified; here the sum is taken modulo 2^32.",
      .source = "ONNX operator MatMulInteger, version 10",
  };

  static void check(const Arguments& arguments) {
    if (arguments.shape.size() == 2) return;
    throw RequestError(ErrorKind::wrong_shape, fmt::format("{}: A has the shape {}, expected two axes", signature.id,
                                                           to_text(arguments.shape)));
  }

  /// One product for each k, of the element `index` of Y.
  static std::vector<std::int64_t> products(const Arguments& arguments, const Inputs& inputs, std::size_t row,
                                            std::size_t column) {
    const Tensor& a = inputs.find("A")->second;
    const Tensor& b = inputs.find("B")->second;
    const auto inner = static_cast<std::size_t>(a.shape()[1]);
    const auto columns = static_cast<std::size_t>(b.shape()[1]);
    const std::int64_t a_zero_point = arguments.integer(Role::input_zero_point, {});
    const std::int64_t b_zero_point = arguments.integer(Role::weight_zero_point, {});
    std::vector<std::int64_t> products(inner);
    for (std::size_t k = 0; k < inner; ++k) {
      products[k] = (a.integer(row * inner + k) - a_zero_point) * (b.integer(k * columns + column) - b_zero_point);
    }
    return products;
  }

  static std::int64_t sum(const std::vector<std::int64_t>& products) {
    std::int64_t sum = 0;
    for (const std::int64_t product : products) sum += product;
    return sum;
  }

  static void check_inner(const Inputs& inputs) {
    const Shape& a = inputs.find("A")->second.shape();
    const Shape& b = inputs.find("B")->second.shape();
    if (b.size() == 2 && b[0] == a[1]) return;
    throw RequestError(ErrorKind::wrong_shape,
                       fmt::format("{}: B has the shape {}, expected [{}, columns] beside A's {}", signature.id,
                                   to_text(b), a[1], to_text(a)));
  }

  static Formula formula() {
    Formula formula;
    formula.signature = &signature;
    formula.check = check;
    formula.evaluate = [](const Arguments& arguments, const Inputs& inputs) {
      check_inner(inputs);
      const Shape shape{arguments.shape[0], inputs.find("B")->second.shape()[1]};
      const auto columns = static_cast<std::size_t>(shape[1]);
      Tensor y(Type::int32, shape);
      for (std::size_t i = 0; i < y.size(); ++i) {
        const std::int64_t exact = sum(products(arguments, inputs, i / columns, i % columns));
        y.set_bits(i, static_cast<std::uint32_t>(exact));
      }
      Evaluation evaluation;
      evaluation.outputs.emplace("Y", std::move(y));
      return evaluation;
    };
    // Of an element of A: the first column's sum that it goes into.
    formula.trace = [](const Arguments& arguments, const Inputs& inputs, std::size_t index) {
      check_inner(inputs);
      const std::size_t row = index / static_cast<std::size_t>(arguments.shape[1]);
      Trace trace;
      std::vector<Traced> terms;
      const std::vector<std::int64_t> parts = products(arguments, inputs, row, 0);
      terms.reserve(parts.size());
      for (const std::int64_t part : parts) terms.emplace_back(Type::int64, static_cast<double>(part));
      const Exact exact(sum(parts));
      const Traced result(Type::int32, static_cast<double>(static_cast<std::int32_t>(sum(parts))));
      trace.push_back({"sum of products", std::move(terms), exact, result, StepKind::wraps});
      return trace;
    };
    formula.exact = [](const Arguments& arguments, const Inputs& inputs, std::size_t index) {
      check_inner(inputs);
      const std::size_t row = index / static_cast<std::size_t>(arguments.shape[1]);
      return std::vector<Exact>{Exact(sum(products(arguments, inputs, row, 0)))};
    };
    return formula;
  }
};

}  // namespace qassay::onnx
