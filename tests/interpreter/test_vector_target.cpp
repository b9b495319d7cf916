#include "interpreter/vector_target.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <iostream>

#include "catch.hpp"
#include "interpreter/request_maker.hpp"

using namespace qassay;
using namespace qassay::tests;

namespace {

constexpr const char* kDigestTest = "print a digest of many evaluations";

/// FNV-1a over the results of requests that every process makes alike.
std::uint64_t digest_of_evaluations() {
  std::uint64_t digest = 0xcbf29ce484222325U;
  const auto add = [&](std::uint64_t byte) { digest = (digest ^ byte) * 0x100000001b3U; };
  RequestMaker maker(25);
  for (const Formula& formula : all_formulas()) {
    for (int i = 0; i < 40; ++i) {
      const bool one = can_spread(*formula.signature, Spreading::one_value);
      const bool is_elementwise = formula.signature->kind == FormulaKind::elementwise &&
                                  formula.signature->parameter(Role::group_size) == nullptr;
      const Request request = !is_elementwise ? maker.make(formula)
                              : one ? maker.make(formula, {maker.dice().between(1, 300)}, Spreading::one_value)
                                    : maker.make(formula, {maker.dice().between(1, 3), maker.dice().between(1, 100)},
                                                 Spreading::along_axis);
      const Evaluation evaluation = formula(request.inputs, request.settings);
      for (const auto& [name, values] : evaluation.outputs) {
        for (const std::byte byte : values.bytes()) add(static_cast<std::uint64_t>(byte));
      }
    }
  }
  return digest;
}

#ifdef __linux__
/// The line that another process of these tests prints, with a vector target asked for.
std::string digest_with(const std::string& target) {
  const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  const std::string command = "QASSAY_VECTOR_TARGET='" + target + "' '" + self + "' '" + kDigestTest + "' 2>/dev/null";
  FILE* const pipe = popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::string output;
  char buffer[4096];
  while (std::fgets(buffer, sizeof buffer, pipe) != nullptr) output += buffer;
  CHECK(pclose(pipe) == 0);
  const std::size_t start = output.find("digest=");
  REQUIRE(start != std::string::npos);
  return output.substr(start, output.find('\n', start) - start);
}
#endif

}  // namespace

// Not run by itself: the test below runs it in processes of its own, because the target is read once.
TEST_CASE("print a digest of many evaluations", "[.]") {
  std::cout << fmt::format("digest={:016x} target {}\n", digest_of_evaluations(), static_cast<int>(vector_target()))
            << std::flush;
  CHECK(vector_target() <= VectorTarget::avx512);
}

#ifdef __linux__
TEST_CASE("the vector target changes no bit") {
  const std::string best = digest_with("");
  const std::string expected = best.substr(0, best.find(" target"));
  CHECK(digest_with("baseline") == expected + " target 0");
  // What a processor has not is lowered to what it has.
  const std::string avx2 = digest_with("avx2");
  CHECK(avx2.starts_with(expected + " target"));
  CHECK(digest_with("avx512") == best);
  CHECK(digest_with("no such target") == best);
  if (best.ends_with("target 0")) WARN("this processor has one vector target only");
  else CHECK(avx2.ends_with("target 1"));
}
#endif
