// Catch2, version 2 (Debian 12) or 3 (Debian 13).
#pragma once

#include <string>

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#define QASSAY_CONTAINS Catch::Matchers::ContainsSubstring
#else
#include <catch2/catch.hpp>
#define QASSAY_CONTAINS Catch::Matchers::Contains
#endif

namespace qassay::testing {

/// For CHECK_THAT: the text has this part.
inline auto contains(const std::string& part) {
  return QASSAY_CONTAINS(part);
}

}  // namespace qassay::testing

#undef QASSAY_CONTAINS
