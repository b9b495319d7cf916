#include "tools/trap/weights.hpp"

#include <fmt/format.h>

#include <cmath>

#include "interpreter/arguments.hpp"
#include "interpreter/error.hpp"
#include "tools/npy.hpp"
#include "tools/safetensors.hpp"

namespace qassay {
namespace {

Tensor as_binary32(const std::string& name, Tensor tensor) {
  if (tensor.type() == Type::float32) return tensor;
  if (!is_floating(tensor.type())) {
    throw RequestError(ErrorKind::wrong_type,
                       fmt::format("{}: holds {}; expected weights before they are quantized, of "
                                   "a floating type",
                                   name, qassay::name(tensor.type())));
  }
  Tensor result = Tensor::uncleared(Type::float32, tensor.shape());
  for (std::size_t i = 0; i < tensor.size(); ++i) {
    const double value = tensor.real(i);
    result.set_real(i, value);
    if (result.real(i) == value || std::isnan(value)) continue;
    throw RequestError(
        ErrorKind::wrong_type,
        fmt::format("{}: element {}: {} is no float32; round the weights to it first, as the graphs would", name, i,
                    decimal_text(tensor.type(), tensor.bits(i))));
  }
  return result;
}

bool can_be_weights(const SafetensorsEntry& entry) {
  return entry.type && is_floating(*entry.type) && entry.shape.size() >= 2 && element_count(entry.shape) > 0;
}

WeightsFile read_from(const Safetensors& file, const std::string& path, const std::vector<std::string>& names) {
  WeightsFile weights;
  const auto take = [&](const SafetensorsEntry& entry) {
    weights.tensors.push_back({entry.name, as_binary32(path + ": " + entry.name, file.read(entry))});
  };
  for (const std::string& name : names) take(file.entry(name));
  if (!names.empty()) return weights;
  for (const SafetensorsEntry& entry : file.entries()) {
    if (can_be_weights(entry)) take(entry);
    else weights.left_out.push_back(entry.name);
  }
  if (weights.tensors.empty()) {
    throw RequestError(ErrorKind::wrong_shape,
                       fmt::format("{}: none of its {} tensors is floating and has two axes; name one with --tensor",
                                   path, file.entries().size()));
  }
  return weights;
}

}  // namespace

WeightsFile read_weights(const std::string& path, const std::vector<std::string>& names) {
  if (path.ends_with(".safetensors")) return read_from(Safetensors(path), path, names);
  if (!names.empty()) {
    throw RequestError(
        ErrorKind::bad_value,
        fmt::format("--tensor {}: {} is no .safetensors file, so its tensors have no names", names.front(), path));
  }
  return {{{path, as_binary32(path, read_tensor(path))}}, {}};
}

}  // namespace qassay
