#include <tutti/ir/support/error.h>
#include <tutti/runtime/new_file.h>
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

namespace tutti::runtime {

namespace {

[[noreturn]] void cannot_write(const std::string& file, int error) {
  throw EnvironmentError("the trace " + file +
                         " can't be written (TUTTI_PROFILE): " + failure_text(error));
}

// Looked at at once, since a trace may be long.
void check(const std::string& name, const NewFile& file) {
  if (file.error() != 0) cannot_write(name, file.error());
}

void finish(const std::string& name, NewFile& file) {
  if (!file.finish()) cannot_write(name, file.error());
}

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
  check(file, NewFile(file));  // goes again
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
  check(file, out);
  out.write(kTraceBegin);
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (i > 0) out.write(",\n");
    write_events(*ranks[i], [&](std::string_view text) { out.write(text); });
  }
  out.write(kTraceEnd);
  finish(file, out);
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
  finish(file, *out);
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
