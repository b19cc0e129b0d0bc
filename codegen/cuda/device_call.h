#pragma once

#include <tutti/codegen/cuda/matmul.h>
#include <tutti/codegen/cuda/source.h>
#include <tutti/codegen/view.h>
#include <tutti/runtime/accelerator.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tutti::codegen::cuda {

// What a GPU runs for a node that is no generated kernel: a text to compile, or a call that is
// ready (of cuBLASLt). One of the two is null.
struct DeviceCall {
  std::string name;    // "matmul"
  std::string detail;  // "f32[64, 32], f32[32, 16]": what plans print
  std::shared_ptr<const Source> source;
  std::shared_ptr<const runtime::DeviceCode> code;
};

// A call that has to come before that of a node. Its buffers are the operands' storages in order,
// then one of so many bytes, which it writes and the node's call reads.
struct Preparation {
  DeviceCall call;
  std::int64_t bytes = 0;
};
std::optional<Preparation> preparation(const ir::Graph& graph, ir::NodeId id,
                                       const std::vector<View>& operands);

// The call for an opaque node whose operands have these views (of buffers; dense where reads_view
// says no). Its buffers are the operands' storages in order, then what its preparation wrote if it
// has one, then the results'.
DeviceCall device_call(const ir::Graph& graph, ir::NodeId id, const std::vector<View>& operands);

// The call of a matmul.
DeviceCall call_of(DeviceMatmul matmul);

// Whether the node's call reads that operand where it lies; otherwise it must be dense.
bool reads_view(const ir::Graph& graph, ir::NodeId id, const std::vector<View>& operands,
                std::size_t operand);

// Writes a strided view of a buffer out densely.
DeviceCall device_copy(const View& view);

}  // namespace tutti::codegen::cuda
