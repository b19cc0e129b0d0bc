#include "tools/commands/command_help.h"

namespace tutti::tools {

void add_examples(CLI::App& command, std::initializer_list<const char*> examples,
                  const std::string& found) {
  std::string out = "Examples:\n";
  for (const char* const example : examples) out += "  " + std::string(example) + "\n";
  out += "\nExit codes: 0; 1 for an error in files, programs or the machine";
  if (!found.empty()) out += ", and " + found;
  command.footer(out + "; 2 for wrong usage.");
}

}  // namespace tutti::tools
