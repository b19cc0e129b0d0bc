#include <tutti/ir/support/error.h>
#include <tutti/runtime/profile/json_line.h>
#include <tutti/runtime/profile/profile.h>
#include <tutti/runtime/profile/trace_file.h>
#include <tutti/runtime/profile/trace_text.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <limits>

#include "tests/support/allocation_count.h"
#include "tests/support/command.h"
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace tutti::runtime::profile_test {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using Kind = ProfileSource::Kind;

// A byte a nanosecond, a flop a nanosecond.
constexpr Roofline kRoofline{
    .bytes_per_second = 1e9, .flops_per_second = 1e9, .double_flops_per_second = 0.5e9};

json events_of(const Profile& profile) {
  std::string text;
  write_events(profile, [&](std::string_view piece) { text += piece; });
  return json::parse("[" + text + "]");
}

json find(const json& events, const std::string& name) {
  for (const json& event : events) {
    if (event.at("name") == name && event.at("ph") != "M") return event;
  }
  ADD_FAILURE() << "there is no event " << name;
  return {};
}

TEST(ProfileTrack, KeepsAllEventsInOrderOverManyChunks) {
  ProfileTrack track;
  const std::size_t count = 3 * ProfileTrack::kChunkEvents + 7;
  for (std::size_t i = 0; i < count; ++i) track.add({.value = static_cast<std::int64_t>(i)});
  ASSERT_EQ(track.size(), count);
  for (std::size_t i = 0; i < count; ++i) {
    ASSERT_EQ(track[i].value, static_cast<std::int64_t>(i));
  }
}

TEST(ProfileTrack, CountsWhatFindsNoRoom) {
  ProfileTrack track;
  for (std::size_t i = 0; i < ProfileTrack::kMostEvents + 5; ++i) track.add({});
  EXPECT_EQ(track.size(), ProfileTrack::kMostEvents);
  EXPECT_EQ(track.dropped(), 5U);
}

TEST(Profile, PiecesOfOneKernelInOneLaunchAreOne) {
  Profile profile(0, 2, kRoofline);
  const std::uint32_t first = profile.begin_launch();
  profile.add_piece(1, 3, first, 100);
  profile.add_piece(1, 3, first, 200);
  profile.add_piece(1, 4, first, 300);  // of another kernel
  profile.add_piece(1, 4, profile.begin_launch(), 400);
  const ProfileTrack& track = profile.tracks()[1];
  ASSERT_EQ(track.size(), 3U);
  EXPECT_EQ(track[0].begin, 100);
  EXPECT_GT(track[0].end, 200);
  EXPECT_EQ(track[1].source, 4U);
  EXPECT_EQ(track[2].begin, 400);
}

TEST(Profile, RecordingAllocatesNothing) {
  if (!test::counts_allocations()) GTEST_SKIP() << "malloc is the sanitizer's";
  Profile profile(0, 1, kRoofline);
  const char* const name = "flush";
  const Location here("a.cpp", 3);
  profile.slice_source("call", name, here);
  profile.prepare();
  const test::AllocationCount before = test::thread_allocations();
  for (int i = 0; i < 1000; ++i) {
    const ProfileSlice slice(&profile, "call", name, here);
    const std::uint32_t launch = profile.begin_launch();
    profile.add_piece(0, 0, launch, 0);
    profile.end_launch(0, launch, 0);
    profile.count(0, i);
  }
  const test::AllocationCount made = test::thread_allocations() - before;
  EXPECT_EQ(made.allocations, 0U);
  EXPECT_EQ(made.mappings, 0U);
  EXPECT_EQ(profile.tracks()[0].size(), 4000U);
}

TEST(Profile, SlicesOfOneLineHaveOneSource) {
  Profile profile(0, 1, kRoofline);
  const Location here("a.cpp", 3);
  const char* const name = "flush";
  const std::uint32_t source = profile.slice_source("call", name, here);
  EXPECT_EQ(profile.slice_source("call", name, here), source);
  EXPECT_NE(profile.slice_source("call", name, Location("a.cpp", 4)), source);
  EXPECT_EQ(profile.moved_source(source, here), source);
  const std::uint32_t moved = profile.moved_source(source, Location("b.cpp", 1));
  EXPECT_EQ(profile.moved_source(source, Location("b.cpp", 1)), moved);
  EXPECT_EQ(profile.sources()[moved].location.text(), "b.cpp:1");
}

TEST(ProfileSlice, RecordsNothingWithoutAProfile) {
  Profile profile(0, 1, kRoofline);
  const std::size_t sources = profile.sources().size();
  {
    const ProfileSlice slice(nullptr, "call", "flush");
    const ProfileSlice other(nullptr, 7);
  }
  EXPECT_EQ(profile.sources().size(), sources);
  std::string events;
  write_events(profile, [&](std::string_view text) { events += text; });
  EXPECT_THAT(events, testing::Not(HasSubstr("flush")));
}

TEST(Roofline, LeastTimeIsOfWhatTakesLonger) {
  EXPECT_DOUBLE_EQ(kRoofline.least_seconds({.bytes_read = 30, .bytes_written = 20, .flops = 10}),
                   50e-9);
  EXPECT_DOUBLE_EQ(kRoofline.least_seconds({.bytes_read = 5, .flops = 10, .double_flops = 10}),
                   30e-9);
}

TEST(Roofline, IsMeasuredOnceForANumberOfThreads) {
  ThreadPool pool(1);
  const Roofline roofline = measure_roofline(pool);
  EXPECT_GT(roofline.bytes_per_second, 0);
  EXPECT_GT(roofline.flops_per_second, 0);
  EXPECT_GT(roofline.double_flops_per_second, 0);
  const Roofline again = measure_roofline(pool);
  EXPECT_EQ(again.bytes_per_second, roofline.bytes_per_second);
}

TEST(TraceText, ALaunchSaysItsWorkAndItsShareOfTheRoofline) {
  Profile profile(2, 1, kRoofline);
  const std::uint32_t piece = profile.add_source({.kind = Kind::piece, .name = "add_mul"});
  const std::uint32_t launch =
      profile.add_source({.kind = Kind::launch,
                          .name = "add_mul",
                          .plan = "step",
                          .kernel = 4,
                          .location = Location("dir/train.cpp", 12),
                          .counts = {.bytes_read = 300, .bytes_written = 100, .flops = 50},
                          .library_seconds = 3e-6,
                          .parts = {piece}});
  // Ends now: so long ago that the share is known to a fraction.
  const std::int64_t begin = monotonic_now() - 4'000'000'000;
  profile.end_launch(launch, profile.begin_launch(), begin);
  const json event = find(events_of(profile), "add_mul");
  EXPECT_EQ(event.at("ph"), "X");
  EXPECT_EQ(event.at("pid"), 3);
  EXPECT_EQ(event.at("cat"), "launch");
  const json& arguments = event.at("args");
  EXPECT_EQ(arguments.at("source"), "dir/train.cpp:12");
  EXPECT_EQ(arguments.at("plan"), "step");
  EXPECT_EQ(arguments.at("kernel"), "k4");
  EXPECT_EQ(arguments.at("bytes_read"), 300);
  EXPECT_EQ(arguments.at("bytes_written"), 100);
  EXPECT_EQ(arguments.at("flops"), 50);
  EXPECT_DOUBLE_EQ(arguments.at("roofline_us"), 0.4);
  EXPECT_DOUBLE_EQ(arguments.at("library_us"), 3);
  const double seconds = event.at("dur").get<double>() * 1e-6;
  EXPECT_NEAR(arguments.at("GB/s"), 400e-9 / seconds, 1e-3);
  EXPECT_NEAR(arguments.at("roofline_percent"), 100 * 400e-9 / seconds, 1e-2);
}

TEST(TraceText, KernelsOfOneLaunchShareItsTime) {
  Profile profile(0, 2, kRoofline);
  const std::uint32_t a = profile.add_source({.kind = Kind::piece, .name = "a"});
  const std::uint32_t b = profile.add_source({.kind = Kind::piece, .name = "b"});
  const std::uint32_t launch =
      profile.add_source({.kind = Kind::launch, .name = "a", .parts = {a, b}});
  const std::uint32_t number = profile.begin_launch();
  const std::int64_t now = monotonic_now();
  const std::int64_t long_ago = now / 4;  // the clock may have begun when the machine did
  profile.add_piece(0, a, number, now - 3 * long_ago);
  profile.add_piece(1, b, number, now - long_ago);
  profile.end_launch(launch, number, now - 3 * long_ago);
  const json events = events_of(profile);
  const json parts = find(events, "a + b").at("args").at("parts");
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(parts[0].at("name"), "a");
  EXPECT_NEAR(parts[0].at("us"), 2.25 * static_cast<double>(long_ago) / 1e3, 1e6);
  EXPECT_NEAR(parts[1].at("us"), 0.75 * static_cast<double>(long_ago) / 1e3, 1e6);
  // Each thread shows what it did.
  EXPECT_EQ(find(events, "a").at("tid"), 10000);
  EXPECT_EQ(find(events, "b").at("tid"), 10001);
}

TEST(TraceText, WhatEnclosesComesFirst) {
  Profile profile(0, 1, kRoofline);
  const std::uint32_t inner = profile.add_source({.name = "inner", .category = "call"});
  const std::uint32_t outer = profile.add_source({.name = "outer", .category = "call"});
  profile.add(inner, 1000);
  profile.add(outer, 1000);
  std::vector<std::string> names;
  for (const json& event : events_of(profile)) {
    if (event.at("ph") == "X") names.push_back(event.at("name"));
  }
  EXPECT_THAT(names, ElementsAre("outer", "inner"));
}

TEST(JsonLine, HoldsAnyText) {
  std::string all;
  for (int c = 1; c < 256; ++c) all += static_cast<char>(c);
  JsonLine line;
  line.add("text", all).add("good", "é\u20AC\U0001F600").begin_list("list");
  line.begin_element().add("number", std::int64_t{-5}).end_object();
  line.begin_element().end_object().end_list();
  line.add("none", std::numeric_limits<double>::quiet_NaN(), 2);
  line.add("large", 1e300, 3).add_time("time", 12'034'005);
  const json read = json::parse(line.finish());
  EXPECT_EQ(read.at("text").get<std::string>().substr(0, 127), all.substr(0, 127));
  EXPECT_EQ(read.at("text").get<std::string>().substr(127), std::string(128, '?'));
  EXPECT_EQ(read.at("good"), "é\u20AC\U0001F600");
  EXPECT_EQ(read.at("list").size(), 2U);
  EXPECT_EQ(read.at("none"), 0);
  EXPECT_EQ(read.at("large"), 1e300);
  EXPECT_EQ(read.at("time"), 12034.005);
}

class TraceFile : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }

  static void write(const std::string& file, std::int64_t rank) {
    Profile profile(rank, 1, kRoofline);
    const Profile* const self = &profile;
    write_trace(file, {&self, 1});
  }
  std::vector<std::string> files() const {
    std::vector<std::string> out;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
      out.push_back(entry.path().filename());
    }
    std::ranges::sort(out);
    return out;
  }

  test::TemporaryFolder folder_;
};

TEST_F(TraceFile, PartsOfRanksBecomeOneTrace) {
  const std::string file = path("trace.json");
  for (const std::int64_t rank : {0, 1, 2}) write(part_of_trace(file, rank), rank);
  const MergedTrace merged = merge_traces(file, 3);
  EXPECT_THAT(merged.ranks, ElementsAre(0, 1, 2));
  EXPECT_THAT(files(), ElementsAre("trace.json"));
  const json trace = json::parse(folder_.read("trace.json"));
  std::vector<std::int64_t> ranks;
  for (const json& event : trace.at("traceEvents")) {
    if (event.at("name") == "process_name") ranks.push_back(event.at("args").at("rank"));
  }
  EXPECT_THAT(ranks, ElementsAre(0, 1, 2));
}

TEST_F(TraceFile, PartsThatAreMissingOrCutOffAreLeftOut) {
  const std::string file = path("trace.json");
  write(part_of_trace(file, 1), 1);
  write(part_of_trace(file, 2), 2);
  const std::string whole = folder_.read("trace.json.rank2");
  folder_.write("trace.json.rank2", whole.substr(0, whole.size() - 4));
  folder_.write("trace.json.rank3", "");
  const MergedTrace merged = merge_traces(file, 5);
  EXPECT_THAT(merged.ranks, ElementsAre(1));
  EXPECT_THAT(merged.unsound, ElementsAre(part_of_trace(file, 2), part_of_trace(file, 3)));
  EXPECT_THAT(files(), ElementsAre("trace.json", "trace.json.rank2", "trace.json.rank3"));
  EXPECT_TRUE(json::accept(folder_.read("trace.json")));
}

TEST_F(TraceFile, WithoutPartsNothingIsWritten) {
  EXPECT_TRUE(merge_traces(path("trace.json"), 2).ranks.empty());
  EXPECT_THAT(files(), testing::IsEmpty());
}

TEST_F(TraceFile, AFileThatCanNotBeWrittenIsAnError) {
  for (const std::string& file : {path("no_folder/trace.json"), folder_.path().string()}) {
    try {
      check_trace_file(file);
      ADD_FAILURE() << file;
    } catch (const EnvironmentError& error) {
      EXPECT_THAT(error.what(), HasSubstr(file));
      EXPECT_THAT(error.what(), HasSubstr("TUTTI_PROFILE"));
    }
  }
  check_trace_file(path("trace.json"));
  EXPECT_THAT(files(), testing::IsEmpty()) << "looking leaves nothing";
}

TEST_F(TraceFile, ASecondTraceOfAProcessHasANumber) {
  const std::string file = path("trace.json");
  EXPECT_EQ(claim_trace_file(file), file);
  EXPECT_EQ(claim_trace_file(file), file + ".2");
  EXPECT_EQ(claim_trace_file(file), file + ".3");
}

TEST_F(TraceFile, AProfileIsSavedWhenThereIsSomethingNew) {
  Profile profile(0, 1, kRoofline, path("trace.json"));
  profile.save();
  EXPECT_THAT(files(), ElementsAre("trace.json"));
  std::filesystem::remove(path("trace.json"));
  profile.save();
  EXPECT_THAT(files(), testing::IsEmpty());
  profile.add(profile.slice_source("call", "flush", {}), 1);
  profile.save();
  EXPECT_THAT(files(), ElementsAre("trace.json"));
}

}  // namespace
}  // namespace tutti::runtime::profile_test
