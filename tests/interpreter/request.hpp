// Requests to formulas, written as on the command line.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "interpreter/registry.hpp"

namespace qassay::tests {

struct Request {
  Inputs inputs;
  Settings settings;
};

using Texts = std::map<std::string, std::string, std::less<>>;

/// "[0.25, nan]:float32", "3:int8"; with a shape, the elements are dealt into it.
Tensor tensor(std::string_view text, const std::optional<Shape>& shape = std::nullopt);

/// The settings that the texts mean.
Settings settings(const Texts& texts);

/// A formula's output as decimals, "3 0 255?": '?' where the specification leaves the element open.
std::string result(std::string_view id, std::string_view output, const Texts& inputs, const Texts& settings = {});
std::string shown(const Evaluation& evaluation, std::string_view output);

/// What a request is refused with.
struct Refusal {
  ErrorKind kind;
  std::string message;
};

/// Nothing if the call went through.
std::optional<Refusal> refusal_of(const std::function<void()>& call);

/// Nothing if the call is refused with this kind and a message that holds every fragment; else what happened instead.
std::string unless_refused(const std::function<void()>& call, ErrorKind kind,
                           std::initializer_list<std::string_view> fragments);

/// Nothing if two evaluations have the same bits, else where they part.
std::string difference(const Evaluation& a, const Evaluation& b);

/// A request as the command line would have it, for messages.
std::string to_text(const Request& request);

}  // namespace qassay::tests
