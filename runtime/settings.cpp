#include <tutti/ir/names.h>
#include <tutti/ir/support/error.h>
#include <tutti/kernels/host/instruction_set.h>
#include <tutti/runtime/log.h>
#include <tutti/runtime/settings.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include <unistd.h>

namespace tutti::runtime {

namespace {

using Kind = Setting::Kind;

constexpr std::string_view kPrefix = "TUTTI_";
constexpr std::string_view kTestPrefix = "TUTTI_TEST_";
constexpr std::string_view kAll = "all";

std::string listed(const std::vector<std::string_view>& names) {
  std::string out;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) out += i + 1 < names.size() ? ", " : " or ";
    out += names[i];
  }
  return out;
}

template <class Rows>
std::vector<std::string_view> names_of(const Rows& rows) {
  std::vector<std::string_view> names;
  for (const auto& row : rows) names.push_back(row.name);
  return names;
}

const Setting* find(std::span<const Setting> rows, std::string_view name) {
  const auto found = std::ranges::find(rows, name, &Setting::name);
  return found == rows.end() ? nullptr : &*found;
}

[[noreturn]] void refuse(const std::string& called, std::string_view value,
                         const std::string& right) {
  throw EnvironmentError(called + " is " + ir::quoted(value) + "; " + right);
}

[[noreturn]] void refuse_word(const std::string& called, std::string_view value,
                              std::string_view word, std::vector<std::string_view> names) {
  refuse(called, value,
         (word == value ? "it takes " : ir::quoted(word) + " is none of ") + listed(names) +
             ir::suggestion(word, names));
}

template <class T>
std::optional<T> parse_number(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  return value;
}

std::string plain(double number) {
  return number == std::floor(number) ? std::to_string(std::llround(number))
                                      : std::to_string(number).substr(0, 5);
}

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

// The parts between commas; empty ones don't count.
std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> out;
  for (;;) {
    const std::size_t comma = text.find(',');
    const std::string_view part = trimmed(text.substr(0, comma));
    if (!part.empty()) out.push_back(part);
    if (comma == text.npos) return out;
    text.remove_prefix(comma + 1);
  }
}

bool parse_flag(const std::string& called, std::string_view text) {
  for (const std::string_view on : {"1", "on", "true", "yes"}) {
    if (text == on) return true;
  }
  for (const std::string_view off : {"0", "off", "false", "no"}) {
    if (text == off) return false;
  }
  refuse(called, text, "it is on (1, true, yes) or off (0, false, no)");
}

double parse_range(const Setting& setting, const std::string& called, std::string_view text) {
  const bool whole = setting.kind == Kind::number;
  std::optional<double> value;
  if (whole) {
    if (const auto integer = parse_number<std::int64_t>(text)) {
      value = static_cast<double>(*integer);
    }
  } else {
    value = parse_number<double>(text);
  }
  if (value && *value >= setting.least && *value <= setting.most) return *value;
  refuse(called, text,
         std::string("it must be ") + (whole ? "a whole number" : "seconds") + " from " +
             plain(setting.least) + " to " + plain(setting.most) +
             (whole ? "" : ", such as 30 or 0.5"));
}

std::int64_t parse_bytes(const Setting& setting, const std::string& called, std::string_view text) {
  std::string_view digits = text;
  std::int64_t unit = 1;
  for (const auto& [name, size] : {std::pair{'K', 10}, std::pair{'M', 20}, std::pair{'G', 30}}) {
    if (!digits.ends_with(name)) continue;
    digits.remove_suffix(1);
    unit = std::int64_t{1} << size;
    break;
  }
  const auto count = parse_number<std::int64_t>(digits);
  const double bytes = count ? static_cast<double>(*count) * static_cast<double>(unit) : -1;
  if (bytes >= setting.least && bytes <= setting.most) return *count * unit;
  refuse(called, text,
         "it must be a number of bytes from " + plain(setting.least) + " to " +
             plain(setting.most) + ", such as 500M or 2G");
}

std::vector<std::string> parse_words(const Setting& setting, const std::string& called,
                                     std::string_view text) {
  std::vector<std::string_view> names = names_of(setting.words);
  std::vector<bool> chosen(names.size(), false);
  for (const std::string_view word : split(text)) {
    if (setting.all_words && word == kAll) {
      chosen.assign(names.size(), true);
      continue;
    }
    const auto found = std::ranges::find(names, word);
    if (found == names.end()) {
      if (setting.all_words) names.push_back(kAll);
      refuse_word(called, text, word, names);
    }
    chosen[static_cast<std::size_t>(found - names.begin())] = true;
  }
  std::vector<std::string> out;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (chosen[i]) out.emplace_back(names[i]);
  }
  return out;
}

}  // namespace

Settings::Value Settings::parse(const Setting& setting, const std::string& called,
                                std::string_view text) {
  Value out{.kind = setting.kind, .known = true, .text = std::string(text), .words = {}};
  switch (setting.kind) {
    case Kind::flag:
      out.number = parse_flag(called, text) ? 1 : 0;
      break;
    case Kind::number:
    case Kind::seconds:
      out.number = parse_range(setting, called, text);
      break;
    case Kind::bytes:
      out.number = static_cast<double>(parse_bytes(setting, called, text));
      break;
    case Kind::word: {
      const auto names = names_of(setting.words);
      if (std::ranges::find(names, text) == names.end()) refuse_word(called, text, text, names);
      break;
    }
    case Kind::words:
      out.words = parse_words(setting, called, text);
      break;
    case Kind::text:
    case Kind::assignments:
      break;
  }
  return out;
}

void Settings::assign(const Setting& setting, std::string_view text) {
  for (const std::string_view part : split(text)) {
    const std::size_t sign = part.find('=');
    const std::string_view name = trimmed(part.substr(0, sign));
    const auto names = names_of(all_tunables());
    const Setting* const tunable = find(all_tunables(), name);
    if (tunable == nullptr) refuse_word(std::string(setting.name), text, name, names);
    if (sign == part.npos) {
      refuse(std::string(setting.name), text,
             std::string(name) + " needs a value: " + std::string(name) + "=" +
                 std::string(tunable->takes));
    }
    values_[std::string(name)] =
        parse(*tunable, std::string(name) + " in " + std::string(setting.name),
              trimmed(part.substr(sign + 1)));
  }
}

Settings::Settings(const GetVariable& get) {
  for (const auto rows : {all_settings(), all_tunables()}) {
    for (const Setting& setting : rows) {
      Value& value = values_[std::string(setting.name)];
      value.kind = setting.kind;
      if (!setting.initial.empty()) {
        value = parse(setting, std::string(setting.name), setting.initial);
      }
    }
  }
  for (const Setting& setting : all_settings()) {
    const std::string name(setting.name);
    const char* const given = get(name.c_str());
    if (given == nullptr || *given == '\0') continue;
    values_[name] = parse(setting, name, given);
    if (setting.kind == Kind::assignments) assign(setting, given);
  }
}

const Settings::Value& Settings::value(std::string_view name, Kind kind) const {
  const auto found = values_.find(name);
  if (found == values_.end() || found->second.kind != kind) {
    throw InternalError("the table of settings has no row of this kind for " + std::string(name));
  }
  return found->second;
}

bool Settings::flag(std::string_view name) const { return value(name, Kind::flag).number != 0; }

std::optional<std::int64_t> Settings::number(std::string_view name) const {
  const Value& found = value(name, Kind::number);
  if (!found.known) return {};
  return static_cast<std::int64_t>(found.number);
}

std::optional<std::int64_t> Settings::bytes(std::string_view name) const {
  const Value& found = value(name, Kind::bytes);
  if (!found.known) return {};
  return static_cast<std::int64_t>(found.number);
}

std::optional<std::chrono::milliseconds> Settings::seconds(std::string_view name) const {
  const Value& found = value(name, Kind::seconds);
  if (!found.known) return {};
  return std::chrono::milliseconds(std::llround(found.number * 1000));
}

const std::string& Settings::text(std::string_view name) const {
  const auto found = values_.find(name);
  const bool is_word = found != values_.end() && found->second.kind == Kind::word;
  return value(name, is_word ? Kind::word : Kind::text).text;
}

const std::vector<std::string>& Settings::words(std::string_view name) const {
  return value(name, Kind::words).words;
}

std::string complaint(const Setting& setting, std::string_view value) {
  if (value.empty()) return {};
  try {
    const std::string text(value);
    const Settings settings(
        [&](const char* name) { return name == setting.name ? text.c_str() : nullptr; });
    return {};
  } catch (const EnvironmentError& error) {
    return error.what();
  }
}

std::vector<std::string> unknown_variables(std::span<const std::string_view> names) {
  std::vector<std::string_view> known;
  for (const Setting& setting : all_settings())
    known.push_back(setting.name.substr(kPrefix.size()));
  std::vector<std::string> out;
  for (const std::string_view name : names) {
    if (!name.starts_with(kPrefix) || name.starts_with(kTestPrefix)) continue;
    if (find(all_settings(), name) != nullptr) continue;
    std::string line = std::string(name) + " is no variable of Tutti's";
    if (std::string near = ir::suggestion(name.substr(kPrefix.size()), known); !near.empty()) {
      near.insert(near.find('\'') + 1, kPrefix);
      line += near;
    } else {
      line += "; `tutti help env` lists those that are";
    }
    out.push_back(std::move(line));
  }
  return out;
}

namespace {

// Said once a job: what a launcher starts has the same variables on every rank.
void warn_of_unknown_variables() {
  const char* const rank = std::getenv("RANK");
  if (rank != nullptr && std::string_view(rank) != "0") return;
  std::vector<std::string_view> names;
  for (char** line = environ; line != nullptr && *line != nullptr; ++line) {
    const std::string_view text = *line;
    names.push_back(text.substr(0, text.find('=')));
  }
  for (const std::string& line : unknown_variables(names)) warn("the environment: " + line);
}

}  // namespace

void limit_instructions(const Settings& settings) {
  const std::string& most = settings.text("instructions");
  if (most == "avx2") kernels::limit_instruction_set(kernels::InstructionSet::avx2);
  if (most == "baseline") kernels::limit_instruction_set(kernels::InstructionSet::baseline);
}

const Settings& Settings::process() {
  // Never destroyed, nor are the tables: a World that is a static object asks to its end.
  static const auto* const settings = [] {
    auto* const read = new Settings([](const char* name) { return std::getenv(name); });
    warn_of_unknown_variables();
    limit_instructions(*read);  // nothing was made for the host before this was asked for
    return read;
  }();
  return *settings;
}

}  // namespace tutti::runtime
