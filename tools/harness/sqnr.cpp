#include "tools/harness/sqnr.hpp"

#include <boost/multiprecision/cpp_bin_float.hpp>

#include "interpreter/tensor.hpp"

namespace qassay {

Dyadic dyadic(Type type, std::uint64_t bits) {
  if (is_floating(type)) return dyadic(decode(type, bits));
  // Extended by the sign of the storage.
  const unsigned unused = 64U - 8U * static_cast<unsigned>(row(type).storage_bytes);
  const bool is_signed = row(type).kind == TypeKind::signed_integer;
  return {is_signed ? static_cast<std::int64_t>(bits << unused) >> unused : static_cast<std::int64_t>(bits), 0};
}

Sqnr sqnr(const ExactSum& signal, const ExactSum& noise) {
  const Rational error = noise.value();
  if (error == 0) return {Sqnr::Kind::exact, 0};
  const Rational reference = signal.value();
  if (reference == 0) return {Sqnr::Kind::no_signal, 0};
  using Wide = boost::multiprecision::cpp_bin_float_50;
  const Rational ratio = reference / error;
  const Wide decibels = 10 * log10(Wide(numerator(ratio)) / Wide(denominator(ratio)));
  return {Sqnr::Kind::decibels, static_cast<double>(decibels)};
}

}  // namespace qassay
