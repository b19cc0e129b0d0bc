// Instructions, addresses and packs of a kernel's body.

#include <tutti/codegen/cuda/kernel_printer.h>

#include <algorithm>

namespace tutti::codegen::cuda {

using Kind = Instruction::Kind;

void KernelPrinter::starts() {
  int number = 0;
  for (std::size_t i = 0; i < kernel_.buffers.size(); ++i) {
    for (const Start& start : kernel_.buffers[i].starts) {
      const DType dtype = kernel_.buffers[static_cast<std::size_t>(start.buffer)].dtype;
      const std::string name = "n" + std::to_string(number++);
      const std::string element =
          "b" + std::to_string(start.buffer) + "[" + literal(start.element) + "]";
      // As wide as the widest, so that nothing wraps.
      const std::string type = is_unsigned(dtype) ? "u64" : "i64";
      line("const " + type + " " + name + " = " + element + ";");
      line("b" + std::to_string(i) + " += i64(" +
           clamped(name, is_unsigned(dtype) ? DType::u64 : DType::i64, start.most) + ") * " +
           literal(start.stride) + ";");
    }
  }
}

void KernelPrinter::define_axes(char axis, const std::vector<std::int64_t>& extents,
                                const std::vector<bool>& used, const std::string& number,
                                int lanes) {
  std::int64_t below = 1;  // points of the axes behind
  for (std::size_t i = extents.size(); i-- > 0;) {
    const std::int64_t extent =
        i + 1 == extents.size() ? (extents[i] + lanes - 1) / lanes : extents[i];
    if (used[i] && extents[i] > 1) {
      std::string text = number;
      if (below > 1) text += " / " + unsigned_literal(below);
      const bool outermost =
          std::all_of(extents.begin(), extents.begin() + static_cast<std::ptrdiff_t>(i),
                      [](std::int64_t other) { return other == 1; });
      if (!outermost) text += " % " + unsigned_literal(extent);
      if (i + 1 == extents.size() && lanes > 1) text += " * " + unsigned_literal(lanes);
      const std::string name = axis + std::to_string(i);
      if (name != number) line("const " + index() + " " + name + " = " + text + ";");
    }
    below *= extent;
  }
}

std::string KernelPrinter::address(const Affine& affine, bool loop, bool as_value) const {
  std::string text;
  const auto add = [&](char axis, const auto& strides, const auto& extents) {
    for (std::size_t i = 0; i < extents.size(); ++i) {
      if (strides[i] == 0 || extents[i] == 1) continue;
      if (!text.empty()) text += " + ";
      std::string name = axis + std::to_string(i);
      if (as_value && !mapping_.wide) name = "i64(" + name + ")";
      text += name;
      if (strides[i] != 1) {
        text += strides[i] < 0 ? " * (" + literal(strides[i]) + ")" : " * " + literal(strides[i]);
      }
    }
  };
  add('o', affine.outer, kernel_.outer);
  if (loop) add('i', affine.inner, kernel_.inner);
  if (affine.offset != 0 || text.empty()) {
    const std::string offset = literal(affine.offset);
    const std::string sign = affine.offset < 0 ? " " : " + ";
    text = text.empty() ? offset : text + (offset.front() == '(' ? " + " : sign) + offset;
  }
  return text;
}

std::string KernelPrinter::address(const Instruction& load, bool loop) const {
  std::string text = address(load.address, loop);
  for (std::size_t i = 0; i < load.terms.size(); ++i) {
    const auto id = static_cast<std::size_t>(load.operands[i]);
    text += " + " + index() + "(" + clamped(names_[id], types_[id], load.terms[i].most) + ")";
    if (load.terms[i].stride != 1) text += " * " + literal(load.terms[i].stride);
  }
  return text;
}

// All numbers have a type that nothing wraps in.
std::string KernelPrinter::clamped(const std::string& number, DType dtype,
                                   std::int64_t most) const {
  const std::string type = is_unsigned(dtype) ? "u64" : "i64";
  const std::string name = size_of(dtype) == 8 ? number : type + "(" + number + ")";
  const std::string last = literal(most);
  const std::string below = is_unsigned(dtype) ? "" : name + " < 0 ? 0 : ";
  return below + name + " > " + last + " ? " + last + " : " + name;
}

std::string KernelPrinter::element(int buffer, const Affine& affine, bool loop) const {
  return "b" + std::to_string(buffer) + "[" + address(affine, loop) + "]";
}

std::string KernelPrinter::inside(const std::vector<Bound>& bounds) const {
  std::string text;
  for (const Bound& bound : bounds) {
    const auto axis = static_cast<std::size_t>(bound.axis);
    const std::int64_t extent = (bound.inner ? kernel_.inner : kernel_.outer)[axis];
    const std::string index =
        extent == 1 ? "0" : (bound.inner ? 'i' : 'o') + std::to_string(bound.axis);
    const auto require = [&](const std::string& condition) {
      text += (text.empty() ? "" : " && ") + condition;
    };
    if (bound.begin > 0) require(index + " >= " + literal(bound.begin));
    if (bound.end < extent) require(index + " < " + literal(bound.end));
  }
  return text.empty() ? "true" : text;
}

std::string KernelPrinter::expression(const Instruction& instruction, bool loop) {
  const auto operand = [&](std::size_t i) {
    const ValueId id = instruction.operands[i];
    return id < 0 ? std::string() : names_[static_cast<std::size_t>(id)];
  };
  switch (instruction.kind) {
    case Kind::scalar:
      return scalars_.apply(instruction.op, instruction.dtype, {operand(0), operand(1), operand(2)},
                            instruction.to);
    case Kind::constant: {
      std::string text = literal(instruction.dtype, instruction.constant);
      if (text.starts_with("bits_as")) scalars_.use("bits");
      return text;
    }
    case Kind::load: {
      if (instruction.buffer == given_) return given_element(given_);
      const DType dtype = kernel_.buffers[static_cast<std::size_t>(instruction.buffer)].dtype;
      std::string text = scalars_.widen(
          dtype, "b" + std::to_string(instruction.buffer) + "[" + address(instruction, loop) + "]");
      if (instruction.bounds.empty()) return text;
      const std::string around = literal(instruction.type, instruction.constant);
      if (around.starts_with("bits_as")) scalars_.use("bits");
      return "(" + inside(instruction.bounds) + " ? " + text + " : " + around + ")";
    }
    case Kind::index:
      return address(instruction.address, loop, true);
    case Kind::round:
      return scalars_.round(instruction.dtype, operand(0));
  }
  return "";
}

void KernelPrinter::define(const Instruction& instruction, const std::string& text) {
  std::string& name = names_[static_cast<std::size_t>(instruction.result)];
  // Constants, and casts that change nothing, need no variable.
  const bool renames = instruction.kind == Kind::scalar && instruction.op == ir::ScalarOp::cast &&
                       instruction.dtype == instruction.to;
  if (instruction.kind == Kind::constant || renames) {
    name = text;
    return;
  }
  if (instruction.kind == Kind::round) {
    const auto operand = static_cast<std::size_t>(instruction.operands[0]);
    unrounded_[instruction.result] = {instruction.dtype, names_[operand]};
    if (!is_used_[static_cast<std::size_t>(instruction.result)]) return;
  }
  name = "v" + std::to_string(instruction.result);
  line("const " + type_name(instruction.type) + " " + name + " = " + text + ";");
}

void KernelPrinter::body(const Segment& segment) {
  for (const Instruction& instruction : segment.body) {
    define(instruction, expression(instruction, segment.loop));
  }
}

void KernelPrinter::stores(const Segment& segment) {
  for (const Store& store : segment.stores) store_value(store, segment.loop);
}

void KernelPrinter::store_value(const Store& store, bool loop) {
  line(element(store.buffer, store.address, loop) + " = " + stored(store) + ";");
}

std::string KernelPrinter::stored(const Store& store) {
  const DType dtype = kernel_.buffers[static_cast<std::size_t>(store.buffer)].dtype;
  const auto found = unrounded_.find(store.value);
  // Narrowing rounds by itself.
  const bool narrows = found != unrounded_.end() && found->second.dtype == dtype;
  return scalars_.narrow(
      dtype, narrows ? found->second.name : names_[static_cast<std::size_t>(store.value)]);
}

// ---- Packs ----

namespace {

// The pack that collects what a store writes.
std::string store_pack(const Segment& segment, const Store& store) {
  return "s" + std::to_string(&store - segment.stores.data());
}

}  // namespace

bool KernelPrinter::is_packed(const Affine& affine, const Lanes& lanes) const {
  return (lanes.inner ? affine.inner : affine.outer).back() != 0;
}

void KernelPrinter::load_packs(const Segment& segment, const Lanes& lanes) {
  scalars_.use("packs");
  const std::string count = std::to_string(mapping_.lanes);
  for (const Instruction& instruction : segment.body) {
    if (instruction.kind != Kind::load || instruction.buffer == given_) continue;
    if (!is_packed(instruction.address, lanes)) {
      define(instruction, expression(instruction, segment.loop));
      continue;
    }
    const DType dtype = kernel_.buffers[static_cast<std::size_t>(instruction.buffer)].dtype;
    line("const Pack<" + type_name(dtype) + ", " + count + "> p" +
         std::to_string(instruction.result) + " = load<" + count + ">(b" +
         std::to_string(instruction.buffer) + " + " + address(instruction, segment.loop) +
         (lanes.left.empty() ? ");" : ", " + lanes.left + ");"));
  }
}

void KernelPrinter::declare_store_packs(const Segment& segment, const Lanes& lanes) {
  if (!segment.stores.empty()) scalars_.use("packs");
  for (const Store& store : segment.stores) {
    if (!is_packed(store.address, lanes)) continue;
    const DType dtype = kernel_.buffers[static_cast<std::size_t>(store.buffer)].dtype;
    line("Pack<" + type_name(dtype) + ", " + std::to_string(mapping_.lanes) + "> " +
         store_pack(segment, store) + ";");
  }
}

void KernelPrinter::open_lanes() {
  text_ += "#pragma unroll\n";
  open("for (int k = 0; k < " + std::to_string(mapping_.lanes) + "; ++k)");
}

void KernelPrinter::lane_body(const Segment& segment) {
  const Lanes lanes{.inner = segment.loop, .left = ""};
  for (const Instruction& instruction : segment.body) {
    if (instruction.kind == Kind::load && instruction.buffer != given_) {
      if (!is_packed(instruction.address, lanes)) continue;  // defined in front
      const DType dtype = kernel_.buffers[static_cast<std::size_t>(instruction.buffer)].dtype;
      define(instruction,
             scalars_.widen(dtype, "p" + std::to_string(instruction.result) + ".at[k]"));
      continue;
    }
    std::string text = expression(instruction, segment.loop);
    if (instruction.kind == Kind::index) {
      const auto& strides = segment.loop ? instruction.address.inner : instruction.address.outer;
      if (strides.back() != 0) text += " + i64(k) * " + literal(strides.back());
    }
    define(instruction, text);
  }
  for (const Store& store : segment.stores) {
    if (!is_packed(store.address, lanes)) continue;
    line(store_pack(segment, store) + ".at[k] = " + stored(store) + ";");
  }
}

void KernelPrinter::store_packs(const Segment& segment, const Lanes& lanes) {
  for (const Store& store : segment.stores) {
    if (!is_packed(store.address, lanes)) continue;
    line("store(b" + std::to_string(store.buffer) + " + " + address(store.address, segment.loop) +
         ", " + store_pack(segment, store) +
         (lanes.left.empty() ? ");" : ", " + lanes.left + ");"));
  }
}

}  // namespace tutti::codegen::cuda
