#include <tutti/ir/support/error.h>
#include <tutti/runtime/comm/flight_record.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <limits>
#include <memory>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace tutti::runtime::flight_record_test {
namespace {

using kernels::FlightEntry;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

RecordedCollective collective(std::int64_t rank, std::uint64_t sequence, const std::string& call,
                              FlightEntry::State state = FlightEntry::kCompleted,
                              const std::string& group = "world", std::uint64_t fingerprint = 5) {
  return {.rank = rank,
          .number = sequence,
          .sequence = sequence,
          .group_id = std::hash<std::string>()(group),
          .fingerprint = fingerprint,
          .group = group,
          .call = call,
          .state = state,
          .started = 1'000'000,
          .ended = state == FlightEntry::kStarted ? 0 : 3'500'000};
}

TEST(FlightRecord, IsReadFromTheRecorderOldestFirst) {
  const auto recorder = std::make_unique<kernels::FlightRecorder>();
  for (std::uint64_t i = 1; i <= kernels::kRecordedCollectives + 2; ++i) {
    recorder->start({.group = 2, .sequence = i, .fingerprint = 6}, "dp", "barrier", "a.cpp", 3, 10);
  }
  recorder->end(kernels::kRecordedCollectives + 2, FlightEntry::kFailed, 25);
  const auto collectives = read_recorder(4, *recorder);
  ASSERT_EQ(collectives.size(), kernels::kRecordedCollectives);
  EXPECT_EQ(collectives.front().number, 3U);
  const RecordedCollective last{.rank = 4,
                                .number = kernels::kRecordedCollectives + 2,
                                .sequence = kernels::kRecordedCollectives + 2,
                                .group_id = 2,
                                .fingerprint = 6,
                                .group = "dp",
                                .call = "barrier (a.cpp:3)",
                                .state = FlightEntry::kFailed,
                                .started = 10,
                                .ended = 25};
  EXPECT_EQ(collectives.back(), last);
}

TEST(FlightRecord, ComesBackFromItsText) {
  const std::vector<RecordedCollective> collectives = {
      collective(0, 1, "all_reduce sum f32[4] (train.cpp:41)"),
      collective(1, 2, "barrier", FlightEntry::kStarted, "a group")};
  std::stringstream text;
  write(text, collectives);
  EXPECT_EQ(read(text, "file"), collectives);
}

TEST(FlightRecord, TabsInNamesDoNotBreakIt) {
  std::stringstream text;
  write(text, std::vector{collective(0, 1, "a\tb\nc", FlightEntry::kFailed, "x\ty")});
  EXPECT_EQ(read(text, "file")[0].call, "a b c");
}

TEST(FlightRecord, WhatIsNoneIsRefusedWithItsLine) {
  const auto message = [](const std::string& text) {
    std::istringstream in(text);
    try {
      read(in, "x.txt");
    } catch (const ParseError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  std::stringstream header;
  write(header, {});
  EXPECT_THAT(message(""), HasSubstr("x.txt:1: this is no flight record"));
  EXPECT_THAT(message("hello\n"), HasSubstr("x.txt:1"));
  EXPECT_EQ(message(header.str()), "accepted");
  EXPECT_THAT(message(header.str() + "0\t1\n"), HasSubstr("x.txt:2: it has too few fields"));
  EXPECT_THAT(message(header.str() + "0\tone\t1\tg\t1\t1\tstarted\t0\t0\tc\n"),
              HasSubstr("\"one\" is no number"));
  EXPECT_THAT(message(header.str() + "0\t1\t1\tg\t1\t1\tlost\t0\t0\tc\n"),
              HasSubstr("\"lost\" is no state"));
}

TEST(FlightRecord, LinesThatNobodyWroteAreRefused) {
  std::stringstream text;
  write(text, {});
  text << std::string(100'000, 'x');
  try {
    read(text, "x.txt");
    FAIL() << "accepted";
  } catch (const ParseError& error) {
    EXPECT_STREQ(error.what(), "x.txt:2: the line is too long for a record");
  }
}

// As somebody might leave it who wants to be looked at.
TEST(FlightRecord, ARecorderFullOfAnythingIsReadToItsEnd) {
  const std::vector<unsigned char> fills = {0xFF, 0x1B, 1, 'C'};
  for (const unsigned char fill : fills) {
    const auto recorder = std::make_unique<kernels::FlightRecorder>();
    std::memset(static_cast<void*>(recorder.get()), fill, sizeof(*recorder));
    for (std::uint64_t i = 0; i < 2 * kernels::kRecordedCollectives; ++i) {
      recorder->start({.group = 2, .sequence = ~i, .fingerprint = 6}, "dp", "barrier", "", 3, 10);
    }
    const auto collectives = read_recorder(0, *recorder);
    EXPECT_LE(collectives.size(), kernels::kRecordedCollectives);
    EXPECT_FALSE(diagnose(collectives, 5).empty());
  }
  const auto recorder = std::make_unique<kernels::FlightRecorder>();
  std::memset(static_cast<void*>(recorder.get()), 0xFF, sizeof(*recorder));
  const auto collectives = read_recorder(0, *recorder);
  ASSERT_EQ(collectives.size(), 1U);  // the one whose number is right
  EXPECT_EQ(collectives[0].call.size(), sizeof(kernels::FlightEntry::call));
  EXPECT_EQ(collectives[0].group.size(), sizeof(kernels::FlightEntry::group));
}

TEST(FlightRecord, WhatATerminalWouldObeyIsEscaped) {
  std::array<char, 8> text = {'a', '\x1B', '[', '\n', '\x7F', '\xC2', '\x9B', 'b'};  // and no zero
  EXPECT_EQ(kernels::read_line(text), "a\\x1b[\\x0a\\x7f\xC2\\x9bb");
  EXPECT_EQ(kernels::read_text(text), "a\\x1b[\n\\x7f\xC2\\x9bb");
  kernels::write_text(text, "\xC3\xA9");
  EXPECT_EQ(kernels::read_line(text), "\xC3\xA9");
  std::stringstream file;
  write(file, std::vector{collective(0, 1, "a\x1B[2J", FlightEntry::kFailed, "x\x07")});
  const auto read_back = read(file, "file");
  EXPECT_EQ(read_back.at(0).call, "a\\x1b[2J");
  EXPECT_EQ(read_back.at(0).group, "x\\x07");
}

TEST(FlightRecord, AFileThatCannotBeWrittenLeavesNothing) {
  EXPECT_THROW(write_file("no/such/folder/record", {}), EnvironmentError);
  const auto folder =
      std::filesystem::temp_directory_path() / ("flight_record_test-" + std::to_string(getpid()));
  std::filesystem::create_directories(folder / "taken");
  EXPECT_THROW(write_file((folder / "taken").string(), {}), EnvironmentError);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1);
  std::filesystem::remove_all(folder);
}

TEST(Diagnose, SaysWhoWaitsForWhom) {
  const std::string text = diagnose(
      std::vector{collective(0, 1, "barrier (a.cpp:1)"),
                  collective(0, 2, "all_reduce sum f32[4] (a.cpp:2)", FlightEntry::kStarted),
                  collective(1, 1, "barrier (a.cpp:1)")},
      10);
  EXPECT_THAT(text, HasSubstr("rank 0 waited in #2 of group \"world\", all_reduce sum f32[4] "
                              "(a.cpp:2), for rank 1 (last there: #1 of group \"world\", barrier "
                              "(a.cpp:1))"));
  EXPECT_THAT(text, HasSubstr("under way for 2.500 ms"));
}

TEST(Diagnose, SaysWhereRanksDiffer) {
  const std::string text = diagnose(
      std::vector{
          collective(0, 1, "all_reduce sum f32[4] (a.cpp:2)", FlightEntry::kFailed),
          collective(1, 1, "all_gather f32[4] (b.cpp:3)", FlightEntry::kFailed, "world", 6)},
      10);
  EXPECT_THAT(text, HasSubstr("ranks differ in #1 of group \"world\": rank 0 called all_reduce sum "
                              "f32[4] (a.cpp:2), rank 1 called all_gather f32[4] (b.cpp:3)"));
}

TEST(Diagnose, OneCallFromTwoLinesIsNoDifference) {
  EXPECT_THAT(diagnose(std::vector{collective(0, 1, "barrier (a.cpp:1)"),
                                   collective(1, 1, "barrier (b.cpp:9)")},
                       10),
              Not(HasSubstr("differ")));
}

TEST(Diagnose, TheTwoSidesOfAMessageAreNoDifference) {
  EXPECT_THAT(diagnose(std::vector{collective(0, 1, "send f32[4] to rank 1",
                                              FlightEntry::kCompleted, "world [0,1] messages"),
                                   collective(1, 1, "recv f32[4] from rank 0",
                                              FlightEntry::kCompleted, "world [0,1] messages")},
                       10),
              Not(HasSubstr("differ")));
}

TEST(Diagnose, TakesAnyTimes) {
  RecordedCollective early = collective(0, 1, "barrier");
  early.started = std::numeric_limits<std::int64_t>::min();
  early.ended = std::numeric_limits<std::int64_t>::max();
  RecordedCollective late = collective(0, 2, "barrier", FlightEntry::kStarted);
  late.started = std::numeric_limits<std::int64_t>::min();
  EXPECT_THAT(diagnose(std::vector{early, late}, 3), HasSubstr("under way for"));
}

TEST(Diagnose, ShowsTheLastOfEachRank) {
  std::vector<RecordedCollective> collectives;
  for (std::uint64_t i = 1; i <= 20; ++i) collectives.push_back(collective(0, i, "barrier"));
  const std::string text = diagnose(collectives, 3);
  EXPECT_THAT(text, AllOf(HasSubstr("rank 0, the last 3 of 20 collectives"), HasSubstr("#18 of"),
                          Not(HasSubstr("#17 of")), HasSubstr("completed in 2.500 ms")));
  EXPECT_EQ(diagnose({}, 3), "no collective was recorded\n");
}

}  // namespace
}  // namespace tutti::runtime::flight_record_test
