#pragma once

#include <tutti/ir/array.h>
#include <tutti/runtime/files/npz.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace tutti::tools {

// Named arrays of ranks: a folder with NAME.npy, or rankR/NAME.npy for a rank's own; or a .npz file
// with the same names inside, whose path may hold {rank}.
class ArrayFiles {
 public:
  // Throws UsageError, which names `option`, for a path that is neither.
  ArrayFiles(const std::string& option, std::string path);

  struct Found {
    const ir::Array* array = nullptr;  // null: there is none
    std::string where = {};            // for messages
  };
  // Is told what is found, and where, before it is read; throws what does not fit.
  using Accept = std::function<void(const std::string& where, const ir::Type&)>;
  // Reads it, once for all ranks that share it. Throws what read_npy(), NpzReader and `accept`
  // throw.
  Found find(const std::string& name, std::int64_t rank, const Accept& accept = {});
  // Where a rank has one that is its own, not that of all ranks; empty: nowhere.
  std::string own_place(const std::string& name, std::int64_t rank);

 private:
  using Read = std::function<ir::Array(const runtime::AcceptArray&)>;
  Found keep(const std::string& where, const Accept& accept, const Read& read);
  Found find_in_archive(const std::string& name, std::int64_t rank, const Accept& accept);
  const runtime::NpzReader& archive(const std::string& path);

  std::string path_;
  bool is_archive_;
  std::map<std::filesystem::path, runtime::NpzReader> archives_;
  std::map<std::string, ir::Array> arrays_;  // by where
};

// The path with the rank in place of {rank}.
std::string path_for_rank(std::string path, std::int64_t rank);

// Throws UsageError, which names `option`, for a folder that has arrays already which so many of so
// many ranks would not replace: they would be found beside these, or before them.
void check_output(const std::string& option, const std::filesystem::path& path, std::size_t ranks,
                  std::size_t arrays);

// Writes arrays, [rank][i], as ArrayFiles finds them, named 0, 1, ...; with several ranks each as
// its own.
void write_arrays(const std::filesystem::path& path,
                  const std::vector<std::vector<ir::Array>>& arrays);

}  // namespace tutti::tools
