#include "interpreter/onnx/parameters.hpp"

#include <fmt/format.h>

namespace qassay::onnx {
namespace {

void require_opset(const Arguments& arguments, std::int64_t first, std::string_view what, ErrorKind kind) {
  if (arguments.whole(Role::opset) >= first) return;
  throw RequestError(kind, fmt::format("{}: {} came with opset {}, but opset is {}; set opset={} or more",
                                       arguments.signature->id, what, first, arguments.whole(Role::opset), first));
}

}  // namespace

void check_opset(const Arguments& arguments) {
  const Signature& signature = *arguments.signature;
  for (const Type type : {arguments.input_type, arguments.type(Role::dtype)}) {
    require_opset(arguments, first_opset_with(type), name(type), ErrorKind::wrong_type);
  }
  if (arguments.whole(Role::block_size) > 0) require_opset(arguments, 21, "block_size", ErrorKind::out_of_domain);
  const Type scale = arguments.own_type(Role::scale);
  const bool quantizes = is_floating(arguments.input_type);
  const Type other = quantizes ? arguments.input_type : arguments.type(Role::dtype);
  if (scale != other) {
    require_opset(arguments, 23,
                  fmt::format("a {} of another type ({}) than {} ({})", signature.parameter(Role::scale)->name,
                              name(scale), quantizes ? "x" : "y", name(other)),
                  ErrorKind::wrong_type);
  }
  if (quantizes && arguments.choice<Precision>(Role::precision) != Precision::none) {
    require_opset(arguments, 23, "precision", ErrorKind::out_of_domain);
  }
}

}  // namespace qassay::onnx
