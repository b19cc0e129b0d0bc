#pragma once

#include <tutti/ir/device.h>
#include <tutti/runtime/buffer.h>

#include <cstddef>
#include <cstdint>
#include <functional>

namespace tutti::codegen {

using BufferId = std::int32_t;

// A number of the plan as an index.
constexpr std::size_t at(std::int32_t number) { return static_cast<std::size_t>(number); }

// Buffers on a GPU begin at whole sectors, so that 128-bit accesses of all warps are aligned.
inline constexpr std::int64_t kDeviceAlignment = 256;
// What offsets on a device are multiples of.
inline std::int64_t alignment_on(Device device) {
  return device.is_cpu() ? static_cast<std::int64_t>(runtime::kBufferAlignment) : kDeviceAlignment;
}

// A piece of memory that a plan names. All sizes and offsets are bytes.
struct PlanBuffer {
  enum class Kind : std::uint8_t {
    input,      // argument number `index`
    constant,   // constant number `index`
    parameter,  // of a region: number `index`, where whoever enters the region says
    local,      // at `offset` of its device's arena, which one run of the plan has to itself
    comm,       // operand or result of a collective: memory that peers may read and write
    symmetric,  // the same, at `offset` of its group's area number `index`
    peer,       // operand of member number `index` of a group, where that has it: up to a Finish
    output,     // made by the plan and handed to the caller
    result,     // made by a region, where whoever enters it says
  };

  // Somebody else's, with a value that is there from the start.
  bool is_given() const {
    return kind == Kind::input || kind == Kind::constant || kind == Kind::parameter;
  }
  // What goes in, and what comes out, of a plan or a region.
  bool is_argument() const { return kind == Kind::input || kind == Kind::parameter; }
  bool is_result() const { return kind == Kind::output || kind == Kind::result; }
  // Memory of its own, which a step allocates or brings.
  bool is_allocated() const { return kind == Kind::comm || kind == Kind::output; }
  // At a place that the plan says, in memory of the run's or the group's.
  bool is_placed() const { return kind == Kind::local || kind == Kind::symmetric; }
  // Allocated, and a step lets go of it.
  bool is_freed() const { return kind == Kind::comm; }

  friend bool operator==(const PlanBuffer&, const PlanBuffer&) = default;

  Kind kind = Kind::local;
  std::int64_t bytes = 0;
  Device device = {};  // where its memory is
  int index = -1;
  std::int64_t offset = 0;  // a multiple of alignment_on(device)
  // The steps that write it first and use it last; -1: before the first step.
  int defined_at = -1;
  int last_use = -1;
};

// Of a step: a buffer, and whether it is written; else it is read.
using OnAccess = std::function<void(BufferId, bool written)>;

}  // namespace tutti::codegen
