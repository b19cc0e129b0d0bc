#include <tutti/codegen/parse_kernel.h>
#include <tutti/codegen/parse_plan_step.h>
#include <tutti/ir/literal.h>
#include <tutti/ir/location_text.h>
#include <tutti/ir/names.h>
#include <tutti/ir/type_text.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>

namespace tutti::codegen {

namespace {

using ir::Token;

std::optional<kernels::CollectiveKind> kind_from_name(std::string_view name) {
  const auto found = std::ranges::find(kernels::kCollectiveNames, name);
  if (found == kernels::kCollectiveNames.end()) return std::nullopt;
  return static_cast<kernels::CollectiveKind>(found - kernels::kCollectiveNames.begin());
}

}  // namespace

void StepParser::read() {
  const std::size_t offset = lexer_.peek().offset;
  const std::int64_t number = ir::read_integer(lexer_, "the number of a step");
  if (number != std::ssize(plan_.steps)) {
    lexer_.fail(offset,
                "steps are numbered in order; the next is " + std::to_string(plan_.steps.size()));
  }
  lexer_.expect(":", "after the number of a step");
  const Token word = lexer_.peek();
  if (lexer_.accept("allocate")) {
    plan_.steps.emplace_back(Allocate{next_buffer()});
  } else if (lexer_.accept("free")) {
    plan_.steps.emplace_back(Free{next_buffer()});
  } else if (lexer_.accept("wait")) {
    plan_.steps.emplace_back(CollectiveWait{work()});
  } else if (lexer_.accept("copy")) {
    plan_.steps.emplace_back(copy());
  } else if (lexer_.accept("start")) {
    plan_.steps.emplace_back(start());
  } else if (word.is_word("launch") || word.is_word("call") || word.is_word("together")) {
    plan_.steps.emplace_back(launch());
  } else if (word.is_word("scan") || word.is_word("while") || word.is_word("conditional")) {
    plan_.steps.emplace_back(control());
  } else {
    lexer_.fail_expected(
        "a step: allocate, free, launch, call, together, copy, start, wait, scan, while or "
        "conditional");
  }
}

BufferId StepParser::buffer(const Token& token) const {
  const int number = number_in_name(token.text, 'b');
  if (number >= 0 && number < std::ssize(plan_.buffers)) return number;
  lexer_.fail(token.offset, "there is no buffer " + shown(token.text) + " above");
}

BufferId StepParser::next_buffer() {
  return buffer(lexer_.expect(Token::Kind::word, "a buffer, as in b0"));
}

int StepParser::work() {
  const Token token = lexer_.expect(Token::Kind::word, "a collective, as in w0");
  const int number = number_in_name(token.text, 'w');
  if (number >= 0 && number < plan_.works) return number;
  lexer_.fail(token.offset, "no step above starts " + shown(token.text));
}

std::int64_t StepParser::number(std::string_view what) {
  const std::size_t offset = lexer_.peek().offset;
  const std::int64_t out = ir::read_integer(lexer_, what);
  if (out >= 0 && out <= std::numeric_limits<std::int64_t>::max() / 2) return out;
  lexer_.fail(offset, std::string(what) + " is 0 or more, and at most 2^62 - 1");
}

std::int64_t StepParser::bytes() {
  const std::int64_t out = number("a number of bytes");
  lexer_.expect("bytes", "after their number");
  return out;
}

int StepParser::small(std::string_view what, int least) {
  const std::size_t offset = lexer_.peek().offset;
  const std::int64_t out = ir::read_integer(lexer_, what);
  if (out >= least && out <= std::numeric_limits<int>::max()) return static_cast<int>(out);
  lexer_.fail(offset,
              std::string(what) + " is " + std::to_string(least) + " or more, and fits in i32");
}

// b0, b1; in parentheses maybe none.
std::vector<BufferId> StepParser::buffers(bool in_parentheses) {
  std::vector<BufferId> out;
  if (in_parentheses) {
    lexer_.expect("(", "and the buffers that are read");
    if (lexer_.accept(")")) return out;
  }
  do out.push_back(next_buffer());
  while (lexer_.accept(","));
  if (in_parentheses) lexer_.expect(")", "or ',' after a buffer");
  return out;
}

std::string StepParser::name(std::string_view what) {
  const Token token = lexer_.peek();
  if (token.kind != Token::Kind::word && token.kind != Token::Kind::text) {
    lexer_.fail_expected(what);
  }
  lexer_.take();
  return ir::name_in(lexer_, token);
}

int StepParser::kernel_number() {
  const Token token = lexer_.expect(Token::Kind::word, "a kernel, as in k0");
  const int number = number_in_name(token.text, 'k');
  if (number < 0)
    lexer_.fail(token.offset, "expected a kernel, as in k0, not " + shown(token.text));
  return number;
}

Location StepParser::location() const { return ir::location_from(lexer_.comment_after()); }

Launch StepParser::launch() {
  Launch out;
  if (!lexer_.accept("together")) {
    out.parts.push_back(part(out.device));
    return out;
  }
  while (lexer_.peek().is_word("launch") || lexer_.peek().is_word("call")) {
    const std::size_t offset = lexer_.peek().offset;
    Device device;
    out.parts.push_back(part(device));
    pending_.back().part = out.parts.size() - 1;
    if (out.parts.size() > 1 && device != out.device) {
      lexer_.fail(offset, "what is launched together runs on one device");
    }
    out.device = device;
  }
  if (out.parts.size() < 2) lexer_.fail_expected("two launches or calls after 'together'");
  return out;
}

// launch relu k1 (b2) -> b5, or call matmul "f32 8x8x8" then relu k1 (b0, b1) -> b2, b3
LaunchPart StepParser::part(Device& device) {
  LaunchPart out;
  const std::size_t offset = lexer_.peek().offset;
  if (lexer_.accept("launch")) {
    out.name = name("the kernel's name");
    out.kernel = kernel_number();
  } else {
    lexer_.expect("call", "or 'launch'");
    out.name = name("the call's name");
    out.detail = ir::read_text(lexer_, "what is called, in quotes");
    if (lexer_.accept("then")) {
      name("the kernel's name");
      out.epilogue = kernel_number();
    }
  }
  Pending pending{.step = plan_.steps.size(), .offset = offset, .read = {}, .written = {}};
  pending.read = buffers(true);
  lexer_.expect("->", "and the buffers that are written");
  pending.written = buffers(false);
  if (lexer_.accept("on")) device = ir::read_device(lexer_, false);
  attributes([&](const Token& field) { this->field(out, field); });
  out.location = location();
  pending_.push_back(std::move(pending));
  return out;
}

void StepParser::field(LaunchPart& part, const Token& name) {
  if (name.text == "tiles") {
    part.tiles = number("the number of tiles");
  } else if (name.text == "tiles_in_place") {
    part.tiles_in_place = number("the number of tiles");
  } else if (name.text == "results") {
    part.results = small("the number of results", 1);
  } else if (name.text == "work") {
    part.work = ir::read_integer(lexer_, "the work in bytes");
  } else if (name.text == "reads") {
    part.counts.bytes_read = ir::read_integer(lexer_, "the bytes that are read");
  } else if (name.text == "writes") {
    part.counts.bytes_written = ir::read_integer(lexer_, "the bytes that are written");
  } else if (name.text == "flops") {
    part.counts.flops = ir::read_integer(lexer_, "a number of operations");
  } else if (name.text == "double_flops") {
    part.counts.double_flops = ir::read_integer(lexer_, "a number of operations");
  } else {
    lexer_.fail(name.offset, "a launch has no attribute " + shown(name.text) +
                                 "; it has tiles, tiles_in_place, results, work, reads, "
                                 "writes, flops and double_flops");
  }
}

// copy b3 on cpu -> b4 on cuda:0
Copy StepParser::copy() {
  Copy out;
  out.from = next_buffer();
  place(out.from);
  lexer_.expect("->", "and the buffer that is written");
  out.to = next_buffer();
  place(out.to);
  out.location = location();
  return out;
}

// The buffer's device, which may be said again.
void StepParser::place(BufferId id) {
  if (!lexer_.accept("on")) return;
  const std::size_t offset = lexer_.peek().offset;
  const Device device = ir::read_device(lexer_, false);
  const Device lies_on = plan_.buffers[static_cast<std::size_t>(id)].device;
  if (device == lies_on) return;
  lexer_.fail(offset, "b" + std::to_string(id) + " lies on " + lies_on.text());
}

// start w0 = all_reduce "all_reduce sum f32[4]" over @dp (b3) -> b4 {dtype = f32, parts = [4]}
CollectiveStart StepParser::start() {
  CollectiveStart out;
  const Token work = lexer_.expect(Token::Kind::word, "a collective, as in w0");
  if (number_in_name(work.text, 'w') != plan_.works) {
    lexer_.fail(work.offset,
                "collectives are numbered in order; the next is w" + std::to_string(plan_.works));
  }
  out.work = plan_.works++;
  lexer_.expect("=", "and what is started");
  const Token kind = lexer_.expect(Token::Kind::word, "a collective, as in all_reduce");
  const auto known = kind_from_name(kind.text);
  if (!known) {
    lexer_.fail(kind.offset, "there is no collective " + shown(kind.text) +
                                 ir::suggestion(kind.text, kernels::kCollectiveNames));
  }
  out.call.kind = *known;
  out.call.description = ir::read_text(lexer_, "what is started, in quotes");
  lexer_.expect("over", "and the group of a collective");
  out.group = groups_.group(lexer_.expect(Token::Kind::symbol, "a group, as in @dp"));
  if (lexer_.accept("of")) {
    out.parent = groups_.group(lexer_.expect(Token::Kind::symbol, "a group, as in @dp"));
  }
  if (lexer_.accept("by")) out.engine = name("the engine of a collective");
  out.operands = buffers(true);
  if (lexer_.accept("->")) out.results = buffers(false);
  attributes([&](const Token& field) { this->field(out, field); });
  out.call.location = location();
  return out;
}

void StepParser::field(CollectiveStart& start, const Token& name) {
  runtime::CollectiveCall& call = start.call;
  const std::size_t offset = lexer_.peek().offset;
  if (name.text == "dtype") {
    call.dtype = ir::read_dtype(lexer_);
  } else if (name.text == "op" && kernels::reduces(call.kind)) {
    const std::string text = ir::read_text(lexer_, "a reduction, as in \"sum\"");
    const auto reduction = kernels::reduction_from_name(text);
    if (!reduction) lexer_.fail(offset, "there is no reduction " + shown(text));
    call.reduction = *reduction;
  } else if (name.text == "root") {
    call.root = small("the position of the root", 0);
  } else if (name.text == "pairs") {
    std::vector<int> positions;
    for (const std::int64_t position : ir::read_integers(lexer_)) {
      if (position < 0 || position > std::numeric_limits<int>::max()) {
        lexer_.fail(offset, "a position is 0 or more, and fits in i32");
      }
      positions.push_back(static_cast<int>(position));
    }
    if (positions.size() % 2 != 0) lexer_.fail(offset, "pairs have two positions each");
    for (std::size_t i = 0; i < positions.size(); i += 2) {
      call.pairs.emplace_back(positions[i], positions[i + 1]);
    }
  } else if (name.text == "parts") {
    tensors(call);
  } else if (name.text == "agreement") {
    call.agreement = hexadecimal();
  } else if (name.text == "number") {
    start.collective = small("which of the collectives it is", 0);
  } else {
    lexer_.fail(name.offset, std::string(name_of(call.kind)) + " has no attribute " +
                                 shown(name.text) +
                                 "; collectives have dtype, op (where they reduce), root, pairs, "
                                 "parts, agreement and number");
  }
}

// [16, 32 = [1, 4, 8] {sizes = [1, 3]}]
void StepParser::tensors(runtime::CollectiveCall& call) {
  lexer_.expect("[", "before the numbers of elements");
  do {
    runtime::TensorPart part;
    part.elements = number("a number of elements");
    if (kernels::has_axis(call.kind)) {
      lexer_.expect("=", "and three sizes: before, of and behind the axis");
      const std::size_t offset = lexer_.peek().offset;
      const std::vector<std::int64_t> sizes = ir::read_integers(lexer_);
      if (sizes.size() != 3) lexer_.fail(offset, "the sizes before, of and behind the axis are 3");
      part.outer = sizes[0];
      part.axis_size = sizes[1];
      part.inner = sizes[2];
    }
    attributes([&](const Token& name) {
      if (name.text == "sizes") {
        part.sizes = ir::read_integers(lexer_);
      } else if (name.text == "receive_sizes") {
        part.receive_sizes = ir::read_integers(lexer_);
      } else {
        lexer_.fail(name.offset, "a part of a collective has sizes and receive_sizes");
      }
    });
    call.parts.push_back(std::move(part));
  } while (lexer_.accept(","));
  lexer_.expect("]", "or ',' after a number of elements");
}

std::uint64_t StepParser::hexadecimal() {
  const Token token = lexer_.expect(Token::Kind::number, "a number such as 0x7f");
  std::uint64_t out = 0;
  if (token.text.starts_with("0x")) {
    const char* const end = token.text.data() + token.text.size();
    const auto result = std::from_chars(token.text.data() + 2, end, out, 16);
    if (result.ec == std::errc() && result.ptr == end) return out;
  }
  lexer_.fail(token.offset, "expected a number such as 0x7f, not " + shown(token.text));
}

void StepParser::finish() {
  for (const Pending& pending : pending_) complete(pending);
}

const Kernel& StepParser::kernel(int number, std::size_t offset) const {
  if (number < std::ssize(plan_.kernels)) return plan_.kernels[static_cast<std::size_t>(number)];
  lexer_.fail(offset, "there is no kernel k" + std::to_string(number) + " in the text");
}

// A kernel knows which of its buffers it writes; a call's own come first and end with its results.
void StepParser::complete(const Pending& pending) {
  LaunchPart& part = std::get<Launch>(plan_.steps[pending.step]).parts[pending.part];
  auto read = pending.read.begin();
  auto written = pending.written.begin();
  const auto take = [&](bool writes) {
    if ((writes ? written : read) == (writes ? pending.written : pending.read).end()) {
      lexer_.fail(pending.offset,
                  "too few buffers: more are " + std::string(writes ? "written" : "read"));
    }
    part.buffers.push_back(writes ? *written++ : *read++);
  };
  const int number = part.kernel >= 0 ? part.kernel : part.epilogue;
  const Kernel* const kernel = number < 0 ? nullptr : &this->kernel(number, pending.offset);
  if (part.kernel < 0) {
    const auto own = [&](const std::vector<BufferId>& all, bool writes) -> std::ptrdiff_t {
      if (kernel == nullptr) return std::ssize(all);
      return std::ssize(all) - std::ranges::count(kernel->buffers, writes, &KernelBuffer::written);
    };
    for (auto left = own(pending.read, false); left > 0; --left) take(false);
    const auto results = own(pending.written, true);
    if (results != part.results) {
      lexer_.fail(pending.offset,
                  "the call writes " + std::to_string(results) +
                      " buffers of its own, but {results = " + std::to_string(part.results) + "}");
    }
    for (auto left = results; left > 0; --left) take(true);
  }
  if (kernel != nullptr) {
    for (const KernelBuffer& buffer : kernel->buffers) take(buffer.written);
  }
  if (read != pending.read.end() || written != pending.written.end()) {
    lexer_.fail(pending.offset, "kernel k" + std::to_string(number) + " takes " +
                                    std::to_string(kernel->buffers.size()) +
                                    " buffers, but more are given");
  }
}

}  // namespace tutti::codegen
