// Machine code from the disk cache.

#include <tutti/codegen/driver/evaluate.h>
#include <tutti/codegen/driver/kernel_compiler.h>
#include <tutti/codegen/llvm/compile_kernels.h>
#include <tutti/codegen/llvm/compile_plan.h>
#include <tutti/ir/support/error.h>
#include <tutti/runtime/cache/disk_cache.h>

#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <thread>

#include "tests/codegen/kernel_maker.h"
#include "tests/codegen/plan_maker.h"
#include "tests/support/command.h"
#include <gmock/gmock.h>

#if TUTTI_HAS_LLVM

namespace tutti::codegen::stored_code_test {
namespace {

using namespace kernel_testing;  // NOLINT: the helpers of this folder
using runtime::DiskCache;

// y[i] = (x[i] mod 1e-30) * number, which calls the C library, too, for such quotients
Kernel mod_times(double number) {
  KernelMaker maker("mod_mul", {50}, {}, VectorAxis::outer, 64);
  const int x = maker.read(DType::f64);
  const int y = maker.write(DType::f64);
  const Affine at{0, {1}, {}};
  maker.point();
  const ValueId divisor = maker.constant(DType::f64, 1e-30);
  const ValueId rest = maker.op(ir::ScalarOp::mod, maker.load(x, at), divisor);
  maker.store(y, at, maker.op(ir::ScalarOp::mul, rest, maker.constant(DType::f64, number)));
  return maker.kernel();
}

class StoredCode : public testing::Test {
 protected:
  // As if this were a new process.
  DiskCache cache() { return DiskCache({.folder = home_.path() / "cache", .why_off = ""}); }

  // Compiles kernels with nothing in memory, and checks that they compute what they should.
  static void compile(DiskCache& cache, const std::vector<Kernel>& kernels,
                      KernelMode mode = KernelMode::llvm) {
    KernelCompiler compiler(mode, KernelCompiler::kDefaultCapacity, &cache);
    const auto codes = compiler.compile(kernels);
    for (std::size_t i = 0; i < kernels.size(); ++i) {
      Arguments wanted = make_arguments(kernels[i], 1);
      Arguments got = make_arguments(kernels[i], 1);
      run_all(*make_evaluator(kernels[i]), kernels[i], wanted);
      run_all(*codes[i], kernels[i], got);
      EXPECT_EQ(difference(kernels[i], wanted, got), "");
    }
  }
  static std::vector<Kernel> kernels(int count) {
    std::vector<Kernel> out;
    for (int i = 0; i < count; ++i) out.push_back(mod_times(i + 0.5));
    return out;
  }
  static void expect_counts(const DiskCache& cache, std::uint64_t hits, std::uint64_t stores) {
    EXPECT_EQ(cache.counts().hits, hits);
    EXPECT_EQ(cache.counts().stores, stores);
    EXPECT_EQ(cache.counts().failures, 0U) << cache.last_failure();
  }

  test::TemporaryFolder home_;
};

TEST_F(StoredCode, IsLoadedInsteadOfCompiled) {
  DiskCache first = cache();
  compile(first, kernels(5));
  expect_counts(first, 0, 5);
  EXPECT_EQ(first.counts().misses, 5U);
  DiskCache second = cache();
  compile(second, kernels(7));  // five of them are another program's, too
  expect_counts(second, 5, 2);
  for (const auto& file : second.files()) {
    EXPECT_EQ(file.name.substr(0, 7), "mod_mul");
    EXPECT_THAT(file.origin, testing::HasSubstr("LLVM"));
  }
}

TEST_F(StoredCode, BelongsToOneTarget) {
  DiskCache mine = cache();
  const Kernel kernel = mod_times(2);
  const std::vector<const Kernel*> pointers = {&kernel};
  native::compile(pointers, {}, mine);
  native::compile(pointers, {.cpu = "nehalem", .features = ""}, mine);
  native::compile(pointers, {.cpu = "nehalem", .features = "+avx"}, mine);
  expect_counts(mine, 0, 3);
  native::compile(pointers, {.cpu = "nehalem", .features = "+avx"}, mine);
  expect_counts(mine, 1, 3);
}

TEST_F(StoredCode, OfEqualKernelsWithOtherNamesIsFoundUnderTheName) {
  DiskCache mine = cache();
  Kernel renamed = mod_times(2);
  compile(mine, {renamed});
  renamed.name = "another";
  compile(mine, {renamed});
  expect_counts(mine, 0, 2);
}

TEST_F(StoredCode, ThatIsDamagedIsCompiledAndReplaced) {
  DiskCache first = cache();
  compile(first, kernels(3));
  for (const auto& file : first.files()) {
    const auto path = home_.path() / "cache" / file.path;
    std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
  }
  DiskCache second = cache();
  compile(second, kernels(3));
  expect_counts(second, 0, 3);
  EXPECT_EQ(second.counts().damaged, 3U);
  DiskCache third = cache();
  compile(third, kernels(3));
  expect_counts(third, 3, 0);
}

TEST_F(StoredCode, ThatIsNoObjectOrAnotherOneIsCompiledAndReplaced) {
  DiskCache first = cache();
  compile(first, kernels(2));
  const auto files = first.files();
  const auto read = [&](const DiskCache::File& file) {
    const std::string text = home_.read("cache/" + file.path);
    const auto bytes = std::as_bytes(std::span(text));
    return runtime::decode_entry({bytes.begin(), bytes.end()});
  };
  const auto good = read(files[0]);
  const auto other = read(files[1]);
  const auto replace = [&](std::span<const std::byte> data) {
    first.put(good.key, good.name, good.origin, data);
    DiskCache second = cache();
    compile(second, kernels(2));
    EXPECT_EQ(second.counts().stores, 1U);
  };
  replace({});
  replace(std::as_bytes(std::span("no object at all")));
  replace(good.data().first(good.data().size() / 2));
  replace(other.data());  // lacks the function that is wanted
}

TEST_F(StoredCode, IsNotNeeded) {
  DiskCache off({.folder = "", .why_off = "because"});
  compile(off, kernels(2));
  home_.write("file", "");
  DiskCache unusable({.folder = home_.path() / "file", .why_off = ""});
  compile(unusable, kernels(2));
  EXPECT_EQ(unusable.counts().misses, 0U);
}

TEST_F(StoredCode, IsNotWhatTheEvaluatorUses) {
  DiskCache mine = cache();
  compile(mine, kernels(2), KernelMode::evaluate);
  EXPECT_EQ(mine.counts().misses, 0U);
}

TEST_F(StoredCode, FailuresAreNotStored) {
  DiskCache mine = cache();
  auto some = kernels(8);
  some[3].block = 0;
  EXPECT_THROW(compile(mine, some), InternalError);
  EXPECT_EQ(mine.counts().hits, 0U);
  compile(mine, kernels(8));
}

TEST_F(StoredCode, ManyThreadsLoadAndCompile) {
  DiskCache mine = cache();
  compile(mine, kernels(6));
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] { compile(mine, kernels(12)); });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_GE(mine.counts().hits, 4U * 6U);
  EXPECT_EQ(mine.files().size(), 12U);
}

// ---- Plans

Plan some_plan() {
  test::PlanMaker maker;
  const BufferId x = maker.input();
  const BufferId sent = maker.comm();
  const BufferId local = maker.local();
  const BufferId received = maker.comm();
  maker.plan.steps.emplace_back(Allocate{sent});
  maker.launch({{x, local}, {x, sent}});
  const int work = maker.start(sent, received);
  maker.wait(work);
  maker.plan.steps.emplace_back(Free{sent});
  return maker.plan;
}

TEST_F(StoredCode, OfPlansIsSharedAndLoaded) {
  DiskCache mine = cache();
  const auto first = native::compile(some_plan(), mine);
  const auto second = native::compile(some_plan(), mine);  // another rank's
  EXPECT_EQ(first.function, second.function);
  expect_counts(mine, 0, 1);
}

TEST_F(StoredCode, OfPlansThatAreGoneIsLoadedAgain) {
  DiskCache mine = cache();
  native::compile(some_plan(), mine);
  native::compile(some_plan(), mine);
  expect_counts(mine, 1, 1);
}

// Whatever the code of a plan depends on is in its key.
TEST_F(StoredCode, OfPlansWithOtherStepsIsOtherCode) {
  const auto changed = [](const std::function<void(Plan&)>& change) {
    Plan plan = some_plan();
    change(plan);
    return plan;
  };
  const auto part = [](Plan& plan) -> LaunchPart& {
    return std::get<Launch>(plan.steps[1]).parts[0];
  };
  std::vector<Plan> plans = {
      some_plan(),
      changed([](Plan& plan) { std::get<Allocate>(plan.steps[0]).buffer = 3; }),
      changed([&](Plan& plan) { part(plan).buffers[0] = 1; }),
      changed([](Plan& plan) { plan.buffers[2].offset = 64; }),
      changed([](Plan& plan) { plan.buffers[2].kind = PlanBuffer::Kind::output; }),
      changed([&](Plan& plan) { part(plan).buffers.pop_back(); }),
      changed([](Plan& plan) { std::get<CollectiveStart>(plan.steps[2]).work = 1; }),
      changed([](Plan& plan) { std::get<CollectiveWait>(plan.steps[3]).work = 1; }),
      changed([](Plan& plan) { std::get<Free>(plan.steps[4]).buffer = 3; }),
      changed([](Plan& plan) { plan.steps.pop_back(); }),
      changed([](Plan& plan) { plan.steps[4] = CollectiveWait{.work = 1}; }),
  };
  DiskCache mine = cache();
  std::set<std::string> texts;
  for (const Plan& plan : plans) {
    native::compile(plan, mine);
    texts.insert(native::llvm_text(plan));
  }
  expect_counts(mine, 0, plans.size());
  EXPECT_EQ(texts.size(), plans.size());
}

}  // namespace
}  // namespace tutti::codegen::stored_code_test

#endif
