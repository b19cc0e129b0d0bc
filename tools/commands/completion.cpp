#include "tools/commands/completion.h"

#include <sstream>

namespace tutti::tools {

namespace {

// "a b c"
std::string joined(const std::vector<std::string>& words, const std::string& between = " ") {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : between) + word;
  return out;
}

// In single quotes, which end at the next one.
std::string in_shell_quotes(const std::string& text, const std::string& quote) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') {
      out += quote;
    } else {
      out += c;
    }
  }
  return out + "'";
}
std::string in_quotes(const std::string& text) { return in_shell_quotes(text, "'\\''"); }

std::string escaped(const std::string& text, std::string_view special) {
  std::string out;
  for (const char c : text) {
    if (special.find(c) != special.npos) out += '\\';
    out += c;
  }
  return out;
}

// Of a type's text such as "TEXT:{bash,zsh,fish}", which CLI::IsMember makes.
std::vector<std::string> values_from(const std::string& type) {
  const std::size_t begin = type.find('{');
  const std::size_t end = type.find('}', begin);
  if (begin == type.npos || end == type.npos) return {};
  std::vector<std::string> out;
  std::istringstream list(type.substr(begin + 1, end - begin - 1));
  for (std::string value; std::getline(list, value, ',');) out.push_back(value);
  return out;
}

CompletionOption option_from(const CLI::Option& option) {
  CompletionOption out{.names = {},
                       .description = option.get_description(),
                       .takes_value = option.get_items_expected_max() > 0,
                       .values = values_from(option.get_type_name())};
  for (const std::string& name : option.get_snames()) out.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) out.names.push_back("--" + name);
  return out;
}

// All names of options, of values in place of names, and of commands below.
std::vector<std::string> option_names(const CompletionCommand& command) {
  std::vector<std::string> out;
  for (const CompletionOption& option : command.options) {
    out.insert(out.end(), option.names.begin(), option.names.end());
  }
  return out;
}
std::vector<std::string> words_of(const CompletionCommand& command) {
  std::vector<std::string> out;
  for (const CompletionCommand& below : command.commands) out.push_back(below.name);
  for (const CompletionOption& option : command.options) {
    if (option.names.empty()) out.insert(out.end(), option.values.begin(), option.values.end());
  }
  return out;
}

// Calls f(command, path) for a command and all below it; the path of `tutti cache ls` is "cache
// ls".
template <class F>
void for_each_command(const CompletionCommand& command, const std::string& path, F&& f) {
  f(command, path);
  for (const CompletionCommand& below : command.commands) {
    for_each_command(below, path.empty() ? below.name : path + " " + below.name, f);
  }
}

// The function for a command: _tutti_cache_ls.
std::string function_name(const CompletionCommand& root, const std::string& path) {
  std::string out = "_" + root.name + (path.empty() ? "" : "_" + path);
  for (char& c : out) {
    if (c == ' ' || c == '-') c = '_';
  }
  return out;
}

void append_zsh_option(std::string& out, const CompletionOption& option) {
  const std::string action = option.values.empty() ? "_files" : "(" + joined(option.values) + ")";
  if (option.names.empty()) {
    out += " \\\n    " + in_quotes("*:" + escaped(option.description, ":[]\\") + ":" + action);
    return;
  }
  for (const std::string& name : option.names) {
    const std::string equals = name.starts_with("--") ? "=" : "";
    std::string spec = "*" + name + (option.takes_value ? equals : "") + "[" +
                       escaped(option.description, ":[]\\") + "]";
    if (option.takes_value) spec += ":value:" + action;
    out += " \\\n    " + in_quotes(spec);
  }
}

}  // namespace

CompletionCommand completion_tree(const CLI::App& app) {
  CompletionCommand out{
      .name = app.get_name(), .description = app.get_description(), .options = {}, .commands = {}};
  for (const CLI::Option* const option : app.get_options()) {
    if (!option->get_group().empty()) out.options.push_back(option_from(*option));
  }
  for (const CLI::App* const below : app.get_subcommands({})) {
    if (!below->get_group().empty()) out.commands.push_back(completion_tree(*below));
  }
  return out;
}

std::string bash_completion(const CompletionCommand& root) {
  const std::string function = function_name(root, "");
  std::string commands;  // what a word makes of the command so far
  std::string values;    // of the option in front
  std::string words;
  for_each_command(root, "", [&](const CompletionCommand& command, const std::string& path) {
    for (const CompletionCommand& below : command.commands) {
      const std::string whole = path.empty() ? below.name : path + " " + below.name;
      commands += "      \"" + path + "/" + below.name + "\") command=\"" + whole + "\" ;;\n";
    }
    for (const CompletionOption& option : command.options) {
      if (!option.takes_value || option.names.empty()) continue;
      std::vector<std::string> patterns;
      for (const std::string& name : option.names)
        patterns.push_back("\"" + path + "/" + name + "\"");
      values += "    " + joined(patterns, " | ") + ") words=\"" + joined(option.values) +
                "\"; is_value=1 ;;\n";
    }
    words += "      \"" + path + "\") names=\"" + joined(option_names(command)) + "\"; words=\"" +
             joined(words_of(command)) + "\" ;;\n";
  });
  return "# Completion of " + root.name + " for bash; made by `" + root.name +
         " completion bash`.\n" + function +
         "() {\n"
         "  local current=\"${COMP_WORDS[COMP_CWORD]}\" previous=\"${COMP_WORDS[COMP_CWORD-1]}\"\n"
         "  local command=\"\" names=\"\" words=\"\" is_value=0 i\n"
         "  COMPREPLY=()\n"
         "  for ((i = 1; i < COMP_CWORD; ++i)); do\n"
         "    [[ ${COMP_WORDS[i]} == -- ]] && return\n"
         "    case \"$command/${COMP_WORDS[i]}\" in\n" +
         commands +
         "    esac\n"
         "  done\n"
         "  # --option=value is three words to bash.\n"
         "  [[ $current == = ]] && current=\"\"\n"
         "  [[ $previous == = ]] && previous=\"${COMP_WORDS[COMP_CWORD-2]}\"\n"
         "  case \"$command/$previous\" in\n" +
         values +
         "  esac\n"
         "  if ((!is_value)); then\n"
         "    case \"$command\" in\n" +
         words +
         "    esac\n"
         "    [[ $current == -* ]] && words=\"$names\"\n"
         "  fi\n"
         "  # No match: files.\n"
         "  COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
         "}\n"
         "complete -o default -F " +
         function + " " + root.name + "\n";
}

std::string zsh_completion(const CompletionCommand& root) {
  const std::string function = function_name(root, "");
  std::string out = "#compdef " + root.name + "\n# Completion of " + root.name +
                    " for zsh; made by `" + root.name + " completion zsh`.\n";
  for_each_command(root, "", [&](const CompletionCommand& command, const std::string& path) {
    out += function_name(root, path) + "() {\n";
    if (!command.commands.empty()) out += "  local context state state_descr line\n";
    if (!command.commands.empty()) out += "  typeset -A opt_args\n";
    out += command.commands.empty() ? "  _arguments" : "  _arguments -C";
    for (const CompletionOption& option : command.options) append_zsh_option(out, option);
    if (command.commands.empty()) {
      out += "\n}\n";
      return;
    }
    out +=
        " \\\n    '1: :->command' \\\n    '*:: :->rest'\n  case $state in\n    command)\n"
        "      local -a commands=(\n";
    std::string rest;
    for (const CompletionCommand& below : command.commands) {
      out += "        " + in_quotes(escaped(below.name, ":\\") + ":" + below.description) + "\n";
      const std::string whole = path.empty() ? below.name : path + " " + below.name;
      rest += "        " + below.name + ") " + function_name(root, whole) + " ;;\n";
    }
    out +=
        "      )\n      _describe command commands\n      ;;\n    rest)\n"
        "      case $line[1] in\n" +
        rest + "      esac\n      ;;\n  esac\n}\n";
  });
  return out + "if [[ $funcstack[1] == " + function + " ]]; then\n  " + function +
         " \"$@\"\nelse\n  compdef " + function + " " + root.name + "\nfi\n";
}

std::string fish_completion(const CompletionCommand& root) {
  const auto text = [](const std::string& of) { return in_shell_quotes(escaped(of, "\\"), "\\'"); };
  std::string out =
      "# Completion of " + root.name + " for fish; made by `" + root.name + " completion fish`.\n";
  for_each_command(root, "", [&](const CompletionCommand& command, const std::string& path) {
    std::vector<std::string> seen;
    std::istringstream names(path);
    for (std::string name; names >> name;) {
      seen.push_back("__fish_seen_subcommand_from " + name);
    }
    const std::string here = joined(seen, "; and ");
    std::vector<std::string> below;
    for (const CompletionCommand& each : command.commands) below.push_back(each.name);
    // Commands are offered until there is one.
    std::string start = "complete -c " + root.name;
    if (!here.empty()) start += " -n '" + here + "'";
    for (const CompletionCommand& each : command.commands) {
      std::string when = here.empty() ? "" : here + "; and ";
      when += "not __fish_seen_subcommand_from " + joined(below);
      out += "complete -c " + root.name + " -f -n '" + when + "' -a " + each.name + " -d " +
             text(each.description) + "\n";
    }
    for (const CompletionOption& option : command.options) {
      std::string line = start;
      for (const std::string& name : option.names) {
        line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      }
      if (option.names.empty() && option.values.empty()) continue;
      if (!option.values.empty()) line += " -f -a " + text(joined(option.values));
      if (option.takes_value && !option.names.empty()) line += " -r";
      out += line + " -d " + text(option.description) + "\n";
    }
  });
  return out;
}

}  // namespace tutti::tools
