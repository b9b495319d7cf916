#include "tools/harness/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

#include "tools/harness/interrupt.hpp"
#include "tools/harness/program_run.hpp"
#include "tools/harness/request.hpp"
#include "tools/harness/temporary_folder.hpp"

namespace qassay {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// One backend's cases, shared by its worker threads.
class BackendRun {
 public:
  BackendRun(const RunOptions& options, const Backend& backend, std::size_t index, RunResults& results,
             Progress& progress)
      : options_(options),
        command_(command_of(backend)),
        time_limit_(options.time_limit.value_or(backend.time_limit)),
        index_(index),
        results_(results),
        about_(results.backends[index]),
        progress_(progress) {}

  /// Starts the first process, so that what the backend claims is known. Throws BackendFailure.
  void start() {
    first_process_ = std::make_unique<AdapterProcess>(command_, time_limit_);
    about_.hello = first_process_->hello();
    for (std::size_t s = 0; s < options_.cases.size(); ++s) {
      if (!options_.only_claimed || !unclaimed_formula(options_.cases[s])) chosen_.push_back(s);
    }
  }

  std::size_t case_count() const { return chosen_.size(); }

  /// Appends the results in the order of the cases.
  void run() {
    slots_.resize(chosen_.size());
    const std::size_t workers = std::clamp<std::size_t>(options_.jobs, 1, std::max<std::size_t>(chosen_.size(), 1));
    std::vector<std::thread> threads;
    for (std::size_t w = 0; w < workers; ++w) {
      threads.emplace_back([this, w, process = w == 0 ? std::move(first_process_) : nullptr]() mutable {
        guard([&] { work(w, std::move(process)); });
      });
    }
    for (std::thread& thread : threads) thread.join();
    if (mistake_) std::rethrow_exception(mistake_);
    for (std::optional<CaseResult>& slot : slots_) {
      if (slot) results_.cases.push_back(std::move(*slot));
    }
  }

 private:
  /// A failure of the backend is noted, any other exception ends the run.
  template <class Work>
  void guard(Work do_work) {
    try {
      do_work();
    } catch (const BackendFailure& failure) {
      const std::lock_guard lock(mutex_);
      if (about_.failure.empty() && !is_interrupted()) about_.failure = failure.what();
      must_stop_ = true;
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!mistake_) mistake_ = std::current_exception();
      must_stop_ = true;
    }
  }

  void work(std::size_t worker, std::unique_ptr<AdapterProcess> process) {
    while (!must_stop_ && !is_interrupted()) {
      const std::size_t next = next_++;
      if (next >= chosen_.size()) break;
      const CaseSpec& spec = options_.cases[chosen_[next]];
      const auto start = Clock::now();
      const auto unclaimed = unclaimed_formula(spec);
      std::optional<CaseResult> result =
          unclaimed ? not_claimed(*unclaimed) : run_case(spec, folder_.path() / std::to_string(worker), process);
      if (!result) break;  // interrupted
      result->backend = index_;
      result->spec = chosen_[next];
      result->seconds = seconds_since(start);
      slots_[next] = std::move(*result);
      progress_.note_done(spec.name);
    }
    if (process != nullptr && process->is_usable() && !is_interrupted()) process->finish();
  }

  /// A formula that the case needs and the backend does not claim.
  std::optional<std::string_view> unclaimed_formula(const CaseSpec& spec) const {
    for (const std::string_view id : spec.asked_formulas()) {
      if (!about_.hello.claims(id)) return id;
    }
    return std::nullopt;
  }
  CaseResult not_claimed(std::string_view id) const {
    CaseResult result;
    result.verdict = Verdict::unsupported;
    result.message = fmt::format("{} does not claim {}", about_.name, id);
    return result;
  }

  /// Nothing if the run was interrupted meanwhile.
  std::optional<CaseResult> run_case(const CaseSpec& spec, const fs::path& folder,
                                     std::unique_ptr<AdapterProcess>& process) {
    const Case made = spec.materialise();
    fs::remove_all(folder);  // no output of another case can be taken for this one's
    fs::create_directory(folder);
    const auto ask = [&](const nlohmann::json& request) {
      if (process == nullptr || !process->is_usable())
        process = std::make_unique<AdapterProcess>(command_, time_limit_);
      return process->ask(request);
    };
    ProgramAnswer given = spec.program() != nullptr && made.arguments ? run_program(spec, made, folder, ask)
                                                                      : run_alone(spec, made, folder, ask);
    if (given.answer.kind == Answer::Kind::interrupted) return std::nullopt;
    CaseResult result = judge(spec, made, given.answer, given.outputs, about_.known_differences, options_.judgement);
    if (is_failure(result.verdict)) result.diagnosis = std::move(given.first_parting);
    return result;
  }

  template <class Ask>
  static ProgramAnswer run_alone(const CaseSpec& spec, const Case& made, const fs::path& folder, const Ask& ask) {
    const nlohmann::json request = make_request(spec, made, folder);
    ProgramAnswer given{ask(request), {}, {}};
    if (given.answer.kind != Answer::Kind::done) return given;
    try {
      given.outputs = read_outputs(*spec.formula->signature, request);
    } catch (const RequestError& error) {
      given.answer = {Answer::Kind::broken, error.what()};
    }
    return given;
  }

  const RunOptions& options_;
  Command command_;
  std::chrono::milliseconds time_limit_;
  std::size_t index_;
  RunResults& results_;
  BackendResult& about_;
  Progress& progress_;
  TemporaryFolder folder_;
  std::unique_ptr<AdapterProcess> first_process_;
  std::vector<std::size_t> chosen_;
  std::vector<std::optional<CaseResult>> slots_;
  std::atomic<std::size_t> next_{0};
  std::atomic<bool> must_stop_{false};
  std::mutex mutex_;
  std::exception_ptr mistake_;
};

/// A command's results carry the name its adapter gives itself, unless another backend has it already.
void take_adapters_name(RunResults& results, std::size_t index) {
  const std::string& own = results.backends[index].hello.backend;
  const auto is_taken = [&](const BackendResult& other) { return other.name == own; };
  if (!own.empty() && std::ranges::none_of(results.backends, is_taken)) results.backends[index].name = own;
}

}  // namespace

RunResults run_cases(const RunOptions& options, Progress& progress) {
  const auto start = Clock::now();
  RunResults results;
  results.processor = this_processor();
  results.specs = options.cases;
  for (const Backend& backend : options.backends) {
    BackendResult about{backend.name, backend.title, {}, {}, backend.is_real, {}};
    if (backend.is_real) {
      about.known_differences = load_known_differences(backend.folder / "known_differences.json", results.processor);
    }
    results.backends.push_back(std::move(about));
  }

  std::vector<std::unique_ptr<BackendRun>> runs(options.backends.size());
  std::size_t total = 0;
  for (std::size_t b = 0; b < options.backends.size(); ++b) {
    try {
      auto run = std::make_unique<BackendRun>(options, options.backends[b], b, results, progress);
      run->start();
      if (options.backends[b].is_command) take_adapters_name(results, b);
      total += run->case_count();
      runs[b] = std::move(run);
    } catch (const BackendFailure& failure) {
      if (!is_interrupted()) results.backends[b].failure = failure.what();
    } catch (const RequestError& error) {  // no environment
      results.backends[b].failure = error.what();
    }
  }
  progress.start(total);
  for (auto& run : runs) {
    if (run != nullptr && !is_interrupted()) run->run();
    run.reset();
  }
  progress.clear();
  results.was_interrupted = is_interrupted();
  if (!results.was_interrupted) find_unexpected_passes(results, options.left_out);
  results.seconds = seconds_since(start);
  return results;
}

}  // namespace qassay
