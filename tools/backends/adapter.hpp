// Write a qassay backend adapter in C++: one short function for each formula. The protocol is stated in README.md
// beside this file.
//
//   int main() {
//     qassay::Adapter adapter("mine", "1.0");
//     adapter.formula("onnx.QuantizeLinear", [](const qassay::AdapterCase& c) {
//       qassay::Tensor y(c.output("y").type, c.output("y").shape);
//       my_quantize(c.input("x").as<float>(), c.real("y_scale"), c.whole("y_zero_point"), y.as<std::uint8_t>());
//       return qassay::Outputs{{"y", y}};
//     });
//     return adapter.run();
//   }
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <functional>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "interpreter/arguments.hpp"
#include "interpreter/formula.hpp"
#include "tools/npy.hpp"

namespace qassay {

/// Thrown by a formula's function: the backend has no way to express this case.
class Unsupported : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// One request. An unknown name, or a value of another kind than asked for, throws.
class AdapterCase {
 public:
  struct WantedOutput {
    Type type;
    Shape shape;
    std::string path;
  };

  explicit AdapterCase(const nlohmann::json& request) : formula_(request.at("formula")) {
    for (const auto& [name, given] : request.at("inputs").items()) {
      inputs_.emplace(name, read_npy(given.at("path").get<std::string>(), type_of(given)));
    }
    for (const auto& [name, given] : request.at("parameters").items()) parameters_.emplace(name, written(given));
    for (const auto& [name, wanted] : request.at("outputs").items()) {
      outputs_.emplace(name, WantedOutput{type_of(wanted), wanted.at("shape"), wanted.at("path")});
    }
  }

  const std::string& formula() const { return formula_; }
  const Inputs& inputs() const { return inputs_; }
  const Settings& parameters() const { return parameters_; }
  const std::map<std::string, WantedOutput, std::less<>>& outputs() const { return outputs_; }

  const Tensor& input(std::string_view name) const { return at(inputs_, name); }
  const WantedOutput& output(std::string_view name) const { return at(outputs_, name); }
  /// A scale, a zero point: a scalar, a vector along an axis, or blocks.
  const Tensor& tensor(std::string_view name) const {
    const Written& written = at(parameters_, name);
    if (!written.tensor) throw std::invalid_argument(fmt::format("{} is no tensor", name));
    return *written.tensor;
  }
  /// The only value of a parameter.
  double real(std::string_view name) const { return tensor(name).real(0); }
  std::int64_t whole(std::string_view name) const {
    const Written& written = at(parameters_, name);
    return written.tensor ? written.tensor->integer(0) : std::stoll(written.elements.at(0));
  }
  bool is_true(std::string_view name) const { return word(name) == "true"; }
  const std::string& word(std::string_view name) const { return at(parameters_, name).elements.at(0); }

 private:
  static Type type_of(const nlohmann::json& given) {
    const std::string name = given.at("type");
    if (const std::optional<Type> type = type_named(name)) return *type;
    throw Unsupported(fmt::format("no type {}", name));
  }

  static Written written(const nlohmann::json& given) {
    if (!given.is_object()) return Written::scalar(given.is_string() ? given.get<std::string>() : given.dump());
    Tensor tensor(type_of(given), given.at("shape").get<Shape>());
    const nlohmann::json& values = given.at("values");
    if (values.size() != tensor.size()) throw std::invalid_argument("values and shape do not fit");
    for (std::size_t i = 0; i < tensor.size(); ++i) {
      const std::string text =
          values[i].is_string() ? fmt::format("bits:{}", values[i].get<std::string>()) : values[i].dump();
      tensor.set_bits(i, parse_number(text, tensor.type()));
    }
    return Written::of(std::move(tensor));
  }

  template <class Map>
  static const typename Map::mapped_type& at(const Map& map, std::string_view name) {
    const auto found = map.find(name);
    if (found == map.end()) throw std::out_of_range(fmt::format("the case has no '{}'", name));
    return found->second;
  }

  std::string formula_;
  Inputs inputs_;
  Settings parameters_;
  std::map<std::string, WantedOutput, std::less<>> outputs_;
};

class Adapter {
 public:
  using Function = std::function<Outputs(const AdapterCase&)>;

  Adapter(std::string backend, std::string version) : backend_(std::move(backend)), version_(std::move(version)) {}

  /// The function answers for this formula. It throws Unsupported for what the backend cannot express; any other
  /// exception is an error of the case.
  void formula(std::string_view id, Function function) { functions_.emplace(id, std::move(function)); }

  /// Says hello, then answers requests until standard input ends. Nothing else may be printed to standard output.
  int run() {
    nlohmann::json hello{
        {"protocol", 1}, {"backend", backend_}, {"version", version_}, {"formulas", nlohmann::json::array()}};
    for (const auto& [id, function] : functions_) hello["formulas"].push_back(id);
    say(hello);
    for (std::string line; std::getline(std::cin, line);) {
      if (!line.empty()) say(answer(line));
    }
    return 0;
  }

 private:
  static void say(const nlohmann::json& message) {
    std::cout << message.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) << std::endl;
  }

  nlohmann::json answer(const std::string& line) const {
    nlohmann::json name;
    try {
      const nlohmann::json request = nlohmann::json::parse(line);
      name = request.at("case");
      const auto function = functions_.find(request.at("formula").get<std::string>());
      if (function == functions_.end()) throw Unsupported(fmt::format("{} does not claim this formula", backend_));
      const AdapterCase asked(request);
      const Outputs outputs = function->second(asked);
      for (const auto& [output, wanted] : asked.outputs()) {
        const auto given = outputs.find(output);
        if (given == outputs.end()) throw std::logic_error(fmt::format("output {} is missing", output));
        write_npy(wanted.path, given->second);
      }
      return {{"case", name}, {"status", "done"}};
    } catch (const Unsupported& reason) {
      return {{"case", name}, {"status", "unsupported"}, {"why", reason.what()}};
    } catch (const std::exception& failure) {
      return {{"case", name}, {"status", "error"}, {"why", failure.what()}};
    }
  }

  std::string backend_;
  std::string version_;
  std::map<std::string, Function, std::less<>> functions_;
};

}  // namespace qassay
