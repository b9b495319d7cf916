#include "tools/diagnosis/diagnosis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "tools/diagnosis/conclusion.hpp"
#include "tools/diagnosis/evidence.hpp"
#include "tools/diagnosis/probing.hpp"
#include "tools/generators.hpp"
#include "tools/harness/translation.hpp"

namespace qassay {
namespace {

/// Bodies of kernels are asked, not their tails, until it is about tails.
constexpr std::size_t kWholeVectors = 64;
constexpr std::size_t kMostRounds = 4;
constexpr std::size_t kFewSteps = 48;
constexpr std::size_t kConfirmingSteps = 300;
constexpr std::size_t kMostConfirming = 1200;

std::vector<std::uint64_t> padded(std::vector<std::uint64_t> bits) {
  const std::size_t asked = bits.size();
  while (bits.size() % kWholeVectors != 0) bits.push_back(bits[bits.size() % asked]);
  return bits;
}

bool is_extreme(const Settings& settings, const Signature& signature) {
  const Parameter* scale = signature.parameter(Role::scale);
  if (scale == nullptr) return false;
  const double value = std::abs(settings.find(scale->name)->second.tensor->real(0));
  return !(value > 0x1p-100 && value < 0x1p100);
}

class Investigation {
 public:
  Investigation(const Formula& expected, const Settings& settings, const Oracle& oracle,
                const DiagnosisOptions& options)
      : expected_(expected),
        family_(family_of(*expected.signature)),
        oracle_(oracle),
        type_(options.input_type.value_or(expected.signature->inputs.front().types.front())),
        settings_(by_own_names(settings, *expected.signature)),
        evidence_(options),
        varies_(options.varies_parameters) {}

  Diagnosis run() {
    std::vector<Hypothesis> named = named_hypotheses(expected_);
    if (family_ == Family::other) whole_tensors(named);
    else by_stages(named);
    return conclude({expected_, settings_, type_, family_}, evidence_, survivors_, before_);
  }

 private:
  void by_stages(const std::vector<Hypothesis>& named) {
    bank_ = settings_bank(expected_, settings_, type_, varies_);
    survivors_ = arithmetic_rules(expected_, family_, named);
    std::erase_if(survivors_, [&](const Hypothesis& one) { return one.named != nullptr && !takes_bank(one); });
    settle(Stage::arithmetic, [&](const auto& settings, const auto& candidates) {
      return in_range(expected_, settings, type_, candidates);
    });
    if (survivors_.empty() || evidence_.requests_answered() == 0) return;
    survivors_ = spread_over(Stage::edges, family_, survivors_);
    settle(Stage::edges, [&](const auto& /*settings*/, auto candidates) {
      std::erase_if(candidates, [&](std::uint64_t bits) { return is_subnormal(bits); });
      return candidates;
    });
    drop_twins();
    if (!survivors_.empty()) settle_subnormals();
    if (!survivors_.empty()) settle_tail();
    if (!survivors_.empty()) settle_channels();
    if (!survivors_.empty()) confirm();
  }

  /// Whether a formula takes all the parameters to be tried.
  bool takes_bank(const Hypothesis& hypothesis) const {
    const Formula formula = formula_of(hypothesis, expected_);
    const Inputs one = shaped_inputs(*expected_.signature, Tensor(type_, {1}));
    return std::ranges::all_of(bank_, [&](const Settings& settings) {
      try {
        formula.evaluate(expected_.arguments(one, settings), one);
        return true;
      } catch (const RequestError&) {
        return false;
      }
    });
  }

  bool is_subnormal(std::uint64_t bits) const {
    if (!is_floating(type_)) return false;
    const double value = decode(type_, bits);
    return value != 0 && std::abs(value) < std::ldexp(1.0, lowest_exponent(type_));
  }

  std::vector<Formula> formulas() const {
    std::vector<Formula> formulas;
    for (const Hypothesis& hypothesis : survivors_) formulas.push_back(formula_of(hypothesis, expected_));
    return formulas;
  }

  /// Asks, then keeps what agrees. False where nothing was learnt.
  bool learn(Stage stage, const std::vector<std::uint64_t>& bits, const Settings& settings) {
    if (bits.empty()) return false;
    return learn(stage, shaped_inputs(*expected_.signature, tensor_of(type_, padded(bits))), settings);
  }
  bool learn(Stage stage, Inputs inputs, const Settings& settings) {
    const std::size_t first = evidence_.of(stage).size();
    if (!evidence_.ask(expected_, oracle_, stage, std::move(inputs), settings)) return false;
    before_ = survivors_;
    survivors_ = evidence_.fitting(std::move(survivors_), expected_, stage, first);
    return true;
  }

  /// Rounds over the bank, until no candidate tells survivors apart.
  template <class Choose>
  void settle(Stage stage, Choose choose) {
    for (std::size_t round = 0; round < kMostRounds; ++round) {
      bool has_learnt = false;
      for (const Settings& settings : bank_) {
        if (survivors_.empty()) return;
        if (is_extreme(settings, *expected_.signature) && bank_.size() > 1) continue;
        const std::vector<Formula> rivals = formulas();
        const std::vector<Formula> steps_of = round == 0 ? std::vector{expected_} : rivals;
        const std::vector<std::uint64_t> candidates =
            choose(settings, candidate_inputs(steps_of, settings, type_, round == 0 ? kFewSteps : kConfirmingSteps));
        std::vector<std::uint64_t> telling = separating(rivals, settings, type_, candidates);
        // Even where nothing is left to tell apart, the backend must be seen to agree.
        if (telling.empty() && round == 0) telling = deal(candidates, std::min(kWholeVectors, candidates.size()));
        has_learnt = learn(stage, telling, settings) || has_learnt;
      }
      if (!has_learnt && (round > 0 || evidence_.requests_answered() == 0)) return;
    }
  }

  const Aspect& aspect(std::string_view name) const { return *std::ranges::find(aspects(), name, &Aspect::name); }

  /// Drops other choices of an aspect where the usual one explains the same.
  void prefer_usual(const Aspect& aspect) {
    std::erase_if(survivors_, [&](const Hypothesis& one) {
      if (aspect.get(one.rule) == 0) return false;
      Hypothesis usual = one;
      aspect.set(usual.rule, 0);
      return std::ranges::find(survivors_, usual) != survivors_.end();
    });
  }

  /// Drops choices that no type of this width can show beside a simpler one.
  void drop_twins() {
    struct Twins {
      std::string_view aspect;
      std::size_t choice;
      std::size_t simpler;
    };
    const auto number = [](auto choice) { return static_cast<std::size_t>(choice); };
    for (const Twins& twins :
         {Twins{"product", number(DequantizeRule::Product::binary64), number(DequantizeRule::Product::binary32)},
          Twins{"product", number(DequantizeRule::Product::in_output_type), number(DequantizeRule::Product::binary32)},
          Twins{"difference", number(DequantizeRule::Difference::wraps_in_code_type),
                number(DequantizeRule::Difference::wraps_in_int32)},
          Twins{"difference", number(DequantizeRule::Difference::wraps_in_int32),
                number(DequantizeRule::Difference::exact)},
          Twins{"difference", number(DequantizeRule::Difference::binary32), number(DequantizeRule::Difference::exact)},
          Twins{"NaN", number(QuantizeRule::NotANumber::zero), number(QuantizeRule::NotANumber::lowest)},
          Twins{"subnormals", number(Subnormals::everywhere), number(Subnormals::inputs_and_scales)},
          Twins{"subnormals", number(Subnormals::everywhere), number(Subnormals::inputs)},
          Twins{"subnormals", number(Subnormals::inputs_and_scales), number(Subnormals::scales)}}) {
      const Aspect& of = aspect(twins.aspect);
      std::erase_if(survivors_, [&](const Hypothesis& one) {
        Hypothesis usual = one;
        of.set(usual.rule, twins.simpler);
        return of.get(one.rule) == twins.choice && std::ranges::find(survivors_, usual) != survivors_.end();
      });
    }
  }

  void settle_subnormals() {
    const Aspect& subnormals = aspect("subnormals");
    survivors_ = spread_over(subnormals, survivors_);
    for (const Settings& settings : bank_) {
      if (survivors_.empty()) return;
      const std::vector<std::uint64_t> candidates = candidate_inputs({expected_}, settings, type_, kFewSteps);
      learn(Stage::surroundings, separating(formulas(), settings, type_, candidates), settings);
    }
    prefer_usual(subnormals);
    drop_twins();
  }

  void settle_channels() {
    const Aspect& channels = aspect("channels");
    const std::vector<ShapedProbe> probes = channel_probes(expected_, bank_.front(), type_);
    if (probes.empty()) return;
    survivors_ = spread_over(channels, survivors_);
    for (const ShapedProbe& probe : probes) learn(Stage::surroundings, probe.inputs, probe.settings);
    prefer_usual(channels);
  }

  void settle_tail() {
    const Aspect& tail = aspect("tail");
    survivors_ = spread_over(tail, survivors_);
    const std::vector<std::uint64_t> values = candidate_inputs({expected_}, bank_.front(), type_, kFewSteps);
    for (const ShapedProbe& probe : length_probes(expected_, bank_.front(), type_, values))
      learn(Stage::surroundings, probe.inputs, probe.settings);
    prefer_usual(tail);
  }

  /// All the steps of the survivors, with the settings given.
  void confirm() {
    const std::vector<Formula> rivals = formulas();
    const std::vector<std::uint64_t> candidates =
        candidate_inputs({rivals.front()}, bank_.front(), type_, kConfirmingSteps);
    const std::size_t room = std::min(evidence_.elements_left() / kWholeVectors * kWholeVectors, kMostConfirming);
    if (room > 0) learn(Stage::surroundings, deal(candidates, std::min(room, candidates.size())), bank_.front());
  }

  /// A formula over whole tensors is only compared with others of its kind.
  void whole_tensors(const std::vector<Hypothesis>& named) {
    survivors_ = named;
    RandomBits random(1);
    constexpr std::array kCentres{0.0, 1.0, -1.0, 5.0};
    constexpr std::array kExponents{0, -3, 10, -140, 100};
    constexpr std::array kExtremes{
        0.0, -0.0, 0x1p-149, static_cast<double>(INFINITY), -static_cast<double>(INFINITY), static_cast<double>(NAN)};
    std::size_t n = 0;
    for (const int exponent : kExponents) {
      for (const double centre : kCentres) {
        for (const std::size_t length : {1UL, 2UL, 7UL, 64UL}) {
          Inputs inputs;
          for (const Input& input : expected_.signature->inputs) {
            Tensor tensor(input.types.front(), {static_cast<std::int64_t>(length)});
            for (std::size_t i = 0; i < length; ++i) {
              const double fraction = static_cast<double>(random.next() >> 11U) * 0x1p-53;
              tensor.set_real(i, std::ldexp(centre + 4 * (fraction - 0.5), exponent));
            }
            if (n % 4 == 3) tensor.set_real(length / 2, kExtremes[n / 4 % kExtremes.size()]);
            inputs.emplace(input.name, std::move(tensor));
          }
          ++n;
          learn(Stage::arithmetic, std::move(inputs), settings_);
        }
      }
    }
  }

  const Formula& expected_;
  Family family_;
  const Oracle& oracle_;
  Type type_;
  Settings settings_;
  Evidence evidence_;
  bool varies_;
  std::vector<Settings> bank_;
  std::vector<Hypothesis> survivors_;
  std::vector<Hypothesis> before_;  ///< those before the last question
};

}  // namespace

std::vector<Hypothesis> arithmetic_rules(const Formula& expected, Family family, std::vector<Hypothesis> named) {
  std::vector<Hypothesis> rules = spread_over(Stage::arithmetic, family, {Hypothesis{}});
  const Output& output = expected.signature->outputs.front();
  const Type input = expected.signature->inputs.front().types.front();
  const bool is_binary32 = (output.rule == OutputRule::of_input ? input : output.fixed) == Type::float32;
  std::erase_if(rules, [&](const Hypothesis& one) {
    return is_binary32 && one.rule.dequantize.product == DequantizeRule::Product::in_output_type;
  });
  named.insert(named.end(), rules.begin(), rules.end());
  return named;
}

Diagnosis diagnose(const Formula& expected, const Settings& settings, const Oracle& oracle,
                   const DiagnosisOptions& options) {
  const std::vector<Input>& inputs = expected.signature->inputs;
  if (inputs.size() != 1) {
    throw RequestError(ErrorKind::out_of_domain, fmt::format("{} has {} inputs; only formulas of one can be probed",
                                                             expected.id(), inputs.size()));
  }
  return Investigation(expected, settings, oracle, options).run();
}

}  // namespace qassay
