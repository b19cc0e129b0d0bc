#include <tutti/ir/support/error.h>
#include <tutti/runtime/profile/trace_file.h>
#include <tutti/runtime/profile/trace_text.h>
#include <tutti/runtime/settings.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <mutex>
#include <optional>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

namespace tutti::runtime {

namespace {

[[noreturn]] void cannot_write(const std::string& file, int error) {
  throw EnvironmentError("the trace " + file + " can't be written (TUTTI_PROFILE): " +
                         std::generic_category().message(error));
}

std::string unfinished_name(const std::string& file) {
  return file + "." + std::to_string(getpid()) + ".unfinished";
}

// A file that takes its name when it is finished; removed if that does not happen.
class NewFile {
 public:
  explicit NewFile(const std::string& file)
      : file_(file),
        unfinished_(unfinished_name(file)),
        descriptor_(open(unfinished_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) {
    if (descriptor_ < 0) cannot_write(file_, errno);
  }
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  ~NewFile() {
    if (descriptor_ >= 0) close(descriptor_);
    if (!finished_) std::remove(unfinished_.c_str());
  }

  void write(std::string_view text) {
    while (!text.empty()) {
      const ssize_t written = ::write(descriptor_, text.data(), text.size());
      if (written < 0 && errno != EINTR) cannot_write(file_, errno);
      if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
    }
  }

  void finish() {
    if (close(std::exchange(descriptor_, -1)) != 0) cannot_write(file_, errno);
    if (std::rename(unfinished_.c_str(), file_.c_str()) != 0) cannot_write(file_, errno);
    finished_ = true;
  }

 private:
  const std::string file_;
  const std::string unfinished_;
  int descriptor_;
  bool finished_ = false;
};

// A part's events, between the beginning and the end of its file.
class Part {
 public:
  explicit Part(const std::string& file) : in_(file, std::ios::binary) {
    std::string begin(kTraceBegin.size(), '\0');
    std::string end(kTraceEnd.size(), '\0');
    in_.seekg(0, std::ios::end);
    const std::streamoff size = in_.tellg();
    events_ = size - static_cast<std::streamoff>(begin.size() + end.size());
    if (!in_ || events_ < 0) return;
    in_.seekg(size - static_cast<std::streamoff>(end.size()));
    in_.read(end.data(), std::ssize(end));
    in_.seekg(0);
    in_.read(begin.data(), std::ssize(begin));
    sound_ = in_ && begin == kTraceBegin && end == kTraceEnd;
  }

  bool is_sound() const { return sound_; }

  void copy_to(NewFile& file) {
    constexpr std::streamoff kPiece = 1 << 20;
    std::string piece;
    for (std::streamoff left = events_; left > 0; left -= std::ssize(piece)) {
      piece.resize(static_cast<std::size_t>(std::min(left, kPiece)));
      if (!in_.read(piece.data(), std::ssize(piece))) {
        throw EnvironmentError("a rank's part of the trace can't be read");
      }
      file.write(piece);
    }
  }

 private:
  std::ifstream in_;
  std::streamoff events_ = 0;
  bool sound_ = false;
};

}  // namespace

std::string profile_file() {
  return Settings([](const char* name) { return std::getenv(name); }).text("TUTTI_PROFILE");
}

std::string part_of_trace(const std::string& file, std::int64_t rank) {
  return file + ".rank" + std::to_string(rank);
}

void check_trace_file(const std::string& file) {
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored)) cannot_write(file, EISDIR);
  const NewFile probe(file);  // goes again
}

std::shared_ptr<Profile> make_profile(const std::string& file, std::int64_t rank, ThreadPool& pool,
                                      bool saved_by_itself) {
  if (file.empty()) return nullptr;
  check_trace_file(file);
  return std::make_shared<Profile>(rank, pool.threads(), measure_roofline(pool),
                                   saved_by_itself ? file : "");
}

std::string claim_trace_file(const std::string& file) {
  static std::mutex mutex;
  static std::map<std::string, int> claims;
  const std::scoped_lock lock(mutex);
  const int number = ++claims[file];
  return number == 1 ? file : file + "." + std::to_string(number);
}

void write_trace(const std::string& file, std::span<const Profile* const> ranks) {
  NewFile out(file);
  out.write(kTraceBegin);
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (i > 0) out.write(",\n");
    write_events(*ranks[i], [&](std::string_view text) { out.write(text); });
  }
  out.write(kTraceEnd);
  out.finish();
}

void save_together(const std::string& file,
                   std::span<const std::shared_ptr<Profile>> ranks) noexcept {
  try {
    std::vector<const Profile*> profiles;
    for (const auto& profile : ranks) {
      if (profile != nullptr) profiles.push_back(profile.get());
    }
    if (!profiles.empty()) write_trace(claim_trace_file(file), profiles);
  } catch (const std::exception& error) {
    std::cerr << "tutti: " << error.what() << "\n";
  }
}

MergedTrace merge_traces(const std::string& file, std::int64_t ranks) {
  MergedTrace merged;
  std::optional<NewFile> out;
  for (std::int64_t rank = 0; rank < ranks; ++rank) {
    const std::string name = part_of_trace(file, rank);
    if (!std::filesystem::exists(name)) continue;
    Part part(name);
    if (!part.is_sound()) {
      merged.unsound.push_back(name);
      continue;
    }
    if (out) {
      out->write(",\n");
    } else {
      out.emplace(file).write(kTraceBegin);
    }
    part.copy_to(*out);
    merged.ranks.push_back(rank);
  }
  if (!out) return merged;
  out->write(kTraceEnd);
  out->finish();
  for (const std::int64_t rank : merged.ranks) {
    std::remove(part_of_trace(file, rank).c_str());
  }
  return merged;
}

void remove_parts_of_trace(const std::string& file, std::int64_t ranks) {
  for (std::int64_t rank = 0; rank < ranks; ++rank) {
    std::remove(part_of_trace(file, rank).c_str());
  }
}

}  // namespace tutti::runtime
