#pragma once

#include <tutti/ir/array.h>
#include <tutti/ir/graph.h>

#include <vector>

// Tests that run on a GPU: on the real one if TUTTI_TEST_GPU is "real", else on the fake one of
// tests/fake_cuda, whose kernels run on the host. Suites whose names begin with Gpu run on any.
namespace tutti::test {

// Whether there is one: not in builds without CUDA. What does not need a World may use cuda:0 then.
bool has_gpu();

// A function whose parameters lie on GPUs, compiled and run there, as a rank of its own: four
// times, to launch the work one by one, record it and replay it. All runs must give the same bits.
std::vector<ir::Array> run_on_gpu(const ir::Graph& graph, const std::vector<ir::Array>& inputs);

}  // namespace tutti::test
