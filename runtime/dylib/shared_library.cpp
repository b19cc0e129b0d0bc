#include <tutti/runtime/dylib/shared_library.h>
#include <tutti/runtime/settings.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include <dlfcn.h>
#include <link.h>

namespace tutti::runtime {

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

}  // namespace

SharedLibrary::SharedLibrary(std::span<const std::string> folders,
                             std::span<const std::string_view> names) {
  for (const std::string& folder : folders) {
    for (const std::string_view name : names) {
      if (open(folder.empty() ? std::string(name) : folder + "/" + std::string(name))) return;
    }
  }
}

SharedLibrary::SharedLibrary(SharedLibrary&& other) noexcept
    : handle_(std::exchange(other.handle_, nullptr)),
      path_(std::move(other.path_)),
      tried_(std::move(other.tried_)) {}

SharedLibrary& SharedLibrary::operator=(SharedLibrary&& other) noexcept {
  std::swap(handle_, other.handle_);
  std::swap(path_, other.path_);
  std::swap(tried_, other.tried_);
  return *this;
}

SharedLibrary::~SharedLibrary() {
  if (handle_ != nullptr) dlclose(handle_);
}

bool SharedLibrary::open(const std::string& file) {
  handle_ = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle_ != nullptr) {
    path_ = path_of(handle_, file);
    return true;
  }
  const std::string why = reason(file);
  tried_ += (tried_.empty() ? "" : ", ") + file + (why.empty() ? "" : " (" + why + ")");
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
  return folders;
}

}  // namespace tutti::runtime
