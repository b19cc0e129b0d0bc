#include <tutti/codegen/driver/reproduce.h>
#include <tutti/ir/text/print.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

namespace tutti::codegen {

namespace {

// A new file of this process alone; the name of a file that exists is never taken.
std::string write_new_file(std::string name_pattern, std::size_t suffix, const std::string& text) {
  const int file = mkostemps(name_pattern.data(), static_cast<int>(suffix), O_CLOEXEC);
  if (file < 0) return {};
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t written = write(file, text.data() + done, text.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) break;
    done += static_cast<std::size_t>(written);
  }
  const bool closed = close(file) == 0;
  if (done == text.size() && closed) return name_pattern;
  unlink(name_pattern.c_str());
  return {};
}

std::string write_program(const ir::Graph& traced, const std::string& dump_folder) {
  constexpr std::string_view kPattern = "XXXXXX.tutti";
  constexpr std::size_t kSuffix = 6;  // ".tutti"
  const std::string text = ir::print(traced);
  if (!dump_folder.empty()) {
    std::string name =
        write_new_file(dump_folder + "/failed-" + std::string(kPattern), kSuffix, text);
    if (!name.empty()) return name;
  }
  std::error_code error;
  const std::filesystem::path temporary = std::filesystem::temp_directory_path(error);
  if (error) return {};
  return write_new_file(temporary / ("tutti-" + std::string(kPattern)), kSuffix, text);
}

}  // namespace

std::string shell_quoted(const std::string& argument) {
  const bool plain = !argument.empty() && std::ranges::all_of(argument, [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           std::string_view("-_./=,:+@%").find(c) != std::string_view::npos;
  });
  if (plain) return argument;
  std::string out = "'";
  for (const char c : argument) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string how_to_reproduce(const ir::Graph& traced, const CompileOptions& options,
                             const std::string& dump_folder) {
  const std::string file = write_program(traced, dump_folder);
  if (file.empty())
    return "This is a bug of Tutti's. (The program could not be written to a file.)";
  std::string command = "tutti run " + shell_quoted(file) + " --compile-only";
  std::string disabled;
  for (const std::string& pass : options.disabled) disabled += (disabled.empty() ? "" : ",") + pass;
  if (!disabled.empty()) command += " --disable " + disabled;
  if (options.kernel_mode != kDefaultKernelMode) command += " --set kernels=evaluate";
  if (options.plan_mode != kDefaultPlanMode) command += " --set plan=walk";
  if (options.verify && !kVerifyByDefault) command += " --set verify=on";
  return "This is a bug of Tutti's. The program is in " + file + "; to see this again:\n  " +
         command;
}

}  // namespace tutti::codegen
