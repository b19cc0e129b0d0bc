#include "tools/pass_options.h"

#include <tutti/ir/passes/pipeline.h>

#include <algorithm>

#include "tools/disabled_passes.h"

namespace tutti::tools {

void add_pass_options(CLI::App& command, PassSelection& selection) {
  command
      .add_option("--pass", selection.words,
                  "Passes to run, in this order, each as often as it is named; `default`, which is "
                  "what runs without this option, stands for the compiler's sequence")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->option_text("PASS,...");
  command
      .add_option("--disable", selection.disabled,
                  "Passes to leave out of them; without --pass, beside those of TUTTI_DISABLE")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->option_text("PASS,...");
}

std::vector<const ir::Pass*> selected_passes(const PassSelection& selection) {
  ir::check_disabled(selection.disabled);
  const bool is_compilers = selection.words.empty();
  std::vector<const ir::Pass*> out =
      is_compilers ? ir::default_pipeline() : ir::passes_named(selection.words);
  std::vector<std::string> disabled = is_compilers ? disabled_passes() : std::vector<std::string>();
  disabled.insert(disabled.end(), selection.disabled.begin(), selection.disabled.end());
  std::erase_if(out, [&](const ir::Pass* pass) {
    return std::ranges::find(disabled, pass->name) != disabled.end();
  });
  return out;
}

}  // namespace tutti::tools
