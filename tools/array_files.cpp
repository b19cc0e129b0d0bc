#include "tools/array_files.h"

#include <tutti/ir/support/error.h>
#include <tutti/runtime/files/npy.h>
#include <tutti/runtime/files/npz.h>

#include <string_view>
#include <system_error>
#include <utility>

namespace tutti::tools {

namespace {

namespace fs = std::filesystem;

std::string rank_folder(std::int64_t rank) { return "rank" + std::to_string(rank); }

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
  if (is_archive_ || fs::is_directory(path_)) return;
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

void write_arrays(const fs::path& path, const std::vector<std::vector<ir::Array>>& arrays) {
  std::vector<std::pair<std::string, ir::Array>> in_archive;
  for (std::size_t rank = 0; rank < arrays.size(); ++rank) {
    const std::string folder =
        arrays.size() == 1 ? "" : rank_folder(static_cast<std::int64_t>(rank));
    if (!runtime::is_npz(path)) {
      std::error_code error;
      fs::create_directories(path / folder, error);
      if (error) {
        throw EnvironmentError((path / folder).string() + ": cannot be made: " + error.message());
      }
    }
    for (std::size_t i = 0; i < arrays[rank].size(); ++i) {
      const std::string name = (fs::path(folder) / std::to_string(i)).string();
      if (runtime::is_npz(path)) {
        in_archive.emplace_back(name, arrays[rank][i]);
      } else {
        runtime::write_npy(path / (name + ".npy"), arrays[rank][i]);
      }
    }
  }
  if (runtime::is_npz(path)) runtime::write_npz(path, in_archive);
}

}  // namespace tutti::tools
