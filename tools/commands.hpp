// The commands of the command line. Each adds its options to the program and runs when it was chosen.
#pragma once

#include <CLI/CLI.hpp>

namespace qassay {

/// Exit codes.
enum class Exit : int { as_expected = 0, mismatches = 1, usage = 2, backend_failed = 3, golden_damage = 4 };

void add_list_command(CLI::App& program);
void add_show_command(CLI::App& program);
void add_eval_command(CLI::App& program);
void add_golden_command(CLI::App& program);
void add_check_command(CLI::App& program);
void add_diff_command(CLI::App& program);
void add_backends_command(CLI::App& program);
void add_explain_command(CLI::App& program);
void add_compare_command(CLI::App& program);
void add_identity_command(CLI::App& program);
void add_probes_command(CLI::App& program);
void add_diagnose_command(CLI::App& program);
void add_reduce_command(CLI::App& program);
void add_trap_command(CLI::App& program);

/// The code the chosen command ended with.
void set_exit(Exit code);
Exit chosen_exit();

}  // namespace qassay
