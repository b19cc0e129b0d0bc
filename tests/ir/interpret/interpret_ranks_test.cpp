#include <tutti/ir/interpret/interpret.h>
#include <tutti/ir/parse/parse.h>
#include <tutti/ir/verify/verify.h>

#include <numeric>

#include <gmock/gmock.h>

// The meaning of collectives over ranks that may run programs of their own.
namespace tutti::ir::interpret_ranks_test {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;
using Floats = std::vector<float>;

// A function for each rank: one of these bodies after `%x: f32[sizes[rank]]`. All are in one group.
std::vector<Graph> programs(const std::vector<int>& sizes, const std::vector<std::string>& bodies) {
  std::vector<Graph> out;
  for (std::size_t rank = 0; rank < bodies.size(); ++rank) {
    out.push_back(parse("group @g = {ranks = [0.." + std::to_string(bodies.size()) +
                        "]}\nfunc @f(%x: f32[" + std::to_string(sizes[rank]) + "]) {\n" +
                        bodies[rank] + "\n}\n")
                      .functions.at(0));
    verify(out.back());
  }
  return out;
}

// Every rank's first result, where x counts from 10 * (rank + 1).
std::vector<Floats> run(const std::vector<int>& sizes, const std::vector<std::string>& bodies) {
  const std::vector<Graph> graphs = programs(sizes, bodies);
  std::vector<const Graph*> pointers;
  std::vector<std::vector<Array>> inputs;
  for (std::size_t rank = 0; rank < graphs.size(); ++rank) {
    pointers.push_back(&graphs[rank]);
    Floats x(static_cast<std::size_t>(sizes[rank]));
    std::iota(x.begin(), x.end(), 10.F * static_cast<float>(rank + 1));
    inputs.push_back({Array::from(std::span<const float>(x), {sizes[rank]})});
  }
  std::vector<Floats> out;
  for (const auto& results : interpret(pointers, inputs)) {
    const auto data = results.at(0).data<float>();
    out.emplace_back(data.begin(), data.end());
  }
  return out;
}

// The same where all ranks have one body, which gives %0.
std::vector<Floats> run_same(int size, int ranks, const std::string& line) {
  return run(std::vector<int>(static_cast<std::size_t>(ranks), size),
             std::vector<std::string>(static_cast<std::size_t>(ranks),
                                      "%0 = " + line + "\n%1 = wait(%0)\nreturn %1"));
}

TEST(InterpretRanks, RootedCollectives) {
  EXPECT_EQ(run_same(2, 3, "reduce(%x) {op = \"sum\", root = 1, group = @g}"),
            (std::vector<Floats>{{0, 0}, {60, 63}, {0, 0}}));
  EXPECT_EQ(run_same(2, 2, "gather(%x) {axis = 0, root = 1, group = @g}"),
            (std::vector<Floats>{{0, 0, 0, 0}, {10, 11, 20, 21}}));
  EXPECT_EQ(run_same(4, 2, "scatter(%x) {axis = 0, root = 1, group = @g}"),
            (std::vector<Floats>{{20, 21}, {22, 23}}));
}

TEST(InterpretRanks, Exchanges) {
  EXPECT_EQ(run_same(4, 2, "all_to_all(%x) {axis = 0, group = @g}"),
            (std::vector<Floats>{{10, 11, 20, 21}, {12, 13, 22, 23}}));
  EXPECT_EQ(run_same(1, 3, "collective_permute(%x) {pairs = [0, 2, 1, 1], group = @g}"),
            (std::vector<Floats>{{0}, {20}, {10}}));
}

TEST(InterpretRanks, UnevenParts) {
  const std::string end = "\n%1 = wait(%0)\nreturn %1";
  const std::string gather = "%0 = all_gather(%x) {axis = 0, group = @g, sizes = [1, 2]}" + end;
  EXPECT_EQ(run({1, 2}, {gather, gather}), (std::vector<Floats>{{10, 20, 21}, {10, 20, 21}}));
  const std::string rooted =
      "%0 = gather(%x) {axis = 0, root = 0, group = @g, sizes = [0, 2]}" + end;
  EXPECT_EQ(run({0, 2}, {rooted, rooted}), (std::vector<Floats>{{20, 21}, {0, 0}}));
  const auto part = [&](const std::string& op, int size) {
    return "%0 = " + op + "group = @g, sizes = [2, 1], part = " + std::to_string(size) + "}" + end;
  };
  const std::string sum = "reduce_scatter(%x) {op = \"sum\", axis = 0, ";
  EXPECT_EQ(run({3, 3}, {part(sum, 2), part(sum, 1)}), (std::vector<Floats>{{30, 32}, {34}}));
  const std::string scatter = "scatter(%x) {axis = 0, root = 1, ";
  EXPECT_EQ(run({3, 3}, {part(scatter, 2), part(scatter, 1)}),
            (std::vector<Floats>{{20, 21}, {22}}));
  const auto exchange = [&](const std::string& send, const std::string& receive) {
    return "%0 = all_to_all(%x) {axis = 0, group = @g, send_sizes = " + send +
           ", receive_sizes = " + receive + "}" + end;
  };
  EXPECT_EQ(run({3, 2}, {exchange("[1, 2]", "[1, 0]"), exchange("[0, 2]", "[2, 2]")}),
            (std::vector<Floats>{{10}, {11, 12, 20, 21}}));
}

TEST(InterpretRanks, MessagesMatchInOrderOfTheirPair) {
  // Each receives before it sends: nobody waits before the message is used.
  const auto exchange = [](int peer) {
    const std::string number = std::to_string(peer);
    return "%0 = recv() {dtype = f32, shape = [1], from = " + number + ", group = @g}\n" +
           "send(%x) {to = " + number + ", group = @g}\n%1 = wait(%0)\nreturn %1";
  };
  EXPECT_EQ(run({1, 1}, {exchange(1), exchange(0)}), (std::vector<Floats>{{20}, {10}}));
  EXPECT_EQ(run({1, 1}, {"%a = add(%x, %x)\nsend(%x) {to = 1, group = @g}\n"
                         "send(%a) {to = 1, group = @g}\nreturn %x",
                         "%0 = recv() {dtype = f32, shape = [1], from = 0, group = @g}\n"
                         "%1 = recv() {dtype = f32, shape = [1], from = 0, group = @g}\n"
                         "%2 = wait(%0)\n%3 = wait(%1)\n%4 = sub(%3, %2)\nreturn %4"}),
            (std::vector<Floats>{{10}, {10}}));
}

TEST(InterpretRanks, BatchesGoAroundARing) {
  std::vector<std::string> bodies;
  for (int rank = 0; rank < 3; ++rank) {
    const std::string next = std::to_string((rank + 1) % 3);
    const std::string previous = std::to_string((rank + 2) % 3);
    bodies.push_back("%0, %1 = batch_send_recv(%x, %x) {to = [" + next + ", " + previous +
                     "], from = [" + previous + ", " + next +
                     "], receives = [f32[1], f32[1]], group = @g}\n%2 = wait(%0)\n%3 = wait(%1)\n"
                     "%4 = sub(%2, %3)\nreturn %4");
  }
  EXPECT_EQ(run({1, 1, 1}, bodies), (std::vector<Floats>{{10}, {-20}, {10}}));
}

void expect_refused(const std::vector<int>& sizes, const std::vector<std::string>& bodies,
                    const std::string& message) {
  EXPECT_THAT([&] { run(sizes, bodies); }, ThrowsMessage<TypeError>(HasSubstr(message)));
}

TEST(InterpretRanks, MembersAtDifferentCollectivesAreRefused) {
  const std::string sum = "%0 = all_reduce(%x) {op = \"sum\", group = @g} // a.cpp:1\nreturn %x";
  const std::string max = "%0 = all_reduce(%x) {op = \"max\", group = @g} // b.cpp:2\nreturn %x";
  expect_refused({1, 1}, {sum, max},
                 "collective #1 of group \"g\" does not match: rank 0 calls %0 = all_reduce(%x) "
                 "{op = \"sum\", group = @g} : async f32[1] of f32[1] (a.cpp:1), rank 1 calls");
  expect_refused({1, 2}, {sum, sum}, "f32[1] (a.cpp:1), rank 1 calls");
  expect_refused({1, 1}, {sum + "", "barrier() {group = @g}\nreturn %x"}, "rank 1 calls barrier()");
  expect_refused({1, 1},
                 {"send(%x) {to = 1, group = @g}\nreturn %x",
                  "%0 = recv() {dtype = f32, shape = [2], from = 0, group = @g}\nreturn %x"},
                 "collective #1 of group \"g [0,1] messages\" does not match");
  const auto exchange = [](const std::string& sizes) {
    return "%0 = all_to_all(%x) {axis = 0, group = @g, " + sizes + "}\nreturn %x";
  };
  expect_refused({3, 2},
                 {exchange("send_sizes = [1, 2], receive_sizes = [1, 1]"),
                  exchange("send_sizes = [1, 1], receive_sizes = [1, 1]")},
                 "the first sends 2 to the second, which receives 1 from it");
}

TEST(InterpretRanks, ACollectiveThatIsNeverCompleteIsRefused) {
  const std::string sum =
      "%0 = all_reduce(%x) {op = \"sum\", group = @g}\n%1 = wait(%0)\nreturn %1";
  expect_refused({1, 1}, {sum, "return %x"},
                 "collective #1 of group \"g\" is never complete: rank 0 calls %0 = all_reduce(%x) "
                 "{op = \"sum\", group = @g} : async f32[1] of f32[1], but rank 1 never comes");
  // Each waits for what the other would send afterwards.
  const auto wait_first = [](int peer) {
    const std::string number = std::to_string(peer);
    return "%0 = recv() {dtype = f32, shape = [1], from = " + number +
           ", group = @g}\n%1 = wait(%0)\nsend(%1) {to = " + number + ", group = @g}\nreturn %x";
  };
  expect_refused({1, 1}, {wait_first(1), wait_first(0)},
                 "recv() {dtype = f32, shape = [1], from = 0, group = @g} : async f32[1], but rank "
                 "0 stands at %1 = wait(%0)");
}

TEST(InterpretRanks, ARanksOwnPartMustBeWhatTheSizesSay) {
  const std::string gather =
      "%0 = all_gather(%x) {axis = 0, group = @g, sizes = [1, 2]}\nreturn %x";
  expect_refused({2, 1}, {gather, gather},
                 "all_gather: axis 0 of f32[2] is 2, but sizes[0], which is this rank's, is 1");
  const std::string scatter =
      "%0 = scatter(%x) {axis = 0, root = 0, group = @g, sizes = [1, 2], part = 2}\nreturn %x";
  expect_refused({3, 3}, {scatter, scatter}, "scatter: part is 2, but sizes[0]");
  const std::string exchange =
      "%0 = all_to_all(%x) {axis = 0, group = @g, send_sizes = [1, 2], receive_sizes = [2, 2]}\n"
      "return %x";
  expect_refused(
      {3, 3}, {exchange, exchange},
      "all_to_all: this rank, position 0, sends 1 to itself, but receives 2 from itself");
}

TEST(InterpretRanks, AMessageToOneselfIsRefused) {
  const std::string send = "send(%x) {to = 0, group = @g} // a.cpp:1\nreturn %x";
  expect_refused({1, 1}, {send, send},
                 "a.cpp:1: send: position 0 of group \"g\" is this rank itself; for a tensor that "
                 "may stay where it is use collective_permute");
}

TEST(InterpretRanks, EveryRankNeedsItsInputs) {
  const Graph graph = parse("func @f() { return }").functions[0];
  const std::vector<const Graph*> both = {&graph, &graph};
  EXPECT_THROW(interpret(both, std::vector<std::vector<Array>>(1)), TypeError);
}

}  // namespace
}  // namespace tutti::ir::interpret_ranks_test
