#include <tutti/runtime/cache/settings.h>

#include <string_view>

namespace tutti::runtime {

namespace {

std::string default_folder(const GetVariable& get) {
  const auto absolute = [&](const char* name) -> std::string_view {
    const char* const value = get(name);
    return value != nullptr && value[0] == '/' ? value : "";
  };
  if (const auto base = absolute("XDG_CACHE_HOME"); !base.empty())
    return std::string(base) + "/tutti";
  if (const auto home = absolute("HOME"); !home.empty()) {
    return std::string(home) + "/.cache/tutti";
  }
  return "";
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
  if (out.folder.empty()) out.folder = default_folder(get);
  if (out.folder.empty()) {
    out.why_off = "none of TUTTI_CACHE_DIR, XDG_CACHE_HOME and HOME names a folder";
  }
  return out;
}

}  // namespace tutti::runtime
