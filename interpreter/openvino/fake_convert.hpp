#pragma once

#include "interpreter/elementwise.hpp"
#include "interpreter/openvino/narrowing_parts.hpp"
#include "interpreter/openvino/parameters.hpp"

namespace qassay::openvino {

/// FakeConvert-13 as OpenVINO's reference kernels compute it (ov::Model::evaluate), one element: to an 8-bit float and
/// back. The 8-bit value is made from a float16 by bit tricks, which are not a rounding everywhere.
struct FakeConvert {
  inline static const Signature signature{
      .id = "openvino.FakeConvert",
      .summary = "y = (float8(float16(x * scale - shift)) + shift) / scale",
      .inputs = {{"x", {Type::float32, Type::float16}, "any shape"}},
      .parameters = fake_convert_parameters(),
      .outputs = {{"y", OutputRule::of_input, {}, "shaped like x"}},
      .steps = {{"scaled", "x * scale - shift, each rounded to binary32"},
                {"half",
                 "to float16, ties to even; where that carries a number below 2^-15 to the next power of two, to twice "
                 "as much"},
                {"converted",
                 "float8_e5m2: limited to 57344, then to 3 significant bits; float8_e4m3fn: 448 from 448 "
                 "on, 4 significant bits; below 2^-6 these are then cut to a multiple of 2^-9"},
                {"y", "(converted + shift) / scale, each rounded to binary32"}},
      .edges =
          "float8_e5m2: infinities give 57344, NaN stays. float8_e4m3fn: infinities and NaN give 448 with their sign, "
          "and what is below 2^-9 gives 0.",
      .source = "openvino/src/core/reference/src/op/fake_convert.cpp",
      .verified = "openvino 2026.4.1",
  };

  template <class Real>
  struct Element {
    using Number = Real;
    using Input = Real;
    Real scale;
    Real shift;
    Destination destination;

    static Element at(const Values<Real>& values) {
      return {values.real(Role::factor), values.real(Role::shift),
              values.template choice<Destination>(Role::destination)};
    }
    QASSAY_STEP Real operator()(Real x) const {
      auto scaled = subtract(multiply(x, scale), shift);
      auto half = through_doubling_float16(scaled);
      auto converted = destination == Destination::float8_e5m2 ? to_float8_e5m2(half) : cut_to_float8_e4m3fn(half);
      return divide(add(converted, shift), scale);
    }
  };
};

}  // namespace qassay::openvino
