#include "tests/support/cuda/emulator.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <stdexcept>

#include "tests/support/cuda/emulated_block.h"
#include "tests/support/cuda/emulated_grid.h"
#include "tests/support/cuda/peer_races.h"
#include <dlfcn.h>
#include <link.h>

namespace tutti::test::cuda {

namespace {

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// Runs a command line; its output.
std::string shell(const std::string& command, int& status) {
  FILE* pipe = popen(("{ " + command + "; } 2>&1").c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("cannot start " + command);
  std::string output;
  char part[4096];
  for (std::size_t n = 0; (n = fread(part, 1, sizeof(part), pipe)) > 0;) output.append(part, n);
  status = pclose(pipe);
  return output;
}

std::string quoted(const std::filesystem::path& path) { return "'" + path.string() + "'"; }

// The thread-local memory of a library: what its kernels share, and the emulator's own.
std::size_t thread_local_bytes(const std::filesystem::path& library) {
  std::ifstream file(library, std::ios::binary);
  const auto read = [&](std::uint64_t offset, auto& to) {
    file.seekg(static_cast<std::streamoff>(offset));
    file.read(reinterpret_cast<char*>(&to), sizeof(to));
  };
  ElfW(Ehdr) header{};
  read(0, header);
  for (unsigned i = 0; file && i < header.e_phnum; ++i) {
    ElfW(Phdr) segment{};
    read(header.e_phoff + std::uint64_t{i} * header.e_phentsize, segment);
    if (segment.p_type == PT_TLS) return segment.p_memsz;
  }
  return 0;
}

// What a kernel may have without asking the driver.
void check_shared_memory(const std::filesystem::path& library) {
  constexpr std::size_t kMost = 48 << 10;
  constexpr std::size_t kOwn = 64;  // at most
  const std::size_t bytes = thread_local_bytes(library);
  if (bytes <= kMost + kOwn) return;
  throw std::runtime_error("a GPU refuses this kernel: too much static shared memory, some " +
                           std::to_string(bytes) + " bytes, " + std::to_string(kMost) + " at most");
}

}  // namespace

std::vector<std::string> kernel_names(std::string_view text) {
  // The name is what stands in front of the first parenthesis that does not belong to an attribute.
  std::vector<std::string> names;
  const std::string_view mark = "__global__";
  const std::string_view bounds = "__launch_bounds__";
  for (std::size_t at = text.find(mark); at != std::string_view::npos; at = text.find(mark, at)) {
    at += mark.size();
    std::size_t open = text.find('(', at);
    if (const std::size_t found = text.find(bounds, at); found < open) {
      open = text.find('(', text.find(')', open));
    }
    if (open == std::string_view::npos) break;
    std::size_t end = open;
    while (end > at && !is_word(text[end - 1])) --end;
    std::size_t begin = end;
    while (begin > at && is_word(text[begin - 1])) --begin;
    names.emplace_back(text.substr(begin, end - begin));
  }
  return names;
}

std::string entry_name(std::string_view kernel, std::size_t text) {
  return "tutti_emulation_entry_" + std::to_string(text) + "_" + std::string(kernel);
}

void compile_emulated(const std::vector<std::string>& texts, const std::filesystem::path& library) {
  const std::filesystem::path source = std::filesystem::path(library).replace_extension(".cpp");
  {
    std::ofstream file(source);
    file << "#include \"" TUTTI_SOURCE_DIR "/tests/support/cuda/device_emulation.h\"\n";
    for (std::size_t i = 0; i < texts.size(); ++i) {
      // Names of extern "C" are the same in all namespaces.
      const auto own = [i](const std::string& name) { return name + "_of_" + std::to_string(i); };
      const std::vector<std::string> names = kernel_names(texts[i]);
      for (const std::string& name : names) file << "#define " << name << " " << own(name) << "\n";
      file << "namespace text_" << i << " {\n#line 1 \"text " << i << "\"\n" << texts[i] << "\n";
      for (const std::string& name : names) {
        file << "TUTTI_EMULATION_ENTRY(" << entry_name(name, i) << ", " << own(name) << ")\n";
      }
      file << "}\n";
      for (const std::string& name : names) file << "#undef " << name << "\n";
    }
    if (!file) throw std::runtime_error("cannot write " + source.string());
  }
  const std::filesystem::path object = std::filesystem::path(library).replace_extension(".o");
  int status = 0;
  const std::string log = shell(
      "g++ -std=c++17 -w -O1 -ffp-contract=off -fno-fast-math -fno-strict-aliasing -fno-exceptions "
      // Or what is shared memory in one library would be that of another with the same names.
      "-fno-gnu-unique "
      "-fno-builtin "
      "-fsanitize=thread,alignment -fPIC -c -o " +
          quoted(object) + " " + quoted(source) +
          // Instrumented for the thread sanitizer and linked without it: device_emulation.h has its
          // functions, and -Bsymbolic prefers them to those of a program that is under it. Not
          // through g++, which takes seven times as long: the C library is in this process.
          " && ld -shared -Bsymbolic -o " + quoted(library) + " " + quoted(object),
      status);
  if (status != 0) throw std::runtime_error("cannot compile " + source.string() + ":\n" + log);
  // Of several kernels it is not known what each has.
  if (texts.size() == 1 && kernel_names(texts[0]).size() == 1) check_shared_memory(library);
}

void run_emulated(tutti_emulation::Entry entry, const Extents& grid, const Extents& block,
                  void** arguments, const RunOptions& options) {
  std::optional<PeerRaces::Launch> peers;
  if (options.peers != nullptr) {
    peers.emplace(*options.peers, options.rank, options.kernel, grid[0] * grid[1] * grid[2],
                  block[0] * block[1] * block[2]);
  }
  EmulatedLaunch(entry, grid, block, arguments, options, peers ? &*peers : nullptr).run();
}

void run_together(tutti_emulation::Entry entry, const Extents& grid, const Extents& block,
                  void** arguments, const RunOptions& options, void (*idle)()) {
  EmulatedGrid(entry, grid, block, arguments, options).run(idle);
}

bool waits_for_others(std::string_view text) {
  return text.find("pause_in_wait") != std::string_view::npos;
}

EmulatedModule::EmulatedModule(const std::vector<std::string>& texts) {
  std::string name = (std::filesystem::temp_directory_path() / "tutti_emulated_XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make the folder " + name);
  folder_ = name;
  try {
    compile_emulated(texts, folder_ / "module.so");
    library_ = dlopen((folder_ / "module.so").c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library_ == nullptr) throw std::runtime_error(dlerror());
  } catch (...) {
    std::filesystem::remove_all(folder_);
    throw;
  }
}

EmulatedModule::~EmulatedModule() {
  dlclose(library_);
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

tutti_emulation::Entry EmulatedModule::find(std::size_t text, std::string_view kernel) const {
  void* entry = dlsym(library_, entry_name(kernel, text).c_str());
  if (entry == nullptr) {
    throw std::runtime_error("no kernel " + std::string(kernel) + " in text " +
                             std::to_string(text));
  }
  return reinterpret_cast<tutti_emulation::Entry>(entry);
}

void EmulatedModule::launch(std::size_t text, std::string_view kernel, const Extents& grid,
                            const Extents& block, void** arguments,
                            const RunOptions& options) const {
  run_emulated(find(text, kernel), grid, block, arguments, options);
}

void EmulatedModule::launch_together(std::size_t text, std::string_view kernel, const Extents& grid,
                                     const Extents& block, void** arguments, void (*idle)(),
                                     const RunOptions& options) const {
  run_together(find(text, kernel), grid, block, arguments, options, idle);
}

}  // namespace tutti::test::cuda
