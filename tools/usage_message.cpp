#include "tools/usage_message.h"

#include <tutti/ir/names.h>

#include <string_view>
#include <vector>

namespace tutti::tools {

namespace {

std::string no_option(const CLI::App& command, const std::string& path, const std::string& given) {
  const std::string name = given.substr(0, given.find('='));
  std::vector<std::string> names;
  for (const CLI::Option* const option : command.get_options()) {
    for (const std::string& each : option->get_lnames()) names.push_back("--" + each);
    for (const std::string& each : option->get_snames()) names.push_back("-" + each);
  }
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  return path + " has no option " + name + ir::suggestion(name, candidates);
}

std::string no_command(const CLI::App& app, const std::string& path, const std::string& given) {
  std::vector<std::string_view> names;
  for (const CLI::App* const each : app.get_subcommands({})) names.push_back(each->get_name());
  return path + " has no command '" + given + "'" + ir::suggestion(given, names);
}

bool is(const CLI::Error& error, CLI::ExitCodes kind) {
  return error.get_exit_code() == static_cast<int>(kind);
}

bool has_commands(const CLI::App& command) { return !command.get_subcommands({}).empty(); }

// `rest`: what of the command's words is not understood.
std::string what_is_wrong(const CLI::App& command, const std::string& path,
                          const std::vector<std::string>& rest, const CLI::Error& error) {
  const bool lacks_command = has_commands(command) && is(error, CLI::ExitCodes::RequiredError);
  if (rest.empty() && lacks_command) return path + " needs a command";
  if (rest.empty() || !(lacks_command || is(error, CLI::ExitCodes::ExtrasError)))
    return error.what();
  if (rest.front().starts_with("-")) return no_option(command, path, rest.front());
  if (has_commands(command)) return no_command(command, path, rest.front());
  return path + " has no use for '" + rest.front() + "'";
}

}  // namespace

std::string usage_message(const CLI::App* app, const CLI::Error& error) {
  // The innermost command that was given, or an outer one whose words are not understood.
  const CLI::App* command = app;
  std::string path = app->get_name();
  while (command->remaining().empty() && !command->get_subcommands().empty()) {
    command = command->get_subcommands().front();
    path += " " + command->get_name();
  }
  return what_is_wrong(*command, path, command->remaining(), error) + "\n`" + path +
         " --help` lists the " + (has_commands(*command) ? "commands.\n" : "options.\n");
}

}  // namespace tutti::tools
