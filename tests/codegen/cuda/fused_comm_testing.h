#pragma once

#include <tutti/codegen/cuda/fused_comm.h>
#include <tutti/codegen/driver/evaluate.h>
#include <tutti/ir/support/error.h>

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/codegen/cuda/comm_kernel_testing.h"
#include "tests/runtime/cuda/nccl_testing.h"
#include "tests/support/collective_reference.h"
#include <gtest/gtest.h>

namespace tutti::codegen::cuda {

// Collectives with what leads and follows them, compiled by the double of NVRTC.
class FusedKernelsOfDoubles final : public runtime::FusedCommKernels {
 public:
  FusedKernelsOfDoubles(std::optional<CommCompanion> leader, std::optional<CommCompanion> follower)
      : leader_(std::move(leader)), follower_(std::move(follower)) {}

  std::shared_ptr<const runtime::DeviceCode> with(const runtime::CommKernel& comm,
                                                  runtime::Companions companions,
                                                  std::string_view target) const override {
    return code_of_doubles(fused_comm_source(comm, companions.leader ? leader_ : std::nullopt,
                                             companions.follower ? follower_ : std::nullopt),
                           target);
  }

 private:
  const std::optional<CommCompanion> leader_;
  const std::optional<CommCompanion> follower_;
};

// Where they can't be compiled.
struct NothingFused final : runtime::FusedCommKernels {
  std::shared_ptr<const runtime::DeviceCode> with(const runtime::CommKernel&, runtime::Companions,
                                                  std::string_view) const override {
    throw EnvironmentError("NVRTC is out of memory");
  }
};

// The reference evaluator's.
inline void evaluate(const Kernel& kernel, const std::vector<test::Bytes*>& buffers) {
  std::vector<void*> places;
  for (test::Bytes* const buffer : buffers) places.push_back(buffer->data());
  make_evaluator(kernel)->run(places.data(), 0, kernel.tiles());
}

// What follows a collective (kernel_testing::following), and its other operands.
struct FollowerWithOperands {
  Kernel kernel;
  test::Bytes bias;
  test::Bytes factor;

  // Of its two results.
  std::array<test::Bytes, 2> places() const {
    const auto place = [&](std::size_t buffer) {
      return test::Bytes(
          static_cast<std::size_t>(outer_points(kernel) * size_of(kernel.buffers[buffer].dtype)));
    };
    return {place(3), place(4)};
  }

  runtime::BoundFollower bind(runtime::GpuOfRank& gpu,
                              std::shared_ptr<const runtime::FusedCommKernels> kernels) const {
    runtime::BoundFollower out{.kernels = std::move(kernels)};
    const auto [first, second] = places();
    for (const test::Bytes* const each : {&bias, &factor, &first, &second}) {
      out.held.push_back(gpu.put(*each));
      out.arguments.push_back(out.held.back()->data());
    }
    return out;
  }

  // Compares what it has made of the collective's result with what it is to make.
  void expect_results(runtime::GpuOfRank& gpu, const runtime::BoundFollower& bound,
                      test::Bytes given, const std::string& what) const {
    test::Bytes own_bias = bias;
    test::Bytes own_factor = factor;
    std::array<test::Bytes, 2> wanted = places();
    evaluate(kernel, {&given, &own_bias, &own_factor, &wanted[0], &wanted[1]});
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      EXPECT_TRUE(gpu.get(*bound.held[2 + i], wanted[i].size()) == wanted[i])
          << what << ", result " << i;
    }
  }
};

}  // namespace tutti::codegen::cuda
