#pragma once

#include <tutti/runtime/cuda/accelerator.h>
#include <tutti/runtime/dylib/nccl.h>

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "tests/fake_cuda/nccl/control.h"
#include "tests/runtime/cuda/testing.h"
#include "tests/runtime/processes.h"

// Ranks that are processes, each with a GPU, on the doubles of the driver and of NCCL.
namespace tutti::runtime {

// A host with a few of them.
inline FakeCudaSetup some_gpus() {
  FakeCudaSetup setup = test::FakeCuda::kUsual;
  setup.devices = 4;
  setup.find_races = false;
  return setup;
}

// One rank's GPU, with the double of NCCL, which the process then has.
class GpuOfRank {
 public:
  GpuOfRank(std::int64_t rank, const std::string& nccl_folder, const FakeCudaSetup& setup)
      : nccl_(std::array{nccl_folder}, std::array<std::string_view, 1>{"libnccl.so.2"}),
        fake_(*new test::FakeCuda(setup)),
        gpu_(std::make_unique<CudaAccelerator>(fake_.driver(), static_cast<int>(rank))) {
    // What a test of this process left would be used in its place.
    EXPECT_EQ(open_nccl().path(), nccl_.path());
  }

  CudaAccelerator& operator*() { return *gpu_; }
  CudaAccelerator* operator->() { return gpu_.get(); }

  std::shared_ptr<Buffer> put(std::span<const std::byte> bytes) {
    auto buffer = gpu_->memory().allocate(std::max<std::size_t>(bytes.size(), 1));
    gpu_->copy_in(buffer->data(), bytes.data(), bytes.size());
    return buffer;
  }
  std::vector<std::byte> get(const Buffer& buffer, std::size_t bytes) {
    std::vector<std::byte> out(bytes);
    gpu_->copy_out(out.data(), buffer.data(), bytes);
    return out;
  }
  void fail(const char* function, int nth, nccl::Result result) {
    control<decltype(fake_nccl_fail)>("fake_nccl_fail")(function, nth, static_cast<int>(result));
  }
  // See control.h, of both.
  void die(const char* function, int nth) {
    control<decltype(fake_nccl_die)>("fake_nccl_die")(function, nth);
  }
  void hang(int nth) { control<decltype(fake_nccl_hang)>("fake_nccl_hang")(nth); }
  void notice_deaths() { control<decltype(fake_nccl_notice_deaths)>("fake_nccl_notice_deaths")(); }
  void fail_driver(const char* function, int nth, CUresult result) {
    fake_.fail(function, nth, result);
  }
  // From now on its GPU does not reach the others' memory.
  void isolate() { fake_.isolate(); }
  // What ran since the last call of this or the next, a line each.
  std::string operations() { return fake_.operations(); }
  // How many kernels of that name did.
  int launched(const std::string& kernel) {
    std::istringstream lines(fake_.operations());
    int count = 0;
    for (std::string line; std::getline(lines, line);) {
      count += line.starts_with("cuLaunchKernel ") && line.find(" " + kernel) != line.npos ? 1 : 0;
    }
    return count;
  }
  // See control.h.
  void fail_window(int nth, nccl::Result result, bool late) {
    control<decltype(fake_nccl_fail_window)>("fake_nccl_fail_window")(nth, static_cast<int>(result),
                                                                      late);
  }
  void give_no_windows() {
    control<decltype(fake_nccl_give_no_windows)>("fake_nccl_give_no_windows")();
  }
  int communicators() {
    return control<decltype(fake_nccl_communicators)>("fake_nccl_communicators")();
  }
  int windows() { return control<decltype(fake_nccl_windows)>("fake_nccl_windows")(); }
  int in_windows() { return control<decltype(fake_nccl_in_windows)>("fake_nccl_in_windows")(); }
  // What that of NCCL complains of up to now.
  std::string nccl_complaints() {
    return control<decltype(fake_nccl_complaints)>("fake_nccl_complaints")();
  }
  std::string driver_complaints() { return fake_.complaints(); }
  // The calls of the driver since the last call of this.
  std::string driver_calls() { return fake_.calls(); }
  // What the doubles complain of; empty where all is right and over.
  std::string complaints() {
    gpu_ = nullptr;
    const int under_way = control<decltype(fake_nccl_under_way)>("fake_nccl_under_way")();
    return nccl_complaints() + fake_.complaints() +
           (under_way == 0 ? "" : std::to_string(under_way) + " calls are under way\n");
  }

 private:
  template <class Function>
  Function* control(const char* name) const {
    return reinterpret_cast<Function*>(nccl_.symbol(name));
  }

  SharedLibrary nccl_;
  test::FakeCuda& fake_;  // like a driver, there to the end
  std::unique_ptr<CudaAccelerator> gpu_;
};

// Runs a body as every rank, with its GPU; says what it threw, and what the doubles complain of.
inline std::vector<std::string> run_gpus(
    std::int64_t ranks, const std::function<void(HostBackend&, GpuOfRank&)>& body,
    const std::string& nccl_folder = test::FakeCuda::folder(),
    const FakeCudaSetup& setup = some_gpus(),
    const AlgorithmTable& algorithms = AlgorithmTable::defaults()) {
  ShmOptions options;
  options.host.algorithms = algorithms;
  options.host.timeout = std::chrono::seconds(20);
  return run_processes(
      ranks,
      [&](HostBackend& backend) {
        GpuOfRank gpu(backend.rank(), nccl_folder, setup);
        try {
          body(backend, gpu);
        } catch (const std::exception& error) {
          const std::string complaints = gpu.complaints();
          if (complaints.empty()) throw;
          // In place of what the test expects to be thrown.
          ADD_FAILURE() << complaints << "behind: " << error.what();
          throw std::runtime_error("the doubles complain");
        }
        EXPECT_EQ(gpu.complaints(), "");
      },
      options);
}

inline std::shared_ptr<const PreparedCall> prepared_sum_of(Communicator& group,
                                                           std::int64_t elements) {
  CollectiveCall call{.kind = CollectiveKind::all_reduce, .parts = {{.elements = elements}}};
  call.description = "all_reduce sum f32[" + std::to_string(elements) + "]";
  return group.prepare(std::move(call));
}

inline std::shared_ptr<Buffer> ones(GpuOfRank& gpu, std::size_t count) {
  return on_device(*gpu, std::vector<float>(count, 1.F));
}

}  // namespace tutti::runtime
