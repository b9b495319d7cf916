// Parameters that broadcast, each in a shape of its own: every element has the values of its place.
#include "catch.hpp"
#include "interpreter/request_maker.hpp"
#include "interpreter/tally.hpp"

using namespace qassay;
using namespace qassay::tests;

namespace {

bool broadcasts(const Parameter& parameter) {
  return parameter.spread == Spread::broadcast && is_spread(parameter.kind);
}

/// The value of a tensor of the shape `given`, broadcast to `shape`, at an element: counted from the last dimension.
std::size_t place_of(const Shape& given, const Shape& shape, std::size_t element) {
  std::size_t place = 0;
  std::size_t stride = 1;
  for (std::size_t back = 1; back <= shape.size(); ++back) {
    const auto extent = static_cast<std::size_t>(shape[shape.size() - back]);
    const std::size_t coordinate = element % extent;
    element /= extent;
    if (back > given.size()) continue;
    const auto own = static_cast<std::size_t>(given[given.size() - back]);
    place += (own == 1 ? 0 : coordinate) * stride;
    stride *= own;
  }
  return place;
}

}  // namespace

TEST_CASE("a formula with parameters that broadcast is, element by element, the formula with one value of each") {
  RequestMaker maker(11);
  Tally tally;
  std::size_t broadcasting = 0;
  for (const Formula& formula : all_formulas()) {
    const Signature& signature = *formula.signature;
    if (std::ranges::none_of(signature.parameters, broadcasts) || formula.reach == ParameterReach::all_places) continue;
    for (int round = 0; round < 40; ++round) {
      const Request request = maker.make(formula);
      const Tensor& x = request.inputs.find("x")->second;
      const Evaluation whole = formula(request.inputs, request.settings);
      for (std::size_t i = 0; i < x.size(); ++i) {
        Tensor one(x.type(), {});
        one.set_bits(0, x.bits(i));
        Settings settings = request.settings;
        for (const Parameter& parameter : signature.parameters) {
          const auto found = settings.find(parameter.name);
          if (!broadcasts(parameter) || found == settings.end()) continue;
          Written& written = found->second;
          const Shape given = written.shape.value_or(Shape{});
          if (given.size() > 0) ++broadcasting;
          written.elements = {written.elements[place_of(given, x.shape(), i)]};
          written.shape = Shape{};
        }
        const Evaluation alone = formula({{"x", one}}, settings);
        const bool is_same = whole.outputs.at("y").bits(i) == alone.outputs.at("y").bits(0);
        tally.expect(is_same, [&] { return to_text(request); });
      }
    }
  }
  CHECK(tally.faults() == "");
  CHECK(broadcasting > 100);
}

TEST_CASE("a parameter that does not broadcast is refused by name") {
  const auto request = [](const Shape& low) {
    return [low] {
      Settings settings{{"input_high", Written::scalar("1")},
                        {"output_low", Written::scalar("0")},
                        {"output_high", Written::scalar("1")},
                        {"levels", Written::scalar("4")}};
      settings.emplace("input_low", Written::of(Tensor(Type::float32, low)));
      formula("openvino.FakeQuantize")({{"x", Tensor(Type::float32, {2, 3})}}, settings);
    };
  };
  for (const Shape& low : {Shape{}, Shape{3}, Shape{2, 1}, Shape{1, 3}, Shape{2, 3}, Shape{1, 1, 1}})
    CHECK(refusal_of(request(low)) == std::nullopt);
  for (const Shape& low : {Shape{2}, Shape{3, 1}, Shape{1, 2, 3}, Shape{0}})
    CHECK(unless_refused(request(low), ErrorKind::wrong_shape, {"openvino.FakeQuantize", "input_low", "[2, 3]"}) == "");
}
