#include "tools/array_files.h"

#include <tutti/ir/support/error.h>
#include <tutti/runtime/files/npy.h>
#include <tutti/runtime/files/npz.h>

#include <set>
#include <string_view>
#include <system_error>
#include <utility>

namespace tutti::tools {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kRankPrefix = "rank";
constexpr std::string_view kArrayExtension = ".npy";

std::string rank_folder(std::int64_t rank) {
  return std::string(kRankPrefix) + std::to_string(rank);
}

// The name of an array that is written, of so many ranks.
std::string written_name(std::size_t ranks, std::size_t rank, std::size_t array) {
  const std::string name = std::to_string(array);
  return ranks == 1 ? name : rank_folder(static_cast<std::int64_t>(rank)) + "/" + name;
}

bool has_only_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
}

bool is_folder(const fs::path& path) {
  std::error_code error;  // what can't be looked at is none, and says so where it is used
  return fs::is_directory(path, error);
}

// Throws EnvironmentError where it can't be listed.
std::vector<fs::path> paths_in(const fs::path& folder) {
  std::vector<fs::path> out;
  std::error_code error;
  for (fs::directory_iterator each(folder, error), end; !error && each != end;
       each.increment(error)) {
    out.push_back(each->path());
  }
  if (error) throw EnvironmentError(folder.string() + ": cannot be listed: " + error.message());
  return out;
}

// The names of all that write_arrays() may have written into a folder.
std::set<std::string> written_names_in(const fs::path& folder) {
  std::set<std::string> out;
  const auto add = [&](const fs::path& file, const std::string& before) {
    const std::string name = file.stem().string();
    if (file.extension() == kArrayExtension && has_only_digits(name)) out.insert(before + name);
  };
  for (const fs::path& path : paths_in(folder)) {
    const std::string name = path.filename().string();
    add(path, "");
    if (!name.starts_with(kRankPrefix) || !is_folder(path)) continue;
    if (!has_only_digits(std::string_view(name).substr(kRankPrefix.size()))) continue;
    for (const fs::path& inside : paths_in(path)) add(inside, name + "/");
  }
  return out;
}

}  // namespace

std::string path_for_rank(std::string path, std::int64_t rank) {
  constexpr std::string_view kRank = "{rank}";
  const std::string number = std::to_string(rank);
  for (std::size_t at = path.find(kRank); at != path.npos; at = path.find(kRank, at)) {
    path.replace(at, kRank.size(), number);
    at += number.size();
  }
  return path;
}

ArrayFiles::ArrayFiles(const std::string& option, std::string path)
    : path_(std::move(path)), is_archive_(runtime::is_npz(path_)) {
  if (is_archive_ || is_folder(path_)) return;
  throw UsageError(option + " takes a folder or a .npz file, which '" + path_ + "' is not");
}

ArrayFiles::Found ArrayFiles::find(const std::string& name, std::int64_t rank,
                                   const Accept& accept) {
  if (is_archive_) return find_in_archive(name, rank, accept);
  const fs::path folder = path_;
  for (const fs::path& path :
       {folder / rank_folder(rank) / (name + ".npy"), folder / (name + ".npy")}) {
    if (!fs::exists(path)) continue;
    return keep(path.string(), accept,
                [&](const runtime::AcceptArray& fits) { return runtime::read_npy(path, fits); });
  }
  return {};
}

ArrayFiles::Found ArrayFiles::find_in_archive(const std::string& name, std::int64_t rank,
                                              const Accept& accept) {
  const std::string path = path_for_rank(path_, rank);
  const runtime::NpzReader& reader = archive(path);
  for (const std::string& entry : {rank_folder(rank) + "/" + name, name}) {
    if (!reader.contains(entry)) continue;
    return keep(path + ", " + entry, accept,
                [&](const runtime::AcceptArray& fits) { return reader.read(entry, fits); });
  }
  return {};
}

std::string ArrayFiles::own_place(const std::string& name, std::int64_t rank) {
  const std::string own = rank_folder(rank) + "/" + name;
  if (!is_archive_) {
    const fs::path path = fs::path(path_) / (own + ".npy");
    return fs::exists(path) ? path.string() : "";
  }
  const std::string path = path_for_rank(path_, rank);
  const bool is_own = path != path_;  // all that is in it
  if (is_own && !fs::exists(path)) return "";
  const runtime::NpzReader& reader = archive(path);
  if (reader.contains(own)) return path + ", " + own;
  return is_own && reader.contains(name) ? path + ", " + name : "";
}

const runtime::NpzReader& ArrayFiles::archive(const std::string& path) {
  auto known = archives_.find(path);
  if (known == archives_.end()) known = archives_.emplace(path, runtime::NpzReader(path)).first;
  return known->second;
}

ArrayFiles::Found ArrayFiles::keep(const std::string& where, const Accept& accept,
                                   const Read& read) {
  const runtime::AcceptArray fits = [&](const ir::Type& type) {
    if (accept) accept(where, type);
  };
  auto known = arrays_.find(where);
  if (known == arrays_.end()) {
    known = arrays_.emplace(where, read(fits)).first;
  } else {
    fits({.dtype = known->second.dtype(), .shape = known->second.shape()});
  }
  return {&known->second, where};
}

void check_output(const std::string& option, const fs::path& path, std::size_t ranks,
                  std::size_t arrays) {
  if (runtime::is_npz(path) || !is_folder(path)) return;
  std::set<std::string> others = written_names_in(path);
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    for (std::size_t i = 0; i < arrays; ++i) others.erase(written_name(ranks, rank, i));
  }
  if (others.empty()) return;
  throw UsageError(option + ": " + path.string() + " has " + *others.begin() +
                   std::string(kArrayExtension) +
                   " already, as of other results, and --expect would take it for one of these; "
                   "remove it, or give another folder");
}

void write_arrays(const fs::path& path, const std::vector<std::vector<ir::Array>>& arrays) {
  std::vector<std::pair<std::string, ir::Array>> in_archive;
  for (std::size_t rank = 0; rank < arrays.size(); ++rank) {
    if (!runtime::is_npz(path)) {
      const fs::path folder = (path / written_name(arrays.size(), rank, 0)).parent_path();
      std::error_code error;
      fs::create_directories(folder, error);
      if (error) throw EnvironmentError(folder.string() + ": cannot be made: " + error.message());
    }
    for (std::size_t i = 0; i < arrays[rank].size(); ++i) {
      const std::string name = written_name(arrays.size(), rank, i);
      if (runtime::is_npz(path)) {
        in_archive.emplace_back(name, arrays[rank][i]);
      } else {
        runtime::write_npy(path / (name + std::string(kArrayExtension)), arrays[rank][i]);
      }
    }
  }
  if (runtime::is_npz(path)) runtime::write_npz(path, in_archive);
}

}  // namespace tutti::tools
