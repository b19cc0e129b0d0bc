#include <tutti/runtime/cache/settings.h>

#include <filesystem>

namespace tutti::runtime {

namespace {

void set_default_folder(const GetVariable& get, CacheSettings& out) {
  const auto absolute = [&](const char* name) -> std::string {
    const char* const value = get(name);
    return value != nullptr && value[0] == '/' ? value : "";
  };
  if (const auto base = absolute("XDG_CACHE_HOME"); !base.empty()) {
    out.folder = base + "/tutti";
    // The base itself may be made, as XDG has it.
    out.base = std::filesystem::path(out.folder).parent_path().parent_path();
  } else if (const auto home = absolute("HOME"); !home.empty()) {
    out.folder = home + "/.cache/tutti";
    out.base = home;
  }
}

}  // namespace

CacheSettings read_cache_settings(const Settings& settings, const GetVariable& get) {
  CacheSettings out;
  out.most_bytes = settings.bytes("TUTTI_CACHE_SIZE").value_or(out.most_bytes);
  if (!settings.flag("TUTTI_CACHE")) {
    out.why_off = "TUTTI_CACHE is off";
    return out;
  }
  out.folder = settings.text("TUTTI_CACHE_DIR");
  if (out.folder.empty()) set_default_folder(get, out);
  if (out.folder.empty()) {
    out.why_off = "none of TUTTI_CACHE_DIR, XDG_CACHE_HOME and HOME names a folder";
  }
  return out;
}

}  // namespace tutti::runtime
