#pragma once

#include <tutti/runtime/comm/shm/descriptor.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

// Files and folders that nobody but this user can have written, so that what they hold may be run.
// Names are looked up in open folders and symbolic links are not followed: what was checked is what
// is used.
namespace tutti::runtime {

// Opens a folder by its path, making it (and those above it) if need be. Links above it are
// followed. Throws EnvironmentError if it can't be, is a link, belongs to another user, or if its
// group or others may write to it.
Descriptor open_private_folder(const std::string& path);

// The same for a folder in a folder; invalid, with errno set, where that one throws.
Descriptor open_private_folder(const Descriptor& folder, const char* name, bool make);

struct PrivateFile {
  std::vector<std::byte> content;
  std::int64_t modified = 0;  // seconds since 1970
};

// A regular file with the same guarantees, of at most `most` bytes; nothing, with errno set, if it
// can't be read or is none.
std::optional<PrivateFile> read_private_file(const Descriptor& folder, const char* name,
                                             std::size_t most);

// Puts a file in place at once, replacing what has the name: at no time is there part of it, even
// if the process is killed. `temporary` is a name in the same folder that nobody else uses. False,
// with errno set, if it can't be.
bool write_private_file(const Descriptor& folder, const char* name, const char* temporary,
                        std::span<const std::byte> content);

}  // namespace tutti::runtime
