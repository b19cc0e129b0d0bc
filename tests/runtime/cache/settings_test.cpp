#include <tutti/ir/support/error.h>
#include <tutti/runtime/cache/settings.h>

#include <map>
#include <string>

#include <gmock/gmock.h>

namespace tutti::runtime::settings_test {
namespace {

CacheSettings read(const std::map<std::string, std::string>& variables) {
  const auto get = [&](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  };
  return read_cache_settings(Settings(get), get);
}

TEST(CacheSettings, FollowsXdg) {
  EXPECT_EQ(read({{"HOME", "/home/ada"}}).folder, "/home/ada/.cache/tutti");
  EXPECT_EQ(read({{"HOME", "/home/ada"}, {"XDG_CACHE_HOME", "/fast"}}).folder, "/fast/tutti");
  EXPECT_EQ(read({{"HOME", "/home/ada"}, {"XDG_CACHE_HOME", ""}}).folder, "/home/ada/.cache/tutti");
  EXPECT_EQ(read({{"HOME", "/home/ada"}, {"XDG_CACHE_HOME", "fast"}}).folder,
            "/home/ada/.cache/tutti");
  EXPECT_EQ(read({{"XDG_CACHE_HOME", "/fast"}}).folder, "/fast/tutti");
}

TEST(CacheSettings, MakeNoHome) {
  EXPECT_EQ(read({{"HOME", "/home/ada"}}).base, "/home/ada");
  EXPECT_EQ(read({{"XDG_CACHE_HOME", "/disks/fast"}}).base, "/disks");
  EXPECT_EQ(read({{"HOME", "/home/ada"}, {"TUTTI_CACHE_DIR", "/a/b"}}).base, "");
}

TEST(CacheSettings, AFolderOfItsOwnGoesBeforeXdg) {
  EXPECT_EQ(read({{"XDG_CACHE_HOME", "/fast"}, {"TUTTI_CACHE_DIR", "here"}}).folder, "here");
}

TEST(CacheSettings, IsOffOnRequestAndWithoutAPlace) {
  const auto expect_off = [](const std::map<std::string, std::string>& variables,
                             const std::string& why) {
    const CacheSettings settings = read(variables);
    EXPECT_EQ(settings.folder, "");
    EXPECT_EQ(settings.why_off, why);
  };
  expect_off({{"HOME", "/home/ada"}, {"TUTTI_CACHE", "off"}}, "TUTTI_CACHE is off");
  expect_off({}, "none of TUTTI_CACHE_DIR, XDG_CACHE_HOME and HOME names a folder");
  expect_off({{"HOME", ""}}, "none of TUTTI_CACHE_DIR, XDG_CACHE_HOME and HOME names a folder");
  EXPECT_EQ(read({{"HOME", "/h"}, {"TUTTI_CACHE", "on"}}).folder, "/h/.cache/tutti");
  EXPECT_EQ(read({{"HOME", "/h"}, {"TUTTI_CACHE", ""}}).folder, "/h/.cache/tutti");
  EXPECT_EQ(read({{"HOME", "/h"}, {"TUTTI_CACHE_DIR", ""}}).folder, "/h/.cache/tutti");
}

TEST(CacheSettings, TakesASize) {
  EXPECT_EQ(read({}).most_bytes, std::int64_t{1} << 30);
  EXPECT_EQ(read({{"TUTTI_CACHE_SIZE", ""}}).most_bytes, std::int64_t{1} << 30);
  EXPECT_EQ(read({{"TUTTI_CACHE_SIZE", "1048576"}}).most_bytes, 1 << 20);
  EXPECT_EQ(read({{"TUTTI_CACHE_SIZE", "2000K"}}).most_bytes, 2000 << 10);
  EXPECT_EQ(read({{"TUTTI_CACHE_SIZE", "500M"}}).most_bytes, 500 << 20);
  EXPECT_EQ(read({{"TUTTI_CACHE_SIZE", "3G"}}).most_bytes, std::int64_t{3} << 30);
}

TEST(CacheSettings, RefusesOtherValues) {
  for (const char* const size : {"much", "M", "0", "-5G", "1.5G", "2GB", "2 G", "1023K",
                                 "9999999999G", "99999999999999999999"}) {
    EXPECT_THROW(read({{"TUTTI_CACHE_SIZE", size}}), EnvironmentError) << size;
  }
  EXPECT_THROW(read({{"TUTTI_CACHE", "maybe"}}), EnvironmentError);
}

}  // namespace
}  // namespace tutti::runtime::settings_test
