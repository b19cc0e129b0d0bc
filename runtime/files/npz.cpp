#include <tutti/ir/support/error.h>
#include <tutti/runtime/files/input_file.h>
#include <tutti/runtime/files/npy.h>
#include <tutti/runtime/files/npz.h>
#include <tutti/runtime/files/write_file.h>
#include <tutti/runtime/new_file.h>

#include <istream>
#include <optional>
#include <streambuf>
#include <utility>

#if TUTTI_HAS_ZIP
#include <memory>

#include <zip.h>
#endif

namespace tutti::runtime {

namespace fs = std::filesystem;

bool is_npz(const fs::path& path) { return path.extension() == ".npz"; }

#if TUTTI_HAS_ZIP

constexpr std::string_view kEntry = ".npy";

// It is closed without changes unless save() was called.
class ZipArchive {
 public:
  ZipArchive(fs::path given, int flags) : path_(std::move(given)) {
    const fs::path& path = path_;
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
  ZipArchive(const ZipArchive&) = delete;
  ZipArchive& operator=(const ZipArchive&) = delete;
  ~ZipArchive() {
    if (zip_ != nullptr) zip_discard(zip_);
  }

  zip_t* get() const { return zip_; }
  const fs::path& path() const { return path_; }
  [[noreturn]] void fail() const {
    throw EnvironmentError(path_.string() + ": " + zip_strerror(zip_));
  }
  // Writes to another name, new and by chance, and renames.
  void save() {
    const FileSizeErrors errors;
    if (zip_close(zip_) != 0) fail();
    zip_ = nullptr;
  }

 private:
  const fs::path path_;
  zip_t* zip_ = nullptr;
};

namespace {

// An entry's bytes, inflated as they are asked for. Whoever comes to the end has had them checked
// against their checksum.
class EntryBuffer : public std::streambuf {
 public:
  EntryBuffer(zip_t* archive, zip_uint64_t entry, const std::string& name)
      : name_(name), file_(zip_fopen_index(archive, entry, 0), zip_fclose) {
    if (file_ == nullptr) throw ParseError(name + ": " + zip_strerror(archive));
  }
  // Of what failed; else empty. A stream keeps exceptions to itself.
  const std::string& failure() const { return failure_; }

 protected:
  int_type underflow() override {
    const zip_int64_t count = zip_fread(file_.get(), piece_.data(), piece_.size());
    if (count < 0) failure_ = name_ + ": " + zip_file_strerror(file_.get());
    if (count <= 0) return traits_type::eof();
    setg(piece_.data(), piece_.data(), piece_.data() + count);
    return traits_type::to_int_type(piece_[0]);
  }

 private:
  const std::string& name_;
  std::unique_ptr<zip_file_t, int (*)(zip_file_t*)> file_;
  std::vector<char> piece_ = std::vector<char>(std::size_t{1} << 16);
  std::string failure_;
};

}  // namespace

NpzReader::NpzReader(const fs::path& path)
    : archive_(std::make_unique<const ZipArchive>(path, ZIP_RDONLY)), bytes_(bytes_of_file(path)) {
  const zip_int64_t count = zip_get_num_entries(archive_->get(), 0);
  for (zip_int64_t i = 0; i < count; ++i) {
    const auto entry = static_cast<zip_uint64_t>(i);
    const char* const entry_name = zip_get_name(archive_->get(), entry, 0);
    if (entry_name == nullptr) archive_->fail();
    std::string name = entry_name;
    const std::string where = path.string() + ", " + name;
    if (!name.ends_with(kEntry)) throw ParseError(where + ": this is no .npy file");
    name.resize(name.size() - kEntry.size());
    if (!entries_.emplace(name, entry).second) throw ParseError(where + ": is there twice");
  }
}

ir::Array NpzReader::read(const std::string& name, const AcceptArray& accept) const {
  const zip_uint64_t entry = entries_.at(name);
  const std::string where = archive_->path().string() + ", " + name + std::string(kEntry);
  zip_stat_t status;
  if (zip_stat_index(archive_->get(), entry, 0, &status) != 0 ||
      (status.valid & ZIP_STAT_SIZE) == 0 || !std::in_range<std::int64_t>(status.size)) {
    throw ParseError(where + ": the archive does not say how long it is");
  }
  // Deflate makes 1,032 bytes of one at most: a small archive cannot ask for much memory.
  constexpr zip_uint64_t kMostPerByte = 1032;
  if ((status.valid & ZIP_STAT_COMP_SIZE) != 0 && status.size / kMostPerByte > status.comp_size) {
    throw ParseError(where + ": " + std::to_string(status.size) + " bytes cannot be in the " +
                     std::to_string(status.comp_size) + " that the archive has of it");
  }
  // What the archive says of an entry may be more than there is of the archive.
  if ((status.valid & ZIP_STAT_COMP_SIZE) != 0 && status.comp_size > bytes_) {
    throw ParseError(where + ": " + std::to_string(status.comp_size) + " bytes are not in the " +
                     std::to_string(bytes_) + " of the archive");
  }
  EntryBuffer buffer(archive_->get(), entry, where);
  std::istream stream(&buffer);
  std::optional<ir::Array> array;
  try {
    array = read_npy(stream, static_cast<std::int64_t>(status.size), where, accept);
  } catch (const Error&) {
    if (!buffer.failure().empty()) throw ParseError(buffer.failure());
    throw;
  }
  const bool ended = stream.peek() == std::istream::traits_type::eof();
  if (!buffer.failure().empty()) throw ParseError(buffer.failure());
  if (!ended) throw ParseError(where + ": is longer than the archive says");
  return std::move(*array);
}

void write_npz(const fs::path& path, const std::vector<std::pair<std::string, ir::Array>>& arrays) {
  for (const auto& [name, array] : arrays) check_npy_dtype(array.dtype(), name);
  std::error_code error;
  if (path.has_parent_path()) fs::create_directories(path.parent_path(), error);
  if (arrays.empty()) {  // libzip would remove the file
    constexpr std::string_view kEmpty("PK\5\6\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 22);
    return write_file(path, kEmpty);
  }
  std::vector<std::string> contents;  // until the archive is written
  contents.reserve(arrays.size());
  ZipArchive archive(path, ZIP_CREATE | ZIP_TRUNCATE);
  for (const auto& [name, array] : arrays) {
    contents.push_back(npy_text(array));
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
[[noreturn]] void refuse_without_zip(const fs::path& path) {
  throw EnvironmentError(path.string() +
                         ": this build of tutti has no libzip, which .npz files need; use .npy");
}
}  // namespace

class ZipArchive {};
NpzReader::NpzReader(const fs::path& path) { refuse_without_zip(path); }
ir::Array NpzReader::read(const std::string& name, const AcceptArray& /*accept*/) const {
  refuse_without_zip(name);
}
void write_npz(const fs::path& path, const std::vector<std::pair<std::string, ir::Array>>&) {
  refuse_without_zip(path);
}

#endif

std::vector<std::string> NpzReader::names() const {
  std::vector<std::string> out;
  for (const auto& [name, entry] : entries_) out.push_back(name);
  return out;
}

NpzReader::NpzReader(NpzReader&&) noexcept = default;
NpzReader::~NpzReader() = default;

}  // namespace tutti::runtime
