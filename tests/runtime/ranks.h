#pragma once

// Ranks as threads of one fabric.

#include <tutti/ir/support/error.h>
#include <tutti/runtime/comm/host_backend.h>
#include <tutti/runtime/comm/local.h>

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <numeric>
#include <source_location>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace tutti::runtime {

inline std::vector<std::int64_t> first_ranks(std::int64_t count) {
  std::vector<std::int64_t> ranks(static_cast<std::size_t>(count));
  std::iota(ranks.begin(), ranks.end(), 0);
  return ranks;
}

// Runs `body` as every rank of the fabric and returns what each threw, "" for nothing. A rank
// leaves with its exception's message, as a World does.
inline std::vector<std::string> run_ranks(const std::shared_ptr<LocalFabric>& fabric,
                                          const std::function<void(HostBackend&)>& body) {
  std::vector<std::string> thrown(static_cast<std::size_t>(fabric->ranks()));
  std::vector<std::thread> threads;
  for (std::int64_t rank = 0; rank < fabric->ranks(); ++rank) {
    threads.emplace_back([&, rank] {
      HostBackend backend(fabric, rank);
      try {
        body(backend);
      } catch (const std::exception& error) {
        thrown[static_cast<std::size_t>(rank)] = error.what();
        backend.leave(error.what());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return thrown;
}

inline std::vector<std::string> run_ranks(std::int64_t ranks,
                                          const std::function<void(HostBackend&)>& body) {
  return run_ranks(std::make_shared<LocalFabric>(ranks), body);
}

// The same where no rank should throw.
inline void run_ranks_well(std::int64_t ranks, const std::function<void(HostBackend&)>& body) {
  EXPECT_EQ(run_ranks(ranks, body), std::vector<std::string>(static_cast<std::size_t>(ranks)));
}

// all_reduce of floats.
inline CollectiveCall all_reduce_call(const std::vector<float>& operand, std::vector<float>& result,
                                      std::source_location at = std::source_location::current()) {
  result.resize(operand.size());
  CollectiveCall call{.kind = CollectiveKind::all_reduce,
                      .parts = {{.operand = operand.data(),
                                 .result = result.data(),
                                 .elements = static_cast<std::int64_t>(operand.size())}},
                      .location = at};
  call.description = "all_reduce sum f32[" + std::to_string(operand.size()) + "]";
  return call;
}

inline CollectiveCall barrier_call(std::source_location at = std::source_location::current()) {
  return {.kind = CollectiveKind::barrier, .location = at};
}

}  // namespace tutti::runtime
