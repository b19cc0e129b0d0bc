#pragma once

#include <tutti/ir/device.h>

#include <cstddef>
#include <cstdint>
#include <functional>

namespace tutti::codegen {

using BufferId = std::int32_t;

// A number of the plan as an index.
constexpr std::size_t at(std::int32_t number) { return static_cast<std::size_t>(number); }

// A piece of memory that a plan names. All sizes and offsets are bytes.
struct PlanBuffer {
  enum class Kind : std::uint8_t {
    input,     // argument number `index`
    constant,  // constant number `index`
    local,     // at `offset` of its device's arena, which one run of the plan has to itself
    comm,      // operand or result of a collective: memory that peers may read and write
    owned,     // memory of its own, which a function that the plan runs may hold on to
    output,    // made by the plan and handed to the caller
  };

  // The caller's, with a value that is there from the start.
  bool is_given() const { return kind == Kind::input || kind == Kind::constant; }
  // Memory of its own, which a step allocates or brings.
  bool is_allocated() const {
    return kind == Kind::comm || kind == Kind::owned || kind == Kind::output;
  }
  // The same, where a step lets go of it.
  bool is_freed() const { return kind == Kind::comm || kind == Kind::owned; }

  friend bool operator==(const PlanBuffer&, const PlanBuffer&) = default;

  Kind kind = Kind::local;
  std::int64_t bytes = 0;
  Device device = {};  // where its memory is; comm buffers are the host's
  int index = -1;
  std::int64_t offset = 0;
  // The steps that write it first and use it last; -1: before the first step.
  int defined_at = -1;
  int last_use = -1;
};

// Of a step: a buffer, and whether it is written; else it is read.
using OnAccess = std::function<void(BufferId, bool written)>;

}  // namespace tutti::codegen
