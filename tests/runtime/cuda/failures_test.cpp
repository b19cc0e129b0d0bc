#include <tutti/ir/support/error.h>

#include <map>
#include <sstream>

#include "tests/runtime/cuda/testing.h"

namespace tutti::runtime::failures_test {
namespace {

using testing::HasSubstr;

// All that the runtime does with the driver.
void use_all(const CudaDriver& driver) {
  CudaAccelerator gpu(driver, 0);
  gpu.name();
  gpu.target();
  const auto kernel = add_one();
  const auto x = on_device(gpu, count_up(64));
  const auto y = gpu.memory().allocate(256);
  launch(*kernel, gpu, {x.get(), y.get()});
  gpu.workspace(5000);
  gpu.copy(x->data(), y->data(), 256);
  const auto recording = gpu.record([&] { launch(*kernel, gpu, {x.get(), y.get()}); });
  recording->replay();
  std::vector<float> many(3 * CudaStaging::kPieceBytes / sizeof(float), 1.0F);
  const auto large = on_device(gpu, many);
  to_host(gpu, *large);
  gpu.synchronize();
}

// How often each function was called, of a log.
std::map<std::string, int> count_calls(const std::string& log) {
  std::map<std::string, int> counts;
  std::istringstream in(log);
  for (std::string line; std::getline(in, line);) {
    ++counts[line.substr(0, line.find_first_of(" :="))];
  }
  return counts;
}

// Those that give something back: where they fail nobody is told.
bool is_release(const std::string& function) {
  return function.find("Destroy") != std::string::npos ||
         function.find("Free") != std::string::npos ||
         function.find("Release") != std::string::npos ||
         function.find("Unload") != std::string::npos;
}

// Makes one call fail.
void check_failure(const std::string& function, int nth) {
  test::FakeCuda fake;
  fake.fail(function.c_str(), nth, CUDA_ERROR_UNKNOWN);
  const std::string message = message_of<EnvironmentError>([&] { use_all(fake.driver()); });
  const std::string which = function + " number " + std::to_string(nth);
  if (is_release(function)) {
    EXPECT_EQ(message, "") << which;
    return;
  }
  if (message.empty()) {
    // These are called at releases, too.
    EXPECT_TRUE(function == "cuCtxSetCurrent" || function == "cuStreamSynchronize") << which;
    return;
  }
  EXPECT_EQ(fake.complaints(), "") << which;
  EXPECT_THAT(message, HasSubstr(function + " failed: CUDA_ERROR_UNKNOWN (unknown error)"))
      << which;
  EXPECT_EQ(fake.left(), "") << which;
}

TEST(CudaFailures, EveryCallThatFailsIsNamedAndNothingIsLeftBehind) {
  std::map<std::string, int> counts;
  {
    test::FakeCuda fake;
    use_all(fake.driver());
    counts = count_calls(fake.calls());
    ASSERT_EQ(fake.complaints(), "");
    ASSERT_EQ(fake.left(), "");
  }
  counts["cuCtxSetCurrent"] = 20;      // not in the log
  counts.erase("cuStreamEndCapture");  // whatever it says it does: see recording_test.cpp
  EXPECT_GT(counts.size(), 25U);
  for (const auto& [function, count] : counts) {
    for (int nth = 1; nth <= count; ++nth) check_failure(function, nth);
  }
}

TEST(CudaFailures, AnotherTryAfterAFailureWorks) {
  test::FakeCuda fake;
  for (const char* const function :
       {"cuDevicePrimaryCtxRetain", "cuStreamCreate", "cuMemHostAlloc", "cuModuleLoadData",
        "cuModuleGetFunction", "cuGraphInstantiate", "cuStreamBeginCapture", "cuEventCreate"}) {
    fake.fail(function, 1, CUDA_ERROR_OUT_OF_MEMORY);
    EXPECT_THAT(message_of<EnvironmentError>([&] { use_all(fake.driver()); }),
                HasSubstr(std::string(function) + " failed: CUDA_ERROR_OUT_OF_MEMORY"));
    use_all(fake.driver());
  }
  EXPECT_EQ(fake.complaints(), "");
  EXPECT_EQ(fake.left(), "");
}

TEST(CudaFailures, ANumberThatTheDriverHasNoNameForIsShown) {
  test::FakeCuda fake;
  fake.fail("cuStreamCreate", 1, CUDA_ERROR_ECC_UNCORRECTABLE);
  EXPECT_EQ(message_of<EnvironmentError>([&] { use_all(fake.driver()); }),
            "cuStreamCreate failed: error 214; on cuda:0");
}

}  // namespace
}  // namespace tutti::runtime::failures_test
