#include "tools/describe_settings.h"

#include <algorithm>
#include <string_view>

#include "tools/wrap.h"

namespace tutti::tools {

namespace {

using runtime::Setting;

void append_words(std::string& out, const std::vector<runtime::SettingWord>& words,
                  std::size_t indent) {
  std::size_t longest = 0;
  for (const auto& word : words) longest = std::max(longest, word.name.size());
  for (const auto& word : words) {
    out += std::string(indent, ' ') + std::string(word.name);
    append_wrapped(out, word.does, indent + longest + 2, indent + word.name.size());
  }
}

void append_setting(std::string& out, const Setting& setting, std::size_t indent) {
  out += std::string(indent, ' ') + std::string(setting.name) + "=" + std::string(setting.takes) +
         "\n";
  const bool has_value = !setting.initial.empty();
  append_wrapped(out,
                 std::string(setting.does) +
                     " Default: " + std::string(has_value ? setting.initial : setting.unset) + ".",
                 indent + 4);
  std::vector<runtime::SettingWord> words = setting.words;
  if (setting.all_words) words.push_back({"all", "all of these"});
  append_words(out, words, indent + 6);
}

}  // namespace

std::string describe_settings(const runtime::GetVariable& get) {
  std::string out =
      "Environment variables. Each is read once, when a program begins to use Tutti.\n";
  for (const Setting& setting : runtime::all_settings()) {
    out += '\n';
    append_setting(out, setting, 2);
    if (setting.kind == Setting::Kind::assignments) {
      for (const Setting& tunable : runtime::all_tunables()) append_setting(out, tunable, 6);
    }
    const char* const now = get(std::string(setting.name).c_str());
    if (now == nullptr || *now == '\0') continue;
    append_wrapped(out, "Now: " + std::string(now), 6);
    const std::string wrong = complaint(setting, now);
    if (!wrong.empty()) append_wrapped(out, "That is a mistake: " + wrong, 6);
  }
  return out;
}

}  // namespace tutti::tools
