#pragma once

#include <tutti/ir/array.h>
#include <tutti/runtime/files/npy.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

// NumPy's .npz files: zip archives of .npy files. Builds without libzip have none.
namespace tutti::runtime {

// Whether a path is to be one, by its ending.
bool is_npz(const std::filesystem::path& path);

class ZipArchive;  // of libzip

// An archive that is read as it is asked for arrays.
class NpzReader {
 public:
  // Throws ParseError, naming the file, for what is no such archive, and EnvironmentError where it
  // cannot be read.
  explicit NpzReader(const std::filesystem::path& path);
  NpzReader(NpzReader&&) noexcept;
  ~NpzReader();

  // Whether there is an array of that name: "x" for the entry x.npy.
  bool contains(const std::string& name) const { return entries_.contains(name); }
  // Of all arrays, sorted.
  std::vector<std::string> names() const;
  // That array, stored or compressed. What is no array that its header and `accept` (see
  // read_npy()) agree with is not inflated. Throws what read_npy() throws.
  ir::Array read(const std::string& name, const AcceptArray& accept = {}) const;

 private:
  std::unique_ptr<const ZipArchive> archive_;
  std::uintmax_t bytes_ = 0;                      // of the archive
  std::map<std::string, std::uint64_t> entries_;  // by name
};

// Writes an archive of stored arrays, all of it or nothing, and the folder that it lies in. Throws
// TypeError for bf16 and the 8-bit floats, EnvironmentError where it cannot be written.
void write_npz(const std::filesystem::path& path,
               const std::vector<std::pair<std::string, ir::Array>>& arrays);

}  // namespace tutti::runtime
