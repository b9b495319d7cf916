#include "tools/diagnosis/channel_settings.hpp"

#include <fmt/format.h>

namespace qassay {
namespace {

std::size_t count(const Written& written) {
  return written.tensor ? written.tensor->size() : written.elements.size();
}

Written chosen(const Written& written, std::size_t channel, const Shape& shape) {
  const std::size_t at = count(written) == 1 ? 0 : channel;
  Written one;
  one.type = written.type;
  one.shape = shape;
  if (written.tensor) {
    Tensor tensor(written.tensor->type(), shape);
    tensor.set_bits(0, written.tensor->bits(at));
    one.tensor = std::move(tensor);
  } else {
    one.elements = {written.elements[at]};
  }
  return one;
}

}  // namespace

std::size_t channels_of(const Settings& settings, const Signature& signature) {
  std::size_t channels = 1;
  for (const Parameter& parameter : signature.parameters) {
    const auto written = settings.find(parameter.name);
    if (!is_spread(parameter.kind) || written == settings.end() || count(written->second) == 1) continue;
    if (channels != 1 && channels != count(written->second)) {
      throw RequestError(ErrorKind::wrong_shape,
                         fmt::format("{}: {}: has {} values, but another parameter has {}", signature.id,
                                     parameter.name, count(written->second), channels));
    }
    channels = count(written->second);
  }
  return channels;
}

Settings of_channel(const Settings& settings, const Signature& signature, std::size_t channel) {
  Settings result = settings;
  for (const Parameter& parameter : signature.parameters) {
    const bool is_along_axis = parameter.spread == Spread::along_axis;
    if (is_along_axis)
      result.insert_or_assign(std::string(signature.parameter(Role::axis)->name), Written::scalar("0"));
    const auto written = result.find(parameter.name);
    if (!is_spread(parameter.kind) || written == result.end() || count(written->second) == 0) continue;
    written->second = chosen(written->second, channel, is_along_axis ? Shape{1} : Shape{});
  }
  return result;
}

}  // namespace qassay
