#pragma once

#include <tutti/runtime/comm/tell_each_other.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "tests/runtime/cuda/nccl_testing.h"
#include "tests/runtime/ranks.h"
#include <gmock/gmock.h>

// Ranks that call the double of NCCL themselves, also in ways in which Tutti never does.
namespace tutti::runtime {

inline SharedLibrary nccl_double(const std::string& folder = test::FakeCuda::folder()) {
  return {std::array{folder}, std::array<std::string_view, 1>{"libnccl.so.2"}};
}

// A stream beside the GPU's own.
class OtherStream {
 public:
  explicit OtherStream(GpuOfRank& gpu) : stream_(gpu->stream()) {
    const CudaStream::Entered entered = stream_->enter();
    driver().check(driver().cuStreamCreate(&handle_, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
  }
  ~OtherStream() {
    const CudaStream::Entered entered = stream_->try_enter();
    if (entered) driver().cuStreamDestroy(handle_);
  }
  OtherStream(const OtherStream&) = delete;
  OtherStream& operator=(const OtherStream&) = delete;

  CUstream handle() const { return handle_; }
  // Sets all bytes to zero, and returns when that is done.
  void clear(const Buffer& buffer) const {
    const CudaStream::Entered entered = stream_->enter();
    const auto place = reinterpret_cast<CUdeviceptr>(buffer.data());
    driver().check(driver().cuMemsetD8Async(place, 0, buffer.bytes(), handle_), "cuMemsetD8Async");
    driver().check(driver().cuStreamSynchronize(handle_), "cuStreamSynchronize");
  }

 private:
  const CudaDriver& driver() const { return stream_->driver(); }

  const std::shared_ptr<CudaStream> stream_;
  CUstream handle_ = nullptr;
};

// A rank of a group that calls the library itself.
class NcclCaller {
 public:
  // Connects the ranks, which all make one of that name.
  NcclCaller(HostBackend& backend, GpuOfRank& gpu, const std::vector<std::int64_t>& ranks,
             const std::string& name, const std::string& folder = test::FakeCuda::folder())
      : gpu_(gpu),
        group_(backend.communicator(ranks, name, "shm")),
        nccl_(nccl_double(folder)),
        stream_(gpu->stream()->handle()) {
    nccl::UniqueId id{};
    nccl_.ncclGetUniqueId(&id);
    const auto told = tell_each_other(*group_, std::string(id.bytes, sizeof(id.bytes)));
    std::copy_n(told[0].data(), sizeof(id.bytes), id.bytes);
    nccl::Config config;
    entered([&] {
      return nccl_.ncclCommInitRankConfig(&handle_, static_cast<int>(ranks.size()), id,
                                          group_->position(), &config);
    });
    finish();
  }
  ~NcclCaller() { abort(); }
  NcclCaller(const NcclCaller&) = delete;
  NcclCaller& operator=(const NcclCaller&) = delete;

  const Nccl* operator->() const { return &nccl_; }
  nccl::Communicator* handle() { return handle_; }
  int rank() const { return group_->position(); }
  // What it launches from now on goes there.
  void launch_on(const OtherStream& stream) { stream_ = stream.handle(); }
  // Until all members have come to it.
  void meet() const { tell_each_other(*group_, ""); }
  // The same at the end: a member that ends would end the others' calls.
  void leave() const {
    meet();
    group_->close();
  }

  nccl::Communicator* abort() {
    if (handle_ != nullptr) nccl_.ncclCommAbort(handle_);
    return std::exchange(handle_, nullptr);
  }
  // In peace.
  nccl::Communicator* end() {
    nccl_.ncclCommFinalize(handle_);
    finish();
    nccl_.ncclCommDestroy(handle_);
    return std::exchange(handle_, nullptr);
  }
  // Until what was begun is over; says how.
  nccl::Result finish() {
    nccl::Result state = nccl::Result::in_progress;
    while (state == nccl::Result::in_progress) nccl_.ncclCommGetAsyncError(handle_, &state);
    return state;
  }
  // Whether the stream is done.
  bool is_done() {
    const CudaStream::Entered in = gpu_->stream()->enter();
    CudaEvent event(gpu_->stream());
    event.record(stream_);
    return event.is_done();
  }
  // Until it is, without waiting in the driver.
  void wait() {
    const CudaStream::Entered in = gpu_->stream()->enter();
    CudaEvent event(gpu_->stream());
    event.record(stream_);
    while (!event.is_done()) std::this_thread::yield();
  }

  // A call with the GPU's context.
  nccl::Result entered(const std::function<nccl::Result()>& call) const {
    const CudaStream::Entered in = gpu_->stream()->enter();
    return call();
  }
  // `calls(stream)` in a group of their own.
  nccl::Result launch(const std::function<void(CUstream)>& calls) const {
    return entered([&] {
      nccl_.ncclGroupStart();
      calls(stream_);
      return nccl_.ncclGroupEnd();
    });
  }
  nccl::Result sum(const void* from, void* to, std::size_t count,
                   nccl::DataType type = nccl::DataType::f32) const {
    return launch([&](CUstream stream) {
      nccl_.ncclAllReduce(from, to, count, type, nccl::Operation::sum, handle_, stream);
    });
  }
  nccl::Result gather(const void* from, void* to, std::size_t count) const {
    return launch([&](CUstream stream) {
      nccl_.ncclAllGather(from, to, count, nccl::DataType::f32, handle_, stream);
    });
  }
  nccl::Result scatter_sum(const void* from, void* to, std::size_t count) const {
    return launch([&](CUstream stream) {
      nccl_.ncclReduceScatter(from, to, count, nccl::DataType::f32, nccl::Operation::sum, handle_,
                              stream);
    });
  }
  // With another rank, which sends so many and gets so many.
  nccl::Result swap(const void* from, std::size_t sent, void* to, std::size_t received,
                    int peer) const {
    return launch([&](CUstream stream) {
      nccl_.ncclSend(from, sent, nccl::DataType::f32, peer, handle_, stream);
      nccl_.ncclRecv(to, received, nccl::DataType::f32, peer, handle_, stream);
    });
  }
  // Begins to; the library writes the window to its place when all members have.
  nccl::Window*& begin_window(void* place, std::size_t bytes,
                              int flags = nccl::kWindowOfAllMembers) {
    windows_.push_back(std::make_unique<nccl::Window*>(nullptr));
    entered([&] {
      return nccl_.ncclCommWindowRegister(handle_, place, bytes, windows_.back().get(), flags);
    });
    return *windows_.back();
  }
  nccl::Window* open_window(void* place, std::size_t bytes) {
    nccl::Window*& window = begin_window(place, bytes);
    finish();
    return window;
  }
  void close_window(nccl::Window* window) const {
    entered([&] { return nccl_.ncclCommWindowDeregister(handle_, window); });
  }

 private:
  GpuOfRank& gpu_;
  const std::shared_ptr<Communicator> group_;
  const Nccl nccl_;
  CUstream stream_;
  nccl::Communicator* handle_ = nullptr;
  std::vector<std::unique_ptr<nccl::Window*>> windows_;
};

using NcclCalls = std::function<void(NcclCaller& nccl, GpuOfRank& gpu, int rank)>;

// Makes calls on all ranks, whose communicators are connected.
inline void with_nccl(HostBackend& backend, GpuOfRank& gpu, const NcclCalls& calls) {
  NcclCaller nccl(backend, gpu, first_ranks(backend.ranks()), "all");
  calls(nccl, gpu, nccl.rank());
  nccl.leave();
}

// Two ranks make calls, and do nothing that the double is to complain of.
inline void expect_no_complaint(const NcclCalls& calls) {
  const auto thrown =
      run_gpus(2, [&](HostBackend& backend, GpuOfRank& gpu) { with_nccl(backend, gpu, calls); });
  EXPECT_THAT(thrown, testing::Each(""));
}

// Two ranks make calls of which the double is to complain with all of these lines: on both of them,
// or on that one alone.
inline void expect_complaints(const std::vector<std::string>& lines, const NcclCalls& calls,
                              int of_rank = -1) {
  const auto thrown = run_gpus(2, [&](HostBackend& backend, GpuOfRank& gpu) {
    with_nccl(backend, gpu, calls);
    const std::string said = gpu.nccl_complaints();
    if (of_rank >= 0 && of_rank != backend.rank()) {
      EXPECT_EQ(said, "");
      return;
    }
    for (const std::string& line : lines) EXPECT_THAT(said, testing::HasSubstr(line));
  });
  EXPECT_THAT(thrown, testing::Each(""));
}

inline void expect_complaint(const std::string& line, const NcclCalls& calls, int of_rank = -1) {
  expect_complaints({line}, calls, of_rank);
}

}  // namespace tutti::runtime
