#pragma once

#include <tutti/runtime/settings.h>

#include <cstdint>
#include <string>

namespace tutti::runtime {

// The environment's word on the disk cache.
struct CacheSettings {
  std::string folder;     // absolute or relative; empty: no cache
  std::string base = {};  // a folder above it that is not made: a home that is not there
  std::string why_off;    // said if `folder` is empty
  std::int64_t most_bytes = std::int64_t{1} << 30;
};

// From TUTTI_CACHE, TUTTI_CACHE_DIR and TUTTI_CACHE_SIZE. The default folder is
// $XDG_CACHE_HOME/tutti, else $HOME/.cache/tutti; as XDG has it, empty or relative values of these
// two are no values.
CacheSettings read_cache_settings(const Settings& settings, const GetVariable& get);

}  // namespace tutti::runtime
