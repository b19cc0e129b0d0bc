#include <tutti/runtime/dylib/shared_library.h>
#include <tutti/runtime/log.h>
#include <tutti/runtime/settings.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

#include <dlfcn.h>
#include <link.h>

namespace tutti::runtime {

namespace fs = std::filesystem;

namespace {

// What the loader says of a file that could not be opened, without the file's name; empty if there
// just is none.
std::string reason(const std::string& file) {
  const char* const said = dlerror();
  std::string text = said != nullptr ? said : "";
  if (text.starts_with(file + ": ")) text.erase(0, file.size() + 2);
  if (text == "cannot open shared object file: No such file or directory") return {};
  return text;
}

std::string path_of(void* handle, const std::string& file) {
  link_map* map = nullptr;
  if (dlinfo(handle, RTLD_DI_LINKMAP, static_cast<void*>(&map)) != 0 || map->l_name == nullptr)
    return file;
  return *map->l_name != '\0' ? map->l_name : file;
}

void add_folders(std::vector<std::string>& folders, std::string_view list) {
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(':'), list.size());
    if (end > 0) folders.emplace_back(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
}

// What is in a folder, by name; nothing where that can't be read.
std::vector<fs::path> entries(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> out;
  for (fs::directory_iterator each(folder, error), end; !error && each != end;
       each.increment(error)) {
    out.push_back(each->path());
  }
  std::ranges::sort(out);
  return out;
}

// Where Python of an active environment, of the user and of the system has its packages.
std::vector<std::string> folders_of_packages() {
  std::vector<fs::path> libraries;
  const auto add = [&](const char* variable, const char* below) {
    const char* const root = std::getenv(variable);
    if (root != nullptr && *root != '\0') libraries.push_back(fs::path(root) / below);
  };
  add("VIRTUAL_ENV", "lib");
  add("CONDA_PREFIX", "lib");
  add("HOME", ".local/lib");
  libraries.emplace_back("/usr/local/lib");
  libraries.emplace_back("/usr/lib");
  std::vector<std::string> out;
  std::error_code error;
  for (const fs::path& library : libraries) {
    for (const fs::path& version : entries(library)) {
      if (!version.filename().string().starts_with("python3")) continue;
      for (const char* const name : {"site-packages", "dist-packages"}) {
        if (fs::is_directory(version / name, error)) out.push_back((version / name).string());
      }
    }
  }
  return out;
}

}  // namespace

SharedLibrary::SharedLibrary(std::span<const std::string> folders,
                             std::span<const std::string_view> names) {
  // Two libraries of one kind in a process would each have their own idea of its GPUs.
  if (std::ranges::find(folders, std::string()) != folders.end()) {
    for (const std::string_view name : names) {
      if (open(std::string(name), RTLD_NOLOAD)) return;
    }
  }
  for (const std::string& folder : folders) {
    for (const std::string_view name : names) {
      if (open(folder.empty() ? std::string(name) : folder + "/" + std::string(name), 0)) return;
    }
  }
}

SharedLibrary::SharedLibrary(SharedLibrary&& other) noexcept
    : handle_(std::exchange(other.handle_, nullptr)),
      path_(std::move(other.path_)),
      tried_(std::move(other.tried_)),
      refused_(std::move(other.refused_)) {}

SharedLibrary& SharedLibrary::operator=(SharedLibrary&& other) noexcept {
  std::swap(handle_, other.handle_);
  std::swap(path_, other.path_);
  std::swap(tried_, other.tried_);
  std::swap(refused_, other.refused_);
  return *this;
}

SharedLibrary::~SharedLibrary() {
  if (handle_ != nullptr) dlclose(handle_);
}

bool SharedLibrary::open(const std::string& file, int flags) {
  handle_ = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | flags);
  if (handle_ != nullptr) {
    path_ = path_of(handle_, file);
    if (!refused_.empty()) {
      Log::process().write(LogTopic::gpu, -1, path_ + " is used: can't open " + refused_);
    }
    return true;
  }
  if (flags != 0) return false;
  const std::string why = reason(file);
  const std::string text = file + (why.empty() ? "" : " (" + why + ")");
  tried_ += (tried_.empty() ? "" : ", ") + text;
  if (!why.empty()) refused_ += (refused_.empty() ? "" : ", ") + text;
  return false;
}

void* SharedLibrary::symbol(const char* name) const {
  return handle_ != nullptr ? dlsym(handle_, name) : nullptr;
}

std::vector<std::string> cuda_library_folders() {
  std::vector<std::string> folders;
  add_folders(folders, Settings::process().text("TUTTI_CUDA_LIBRARIES"));
  folders.emplace_back();
  const std::string toolkit = "/usr/local/cuda";
  const char* const home = std::getenv("CUDA_HOME");
  if (home != nullptr && *home != '\0' && home != toolkit) {
    folders.push_back(std::string(home) + "/lib64");
  }
  folders.push_back(toolkit + "/lib64");
  for (const std::string& packages : folders_of_packages()) {
    for (std::string& folder : cuda_folders_of_packages(packages)) {
      folders.push_back(std::move(folder));
    }
  }
  return folders;
}

std::vector<std::string> cuda_folders_of_packages(const std::string& packages) {
  std::vector<std::string> out;
  std::error_code error;
  for (const fs::path& package : entries(fs::path(packages) / "nvidia")) {
    if (fs::is_directory(package / "lib", error)) out.push_back((package / "lib").string());
  }
  // "cu13" has all of CUDA 13; before, each library had its own, "cublas", "nccl".
  const auto is_of_all = [](const std::string& folder) {
    return folder.find("/nvidia/cu1") != std::string::npos;
  };
  std::ranges::stable_partition(out, is_of_all);
  return out;
}

}  // namespace tutti::runtime
