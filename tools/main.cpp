#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>

#include "interpreter/error.hpp"
#include "interpreter/nearest_names.hpp"
#include "tools/commands.hpp"

int main(int argument_count, char** arguments) {
  CLI::App program{
      "qassay computes what each framework's quantization formula must give, bit for bit, and shows where, by how "
      "much\n"
      "and why a real backend gives something else."};
  program.set_version_flag("--version", QASSAY_VERSION);
  program.require_subcommand(1);
  program.get_formatter()->column_width(34);
  program.footer(
      "Exit codes: 0 as expected, 1 mismatches, 2 usage or case error, 3 a backend could not be run, 4 golden damage.\n"
      "'qassay COMMAND --help' shows examples.");

  qassay::add_list_command(program);
  qassay::add_show_command(program);
  qassay::add_eval_command(program);
  qassay::add_check_command(program);
  qassay::add_diff_command(program);
  qassay::add_golden_command(program);
  qassay::add_backends_command(program);
  qassay::add_explain_command(program);
  qassay::add_compare_command(program);
  qassay::add_identity_command(program);
  qassay::add_probes_command(program);
  qassay::add_diagnose_command(program);
  qassay::add_reduce_command(program);
  qassay::add_trap_command(program);

  const int usage = static_cast<int>(qassay::Exit::usage);
  std::vector<std::string> names;
  for (const CLI::App* command : program.get_subcommands({})) names.push_back(command->get_name());
  if (argument_count > 1 && arguments[1][0] != '-' && std::ranges::find(names, arguments[1]) == names.end()) {
    fmt::print(stderr, "qassay: no command '{}'{}; 'qassay --help' lists them\n", arguments[1],
               qassay::did_you_mean(arguments[1], names));
    return usage;
  }
  try {
    program.parse(argument_count, arguments);
  } catch (const CLI::ParseError& error) {
    return program.exit(error) == 0 ? 0 : usage;
  } catch (const qassay::RequestError& error) {
    fmt::print(stderr, "qassay: {}\n", error.what());
    return usage;
  } catch (const std::exception& error) {
    fmt::print(stderr, "qassay: internal error: {}\n", error.what());
    return usage;
  }
  return static_cast<int>(qassay::chosen_exit());
}
