// Tensors: a logical type, a shape and the elements in C order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "interpreter/numeric/type.hpp"

namespace qassay {

using Shape = std::vector<std::int64_t>;

/// The number of elements; 1 for rank 0.
std::int64_t element_count(const Shape& shape);
std::string to_text(const Shape& shape);

/// Bytes that are not cleared when they are made.
template <class T>
struct UnclearedAllocator : std::allocator<T> {
  template <class U>
  struct rebind {
    using other = UnclearedAllocator<U>;
  };
  template <class U>
  void construct(U* place) {
    ::new (static_cast<void*>(place)) U;
  }
  template <class U, class... Arguments>
  void construct(U* place, Arguments&&... arguments) {
    ::new (static_cast<void*>(place)) U(std::forward<Arguments>(arguments)...);
  }
};

/// A tensor in C order. An element takes row(type).storage_bytes: integers of 2 and 4 bits one value per byte, floating
/// types their bits. Little-endian, as the machines this builds for.
class Tensor {
 public:
  Tensor() : Tensor(Type::float32, {}) {}
  /// All zero.
  Tensor(Type type, Shape shape);
  /// For one that will be filled.
  static Tensor uncleared(Type type, Shape shape);
  static Tensor scalar(Type type, double value);
  static Tensor scalar(Type integer_type, std::int64_t value);

  Type type() const { return type_; }
  const Shape& shape() const { return shape_; }
  std::size_t size() const { return size_; }
  std::span<const std::byte> bytes() const { return bytes_; }
  std::span<std::byte> bytes() { return bytes_; }

  /// The elements as their storage type, which must be as wide as T.
  template <class T>
  const T* as() const {
    return reinterpret_cast<const T*>(bytes_.data());
  }
  template <class T>
  T* as() {
    return reinterpret_cast<T*>(bytes_.data());
  }

  /// Element `index` as stored bits, as an integer (integer and boolean types), or as a real number (every type;
  /// exact).
  std::uint64_t bits(std::size_t index) const;
  std::int64_t integer(std::size_t index) const;
  double real(std::size_t index) const;

  void set_bits(std::size_t index, std::uint64_t bits);
  /// The code must be one of the type's.
  void set_integer(std::size_t index, std::int64_t code);
  /// Rounded once to a floating type, ties to even; NaN becomes the type's quiet NaN without payload.
  void set_real(std::size_t index, double value);

  /// The same elements under another shape of equal count.
  Tensor reshaped(Shape shape) const;

  friend bool operator==(const Tensor&, const Tensor&) = default;

 private:
  enum class Contents : std::uint8_t { zero, uncleared };
  Tensor(Type type, Shape shape, Contents contents);

  Type type_;
  Shape shape_;
  std::size_t size_;
  std::vector<std::byte, UnclearedAllocator<std::byte>> bytes_;
};

/// The bits of `value` in a floating type, rounded once, ties to even; NaN without payload.
std::uint64_t encode(Type floating, double value);
/// The value that the bits stand for, exactly.
double decode(Type floating, std::uint64_t bits);

/// Elements [first, first+count) of a tensor as one lane type for computing (exact), and back (rounded once where
/// needed; integers must be codes of the tensor's type).
void load(const Tensor& tensor, std::size_t first, std::size_t count, float* out);
void load(const Tensor& tensor, std::size_t first, std::size_t count, double* out);
void load(const Tensor& tensor, std::size_t first, std::size_t count, std::int32_t* out);
void store(Tensor& tensor, std::size_t first, std::size_t count, const float* values);
void store(Tensor& tensor, std::size_t first, std::size_t count, const double* values);
void store(Tensor& tensor, std::size_t first, std::size_t count, const std::int32_t* values);
void store(Tensor& tensor, std::size_t first, std::size_t count, const bool* values);

}  // namespace qassay
