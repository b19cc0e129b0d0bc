// The double of NCCL, checked: what it must complain of where there are several communicators.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tests/runtime/cuda/nccl_caller.h"

namespace tutti::runtime::nccl_double_order_test {
namespace {

using testing::Contains;
using testing::Each;
using testing::HasSubstr;

constexpr const char* kCircle = "ranks launch in orders that make a circle: ";

// One of a rank's communicators, which launches on a stream of its own: so none waits for another
// one's launches, and ranks come to their end whatever their orders.
class Beside {
 public:
  Beside(HostBackend& backend, GpuOfRank& gpu, const std::vector<std::int64_t>& ranks,
         const std::string& name)
      : stream_(gpu), nccl_(backend, gpu, ranks, name), values_(ones(gpu, 64)) {
    gpu->synchronize();
    nccl_.launch_on(stream_);
  }

  void sum() {
    nccl_.sum(values_->data(), values_->data(), 64);
    nccl_.finish();
  }
  void swap(int peer) {
    const std::size_t half = values_->bytes() / 2;
    nccl_.swap(values_->data(), 32, values_->data() + half, 32, peer);
    nccl_.finish();
  }
  void wait() { nccl_.wait(); }

 private:
  const OtherStream stream_;
  NcclCaller nccl_;
  const std::shared_ptr<Buffer> values_;
};

// What is complained of by each of so many ranks that launch, when all have.
void expect_of_ranks(std::int64_t ranks, const testing::Matcher<std::vector<std::string>>& said,
                     const std::function<void(HostBackend& backend, GpuOfRank& gpu,
                                              const std::function<void()>& meet)>& launch) {
  const auto thrown = run_gpus(ranks, [&](HostBackend& backend, GpuOfRank& gpu) {
    const auto world = backend.communicator(first_ranks(ranks), "world", "shm");
    launch(backend, gpu, [&] { tell_each_other(*world, ""); });
    // Whoever ends first sees it, and perhaps no other.
    EXPECT_THAT(tell_each_other(*world, gpu.nccl_complaints()), said);
    world->close();
  });
  EXPECT_THAT(thrown, Each(""));
}

TEST(NcclDoubleOrder, TwoOrdersAreComplainedOfThoughTheyPass) {
  expect_of_ranks(2, Contains(HasSubstr(kCircle)),
                  [](HostBackend& backend, GpuOfRank& gpu, const std::function<void()>& meet) {
                    Beside one(backend, gpu, {0, 1}, "one");
                    Beside other(backend, gpu, {0, 1}, "other");
                    Beside& first = backend.rank() == 0 ? one : other;
                    Beside& second = backend.rank() == 0 ? other : one;
                    first.sum();
                    second.sum();
                    one.wait();
                    other.wait();
                    meet();
                  });
}

TEST(NcclDoubleOrder, MessagesHaveAnOrderToo) {
  expect_of_ranks(2, Contains(HasSubstr(kCircle)),
                  [](HostBackend& backend, GpuOfRank& gpu, const std::function<void()>& meet) {
                    Beside one(backend, gpu, {0, 1}, "one");
                    Beside other(backend, gpu, {0, 1}, "other");
                    const int peer = backend.rank() == 0 ? 1 : 0;
                    if (backend.rank() == 0) one.sum();
                    other.swap(peer);
                    if (backend.rank() == 1) one.sum();
                    one.wait();
                    other.wait();
                    meet();
                  });
}

// Of no two ranks that differ in the order of two communicators.
TEST(NcclDoubleOrder, ACircleOfThreeIsComplainedOf) {
  expect_of_ranks(3, Contains(HasSubstr(kCircle)),
                  [](HostBackend& backend, GpuOfRank& gpu, const std::function<void()>& meet) {
                    // Each with the one behind it, and then with the one before.
                    const std::int64_t own = backend.rank();
                    const std::int64_t next = (own + 1) % 3;
                    const std::int64_t last = (own + 2) % 3;
                    const auto pair = [&](std::int64_t a, std::int64_t b) {
                      return std::make_unique<Beside>(
                          backend, gpu, std::vector<std::int64_t>{std::min(a, b), std::max(a, b)},
                          "pair" + std::to_string(a));
                    };
                    // All make theirs in one order.
                    std::unique_ptr<Beside> with_next;
                    std::unique_ptr<Beside> with_last;
                    for (std::int64_t begin = 0; begin < 3; ++begin) {
                      if (begin == own) with_next = pair(own, next);
                      if (begin == last) with_last = pair(last, own);
                    }
                    with_next->sum();
                    with_last->sum();
                    with_next->wait();
                    with_last->wait();
                    meet();
                  });
}

TEST(NcclDoubleOrder, OneOrderOfAllIsRight) {
  expect_of_ranks(
      3, Each(""), [](HostBackend& backend, GpuOfRank& gpu, const std::function<void()>& meet) {
        Beside all(backend, gpu, {0, 1, 2}, "all");
        std::unique_ptr<Beside> pair;
        if (backend.rank() < 2) {
          pair = std::make_unique<Beside>(backend, gpu, std::vector<std::int64_t>{0, 1}, "pair");
        }
        for (int i = 0; i < 3; ++i) {
          all.sum();
          if (pair != nullptr) pair->sum();
        }
        all.wait();
        if (pair != nullptr) pair->wait();
        meet();
      });
}

}  // namespace
}  // namespace tutti::runtime::nccl_double_order_test
