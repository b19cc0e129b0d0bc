#include "tools/npz.h"

#include <tutti/ir/support/error.h>

#include <sstream>

#include "tools/npy.h"

#if TUTTI_HAS_ZIP
#include <memory>

#include <zip.h>
#endif

namespace tutti::tools {

namespace fs = std::filesystem;

bool is_npz(const fs::path& path) { return path.extension() == ".npz"; }

#if TUTTI_HAS_ZIP

namespace {

constexpr std::string_view kEntry = ".npy";

// An archive that is closed without changes unless save() was called.
class Archive {
 public:
  Archive(const fs::path& path, int flags) : path_(path) {
    int code = 0;
    zip_ = zip_open(path.c_str(), flags, &code);
    if (zip_ != nullptr) return;
    zip_error_t error;
    zip_error_init_with_code(&error, code);
    const std::string text = zip_error_strerror(&error);
    zip_error_fini(&error);
    if (code == ZIP_ER_NOZIP || code == ZIP_ER_INCONS) {
      throw ParseError(path.string() + ": this is no .npz file: " + text);
    }
    throw EnvironmentError(path.string() + ": " + text);
  }
  Archive(const Archive&) = delete;
  Archive& operator=(const Archive&) = delete;
  ~Archive() {
    if (zip_ != nullptr) zip_discard(zip_);
  }

  zip_t* get() const { return zip_; }
  [[noreturn]] void fail() const {
    throw EnvironmentError(path_.string() + ": " + zip_strerror(zip_));
  }
  // Writes to another name and renames.
  void save() {
    if (zip_close(zip_) != 0) fail();
    zip_ = nullptr;
  }

 private:
  const fs::path& path_;
  zip_t* zip_ = nullptr;
};

// The bytes of an entry, which are checked against its checksum. Memory grows with what is there,
// not with what the archive claims.
std::string content_of(const Archive& archive, zip_uint64_t entry, const std::string& name) {
  const std::unique_ptr<zip_file_t, int (*)(zip_file_t*)> file(
      zip_fopen_index(archive.get(), entry, 0), zip_fclose);
  if (file == nullptr) throw ParseError(name + ": " + zip_strerror(archive.get()));
  constexpr std::size_t kPiece = 1 << 20;
  std::string out;
  while (true) {
    const std::size_t size = out.size();
    out.resize(size + kPiece);
    const zip_int64_t count = zip_fread(file.get(), out.data() + size, kPiece);
    if (count < 0) throw ParseError(name + ": " + zip_file_strerror(file.get()));
    out.resize(size + static_cast<std::size_t>(count));
    if (count == 0) return out;
  }
}

}  // namespace

std::map<std::string, ir::Array> read_npz(const fs::path& path) {
  const Archive archive(path, ZIP_RDONLY);
  std::map<std::string, ir::Array> out;
  const zip_int64_t count = zip_get_num_entries(archive.get(), 0);
  for (zip_int64_t i = 0; i < count; ++i) {
    const auto entry = static_cast<zip_uint64_t>(i);
    const char* const entry_name = zip_get_name(archive.get(), entry, 0);
    if (entry_name == nullptr) archive.fail();
    std::string name = entry_name;
    const std::string where = path.string() + ", " + name;
    if (!name.ends_with(kEntry)) throw ParseError(where + ": this is no .npy file");
    name.resize(name.size() - kEntry.size());
    std::string bytes = content_of(archive, entry, where);
    const auto size = static_cast<std::int64_t>(bytes.size());
    std::istringstream stream(std::move(bytes));
    if (!out.emplace(name, read_npy(stream, size, where)).second) {
      throw ParseError(where + ": is there twice");
    }
  }
  return out;
}

void write_npz(const fs::path& path, const std::vector<std::pair<std::string, ir::Array>>& arrays) {
  for (const auto& [name, array] : arrays) check_npy_dtype(array.dtype(), name);
  std::error_code error;
  if (path.has_parent_path()) fs::create_directories(path.parent_path(), error);
  std::vector<std::string> contents;  // until the archive is written
  contents.reserve(arrays.size());
  Archive archive(path, ZIP_CREATE | ZIP_TRUNCATE);
  for (const auto& [name, array] : arrays) {
    std::ostringstream stream;
    write_npy(stream, array);
    contents.push_back(std::move(stream).str());
    zip_source_t* const source =
        zip_source_buffer(archive.get(), contents.back().data(), contents.back().size(), 0);
    if (source == nullptr) archive.fail();
    const zip_int64_t entry =
        zip_file_add(archive.get(), (name + std::string(kEntry)).c_str(), source, ZIP_FL_ENC_UTF_8);
    if (entry < 0) {
      zip_source_free(source);
      archive.fail();
    }
    const auto at = static_cast<zip_uint64_t>(entry);
    if (zip_set_file_compression(archive.get(), at, ZIP_CM_STORE, 0) != 0) archive.fail();
  }
  archive.save();
}

#else

namespace {
[[noreturn]] void refuse(const fs::path& path) {
  throw EnvironmentError(path.string() +
                         ": this build of tutti has no libzip, which .npz files need; use .npy");
}
}  // namespace

std::map<std::string, ir::Array> read_npz(const fs::path& path) { refuse(path); }
void write_npz(const fs::path& path, const std::vector<std::pair<std::string, ir::Array>>&) {
  refuse(path);
}

#endif

}  // namespace tutti::tools
