#include "tools/diagnosis/pair_sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <map>
#include <mutex>
#include <thread>
#include <tuple>

#include "tools/diagnosis/comparison.hpp"
#include "tools/generators.hpp"
#include "tools/harness/interrupt.hpp"
#include "tools/harness/request.hpp"
#include "tools/harness/session.hpp"
#include "tools/harness/temporary_folder.hpp"

namespace qassay {
namespace {

constexpr std::uint64_t kBlock = std::uint64_t{1} << 22U;

/// What is swept: one formula with one set of parameters.
struct Subject {
  const Formula* formula;
  Settings settings;
  Type input_type;
};

/// Why there are no values to try one by one; empty if there are.
std::string objection_to(const CaseSpec& spec, const Case& made) {
  const Signature& signature = *spec.formula->signature;
  if (spec.program() != nullptr || signature.kind != FormulaKind::elementwise || signature.inputs.size() != 1)
    return fmt::format("{} is not a function of one number", signature.id);
  if (!made.arguments) return "the case is one that must be refused";
  const Type type = made.arguments->input_type;
  if (row(type).bits != 16 && type != Type::float32)
    return fmt::format("the input is {}; a sweep takes float32 or 16 bits", name(type));
  for (const Parameter& parameter : signature.parameters) {
    const auto& tensor = (*made.arguments)[parameter.role].tensor;
    if (tensor && tensor->size() != 1) return fmt::format("{} has {} values", parameter.name, tensor->size());
  }
  return {};
}

/// How far from zero; NaN farthest.
std::uint64_t distance_from_zero(Type type, std::uint64_t bits) {
  if (!is_floating(type)) return static_cast<std::uint64_t>(std::abs(order_of(type, bits)));
  const std::uint64_t sign = std::uint64_t{1} << static_cast<unsigned>(row(type).bits - 1);
  return bits & (sign - 1);
}

class Sweep {
 public:
  Sweep(Subject subject, const std::array<const Backend*, 2>& backends, const std::array<std::string, 2>& names,
        const RunOptions& run)
      : subject_(std::move(subject)), backends_(backends), names_(names), run_(run) {
    found_.inputs = std::uint64_t{1} << static_cast<unsigned>(row(subject_.input_type).bits);
  }

  SweepFinding run(const std::function<void(double)>& progress) {
    std::vector<std::thread> threads;
    const std::uint64_t blocks = (found_.inputs + kBlock - 1) / kBlock;
    for (std::size_t w = 0; w < std::min<std::uint64_t>(run_.jobs, blocks); ++w) {
      threads.emplace_back([this, w, blocks, &progress] {
        try {
          work(w, blocks, progress);
        } catch (const std::exception& error) {
          stop(error.what());
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    if (is_interrupted() && found_.tried < found_.inputs && found_.failure.empty()) found_.failure = "interrupted";
    std::ranges::stable_sort(found_.classes, std::greater<>{}, &SweepClass::count);
    return std::move(found_);
  }

 private:
  void stop(const std::string& why) {
    const std::scoped_lock lock(mutex_);
    if (found_.failure.empty()) found_.failure = why;
    must_stop_ = true;
  }

  void work(std::size_t worker, std::uint64_t blocks, const std::function<void(double)>& progress) {
    std::array<BackendSession, 2> sessions{session_of(worker, 0), session_of(worker, 1)};
    while (!must_stop_ && !is_interrupted()) {
      const std::uint64_t block = next_block_++;
      if (block >= blocks) break;
      const std::uint64_t first = block * kBlock;
      const std::uint64_t count = std::min(kBlock, found_.inputs - first);
      if (!try_block(sessions, block_of(subject_.input_type, first, count))) return;
      const std::scoped_lock lock(mutex_);
      found_.tried += count;
      progress(static_cast<double>(found_.tried) / static_cast<double>(found_.inputs));
    }
    for (BackendSession& session : sessions) session.finish();
  }

  BackendSession session_of(std::size_t worker, std::size_t side) const {
    const Backend& backend = *backends_[side];
    return {command_of(backend), run_.time_limit.value_or(backend.time_limit),
            folder_.path() / fmt::format("{}-{}", worker, side)};
  }

  /// False where one of them gives nothing.
  bool try_block(std::array<BackendSession, 2>& sessions, Tensor x) {
    const Signature& signature = *subject_.formula->signature;
    CaseSpec spec;
    spec.name = fmt::format("{}/sweep", signature.id);
    spec.formula = subject_.formula;
    spec.settings = subject_.settings;
    Case made;
    const auto count = static_cast<std::int64_t>(x.size());
    made.inputs.emplace(signature.inputs.front().name,
                        x.reshaped(needs_row(signature) ? Shape{1, count} : Shape{count}));
    made.arguments = subject_.formula->arguments(made.inputs, subject_.settings);
    const Tensor& input = made.inputs.begin()->second;
    for (std::size_t o = 0; o < signature.outputs.size(); ++o) {
      Tensor asked = Tensor::uncleared(made.arguments->output_type(o), input.shape());
      made.expectation.outputs.emplace(signature.outputs[o].name, ExpectedOutput{std::move(asked), {}, {}});
    }
    std::array<ProgramAnswer, 2> given;
    for (std::size_t s = 0; s < given.size(); ++s) {
      given[s] = sessions[s].answer(spec, made);
      if (given[s].answer.kind == Answer::Kind::interrupted) return false;
      if (given[s].answer.kind != Answer::Kind::done) {
        stop(fmt::format("{}: {}", names_[s], given[s].answer.message));
        return false;
      }
    }
    note_differences(made, given[0].outputs, given[1].outputs);
    return true;
  }

  void note_differences(const Case& made, const std::vector<Tensor>& got, const std::vector<Tensor>& other) {
    const Tensor& x = made.inputs.begin()->second;
    std::vector<bool> has_differed(x.size(), false);
    for (std::size_t o = 0; o < got.size(); ++o) {
      if (std::ranges::equal(got[o].bytes(), other[o].bytes())) continue;
      const DifferingElements elements(*subject_.formula, &*made.arguments, made.inputs, o, got[o]);
      const std::scoped_lock lock(mutex_);
      for (std::size_t i = 0; i < x.size(); ++i) {
        if (has_differed[i] || is_same_value(got[o].type(), other[o].bits(i), got[o].bits(i))) continue;
        has_differed[i] = true;
        note(elements.at(i, other[o].bits(i), got[o].bits(i)));
      }
    }
  }

  void note(const DifferingElement& element) {
    const DifferenceClass kind = class_of(element);
    ++found_.differing;
    auto known = std::ranges::find(found_.classes, kind, &SweepClass::kind);
    if (known == found_.classes.end()) known = found_.classes.insert(known, SweepClass{.kind = kind});
    const Type type = element.input->type;
    const auto rank = [type](std::uint64_t bits) {
      const bool is_negative = is_floating(type) && (bits >> static_cast<unsigned>(row(type).bits - 1)) != 0;
      return std::tuple(distance_from_zero(type, bits), is_negative);
    };
    if (known->count++ > 0 && rank(known->input.bits) <= rank(element.input->bits)) return;
    known->input = *element.input;
    known->output_type = element.type;
    known->difference = element.difference;
  }

  Subject subject_;
  std::array<const Backend*, 2> backends_;
  std::array<std::string, 2> names_;
  const RunOptions& run_;
  TemporaryFolder folder_;
  SweepFinding found_;
  std::mutex mutex_;
  std::atomic<std::uint64_t> next_block_{0};
  std::atomic<bool> must_stop_{false};
};

/// What tells sweeps apart.
using SweepKey = std::tuple<std::size_t, std::string_view, std::string, Type>;

}  // namespace

void sweep_pairs(RunResults& results, const RunOptions& run, const std::function<void(double)>& progress) {
  std::map<SweepKey, std::vector<CaseResult*>> wanted;
  for (CaseResult& result : results.cases) {
    if (!result.pair || result.outputs.empty()) continue;
    const CaseSpec& spec = results.specs[result.spec];
    const Case made = spec.materialise();
    SweepFinding& finding = result.pair->sweep.emplace();
    finding.failure = objection_to(spec, made);
    if (!finding.failure.empty()) continue;
    std::string parameters;
    for (const auto& [parameter, text] : settings_as_text(settings_of(*made.arguments)))
      parameters += fmt::format("{}={} ", parameter, text);
    wanted[{result.backend, spec.formula->id(), parameters, made.arguments->input_type}].push_back(&result);
  }
  std::size_t done = 0;
  for (auto& [key, alike] : wanted) {
    if (is_interrupted()) {
      for (CaseResult* result : alike) result->pair->sweep->failure = "interrupted";
      continue;
    }
    const CaseResult& first = *alike.front();
    const CaseSpec& spec = results.specs[first.spec];
    const Case made = spec.materialise();
    Sweep sweep({spec.formula, settings_of(*made.arguments), made.arguments->input_type},
                {&run.backends[first.backend], &*run.against},
                {results.backends[first.backend].name, results.against->name}, run);
    const SweepFinding found = sweep.run(
        [&](double share) { progress((static_cast<double>(done) + share) / static_cast<double>(wanted.size())); });
    for (CaseResult* result : alike) result->pair->sweep = found;
    ++done;
  }
}

}  // namespace qassay
