#include <tutti/ir/support/hash.h>
#include <tutti/runtime/comm/site.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>

#include <elf.h>
#include <link.h>
#include <sys/stat.h>

namespace tutti::runtime {

namespace {

// FNV-1a.
struct Fold {
  std::uint64_t hash = 0xcbf29ce484222325;

  void add(std::string_view text) {
    for (const char c : text) add_byte(static_cast<unsigned char>(c));
  }
  void add(std::uint32_t number) {
    for (int i = 0; i < 4; ++i) add_byte(static_cast<unsigned char>(number >> (8 * i)));
  }
  void add_byte(unsigned char byte) { hash = (hash ^ byte) * 0x100000001b3; }

  std::uint32_t finish() const {
    return std::max<std::uint32_t>(1, static_cast<std::uint32_t>(hash ^ (hash >> 32)));
  }
};

// The note that the linker leaves in a program or library; empty if there is none.
std::string_view build_id(const dl_phdr_info& object) {
  for (int i = 0; i < object.dlpi_phnum; ++i) {
    const ElfW(Phdr) & header = object.dlpi_phdr[i];
    if (header.p_type != PT_NOTE) continue;
    const auto* at = reinterpret_cast<const char*>(object.dlpi_addr + header.p_vaddr);
    const char* const end = at + header.p_memsz;
    while (static_cast<std::size_t>(end - at) > sizeof(ElfW(Nhdr))) {
      ElfW(Nhdr) note{};
      std::memcpy(&note, at, sizeof(note));
      const auto padded = [](std::size_t bytes) { return (bytes + 3) & ~std::size_t{3}; };
      const char* const name = at + sizeof(note);
      const char* const id = name + padded(note.n_namesz);
      if (id + note.n_descsz > end) break;
      if (note.n_type == NT_GNU_BUILD_ID &&
          std::string_view(name, note.n_namesz) == std::string_view("GNU\0", 4)) {
        return {id, note.n_descsz};
      }
      at = id + padded(note.n_descsz);
    }
  }
  return {};
}

std::uint64_t compute_build() {
  std::string_view id;
  dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void* out) {
        *static_cast<std::string_view*>(out) = build_id(*object);
        return 1;  // the program comes first
      },
      &id);
  Hasher hasher;
  hasher.add(id);
  struct stat file{};
  // Without an id: the file itself.
  if (id.empty() && stat("/proc/self/exe", &file) == 0) {
    hasher.add(static_cast<std::uint64_t>(file.st_size));
    hasher.add(static_cast<std::uint64_t>(file.st_mtim.tv_sec));
    hasher.add(static_cast<std::uint64_t>(file.st_mtim.tv_nsec));
  }
  return std::max<std::uint64_t>(1, hasher.finish().low);
}

}  // namespace

std::uint32_t site_of(Location where, std::string_view name) {
  Fold fold;
  if (!name.empty()) {
    fold.add(name);
    return fold.finish();
  }
  if (!where.known() || where.column() == 0) return 0;
  std::string_view file = where.file();
  file.remove_prefix(file.rfind('/') + 1);  // npos + 1 is 0
  fold.add(file);
  fold.add(where.line());
  fold.add(where.column());
  return fold.finish();
}

std::uint32_t compared_site(const CollectiveCall& call) {
  return call.programs_differ || call.kind == CollectiveKind::send_recv ? 0 : call.site;
}

ProgramCalls compared_program(const CollectiveCall& call) {
  return call.programs_differ ? ProgramCalls() : call.program;
}

std::uint64_t program_build() {
  static const std::uint64_t build = compute_build();
  return build;
}

}  // namespace tutti::runtime
