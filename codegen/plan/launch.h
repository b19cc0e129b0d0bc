#pragma once

#include <tutti/codegen/plan/step_forward.h>
#include <tutti/runtime/accelerator.h>
#include <tutti/runtime/profile/work_counts.h>

#include <memory>
#include <string>

namespace tutti::codegen {

class KernelCode;
namespace cuda {
struct Source;
}

// A kernel, generated or hand-written, with the buffers it works on.
struct LaunchPart {
  std::string name;
  std::string detail = {};                           // of library calls: "f32 128x64x32, batch 4"
  int kernel = -1;                                   // in Plan::kernels; -1 for a library call
  std::shared_ptr<const KernelCode> code = nullptr;  // on the host
  // On a GPU: the text that is compiled for it (null for a call of a device library), and its code.
  std::shared_ptr<const cuda::Source> source = nullptr;
  std::shared_ptr<const runtime::DeviceCode> device_code = nullptr;
  std::int64_t tiles = 0;
  // Of a library call that computes the same when its last buffer lies over its first: how many
  // tiles there are then. -1: it does not.
  std::int64_t tiles_in_place = -1;
  // What it computes, beyond moving its buffers, in bytes moved as fast.
  std::int64_t cost = 0;
  // Of a library call: the kernel in Plan::kernels that goes over each tile of the result right
  // after it; -1 for none.
  int epilogue = -1;
  // Of a library call: how many it writes, the last of `buffers` but for those of its epilogue.
  int results = 1;
  std::vector<BufferId> buffers = {};
  Location location = {};
  runtime::WorkCounts counts = {};  // of all tiles
};

// Whether a part writes its i-th buffer; else it reads it.
bool writes(const Plan& plan, const LaunchPart& part, std::size_t i);
// Its name, with that of its epilogue: "matmul then add_tanh".
std::string full_name(const Plan& plan, const LaunchPart& part);
// How many of a part's buffers are not its epilogue's.
std::size_t call_buffers(const Plan& plan, const LaunchPart& part);

// One parallel loop over the tiles of all its parts, none of which reads what another writes. On a
// GPU there is one part, and it is put on the device's stream.
struct Launch {
  std::vector<LaunchPart> parts;
  Device device = {};

  static constexpr std::array<std::string_view, 3> kWords = {"launch", "call", "together"};
  static Launch parse(StepParser& parser);
  void print(StepPrinter& printer) const;
  bool same(const Launch& other) const;
  void shift(const Shift& by);

  void for_each_access(const Plan& plan, const OnAccess& f) const;
  std::span<const BufferId> keeps() const { return {}; }
  static constexpr ResultMemory kResults = ResultMemory::there;
  void check(PlanChecker& checker) const;

  void bind(Binding& binding) const;
  void emit(NativeSteps& native) const;
  void hash(const Plan& plan, Hasher& hasher) const;
};

}  // namespace tutti::codegen
