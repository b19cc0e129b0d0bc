#include "tools/rank_programs.h"

#include <tutti/ir/names.h>
#include <tutti/ir/support/error.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "tools/read_program.h"
#include "tools/sort_by_number.h"

namespace tutti::tools {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kExtension = ".tutti";
constexpr std::string_view kDigits = "0123456789";

bool is_program(const fs::path& path) {
  return path.extension() == kExtension && !fs::is_directory(path);
}

std::optional<std::int64_t> number_from(std::string_view digits) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return number;
}

// The last integer in a name without its extension: of step.rank03.tutti 3.
std::optional<std::int64_t> last_number(const fs::path& path) {
  const std::string stem = path.stem().string();
  const std::size_t last = stem.find_last_of(kDigits);
  if (last == stem.npos) return std::nullopt;
  const std::size_t before = stem.find_last_not_of(kDigits, last);
  const std::size_t first = before == stem.npos ? 0 : before + 1;
  return number_from(std::string_view(stem).substr(first, last + 1 - first));
}

// 3 of a folder rank3.
std::optional<std::int64_t> rank_of_folder(const fs::path& path) {
  constexpr std::string_view kRank = "rank";
  const std::string name = path.filename().string();
  if (!fs::is_directory(path) || !name.starts_with(kRank)) return std::nullopt;
  return number_from(std::string_view(name).substr(kRank.size()));
}

// What lies in a folder, in the order of its numbers.
std::vector<fs::path> entries_of(const fs::path& folder) {
  std::error_code error;
  fs::directory_iterator entries(folder, error);
  if (error) throw EnvironmentError(folder.string() + ": cannot be read: " + error.message());
  std::vector<fs::path> out;
  for (const auto& entry : entries) out.push_back(entry.path());
  sort_by_number(out);
  return out;
}

RankSource folder_of_rank(const fs::path& folder) {
  RankSource out{.path = folder, .files = {}, .is_folder = true};
  const std::vector<fs::path> entries = entries_of(folder);
  // Then a folder without a program is theirs, as for constants, and no executable of a dump.
  const bool has_programs = std::ranges::any_of(entries, is_program);
  for (const fs::path& entry : entries) {
    if (is_program(entry)) {
      out.files.push_back(entry);
    } else if (fs::is_directory(entry)) {
      const std::vector<fs::path> stages = entries_of(entry);
      const auto first = std::ranges::find_if(stages, is_program);
      if (first == stages.end()) {
        if (has_programs) continue;
        throw EnvironmentError(entry.string() +
                               ": has no .tutti file; TUTTI_DUMP=trace writes what to compare");
      }
      out.files.push_back(*first);
    }
  }
  if (out.files.empty()) throw EnvironmentError(folder.string() + ": has no .tutti file");
  return out;
}

}  // namespace

std::vector<RankSource> find_ranks(const fs::path& folder) {
  std::map<std::int64_t, RankSource> by_rank;
  for (const fs::path& entry : entries_of(folder)) {
    std::optional<std::int64_t> rank = rank_of_folder(entry);
    if (!rank && !is_program(entry)) continue;
    const bool is_folder = rank.has_value();
    if (!is_folder) rank = last_number(entry);
    if (!rank) {
      throw EnvironmentError(entry.string() + ": has no rank in its name, as in rank0.tutti");
    }
    RankSource source =
        is_folder ? folder_of_rank(entry) : RankSource{.path = entry, .files = {entry}};
    const auto [known, is_new] = by_rank.try_emplace(*rank, std::move(source));
    if (!is_new) {
      throw EnvironmentError("rank " + std::to_string(*rank) + " has two programs: " +
                             known->second.path.string() + " and " + entry.string());
    }
  }
  if (by_rank.empty()) {
    throw EnvironmentError(folder.string() +
                           ": has neither .tutti files nor folders rank0, rank1, ...");
  }
  std::vector<RankSource> out;
  for (auto& [rank, source] : by_rank) {
    if (rank != std::ssize(out)) {
      throw EnvironmentError(folder.string() + ": has no program of rank " +
                             std::to_string(out.size()) + ", but one of rank " +
                             std::to_string(rank) + ", " + source.path.filename().string());
    }
    out.push_back(std::move(source));
  }
  return out;
}

Modules read_all(const std::vector<RankSource>& ranks) {
  Modules out;
  for (const RankSource& rank : ranks) {
    ir::Module& all = out.emplace_back();
    for (const fs::path& file : rank.files) {
      for (ir::Graph& function : read_program(file).functions) {
        all.functions.push_back(std::move(function));
      }
    }
    if (all.functions.empty()) throw EnvironmentError(rank.path.string() + ": has no function");
  }
  return out;
}

void name_apart(ir::Module& module) {
  ir::UniqueNames names;
  for (ir::Graph& function : module.functions) function.name = names.add(function.name);
}

}  // namespace tutti::tools
