#include <tutti/ir/support/error.h>
#include <tutti/runtime/comm/algorithms.h>
#include <tutti/runtime/comm/collective.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/runtime/processes.h"
#include <gmock/gmock.h>

namespace tutti::runtime::algorithms_test {
namespace {

using kernels::CollectiveKind;
using kernels::Reduction;
using testing::Each;
using testing::HasSubstr;

constexpr std::int64_t kAlways = std::int64_t{1} << 46;

constexpr const char* kTable =
    "# a comment\n"
    "all_reduce  max  f32   2..4  1K      16..32,1M..  4K     always  1M     # behind a rule\n"
    "\n"
    "all_reduce  *    bf16  3     never   always       never  never   never\n"
    "all_gather  *    *     5..   always  never        never  never   never\n"
    "*           *    *     *     2M      never        0      32M     never\n";

CollectiveCall call_of(CollectiveKind kind, DType dtype, Reduction reduction = Reduction::sum) {
  CollectiveCall call{.kind = kind, .reduction = reduction, .dtype = dtype};
  call.parts = {{.elements = 16, .axis_size = 16}};
  return call;
}

ir::Group group_of(std::int64_t members) {
  ir::Group group{.tag = "g", .ranks = {}, .stride = members};
  for (std::int64_t rank = 0; rank < members; ++rank) group.ranks.push_back(rank);
  return group;
}

std::string error_of(const std::string& table) {
  try {
    AlgorithmTable::parse(table, "table.txt");
    return "no error";
  } catch (const EnvironmentError& error) {
    return error.what();
  }
}

TEST(AlgorithmTable, TheFirstRuleThatFitsCounts) {
  const AlgorithmTable table = AlgorithmTable::parse(kTable, "table");
  const Algorithms algorithms{.table = &table};
  const auto limit = [&](const CollectiveCall& call, std::int64_t members) {
    return algorithms.one_shot_up_to(call, group_of(members));
  };
  const auto all_reduce = CollectiveKind::all_reduce;
  EXPECT_EQ(limit(call_of(all_reduce, DType::f32, Reduction::max), 4), 1024);
  EXPECT_EQ(limit(call_of(all_reduce, DType::f32, Reduction::max), 5), 2 << 20);
  EXPECT_EQ(limit(call_of(all_reduce, DType::f32, Reduction::min), 4), 2 << 20);
  EXPECT_EQ(limit(call_of(all_reduce, DType::bf16), 3), -1);
  EXPECT_GT(limit(call_of(CollectiveKind::all_gather, DType::i8), 5), std::int64_t{1} << 40);
  // What combines nothing fits no rule of a reduction.
  EXPECT_EQ(limit(call_of(CollectiveKind::broadcast, DType::f32, Reduction::max), 3), 2 << 20);

  const auto reads = [&](DType dtype, std::int64_t members, std::int64_t bytes) {
    return algorithms.reads(Reduction::max, dtype, group_of(members), bytes);
  };
  EXPECT_FALSE(reads(DType::f32, 2, 15));
  EXPECT_TRUE(reads(DType::f32, 2, 16));
  EXPECT_TRUE(reads(DType::f32, 2, 32));
  EXPECT_FALSE(reads(DType::f32, 2, 33));
  EXPECT_TRUE(reads(DType::f32, 2, std::int64_t{1} << 30));
  EXPECT_TRUE(reads(DType::bf16, 3, 1));
  EXPECT_FALSE(reads(DType::f64, 2, 16));

  const auto between_gpus = [&](DType dtype) {
    return table.rule(all_reduce, Reduction::max, dtype, 4).between_gpus;
  };
  EXPECT_EQ(between_gpus(DType::f32),
            (CommKernelLimits{.one_shot = 4096, .by_switch = kAlways, .two_shot = 1 << 20}));
  EXPECT_EQ(between_gpus(DType::i8),
            (CommKernelLimits{.one_shot = 0, .by_switch = 32 << 20, .two_shot = -1}));
}

TEST(AlgorithmTable, ByDefaultSmallCollectivesOfUpToEightGpusGoByKernels) {
  const auto one_shot = [](CollectiveKind kind, int members) {
    return AlgorithmTable::defaults()
        .rule(kind, Reduction::sum, DType::f32, members)
        .between_gpus.one_shot;
  };
  EXPECT_EQ(one_shot(CollectiveKind::all_reduce, 2), 1 << 20);
  EXPECT_EQ(one_shot(CollectiveKind::all_reduce, 3), 1 << 19);
  EXPECT_EQ(one_shot(CollectiveKind::all_reduce, 8), 1 << 18);
  EXPECT_EQ(one_shot(CollectiveKind::all_gather, 8), 1 << 20);
  EXPECT_EQ(one_shot(CollectiveKind::all_reduce, 9), -1);
}

TEST(AlgorithmTable, GroupsAndProgramsMayAskForOne) {
  const auto asks = [](std::optional<ir::Algorithm> group_says, ir::Algorithm program) {
    ir::Group group = group_of(2);
    group.algorithm = group_says;
    const Algorithms algorithms{.asked = program};
    const CollectiveCall call = call_of(CollectiveKind::all_reduce, DType::f32);
    return std::pair(algorithms.one_shot_up_to(call, group),
                     algorithms.reads(Reduction::sum, DType::f32, group, 8192));
  };
  using ir::Algorithm;
  EXPECT_EQ(asks({}, Algorithm::automatic), std::pair(std::int64_t{65536}, true));
  EXPECT_EQ(asks({}, Algorithm::off), std::pair(std::int64_t{65536}, false));
  EXPECT_EQ(asks(Algorithm::off, Algorithm::automatic), std::pair(std::int64_t{65536}, false));
  EXPECT_EQ(asks(Algorithm::two_shot, Algorithm::one_shot), std::pair(std::int64_t{-1}, false));
  EXPECT_TRUE(asks(Algorithm::one_shot, Algorithm::two_shot).second);
  EXPECT_GT(asks(Algorithm::one_shot, Algorithm::two_shot).first, std::int64_t{1} << 40);
  EXPECT_EQ(asks(Algorithm::automatic, Algorithm::two_shot), std::pair(std::int64_t{65536}, true));
}

TEST(AlgorithmTable, BadTablesNameTheLine) {
  // That between GPUs follows.
  const auto host = [](const std::string& rule) { return rule + " never never never\n"; };
  const std::string rest = host("* * * * 64K never");
  EXPECT_THAT(error_of(host("\nall_sum * * * 64K never") + rest),
              HasSubstr("table.txt:2: there is no collective 'all_sum'"));
  EXPECT_THAT(error_of("* * * * 64K never\n"), HasSubstr("table.txt:1: a rule has nine columns"));
  EXPECT_THAT(error_of(host("* add * * 64K never") + rest), HasSubstr("no reduction 'add'"));
  EXPECT_THAT(error_of(host("* * f31 * 64K never") + rest), HasSubstr("no dtype 'f31'"));
  EXPECT_THAT(error_of(host("* * * 4..2 64K never") + rest), HasSubstr("'4..2' is no range"));
  EXPECT_THAT(error_of(host("* * * * -1 never") + rest), HasSubstr("'-1' is no size"));
  EXPECT_THAT(error_of(host("* * * * 64T never") + rest), HasSubstr("'64T' is no size"));
  EXPECT_THAT(error_of(host("* * * * 99999999999999999999 never") + rest), HasSubstr("is no size"));
  EXPECT_THAT(error_of(host("* * * * 64K 4K..,") + rest), HasSubstr("'4K..,' ends in a comma"));
  EXPECT_THAT(error_of(host("barrier * * * 64K never") + rest),
              HasSubstr("a barrier moves nothing"));
  EXPECT_THAT(error_of(host("all_gather sum * * 64K never") + rest), HasSubstr("has no reduction"));
  EXPECT_THAT(error_of(host("all_gather * * * 64K 4K..") + rest), HasSubstr("all_reduce alone"));
  EXPECT_THAT(error_of(host("* * * 0 64K never") + rest), HasSubstr("at least one member"));
  EXPECT_EQ(error_of(host("\tall_reduce\t*\t*\t*\t64K\tnever\r") + rest), "no error");
  EXPECT_THAT(error_of(host("* * * * 64K 4K..1..2") + rest), HasSubstr("is no size"));
  EXPECT_THAT(error_of(host("all_reduce * * * 64K never")), HasSubstr("the last rule has to fit"));
  EXPECT_THAT(error_of("* * * * 64K never 1M soon never\n" + rest), HasSubstr("'soon' is no size"));
  EXPECT_THAT(error_of("all_gather * * * 64K never 1M 1M 1M\n" + rest),
              HasSubstr("all_reduce alone has two shots"));
  EXPECT_THAT(error_of("broadcast * * * 64K never 1M never never\n" + rest),
              HasSubstr("broadcast is always NCCL's"));
  EXPECT_THAT(error_of(std::string("* * * * 64K never\0\n", 20)), HasSubstr("no text"));
  EXPECT_THAT(error_of(""), HasSubstr("the last rule has to fit"));
  EXPECT_THAT(error_of("#" + std::string(5000, '-') + "\n" + rest), HasSubstr("at most 4000"));
}

TEST(AlgorithmText, SaysTheChoiceAndItsReasonAndIsReadBack) {
  CollectiveCall call = call_of(CollectiveKind::all_reduce, DType::f32);
  const auto text_with = [&](std::int64_t limit) {
    call.one_shot_up_to = limit;
    const std::string text = algorithm_text(call, 2);
    EXPECT_EQ(one_shot_limit(text), limit) << text;
    return text;
  };
  EXPECT_EQ(text_with(64), "one-shot, up to 64 bytes");
  EXPECT_EQ(text_with(63), "two-shot, above 63 bytes");
  EXPECT_EQ(text_with(-1), "two-shot, always");
  EXPECT_EQ(text_with(std::int64_t{1} << 46), "one-shot, always");
  call = call_of(CollectiveKind::all_to_all, DType::f32);
  call.parts[0].sizes = {10, 6};
  EXPECT_EQ(text_with(64), "one-shot or two-shot, above 64 bytes");
  for (const char* const wrong : {"", "one-shot", "one-shot, up to bytes", "up to -5 bytes",
                                  "up to 99999999999999999999 bytes", "x bytes", " bytes"}) {
    EXPECT_EQ(one_shot_limit(wrong), std::nullopt) << wrong;
  }
}

TEST(AlgorithmTable, Rank0sCountsForAllProcesses) {
  const std::string rendezvous = fresh_rendezvous();
  const auto rank = [&](std::int64_t number) {
    return Child([=] {
      ShmOptions options{.rendezvous = rendezvous, .rank = number, .ranks = 2};
      const std::string own = "* * * * " + std::to_string(number + 7) + "\tnever 1M 1M never\r\n";
      options.host.algorithms = AlgorithmTable::parse(own, "own");
      HostBackend backend(std::make_shared<ShmFabric>(options), number);
      return backend.algorithms().text();
    });
  };
  Child first = rank(0);
  Child second = rank(1);
  EXPECT_EQ(first.end(), "* * * * 7\tnever 1M 1M never\r\n");
  EXPECT_EQ(second.end(), "* * * * 7\tnever 1M 1M never\r\n");
}

}  // namespace
}  // namespace tutti::runtime::algorithms_test
