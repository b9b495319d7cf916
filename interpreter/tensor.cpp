#include "interpreter/tensor.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <type_traits>

#include "interpreter/numeric/narrow.hpp"

namespace qassay {
namespace {

static_assert(std::endian::native == std::endian::little, "tensors and .npy files are little-endian");

/// Calls `use` with a value of the integer storage type of `type`.
template <class Use>
auto with_integer_storage(Type type, Use use) {
  const bool is_signed = row(type).kind == TypeKind::signed_integer;
  switch (row(type).storage_bytes) {
    case 1: return is_signed ? use(std::int8_t{}) : use(std::uint8_t{});
    case 2: return is_signed ? use(std::int16_t{}) : use(std::uint16_t{});
    case 4: return is_signed ? use(std::int32_t{}) : use(std::uint32_t{});
    default: return use(std::int64_t{});
  }
}

/// A binary64 value rounded once to float16 or bfloat16.
double round_to_narrow(Type format, double value) {
  if (value == 0 || !std::isfinite(value)) return value;
  const int exponent = std::max(std::ilogb(value), lowest_exponent(format));
  const int quantum = exponent - row(format).precision + 1;
  const double rounded = std::ldexp(__builtin_rint(std::ldexp(value, -quantum)), quantum);
  return std::abs(rounded) >= std::ldexp(1.0, highest_exponent(format) + 1) ? std::copysign(INFINITY, value) : rounded;
}

std::uint16_t bits_of_float16(float member) {
  const auto bits = std::bit_cast<std::uint32_t>(member);
  const auto sign = static_cast<std::uint32_t>((bits >> 16U) & 0x8000U);
  const std::uint32_t magnitude = bits & 0x7fffffffU;
  if (magnitude >= 0x7f800000U) return static_cast<std::uint16_t>(magnitude > 0x7f800000U ? 0x7e00U : sign | 0x7c00U);
  if (magnitude < 0x38800000U) {  // subnormal: a multiple of 2^-24
    return static_cast<std::uint16_t>(sign | static_cast<std::uint32_t>(std::bit_cast<float>(magnitude) * 0x1p24F));
  }
  return static_cast<std::uint16_t>(sign | ((magnitude - 0x38000000U) >> 13U));
}

float value_of_float16(std::uint16_t bits) {
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000U) << 16U;
  const std::uint32_t magnitude = bits & 0x7fffU;
  if (magnitude >= 0x7c00U) return std::bit_cast<float>(sign | (magnitude == 0x7c00U ? 0x7f800000U : 0x7fc00000U));
  if (magnitude < 0x0400U)
    return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(static_cast<float>(magnitude) * 0x1p-24F));
  return std::bit_cast<float>(sign | ((magnitude << 13U) + 0x38000000U));
}

std::uint32_t canonical(float value) {
  return value != value ? 0x7fc00000U : std::bit_cast<std::uint32_t>(value);
}

template <class Lane>
void load_lanes(const Tensor& tensor, std::size_t first, std::size_t count, Lane* out) {
  switch (tensor.type()) {
    case Type::float32: std::copy_n(tensor.as<float>() + first, count, out); return;
    case Type::float64: std::copy_n(tensor.as<double>() + first, count, out); return;
    case Type::float16:
      std::transform(tensor.as<std::uint16_t>() + first, tensor.as<std::uint16_t>() + first + count, out,
                     value_of_float16);
      return;
    case Type::bfloat16:
      std::transform(tensor.as<std::uint16_t>() + first, tensor.as<std::uint16_t>() + first + count, out,
                     [](std::uint16_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16U); });
      return;
    default:
      with_integer_storage(tensor.type(), [&]<class S>(S) {
        std::transform(tensor.as<S>() + first, tensor.as<S>() + first + count, out,
                       [](S n) { return static_cast<Lane>(n); });
      });
  }
}

template <class Lane>
void store_lanes(Tensor& tensor, std::size_t first, std::size_t count, const Lane* values) {
  switch (tensor.type()) {
    case Type::float32:
      std::transform(values, values + count, tensor.as<std::uint32_t>() + first,
                     [](Lane v) { return canonical(static_cast<float>(v)); });
      return;
    case Type::float64:
    case Type::float16:
    case Type::bfloat16:
      for (std::size_t i = 0; i < count; ++i) tensor.set_real(first + i, static_cast<double>(values[i]));
      return;
    default:
      with_integer_storage(tensor.type(), [&]<class S>(S) {
        std::transform(values, values + count, tensor.as<S>() + first, [](Lane v) { return static_cast<S>(v); });
      });
  }
}

}  // namespace

std::int64_t element_count(const Shape& shape) {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>{});
}

std::string to_text(const Shape& shape) {
  std::string text = "[";
  for (std::size_t i = 0; i < shape.size(); ++i) text += (i > 0 ? ", " : "") + std::to_string(shape[i]);
  return text + "]";
}

Tensor::Tensor(Type type, Shape shape, Contents contents)
    : type_(type),
      shape_(std::move(shape)),
      size_(static_cast<std::size_t>(element_count(shape_))),
      bytes_(size_ * static_cast<std::size_t>(row(type).storage_bytes)) {
  if (contents == Contents::zero) std::ranges::fill(bytes_, std::byte{0});
}

Tensor::Tensor(Type type, Shape shape) : Tensor(type, std::move(shape), Contents::zero) {}

Tensor Tensor::uncleared(Type type, Shape shape) {
  return {type, std::move(shape), Contents::uncleared};
}

Tensor Tensor::scalar(Type type, double value) {
  Tensor tensor(type, {});
  tensor.set_real(0, value);
  return tensor;
}

Tensor Tensor::scalar(Type integer_type, std::int64_t value) {
  Tensor tensor(integer_type, {});
  tensor.set_integer(0, value);
  return tensor;
}

std::uint64_t Tensor::bits(std::size_t index) const {
  std::uint64_t bits = 0;
  const auto width = static_cast<std::size_t>(row(type_).storage_bytes);
  std::memcpy(&bits, bytes_.data() + index * width, width);
  return bits;
}

void Tensor::set_bits(std::size_t index, std::uint64_t bits) {
  const auto width = static_cast<std::size_t>(row(type_).storage_bytes);
  std::memcpy(bytes_.data() + index * width, &bits, width);
}

std::int64_t Tensor::integer(std::size_t index) const {
  return with_integer_storage(type_, [&]<class S>(S) { return static_cast<std::int64_t>(as<S>()[index]); });
}

double Tensor::real(std::size_t index) const {
  return is_floating(type_) ? decode(type_, bits(index)) : static_cast<double>(integer(index));
}

void Tensor::set_integer(std::size_t index, std::int64_t code) {
  with_integer_storage(type_, [&]<class S>(S) { as<S>()[index] = static_cast<S>(code); });
}

void Tensor::set_real(std::size_t index, double value) {
  set_bits(index, encode(type_, value));
}

Tensor Tensor::reshaped(Shape shape) const {
  if (element_count(shape) != static_cast<std::int64_t>(size_)) {
    throw std::logic_error("reshape of " + to_text(shape_) + " to " + to_text(shape));
  }
  Tensor result = *this;
  result.shape_ = std::move(shape);
  return result;
}

std::uint64_t encode(Type floating, double value) {
  switch (floating) {
    case Type::float64: return value != value ? 0x7ff8000000000000U : std::bit_cast<std::uint64_t>(value);
    case Type::float32: return canonical(static_cast<float>(value));
    case Type::float16: return bits_of_float16(static_cast<float>(round_to_narrow(floating, value)));
    case Type::bfloat16: return canonical(static_cast<float>(round_to_narrow(floating, value))) >> 16U;
    default: throw std::logic_error("encode: not a floating type");
  }
}

double decode(Type floating, std::uint64_t bits) {
  switch (floating) {
    case Type::float64: return std::bit_cast<double>(bits);
    case Type::float32: return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
    case Type::float16: return static_cast<double>(value_of_float16(static_cast<std::uint16_t>(bits)));
    case Type::bfloat16: return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16U));
    default: throw std::logic_error("decode: not a floating type");
  }
}

void load(const Tensor& tensor, std::size_t first, std::size_t count, float* out) {
  load_lanes(tensor, first, count, out);
}
void load(const Tensor& tensor, std::size_t first, std::size_t count, double* out) {
  load_lanes(tensor, first, count, out);
}
void load(const Tensor& tensor, std::size_t first, std::size_t count, std::int32_t* out) {
  load_lanes(tensor, first, count, out);
}
void store(Tensor& tensor, std::size_t first, std::size_t count, const float* values) {
  store_lanes(tensor, first, count, values);
}
void store(Tensor& tensor, std::size_t first, std::size_t count, const double* values) {
  store_lanes(tensor, first, count, values);
}
void store(Tensor& tensor, std::size_t first, std::size_t count, const std::int32_t* values) {
  store_lanes(tensor, first, count, values);
}
void store(Tensor& tensor, std::size_t first, std::size_t count, const bool* values) {
  store_lanes(tensor, first, count, values);
}

}  // namespace qassay
