#include <fmt/color.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "interpreter/arguments.hpp"
#include "tools/trap/trap_report.hpp"

namespace qassay {
namespace {

/// Lines of cells, each column as wide as its widest cell. Words stand at the left, numbers at the right.
class Table {
 public:
  explicit Table(std::vector<std::string> head) { add(std::move(head)); }

  void add(std::vector<std::string> cells) {
    widths_.resize(cells.size());
    for (std::size_t c = 0; c < cells.size(); ++c) widths_[c] = std::max(widths_[c], cells[c].size());
    rows_.push_back(std::move(cells));
  }

  /// The last column is not padded; `left` names the columns of words.
  std::string text(const std::vector<std::size_t>& left) const {
    std::string text;
    for (const std::vector<std::string>& cells : rows_) {
      std::string line;
      for (std::size_t c = 0; c < cells.size(); ++c) {
        const bool is_left = std::ranges::find(left, c) != left.end();
        line += is_left ? fmt::format("  {:<{}}", cells[c], widths_[c]) : fmt::format("  {:>{}}", cells[c], widths_[c]);
      }
      line.erase(line.find_last_not_of(' ') + 1);
      text += line + "\n";
    }
    return text;
  }

 private:
  std::vector<std::vector<std::string>> rows_;
  std::vector<std::size_t> widths_;
};

std::string shortest(float value) {
  return decimal_text(Type::float32, encode(Type::float32, static_cast<double>(value)));
}

std::string ratio_text(double ratio) {
  const bool is_near_one = ratio != 1 && std::abs(ratio - 1) < 5e-6;
  return is_near_one ? fmt::format("{:.9f}", ratio) : fmt::format("{:.6f}", ratio);
}

class TrapText {
 public:
  TrapText(const TrapResults& results, Colours colours, std::size_t most_shown)
      : results_(results), has_colours_(colours == Colours::yes), most_shown_(most_shown) {}

  std::string run() {
    write_head();
    write_tensors();
    write_ratios();
    write_channels();
    write_verdict();
    return std::move(text_);
  }

 private:
  template <class... Values>
  void line(fmt::format_string<Values...> format, Values&&... values) {
    text_ += fmt::format(format, std::forward<Values>(values)...) + "\n";
  }

  std::string painted(GridVerdict verdict) const {
    const std::string_view word = name(verdict);
    if (!has_colours_) return std::string(word);
    return fmt::format(fmt::fg(is_one_graph(verdict) ? fmt::terminal_color::green : fmt::terminal_color::red), "{}",
                       word);
  }

  bool has_many() const { return results_.tensors.size() > 1; }

  void write_head() {
    const GridRequest& request = results_.request;
    const GridFormulas formulas = formulas_of(request);
    line("weights   {}", results_.file);
    line("codes     [{}, {}] of {}, {} {}, eps {:g}", request.codes.lowest, request.codes.highest, name(request.dtype),
         request.ch_axis ? fmt::format("per channel (axis {})", *request.ch_axis) : "per tensor",
         request.is_symmetric ? "symmetric" : "affine", request.eps);
    line("training  {}", formulas.fused);
    line("          {}", training_rule(request));
    line("deployed  {}, {}, {}", formulas.observer, formulas.quantize, formulas.dequantize);
    line("          {}\n", deployed_rule(request));
  }

  /// LSB are steps of the deployed scale, deployed minus training.
  void write_tensors() {
    for (const TensorGrids& tensor : results_.tensors) {
      line("{}: {}{}{}", painted(tensor.verdict), tensor.name == results_.file ? "" : tensor.name + " ",
           to_text(tensor.shape),
           tensor.codes_that_differ == 0
               ? ""
               : fmt::format(", {} of {} codes differ", tensor.codes_that_differ, tensor.weights.elements));
      text_ += output_as_text({tensor.weights, {}});
    }
  }

  void write_ratios() {
    double least = INFINITY;
    double greatest = -INFINITY;
    std::array<std::size_t, kGridCauseCount> causes{};
    std::size_t channels = 0;
    for (const TensorGrids& tensor : results_.tensors) {
      for (const ChannelGrids& channel : tensor.channels) {
        least = std::min(least, channel.ratio());
        greatest = std::max(greatest, channel.ratio());
        ++causes[static_cast<std::size_t>(channel.cause)];
        ++channels;
      }
    }
    line("\ntraining scale / deployed scale: {} to {}, {} grid{}", ratio_text(least), ratio_text(greatest), channels,
         channels == 1 ? "" : "s");
    for (std::size_t c = 0; c < kGridCauseCount; ++c) {
      const auto cause = static_cast<GridCause>(c);
      if (causes[c] > 0) line("  {:>6} {:<10}  {}", causes[c], name(cause), explained(cause, results_.request));
    }
  }

  void write_channels() {
    std::vector<ChannelPlace> places = noisiest_channels(results_.tensors);
    const std::size_t all = places.size();
    std::erase_if(places, [&](const ChannelPlace& place) { return channel_at(place).cause == GridCause::equal; });
    const std::size_t shown = std::min(places.size(), most_shown_);
    if (shown == 0) return;
    Table table({"channel", "min", "max", "training scale", "zp", "deployed scale", "zp", "ratio", "sqnr", "max lsb",
                 "codes off", "why"});
    for (std::size_t i = 0; i < shown; ++i) {
      const ChannelGrids& channel = channel_at(places[i]);
      const std::string& tensor = results_.tensors[places[i].tensor].name;
      table.add({has_many() ? fmt::format("{}[{}]", tensor, places[i].channel) : std::to_string(places[i].channel),
                 shortest(channel.min), shortest(channel.max), shortest(channel.training.scale),
                 std::to_string(channel.training.zero_point), shortest(channel.deployed.scale),
                 std::to_string(channel.deployed.zero_point), ratio_text(channel.ratio()),
                 to_text(channel.weights.sqnr), fmt::format("{:.4g}", channel.weights.lsb->max),
                 fmt::format("{} of {}", channel.codes_that_differ, channel.weights.elements),
                 std::string(name(channel.cause))});
    }
    line("\n{}{}", shown < all ? fmt::format("{} of {} channels", shown, all) : "channels", ", the noisiest first");
    text_ += table.text(has_many() ? std::vector<std::size_t>{0, 11} : std::vector<std::size_t>{11});
  }

  void write_verdict() {
    const GridVerdict verdict = worst_verdict(results_.tensors);
    line("\n{}: {}.", painted(verdict), explained(verdict));
    if (is_one_graph(verdict)) return;
    for (const std::string& remedy : remedies(results_)) line("  {}", remedy);
  }

  const ChannelGrids& channel_at(const ChannelPlace& place) const {
    return results_.tensors[place.tensor].channels[place.channel];
  }

  const TrapResults& results_;
  bool has_colours_;
  std::size_t most_shown_;
  std::string text_;
};

}  // namespace

std::string trap_as_text(const TrapResults& results, Colours colours, std::size_t most_shown) {
  return TrapText(results, colours, most_shown).run();
}

}  // namespace qassay
