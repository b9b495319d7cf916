#include "tools/harness/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>

#include "tools/harness/interrupt.hpp"
#include "tools/harness/pair.hpp"
#include "tools/harness/session.hpp"
#include "tools/harness/temporary_folder.hpp"

namespace qassay {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// What all processes of one backend have in common.
class Participant {
 public:
  Participant(const RunOptions& options, const Backend& backend, BackendResult& about)
      : command_(command_of(backend)), time_limit_(options.time_limit.value_or(backend.time_limit)), about_(about) {}

  /// Starts the first process, so that what the backend claims is known. Throws BackendFailure.
  void start() {
    first_ = session(folder_.path() / "0");
    about_.hello = first_->start();
  }

  const BackendResult& about() const { return about_; }

  /// A session of a worker's own; the first is the one that was started.
  std::unique_ptr<BackendSession> session_of(std::size_t worker) {
    if (worker == 0 && first_ != nullptr) return std::move(first_);
    return session(folder_.path() / std::to_string(worker));
  }

  /// A formula that the case needs and the backend does not claim.
  std::optional<std::string_view> unclaimed_formula(const CaseSpec& spec) const {
    for (const std::string_view id : spec.asked_formulas()) {
      if (!about_.hello.claims(id)) return id;
    }
    return std::nullopt;
  }

  Answer not_claimed(std::string_view id) const {
    return {Answer::Kind::unsupported, fmt::format("{} does not claim {}", about_.name, id)};
  }

  ProgramAnswer answer(BackendSession& session, const CaseSpec& spec, const Case& made) {
    if (const auto id = unclaimed_formula(spec)) return {not_claimed(*id), {}, {}};
    try {
      return session.answer(spec, made);
    } catch (const BackendFailure& failure) {
      const std::lock_guard lock(mutex_);
      if (about_.failure.empty() && !is_interrupted()) about_.failure = failure.what();
      throw;
    }
  }

 private:
  std::unique_ptr<BackendSession> session(const fs::path& folder) const {
    return std::make_unique<BackendSession>(command_, time_limit_, folder);
  }

  Command command_;
  std::chrono::milliseconds time_limit_;
  BackendResult& about_;
  TemporaryFolder folder_;
  std::unique_ptr<BackendSession> first_;
  std::mutex mutex_;
};

/// The backend that others are compared with. What it gave is kept, so that it is asked once.
class Counterpart : public Participant {
 public:
  Counterpart(const RunOptions& options, BackendResult& about)
      : Participant(options, *options.against, about),
        causes_(known_causes(this_processor())),
        keeps_(options.backends.size() > 1),
        kept_(options.cases.size()) {}

  /// Formulas that may stand behind outputs beside those that are alike.
  std::span<const Variant> causes() const { return causes_; }

  ProgramAnswer answer(BackendSession& session, std::size_t index, const CaseSpec& spec, const Case& made) {
    if (kept_[index]) return *kept_[index];  // a case is one worker's at a time
    ProgramAnswer given = Participant::answer(session, spec, made);
    if (keeps_ && given.answer.kind != Answer::Kind::interrupted) kept_[index] = given;
    return given;
  }

 private:
  std::vector<Variant> causes_;
  bool keeps_;
  std::vector<std::optional<ProgramAnswer>> kept_;
};

/// One backend's cases, shared by its worker threads.
class BackendRun {
 public:
  BackendRun(const RunOptions& options, std::size_t index, RunResults& results, Counterpart* against,
             Progress& progress)
      : options_(options),
        index_(index),
        results_(results),
        backend_(options, options.backends[index], results.backends[index]),
        against_(against),
        progress_(progress) {}

  /// Throws BackendFailure.
  void start() {
    backend_.start();
    for (std::size_t s = 0; s < options_.cases.size(); ++s) {
      if (!options_.only_claimed || !unclaimed(options_.cases[s])) chosen_.push_back(s);
    }
  }

  std::size_t case_count() const { return chosen_.size(); }

  /// Appends the results in the order of the cases.
  void run() {
    slots_.resize(chosen_.size());
    const std::size_t workers = std::clamp<std::size_t>(options_.jobs, 1, std::max<std::size_t>(chosen_.size(), 1));
    std::vector<std::thread> threads;
    for (std::size_t w = 0; w < workers; ++w) {
      threads.emplace_back([this, w] { guard([&] { work(w); }); });
    }
    for (std::thread& thread : threads) thread.join();
    if (mistake_) std::rethrow_exception(mistake_);
    for (std::optional<CaseResult>& slot : slots_) {
      if (slot) results_.cases.push_back(std::move(*slot));
    }
  }

 private:
  /// A failure of a backend was noted where it came up, any other exception ends the run.
  template <class Work>
  void guard(Work do_work) {
    try {
      do_work();
    } catch (const BackendFailure&) {
      must_stop_ = true;
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!mistake_) mistake_ = std::current_exception();
      must_stop_ = true;
    }
  }

  void work(std::size_t worker) {
    const std::unique_ptr<BackendSession> session = backend_.session_of(worker);
    const std::unique_ptr<BackendSession> other = against_ == nullptr ? nullptr : against_->session_of(worker);
    while (!must_stop_ && !is_interrupted()) {
      const std::size_t next = next_++;
      if (next >= chosen_.size()) break;
      const CaseSpec& spec = options_.cases[chosen_[next]];
      const auto start = Clock::now();
      std::optional<CaseResult> result =
          other != nullptr ? run_pair(chosen_[next], *session, *other) : run_case(spec, *session);
      if (!result) break;  // interrupted
      result->backend = index_;
      result->spec = chosen_[next];
      result->seconds = seconds_since(start);
      slots_[next] = std::move(*result);
      progress_.note_done(spec.name);
    }
    if (is_interrupted()) return;
    session->finish();
    if (other != nullptr) other->finish();
  }

  /// A formula that one of those who are asked does not claim.
  std::optional<Answer> unclaimed(const CaseSpec& spec) const {
    if (const auto id = backend_.unclaimed_formula(spec)) return backend_.not_claimed(*id);
    if (against_ == nullptr) return std::nullopt;
    const auto id = against_->unclaimed_formula(spec);
    return id ? std::optional(against_->not_claimed(*id)) : std::nullopt;
  }

  static CaseResult not_run(const Answer& answer) {
    CaseResult result;
    result.verdict = Verdict::unsupported;
    result.message = answer.message;
    return result;
  }

  /// Nothing if the run was interrupted meanwhile.
  std::optional<CaseResult> run_case(const CaseSpec& spec, BackendSession& session) {
    if (const auto answer = unclaimed(spec)) return not_run(*answer);
    const Case made = spec.materialise();
    ProgramAnswer given = backend_.answer(session, spec, made);
    if (given.answer.kind == Answer::Kind::interrupted) return std::nullopt;
    CaseResult result =
        judge(spec, made, given.answer, given.outputs, backend_.about().known_differences, options_.judgement);
    if (is_failure(result.verdict)) result.diagnosis = std::move(given.first_parting);
    return result;
  }

  std::optional<CaseResult> run_pair(std::size_t index, BackendSession& session, BackendSession& other) {
    const CaseSpec& spec = options_.cases[index];
    if (const auto answer = unclaimed(spec)) return not_run(*answer);
    const Case made = spec.materialise();
    const ProgramAnswer a = backend_.answer(session, spec, made);
    if (a.answer.kind == Answer::Kind::interrupted) return std::nullopt;
    const ProgramAnswer b = against_->answer(other, index, spec, made);
    if (b.answer.kind == Answer::Kind::interrupted) return std::nullopt;
    return judge_pair(spec, made, side_of(backend_.about(), a), side_of(against_->about(), b), against_->causes(),
                      options_.judgement);
  }

  static PairSide side_of(const BackendResult& about, const ProgramAnswer& given) {
    return {about.name, given, about.known_differences};
  }

  const RunOptions& options_;
  std::size_t index_;
  RunResults& results_;
  Participant backend_;
  Counterpart* against_;
  Progress& progress_;
  std::vector<std::size_t> chosen_;
  std::vector<std::optional<CaseResult>> slots_;
  std::atomic<std::size_t> next_{0};
  std::atomic<bool> must_stop_{false};
  std::mutex mutex_;
  std::exception_ptr mistake_;
};

/// A command's results carry the name its adapter gives itself, unless another backend has it already.
void take_adapters_name(const RunResults& results, const Backend& backend, BackendResult& about) {
  const std::string& own = about.hello.backend;
  const auto is_taken = [&](const BackendResult& other) { return other.name == own; };
  const bool is_free =
      std::ranges::none_of(results.backends, is_taken) && !(results.against && is_taken(*results.against));
  if (backend.is_command && !own.empty() && is_free) about.name = own;
}

BackendResult about_backend(const Backend& backend, const Processor& processor) {
  BackendResult about{backend.name, backend.title, {}, {}, backend.is_real, {}};
  if (backend.is_real)
    about.known_differences = load_known_differences(backend.folder / "known_differences.json", processor);
  return about;
}

/// What start() makes; nothing, and a note, where the backend cannot be run.
template <class Start>
auto started(const RunResults& results, const Backend& backend, BackendResult& about, Start start) {
  decltype(start()) made = nullptr;
  try {
    made = start();
    take_adapters_name(results, backend, about);
  } catch (const BackendFailure& failure) {
    if (!is_interrupted()) about.failure = failure.what();
  } catch (const RequestError& error) {  // no environment
    about.failure = error.what();
  }
  return made;
}

}  // namespace

RunResults run_cases(const RunOptions& options, Progress& progress) {
  const auto start = Clock::now();
  RunResults results;
  results.processor = this_processor();
  results.specs = options.cases;
  for (const Backend& backend : options.backends) results.backends.push_back(about_backend(backend, results.processor));

  std::unique_ptr<Counterpart> against;
  if (options.against) {
    BackendResult& about = results.against.emplace(about_backend(*options.against, results.processor));
    against = started(results, *options.against, about, [&] {
      auto counterpart = std::make_unique<Counterpart>(options, about);
      counterpart->start();
      return counterpart;
    });
  }
  const bool can_run = !options.against || against != nullptr;
  std::vector<std::unique_ptr<BackendRun>> runs(options.backends.size());
  std::size_t total = 0;
  for (std::size_t b = 0; b < options.backends.size(); ++b) {
    if (!can_run) break;
    runs[b] = started(results, options.backends[b], results.backends[b], [&] {
      auto run = std::make_unique<BackendRun>(options, b, results, against.get(), progress);
      run->start();
      return run;
    });
    if (runs[b] != nullptr) total += runs[b]->case_count();
  }
  progress.start(total);
  for (auto& run : runs) {
    if (run != nullptr && !is_interrupted()) run->run();
    run.reset();
  }
  progress.clear();
  results.was_interrupted = is_interrupted();
  if (!results.was_interrupted && !options.against) find_unexpected_passes(results, options.left_out);
  results.seconds = seconds_since(start);
  return results;
}

}  // namespace qassay
