#include <tutti/codegen/kernel/kernel.h>
#include <tutti/codegen/kernel/text_words.h>
#include <tutti/codegen/plan/launch_text.h>
#include <tutti/codegen/plan/plan.h>
#include <tutti/codegen/plan/step_parser.h>
#include <tutti/codegen/plan/step_printer.h>
#include <tutti/codegen/plan/text_attributes.h>
#include <tutti/ir/names.h>
#include <tutti/ir/text/literal.h>
#include <tutti/ir/text/type_text.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace tutti::codegen {

namespace {

using ir::Token;

void parse_launch_field(StepParser& parser, LaunchPart& part, const Token& name) {
  ir::Lexer& lexer = parser.lexer();
  if (name.text == "tiles") {
    part.tiles = parser.number("the number of tiles");
  } else if (name.text == "tiles_in_place") {
    part.tiles_in_place = parser.number("the number of tiles");
  } else if (name.text == "results") {
    part.results = parser.small("the number of results", 1);
  } else if (name.text == "cost") {
    part.cost = ir::read_integer(lexer, "the cost in bytes");
  } else if (name.text == "reads") {
    part.counts.bytes_read = ir::read_integer(lexer, "the bytes that are read");
  } else if (name.text == "writes") {
    part.counts.bytes_written = ir::read_integer(lexer, "the bytes that are written");
  } else if (name.text == "flops") {
    part.counts.flops = ir::read_integer(lexer, "a number of operations");
  } else if (name.text == "double_flops") {
    part.counts.double_flops = ir::read_integer(lexer, "a number of operations");
  } else {
    lexer.fail(name.offset, "a launch has no attribute " + shown(name.text) +
                                "; it has tiles, tiles_in_place, results, cost, reads, "
                                "writes, flops and double_flops");
  }
}

}  // namespace

void print_part(const LaunchPart& part, Device device, StepPrinter& printer) {
  const Plan& plan = printer.plan();
  std::vector<BufferId> read;
  std::vector<BufferId> written;
  for (std::size_t i = 0; i < part.buffers.size(); ++i) {
    (writes(plan, part, i) ? written : read).push_back(part.buffers[i]);
  }
  const std::string name = ir::name_or_quoted(part.name);
  if (part.kernel < 0) {
    printer.add("call " + name + " " + ir::quoted(part.detail));
  } else {
    printer.add("launch " + name + " k" + std::to_string(part.kernel));
  }
  if (part.epilogue >= 0) {
    const Kernel& kernel = plan.kernels[at(part.epilogue)];
    printer.add(" then " + ir::name_or_quoted(kernel.name) + " k" + std::to_string(part.epilogue));
  }
  printer.add(" (" + StepPrinter::names(read) + ") -> " + StepPrinter::names(written) +
              StepPrinter::on(device));
  TextAttributes attributes;
  attributes.add("tiles", part.tiles);
  attributes.add("tiles_in_place", part.tiles_in_place, -1);
  attributes.add("results", part.results, 1);
  attributes.add("cost", part.cost);
  attributes.add("reads", part.counts.bytes_read);
  attributes.add("writes", part.counts.bytes_written);
  attributes.add("flops", part.counts.flops);
  attributes.add("double_flops", part.counts.double_flops);
  printer.add(attributes.text());
  printer.end_line(part.location);
}

// launch relu k1 (b2) -> b5, or call matmul "f32 8x8x8" then relu k1 (b0, b1) -> b2, b3
LaunchPart parse_part(StepParser& parser, Device& device, NamedBuffers& named) {
  ir::Lexer& lexer = parser.lexer();
  LaunchPart out;
  named.offset = lexer.peek().offset;
  if (lexer.accept("launch")) {
    out.name = parser.name("the kernel's name");
    out.kernel = parser.kernel_number();
  } else {
    lexer.expect("call", "or 'launch'");
    out.name = parser.name("the call's name");
    out.detail = ir::read_text(lexer, "what is called, in quotes");
    if (lexer.accept("then")) {
      parser.name("the kernel's name");
      out.epilogue = parser.kernel_number();
    }
  }
  named.read = parser.buffers(true);
  lexer.expect("->", "and the buffers that are written");
  named.written = parser.buffers(false);
  if (lexer.accept("on")) device = ir::read_device(lexer, false);
  parser.attributes([&](const Token& field) { parse_launch_field(parser, out, field); });
  out.location = parser.location();
  return out;
}

// A kernel knows which of its buffers it writes; a call's own come first and end with its results.
void complete(const StepParser& parser, const ir::Lexer& lexer, LaunchPart& part,
              const NamedBuffers& named) {
  auto read = named.read.begin();
  auto written = named.written.begin();
  const auto take = [&](bool writes) {
    if ((writes ? written : read) == (writes ? named.written : named.read).end()) {
      lexer.fail(named.offset,
                 "too few buffers: more are " + std::string(writes ? "written" : "read"));
    }
    part.buffers.push_back(writes ? *written++ : *read++);
  };
  const int number = part.kernel >= 0 ? part.kernel : part.epilogue;
  const Kernel* const kernel = number < 0 ? nullptr : &parser.kernel(number, named.offset);
  if (part.kernel < 0) {
    const auto own = [&](const std::vector<BufferId>& all, bool writes) -> std::ptrdiff_t {
      if (kernel == nullptr) return std::ssize(all);
      return std::ssize(all) - std::ranges::count(kernel->buffers, writes, &KernelBuffer::written);
    };
    for (auto left = own(named.read, false); left > 0; --left) take(false);
    const auto results = own(named.written, true);
    if (results != part.results) {
      lexer.fail(named.offset,
                 "the call writes " + std::to_string(results) +
                     " buffers of its own, but {results = " + std::to_string(part.results) + "}");
    }
    for (auto left = results; left > 0; --left) take(true);
  }
  if (kernel != nullptr) {
    for (const KernelBuffer& buffer : kernel->buffers) take(buffer.written);
  }
  if (read != named.read.end() || written != named.written.end()) {
    lexer.fail(named.offset, "kernel k" + std::to_string(number) + " takes " +
                                 std::to_string(kernel->buffers.size()) +
                                 " buffers, but more are given");
  }
}

bool same_launch_part(const LaunchPart& a, const LaunchPart& b) {
  return a.name == b.name && a.detail == b.detail && a.kernel == b.kernel && a.tiles == b.tiles &&
         a.tiles_in_place == b.tiles_in_place && a.cost == b.cost && a.epilogue == b.epilogue &&
         a.results == b.results && a.buffers == b.buffers && a.counts == b.counts;
}

}  // namespace tutti::codegen
