#include <tutti/runtime/profile/profile.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <thread>

#include "tests/lazy/lazy_testing.h"
#include "tests/support/command.h"
#include <nlohmann/json.hpp>

namespace tutti::profile_test {
namespace {

using nlohmann::json;
using testing::Contains;
using testing::HasSubstr;

class ProfiledProgram : public testing::Test {
 protected:
  void SetUp() override { setenv("TUTTI_PROFILE", file().c_str(), 1); }
  void TearDown() override { unsetenv("TUTTI_PROFILE"); }

  std::string file() const { return (folder_.path() / "trace.json").string(); }
  std::vector<json> events() const {
    return json::parse(folder_.read("trace.json")).at("traceEvents").get<std::vector<json>>();
  }
  std::vector<json> events(const std::string& category) const {
    std::vector<json> out;
    for (const json& event : events()) {
      if (event.value("cat", "") == category) out.push_back(event);
    }
    return out;
  }
  static std::vector<std::string> names(const std::vector<json>& events) {
    std::vector<std::string> out;
    for (const json& event : events) out.push_back(event.at("name"));
    return out;
  }
  static std::string line(unsigned number) {
    return std::string(std::source_location::current().file_name()) + ":" + std::to_string(number);
  }

  test::TemporaryFolder folder_;
};

// Nanoseconds, exactly.
std::pair<std::int64_t, std::int64_t> span_of(const json& event) {
  const auto begin = std::llround(event.at("ts").get<double>() * 1000);
  return {begin, begin + std::llround(event.at("dur").get<double>() * 1000)};
}

TEST_F(ProfiledProgram, SlicesOfAThreadNest) {
  simulate(2, [](World& world) {
    auto step =
        compile([&](const Tensor& x) { return all_reduce(matmul(x, x), world).wait() + exp(x); });
    const Tensor x = ones({64, 64});
    for (int i = 0; i < 3; ++i) (void)step(x).to_vector<float>();
  });
  std::map<std::int64_t, std::vector<std::int64_t>> open;  // ends, by thread
  std::map<std::int64_t, std::int64_t> last;
  std::size_t slices = 0;
  for (const json& event : events()) {
    if (event.at("ph") != "X") continue;
    ++slices;
    const std::int64_t thread = event.at("tid");
    const auto [begin, end] = span_of(event);
    EXPECT_GE(begin, last[thread]) << event;
    last[thread] = begin;
    std::vector<std::int64_t>& ends = open[thread];
    while (!ends.empty() && ends.back() <= begin && ends.back() < end) ends.pop_back();
    if (!ends.empty()) {
      EXPECT_LE(end, ends.back()) << event;
    }
    ends.push_back(end);
  }
  EXPECT_GT(slices, 20U);
}

TEST_F(ProfiledProgram, CallsLaunchesAndCompilationsHaveTheirLines) {
  unsigned matmul_line = 0;
  unsigned compile_line = 0;
  {
    World world = init({.threads = 2});
    const Tensor x = ones({64, 32});
    compile_line = __LINE__ + 1;
    auto step = compile([&](const Tensor& a, const Tensor& b) {
      matmul_line = __LINE__ + 1;
      return matmul(a, b);
    });
    const Tensor w = ones({32, 16});
    for (int i = 0; i < 3; ++i) (void)step(x, w).to_vector<float>();
  }
  std::vector<json> products;
  for (const json& launch : events("launch")) {
    if (launch.at("name") == "matmul") products.push_back(launch);
  }
  ASSERT_EQ(products.size(), 3U) << "the walked run and the native ones";
  for (const json& product : products) {
    EXPECT_EQ(product.at("args").at("source"), line(matmul_line));
    EXPECT_EQ(product.at("args").at("flops"), 2 * 64 * 32 * 16);
    EXPECT_EQ(product.at("args").at("bytes_read"), (64 * 32 + 32 * 16) * 4);
    EXPECT_EQ(product.at("args").at("bytes_written"), 64 * 16 * 4);
  }
  std::size_t calls = 0;
  for (const json& call : events("call")) {
    if (call.at("name") != "compiled function") continue;
    ++calls;
    EXPECT_EQ(call.at("args").at("source"), line(compile_line));
  }
  EXPECT_EQ(calls, 3U);
  EXPECT_THAT(names(events("compile")), Contains("trace and compile"));
  EXPECT_THAT(names(events("compile")), Contains("fuse"));
  EXPECT_THAT(names(events("counter")), Contains("arena"));
  EXPECT_THAT(names(events("counter")), Contains("buffers in use"));
}

TEST_F(ProfiledProgram, CollectivesHaveStartWaitAndTheTimeBetween) {
  unsigned reduce_line = 0;
  simulate(2, [&](World& world) {
    const Tensor x = ones({100});
    const unsigned line = __LINE__ + 1;
    const AsyncTensor sum = all_reduce(x, world);
    if (world.rank() == 0) reduce_line = line;
    (void)sum.wait().to_vector<float>();
  });
  for (const char* const category : {"start", "wait"}) {
    std::vector<json> found = events(category);
    // A World waits for all at its end.
    std::erase_if(found, [](const json& event) { return !event.at("args").contains("group"); });
    ASSERT_EQ(found.size(), 2U) << category;
    EXPECT_EQ(found[0].at("name"), std::string(category) + " all_reduce sum f32[100]");
    EXPECT_EQ(found[0].at("args").at("source"), line(reduce_line));
    EXPECT_EQ(found[0].at("args").at("group"), "world");
    EXPECT_EQ(found[0].at("args").at("bytes"), 400);
    EXPECT_GE(found[0].at("args").at("sequence"), 1);
  }
  const std::vector<json> spans = events("collective");
  ASSERT_EQ(spans.size(), 4U);
  EXPECT_EQ(spans[0].at("ph"), "b");
  EXPECT_EQ(spans[1].at("ph"), "e");
  EXPECT_EQ(spans[0].at("id2"), spans[1].at("id2"));
  EXPECT_LE(spans[0].at("ts").get<double>(), events("start")[0].at("ts").get<double>() + 1e-3);
  EXPECT_GT(spans[1].at("ts"), spans[0].at("ts"));
}

TEST_F(ProfiledProgram, AProgramWithoutAWorldIsRecordedToo) {
  std::thread([] { (void)(ones({4}) + 1.0F).to_vector<float>(); }).join();
  EXPECT_FALSE(events("launch").empty());
}

TEST_F(ProfiledProgram, ALaunchedRankWithoutAWorldHasItsNumber) {
  const std::map<const char*, const char*> launched = {
      {"RANK", "1"}, {"WORLD_SIZE", "2"}, {"MASTER_PORT", "29500"}};
  for (const auto& [name, value] : launched) setenv(name, value, 1);
  std::thread([] { (void)(ones({4}) + 1.0F).to_vector<float>(); }).join();
  for (const auto& [name, value] : launched) unsetenv(name);
  const json trace = json::parse(folder_.read("trace.json.rank1"));
  for (const json& event : trace.at("traceEvents")) EXPECT_EQ(event.at("pid"), 2);  // from 1 on
}

TEST_F(ProfiledProgram, AFileThatCanNotBeWrittenIsAnErrorOfInit) {
  setenv("TUTTI_PROFILE", "/no/such/folder/trace.json", 1);
  test::expect_error<EnvironmentError>([] { init(); }, {"/no/such/folder/trace.json"},
                                       test::kNowhere);
  test::expect_error<EnvironmentError>([] { simulate(2, [](World&) {}); },
                                       {"/no/such/folder/trace.json"}, test::kNowhere);
}

TEST(UnprofiledProgram, HasNoRecorder) {
  World world = init({.threads = 1});
  (void)(ones({4}) + 1.0F).to_vector<float>();
  EXPECT_EQ(world.context()->runtime().profile, nullptr);
}

}  // namespace
}  // namespace tutti::profile_test
