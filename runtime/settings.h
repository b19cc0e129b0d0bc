#pragma once

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// What the environment can say to Tutti. Every variable is a row of one table, in
// settings_table.cpp, from which it is read, checked, explained and printed by `tutti help env`.
namespace tutti::runtime {

// What TUTTI_THREADS and TUTTI_TIMEOUT may say.
inline constexpr int kMostThreads = 4096;
inline constexpr int kMostPrograms = 1 << 30;
inline constexpr double kShortestTimeout = 0.001;  // seconds
inline constexpr double kLongestTimeout = 1e9;     // about thirty years
// What TUTTI_CACHE_SIZE may say.
inline constexpr std::int64_t kSmallestCache = std::int64_t{1} << 20;
inline constexpr std::int64_t kLargestCache = std::int64_t{1} << 50;

// A word that a setting's value may hold.
struct SettingWord {
  std::string_view name;
  std::string_view does;  // in a sentence or less
};

struct Setting {
  enum class Kind : std::uint8_t {
    flag,         // on or off (1 or 0, true or false, yes or no)
    number,       // a whole number
    seconds,      // a number, maybe with a fraction
    bytes,        // a whole number, maybe with K, M or G (powers of 1024) behind it
    text,         // a file, a folder, a name
    word,         // one of `words`
    words,        // some of `words` with commas between; with `all_words` also "all"
    assignments,  // NAME=VALUE,...: tunables, rows of all_tunables()
  };

  std::string_view name;  // "TUTTI_THREADS", "kernels"
  Kind kind = Kind::text;
  std::string_view takes;         // what a value looks like: "N", "FILE", "STAGE,..."
  std::string_view initial = {};  // the value where nothing is said; empty: none,
  std::string_view unset = {};    // and this is what happens then
  std::string_view does;          // a sentence
  std::vector<SettingWord> words = {};
  bool all_words = false;
  double least = 0;  // of numbers, seconds and bytes
  double most = 0;
};

// Every environment variable, and every name that TUTTI_SET takes.
std::span<const Setting> all_settings();
std::span<const Setting> all_tunables();

using GetVariable = std::function<const char*(const char* name)>;  // like std::getenv

// The values of all settings and tunables, checked: an empty variable counts as not set.
class Settings {
 public:
  // Of the environment of this process, read at first use. The first time, a variable whose name
  // begins like ours but is none is warned of on stderr. Throws EnvironmentError like the
  // constructor.
  static const Settings& process();

  // Throws EnvironmentError for a malformed value: it names the variable, the value and what would
  // be right.
  explicit Settings(const GetVariable& get);

  // The values by name. Throws InternalError if the table has no row of that name and kind.
  bool flag(std::string_view name) const;
  std::optional<std::int64_t> number(std::string_view name) const;
  std::optional<std::int64_t> bytes(std::string_view name) const;
  std::optional<std::chrono::milliseconds> seconds(std::string_view name) const;
  // Of text and word settings; empty if there is none.
  const std::string& text(std::string_view name) const;
  // Without repetitions, in the order of the table; "all" stands for every one.
  const std::vector<std::string>& words(std::string_view name) const;

 private:
  struct Value {
    Setting::Kind kind = Setting::Kind::text;
    bool known = false;  // said, or by default
    std::string text;
    double number = 0;
    std::vector<std::string> words;
  };
  static Value parse(const Setting& setting, const std::string& called, std::string_view text);
  void assign(const Setting& setting, std::string_view text);
  const Value& value(std::string_view name, Setting::Kind kind) const;

  std::map<std::string, Value, std::less<>> values_;
};

// Lets host code use no more than the tunable "instructions" says. Settings::process() does so.
void limit_instructions(const Settings& settings);

// What is wrong with a value that a variable might have; empty: nothing.
std::string complaint(const Setting& setting, std::string_view value);

// Of names of environment variables those that begin like ours but are in no row, each with the
// nearest known one: "TUTTI_DUPM is no variable of Tutti's; did you mean 'TUTTI_DUMP'?". Names that
// begin with TUTTI_TEST_ are left to tests.
std::vector<std::string> unknown_variables(std::span<const std::string_view> names);

}  // namespace tutti::runtime
