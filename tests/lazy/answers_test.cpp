#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <span>
#include <sstream>
#include <stdexcept>
#include <system_error>

#include "tests/lazy/lazy_testing.h"

// What people are told, on their own line, when something cannot be.
namespace tutti::test::answers_test {
namespace {

TEST(Answers, ShapesThatCannotBe) {
  expect_error<TypeError>([] { from(Floats{1, 2, 3, 4, 5}, {2, 3}); },
                          {"5 values do not fill shape [2,3], which has 6 elements"});
  expect_error<TypeError>([] { zeros({-1}); }, {"a negative size in dimension 0"});
  expect_error<TypeError>([] { zeros({1, 1, 1, 1, 1, 1, 1, 1, 1}); }, {"9 dimensions; at most 8"});
  expect_error<TypeError>([] { zeros(std::vector{-1}); }, {"a negative size in dimension 0"});
  expect_error<TypeError>([] { zeros(std::vector<std::int64_t>{2, -3}); }, {"dimension 1"});
  const Floats few = {1.F};
  expect_error<TypeError>([&] { zeros({few.size() - 2}); },
                          {"shape [9223372036854775807] has 2^60 elements or more"});
  expect_error<TypeError>([] { zeros(std::vector(9, 1)); }, {"9 dimensions; at most 8"});
  expect_error<TypeError>([] { arange(-3); }, {"arange: -3 numbers"});
  expect_error<TypeError>([] { eye(2, -3); }, {"eye: 2 rows and -3 columns"});
  expect_error<TypeError>([] { broadcast_to(ones({1}), {-2}); }, {"negative size"});
}

TEST(Answers, DifferencesOfUnsignedNumbersBelow0AreNeitherSizesNorAxes) {
  const std::size_t none = 0;
  const Tensor x = ones({2, 1});
  const std::string beyond = "9223372036854775807";
  expect_error<TypeError>([&] { reshape(x, {none - 1}); }, {beyond});
  expect_error<TypeError>([&] { reshape(x, std::vector{none - 1, std::size_t{2}}); }, {beyond});
  expect_error<TypeError>([&] { broadcast_to(x, {2, none - 1}); }, {beyond});
  expect_error<TypeError>([&] { transpose(x, {none - 1, 0}); }, {"transpose: axis " + beyond});
  expect_error<TypeError>([&] { reverse(x, {none - 1}); }, {"reverse: axis " + beyond});
  expect_error<TypeError>([&] { expand_dims(x, {none - 1}); }, {"expand_dims: axis " + beyond});
}

TEST(Answers, ShapesAreMadeOfWhateverHoldsWholeNumbers) {
  const int rows = 2;
  const Floats six = {0, 1, 2, 3, 4, 5};
  const Shape expected = {2, 3};
  EXPECT_EQ(from(six, {rows, six.size() / 2}).shape(), expected);
  EXPECT_EQ(zeros(std::vector{2, 3}).shape(), expected);
  EXPECT_EQ(zeros(std::vector<std::size_t>{2, 3}).shape(), expected);
  EXPECT_EQ(zeros(std::array{2U, 3U}).shape(), expected);
  const std::vector<std::int64_t> sizes = {2, 3, 4};
  EXPECT_EQ(zeros(std::span(sizes).first(2)).shape(), expected);
  EXPECT_EQ(reshape(from(six, {6}), std::vector{2, -1}).shape(), expected);
  EXPECT_EQ(reshape(from(six, {six.size()}), {rows, six.size() / 2}).shape(), expected);
  EXPECT_EQ(broadcast_to(tensor(1.F), std::array{2, 3}).shape(), expected);
  EXPECT_EQ(transpose(zeros({3, 2}), std::array{1, 0}).shape(), expected);
}

TEST(Answers, ShapesAreMadeOfListsAndListsOfShapes) {
  const std::vector<std::int64_t> sizes = {2, 3};
  const Tensor x = zeros(sizes);
  EXPECT_EQ(x.shape(), Shape({2, 3}));
  EXPECT_EQ(reshape(arange(6), x.shape()).shape(), x.shape());
  EXPECT_EQ(broadcast_to(tensor(1.F), x.shape()).shape(), x.shape());
}

TEST(Answers, ShapesAndRanksOutliveWhatTheyWereAskedOf) {
  std::vector<std::int64_t> seen;
  for (const std::int64_t size : transpose(zeros({2, 3})).shape()) seen.push_back(size);
  for (const std::int64_t size : zeros({4}).array().shape()) seen.push_back(size);
  for (const std::int64_t size : zeros({5}).host<float>().shape()) seen.push_back(size);
  const DeviceMesh mesh({{"dp", 2}, {"tp", 2}});
  for (const std::int64_t rank : mesh["tp"].ranks()) seen.push_back(rank);
  for (const std::int64_t size : mesh.flatten().sizes()) seen.push_back(size);
  EXPECT_EQ(seen, std::vector<std::int64_t>({3, 2, 4, 5, 0, 1, 2, 3, 4}));
}

TEST(Answers, AxesAndElementsThatAreNotThere) {
  const Tensor x = zeros({2, 3});
  expect_error<TypeError>([&] { sum(x, 2); }, {"sum: axis 2 of f32[2,3]; -2 to 1 are there"});
  expect_error<TypeError>([&] { sum(tensor(1.F), 0); }, {"axis 0 of f32[], which has none"});
  expect_error<TypeError>([&] { concat({x, x}, 2); }, {"concat: axis 2 of f32[2,3]"});
  expect_error<TypeError>([&] { x.size(2); }, {"dimension 2 of f32[2,3]; -2 to 1 are there"});
  expect_error<TypeError>([&] { slice(x, {{}, {}, {}}); }, {"3 ranges for the 2 axes of f32[2,3]"});
  EXPECT_EQ(take(arange(3), -1).item<std::int64_t>(), 2);
  expect_error<TypeError>([&] { take(x, 3, 1); }, {"no element 3 along axis 1 of f32[2,3]"});
  expect_error<TypeError>([&] { take(x, std::size_t{9}); }, {"no element 9 along axis 0"});
  expect_error<TypeError>([&] { take(x, -3); }, {"no element -3 along axis 0"});
}

TEST(Answers, TensorsWithoutAValue) {
  Tensor x = tensor({1.F});
  const Tensor y = std::move(x);
  expect_error<UsageError>([&] { sum(x); },  // NOLINT(bugprone-use-after-move): that is the point
                           {"this tensor was moved from", "use what that gave"});
  expect_error<UsageError>([&] { x.item<float>(); }, {"was moved from"});
  expect_error<UsageError>([] { sum(Tensor()); }, {"this tensor was never given a value"});
  std::ostringstream out;
  expect_error<UsageError>([&] { out << x; }, {"was moved from"});
  expect_error<UsageError>([&] { out << Tensor(); }, {"never given a value"});
  expect_error<UsageError>([&] { out << AsyncTensor(); }, {"never given a value"});
  x = tensor({2.F});
  EXPECT_EQ(sum(x).item<float>(), 2);
}

TEST(Answers, TensorsOfTreesWithoutAValueAreNamed) {
  using Model = std::map<std::string, std::vector<Tensor>>;
  auto f = compile([](const Model& model) { return model.at("a")[1]; });
  Model model = {{"a", {ones({1}), ones({1})}}};
  const Tensor taken = std::move(model["a"][1]);
  expect_error<UsageError>([&] { f(model); }, {"argument '0.a.1' was moved from"});
  expect_error<UsageError>([&] { eval(model); }, {"'a.1' was moved from"});
  model["a"][1] = Tensor();
  expect_error<UsageError>([&] { f(model); }, {"argument '0.a.1' was never given a value"});
  const auto loss = [](const Model& m) { return sum(m.at("a")[0]); };
  expect_error<UsageError>([&] { grad(loss)(model); }, {"'a.1' was never given a value"});
}

TEST(Answers, CallsOfCompiledFunctionsAtTheirLine) {
  auto f = compile([](const Tensor& x) { return x; },
                   {{.argument = "0", .dimension = 0, .name = "n", .most = 8}});
  expect_error<TypeError>([&] { f(ones({9})); }, {"has size 9", "1 <= n <= 8"});
  auto generic = compile([](const auto& x) { return x; },
                         {{.argument = "0", .dimension = 0, .name = "n", .most = 8}});
  expect_error<TypeError>([&] { generic(ones({9})); }, {"has size 9"});
  auto g = compile(
      [](const std::vector<Tensor>& both, float scale) { return (both[0] + both[1]) * scale; });
  const Tensor one = ones({1});
  EXPECT_EQ(g({one, one}, 2.F).item<float>(), 4) << "a list in braces";
}

TEST(Answers, ExplainSaysWhichLineMadeANumberPartOfTheProgram) {
  unsigned line = 0;
  auto f = compile([&](const Tensor& x, float rate) {
    line = __LINE__ + 1;
    return x * (1.F - rate);
  });
  f(ones({1}), 0.5F);
  f(ones({1}), 0.25F);
  EXPECT_THAT(f.explain(),
              testing::AllOf(testing::HasSubstr("1: float = 0.5 became 1: float = 0.25"),
                             testing::HasSubstr("answers_test.cpp:" + std::to_string(line))));
  auto g = compile([&](const Tensor& x, float rate) { return x * rate; });
  g(ones({1}), 0.5F);
  EXPECT_THAT(g.explain(), testing::Not(testing::HasSubstr("part of its programs")));
}

TEST(Answers, CompileInsideOfALoopWarnsOnce) {
  testing::internal::CaptureStderr();
  const auto call = [](const Tensor& x, bool other) {
    return compile([other](const Tensor& y) { return other ? y - 1.F : y + 1.F; })(x);
  };
  for (int i = 0; i < 7; ++i) call(ones({2}), false);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  testing::internal::CaptureStderr();
  for (int i = 0; i < 20; ++i) call(ones({2}), false);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_THAT(said, testing::HasSubstr("same program 8 times; call compile() once"));
  EXPECT_EQ(std::ranges::count(said, '\n'), 1);
  testing::internal::CaptureStderr();
  for (int i = 0; i < 20; ++i) call(ones({2}), i % 2 == 0);  // others each time
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(Answers, BranchesAsTheyAreWritten) {
  const Tensor x = ones({2});
  const auto same = [](const Tensor& y) { return y; };
  const auto wide = [](const Tensor& y) { return cast(y, DType::f64); };
  expect_error<TypeError>([&] { cond(tensor(true), same, wide, x); },
                          {"f64[2] of @on_false, but f32[2] of @on_true"});
}

TEST(Answers, OtherExceptionsKeepTheirRankAndType) {
  const auto on_rank_1 = [](auto error) {
    return [=](World& world) {
      if (world.rank() == 1) throw error;
      eval(all_reduce(ones({2}), world));
    };
  };
  const auto text_of = [&]<class E>(const E& error) -> std::string {
    try {
      simulate(2, on_rank_1(error));
    } catch (const E& got) {
      return got.what();
    }
    return "another type";
  };
  EXPECT_EQ(text_of(ParseError("no number")), "rank 1: no number");
  EXPECT_EQ(text_of(VerifyError("a cycle")), "rank 1: a cycle");
  EXPECT_EQ(text_of(std::runtime_error("disk full")), "rank 1: disk full");
  EXPECT_EQ(text_of(std::out_of_range("no")), "rank 1: no");
  const std::error_code full(ENOSPC, std::generic_category());
  EXPECT_EQ(text_of(std::system_error(full, "x")), "rank 1: x: " + full.message());
  EXPECT_EQ(text_of(std::system_error(full)), "rank 1: " + full.message());
  struct Own : std::runtime_error {
    using std::runtime_error::runtime_error;
  };
  testing::internal::CaptureStderr();
  EXPECT_EQ(text_of(Own("mine")), "mine");
  EXPECT_THAT(testing::internal::GetCapturedStderr(), testing::HasSubstr("rank 1 threw: mine"));
}

TEST(Answers, ErrorsOfARankKeepTheirLine) {
  const Location line = std::source_location::current();
  try {
    simulate(1, [&](World&) { throw TypeError("odd", line); });
    ADD_FAILURE() << "nothing was thrown";
  } catch (const TypeError& error) {
    EXPECT_EQ(error.what(), "rank 0: " + line.text() + ": odd");
    EXPECT_EQ(error.where(), line);
    EXPECT_EQ(error.message(), "rank 0: odd");
  }
}

TEST(Answers, MessagesThatWaitForEachOther) {
  expect_error<CommError>(
      [] {
        simulate(2,
                 [](World& world) {
                   const int other = 1 - world.rank();
                   eval(recv({3}, DType::f32, world, other));
                   send(ones({3}), world, other);
                 },
                 {.timeout = std::chrono::milliseconds(300)});
      },
      {"waits for rank", "each waits for what the other would send afterwards", "batch_send_recv"},
      kNowhere);
}

TEST(Answers, UnevenPartsAreAdvisedSizes) {
  expect_error<CommError>(
      [] { simulate(2, [](World& w) { eval(all_gather(ones({4 + w.rank()}), w)); }); },
      {"does not match", "are given with .sizes"}, kNowhere);
  expect_error<TypeError>([] { simulate(2, [](World& w) { reduce_scatter(ones({5}), w); }); },
                          {"do not divide the 5 of axis 0", "given with sizes"}, kNowhere);
}

TEST(Answers, MemoryThatIsNotThereIsSaidWhereItIsAskedFor) {
  const unsigned line = __LINE__ + 1;
  const Tensor x = zeros({std::int64_t{1} << 46});
  expect_error<OutOfMemoryError>([&] { eval(x); }, {"out of memory"}, line);
  expect_error<OutOfMemoryError>([&] { x.to_vector<float>(); }, {"out of memory"}, line);
  // More than addresses can say.
  const unsigned sum_line = __LINE__ + 1;
  const Tensor running = cumsum(full({Shape::kMostElements}, 1.0), 0);
  expect_error<OutOfMemoryError>([&] { eval(sum(running)); }, {"out of memory"}, sum_line);
}

TEST(Answers, MeshesAtTheLine) {
  simulate(2, [](World& world) {
    const DeviceMesh mesh(world, {{"dp", 2}});
    expect_error<TypeError>([&] { mesh["tp"]; }, {"no dimension \"tp\"; did you mean 'dp'?"});
    expect_error<TypeError>([&] { Group(mesh, "tp"); }, {"no dimension \"tp\""});
  });
}

TEST(Answers, TreesThatDifferBetweenRanksAreNamed) {
  simulate(3, [](World& world) {
    const float own = world.rank() == 2 ? 1.F : 0.F;
    const std::map<std::string, std::vector<Tensor>> model = {
        {"a", {ones({2})}}, {"b", {ones({2}), tensor({own, 2.F})}}, {"c", {tensor({own})}}};
    expect_error<UsageError>(
        [&] { replicated(model, world); },
        {"'b.1', f32[2], differs on rank 0 and on rank 2, and 1 more leaves do", "broadcast"});
    std::vector<Tensor> uneven(static_cast<std::size_t>(1 + world.rank() / 2), ones({1}));
    expect_error<UsageError>([&] { replicated(uneven, world); },
                             {"the trees on rank 0 and on rank 2 hold 1 and 2 tensors"});
    expect_error<UsageError>([&] { replicated(tensor(own), world); }, {"the tensor, f32[]"});
  });
}

TEST(Answers, TreesOfOtherStructure) {
  const std::vector<Tensor> two = {ones({1}), ones({1})};
  const std::vector<Tensor> one = {ones({1})};
  expect_error<UsageError>(
      [&] { map([](const Tensor& a, const Tensor& b) { return a + b; }, two, one); },
      {"map: the trees differ in structure: the first has 2 tensors, number 2 has 1, and '1' is "
       "only in the first"},
      __LINE__ - 3);
}

}  // namespace
}  // namespace tutti::test::answers_test
