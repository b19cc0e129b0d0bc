#pragma once

#include <tutti/codegen/plan/launch.h>
#include <tutti/ir/text/lexer.h>

#include <cstddef>
#include <vector>

namespace tutti::codegen {

// The text of a part of a launch, which other steps may have, too: with its line's end.
void print_part(const LaunchPart& part, Device device, StepPrinter& printer);

// What the text of a part says of its buffers. Only its kernel, which comes later in the text, says
// which of them it reads, and which it writes.
struct NamedBuffers {
  std::size_t offset = 0;  // in the text
  std::vector<BufferId> read = {};
  std::vector<BufferId> written = {};
};

// Reads a part; complete() puts its buffers in order, once the kernels are there.
LaunchPart parse_part(StepParser& parser, Device& device, NamedBuffers& named);
void complete(const StepParser& parser, const ir::Lexer& lexer, LaunchPart& part,
              const NamedBuffers& named);

// Whether they say the same, but for lines of source.
bool same_launch_part(const LaunchPart& a, const LaunchPart& b);

}  // namespace tutti::codegen
