#include "tools/commands/completion_command.h"

#include <iostream>
#include <memory>
#include <string>

#include "tools/commands/completion.h"

namespace tutti::tools {

void add_completion(CLI::App& app) {
  auto shell = std::make_shared<std::string>();
  CLI::App* const command = app.add_subcommand(
      "completion", "Prints a script that makes a shell complete commands, options and values");
  command->footer(
      "To use it, in ~/.bashrc: source <(tutti completion bash); in ~/.zshrc, behind compinit: "
      "source <(tutti completion zsh); in ~/.config/fish/config.fish: tutti completion fish | "
      "source");
  command->add_option("SHELL", *shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}))
      ->option_text("SHELL");
  command->callback([&app, shell] {
    const CompletionCommand tree = completion_tree(app);
    std::cout << (*shell == "bash"  ? bash_completion(tree)
                  : *shell == "zsh" ? zsh_completion(tree)
                                    : fish_completion(tree));
  });
}

}  // namespace tutti::tools
