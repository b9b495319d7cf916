#include "interpreter/request.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace qassay::tests {

Tensor tensor(std::string_view text, const std::optional<Shape>& shape) {
  const Written written = Written::parse(text);
  const Shape list{static_cast<std::int64_t>(written.elements.size())};
  Tensor result(written.type.value_or(Type::float32), shape.value_or(written.shape.value_or(list)));
  for (std::size_t i = 0; i < written.elements.size(); ++i) {
    result.set_bits(i, parse_number(written.elements[i], result.type()));
  }
  return result;
}

Settings settings(const Texts& texts) {
  Settings written;
  for (const auto& [name, text] : texts) written.emplace(name, Written::parse(text));
  return written;
}

std::string shown(const Evaluation& evaluation, std::string_view output) {
  const Tensor& values = evaluation.outputs.find(output)->second;
  const auto open = evaluation.unspecified.find(output);
  std::string text;
  for (std::size_t i = 0; i < values.size(); ++i) {
    text += (i > 0 ? " " : "") + decimal_text(values.type(), values.bits(i));
    if (open != evaluation.unspecified.end() && open->second[i] != 0) text += "?";
  }
  return text;
}

std::string result(std::string_view id, std::string_view output, const Texts& inputs, const Texts& set) {
  Inputs tensors;
  for (const auto& [name, text] : inputs) tensors.emplace(name, tensor(text));
  return shown(formula(id)(tensors, settings(set)), output);
}

std::optional<Refusal> refusal_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const RequestError& error) {
    return Refusal{error.kind(), error.what()};
  }
  return std::nullopt;
}

std::string unless_refused(const std::function<void()>& call, ErrorKind kind,
                           std::initializer_list<std::string_view> fragments) {
  const std::optional<Refusal> refusal = refusal_of(call);
  if (!refusal) return "not refused";
  if (refusal->kind != kind) return fmt::format("{}: {}", name(refusal->kind), refusal->message);
  for (const std::string_view fragment : fragments) {
    if (refusal->message.find(fragment) == std::string::npos) {
      return fmt::format("no '{}' in: {}", fragment, refusal->message);
    }
  }
  return {};
}

std::string difference(const Evaluation& a, const Evaluation& b) {
  if (a.unspecified != b.unspecified) return "other elements are unspecified";
  if (a.outputs.size() != b.outputs.size()) return "other outputs";
  for (const auto& [name, left] : a.outputs) {
    const auto found = b.outputs.find(name);
    if (found == b.outputs.end()) return "no output " + name;
    const Tensor& right = found->second;
    if (left.type() != right.type() || left.shape() != right.shape()) return name + " of another type or shape";
    for (std::size_t i = 0; i < left.size(); ++i) {
      if (left.bits(i) != right.bits(i)) {
        return fmt::format("{}[{}]: {} and {}", name, i, number_text(left.type(), left.bits(i)),
                           number_text(right.type(), right.bits(i)));
      }
    }
  }
  return {};
}

std::string to_text(const Request& request) {
  std::string text;
  for (const auto& [name, tensor] : request.inputs) {
    text += fmt::format(" {}: {} {}", name, qassay::name(tensor.type()), qassay::to_text(tensor.shape()));
  }
  for (const auto& [name, written] : request.settings) {
    text += fmt::format(" {}=[{}]{}{}", name, fmt::join(written.elements, ","), written.type ? ":" : "",
                        written.type ? qassay::name(*written.type) : "");
  }
  return text;
}

}  // namespace qassay::tests
