#include <tutti/ir/support/error.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "tests/runtime/cuda/testing.h"
#include <sys/wait.h>
#include <unistd.h>

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
  std::vector<float> host(64);
  const auto registered = gpu.register_host(Buffer::wrap(host.data(), 256));
  gpu.begin_copy_out(host.data(), x->data(), 256);
  gpu.finish_copies_out();
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
         function.find("Pop") != std::string::npos || function.find("Free") != std::string::npos ||
         function.find("Release") != std::string::npos ||
         function.find("Unregister") != std::string::npos ||
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
    // These are called at releases, too; and what can't be registered is copied another way.
    EXPECT_TRUE(function == "cuCtxPushCurrent" || function == "cuStreamSynchronize" ||
                function == "cuMemHostRegister")
        << which;
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
  counts["cuCtxPushCurrent"] = 20;     // not in the log
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

TEST(CudaFailures, SayWhatCouldBeDone) {
  test::FakeCuda fake;
  const auto message = [&](CUresult result) {
    fake.fail("cuStreamCreate", 1, result);
    return message_of<EnvironmentError>([&] { use_all(fake.driver()); });
  };
  EXPECT_THAT(message(CUDA_ERROR_SYSTEM_NOT_READY), HasSubstr("nvidia-fabricmanager"));
  EXPECT_THAT(message(CUDA_ERROR_DEVICE_UNAVAILABLE), HasSubstr("nvidia-smi -q -d COMPUTE"));
  EXPECT_THAT(message(CUDA_ERROR_UNSUPPORTED_PTX_VERSION), HasSubstr("tutti doctor"));
}

TEST(CudaFailures, AProcessThatIsForkedOffIsToldSo) {
  test::FakeCuda fake;
  const auto gpu = std::make_unique<CudaAccelerator>(fake.driver(), 0);
  const auto x = on_device(*gpu, count_up(8));
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    const std::string message = message_of<EnvironmentError>([&] { to_host(*gpu, *x); });
    const bool written = write(ends[1], message.data(), message.size()) >= 0;
    _exit(written ? 0 : 1);
  }
  close(ends[1]);
  std::string said(1000, ' ');
  said.resize(
      static_cast<std::size_t>(std::max<ssize_t>(read(ends[0], said.data(), said.size()), 0)));
  close(ends[0]);
  waitpid(child, nullptr, 0);
  EXPECT_THAT(said, HasSubstr("this process was forked off one that used the GPU"));
  EXPECT_EQ(to_host(*gpu, *x), count_up(8));
}

TEST(CudaFailures, ANumberThatTheDriverHasNoNameForIsShown) {
  test::FakeCuda fake;
  fake.fail("cuStreamCreate", 1, CUDA_ERROR_ECC_UNCORRECTABLE);
  EXPECT_EQ(message_of<EnvironmentError>([&] { use_all(fake.driver()); }),
            "cuStreamCreate failed: error 214; on cuda:0");
}

}  // namespace
}  // namespace tutti::runtime::failures_test
