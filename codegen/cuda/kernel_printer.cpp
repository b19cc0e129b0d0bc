#include <tutti/codegen/cuda/access.h>
#include <tutti/codegen/cuda/kernel_printer.h>
#include <tutti/codegen/plan/in_place.h>
#include <tutti/ir/support/error.h>
#include <tutti/kernels/device/texts.h>

#include <algorithm>
#include <cctype>
#include <limits>

namespace tutti::codegen::cuda {

namespace {

// As a C identifier that no function of the device's library has.
std::string function_name(const Kernel& kernel) {
  std::string name = kernel.name;
  for (char& letter : name) {
    if (std::isalnum(static_cast<unsigned char>(letter)) == 0) letter = '_';
  }
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name.front())) != 0) {
    name.insert(0, "kernel_");
  }
  return name + "_" + kernel_hash(kernel).text().substr(0, 8);
}

std::string extents_text(const std::vector<std::int64_t>& extents) {
  std::string text = "[";
  for (const std::int64_t extent : extents) {
    text += (text.size() > 1 ? ", " : "") + std::to_string(extent);
  }
  return text + "]";
}

}  // namespace

KernelPrinter::KernelPrinter(const Kernel& kernel, const Mapping& mapping, const Kernel& original)
    : kernel_(kernel),
      mapping_(mapping),
      original_(original),
      names_(static_cast<std::size_t>(kernel.value_count)),
      types_(types_of_values(kernel)) {
  find_in_place();
  find_used_axes();
  find_used_values();
}

std::string KernelPrinter::name() const { return function_name(original_); }

void KernelPrinter::line(const std::string& text) {
  text_.append(text.empty() ? 0 : static_cast<std::size_t>(2 * depth_), ' ');
  text_ += text + "\n";
}

void KernelPrinter::open(const std::string& text) {
  line(text + " {");
  ++depth_;
}

void KernelPrinter::close(const std::string& behind) {
  --depth_;
  line("}" + behind);
}

void KernelPrinter::find_in_place() {
  in_place_.assign(kernel_.buffers.size(), false);
  for (std::size_t read = 0; read < in_place_.size(); ++read) {
    for (std::size_t written = 0; written < in_place_.size(); ++written) {
      if (may_run_in_place(original_, read, written)) in_place_[read] = in_place_[written] = true;
    }
  }
}

void KernelPrinter::find_used_axes() {
  used_outer_.assign(kernel_.outer.size(), false);
  used_inner_.assign(kernel_.inner.size(), false);
  const auto mark = [](std::vector<bool>& used, const auto& strides, const auto& extents) {
    for (std::size_t i = 0; i < used.size(); ++i) {
      used[i] = used[i] || (strides[i] != 0 && extents[i] > 1);
    }
  };
  for_each_access(kernel_, [&](const Access& access) {
    mark(used_outer_, access.address->outer, kernel_.outer);
    if (access.loop) mark(used_inner_, access.address->inner, kernel_.inner);
  });
}

void KernelPrinter::find_used_values() {
  is_used_.assign(names_.size(), false);
  std::map<ValueId, DType> rounded;
  const auto use = [&](ValueId id) {
    if (id >= 0) is_used_[static_cast<std::size_t>(id)] = true;
  };
  for (const Segment& segment : kernel_.segments) {
    for (const Instruction& instruction : segment.body) {
      if (instruction.kind == Instruction::Kind::round) {
        rounded[instruction.result] = instruction.dtype;
      }
      for (const ValueId operand : instruction.operands) use(operand);
    }
    for (const Reduction& reduction : segment.reductions) use(reduction.value);
    for (const Store& store : segment.stores) {
      // Narrowing rounds by itself.
      const auto found = rounded.find(store.value);
      const DType dtype = kernel_.buffers[static_cast<std::size_t>(store.buffer)].dtype;
      if (found == rounded.end() || found->second != dtype) use(store.value);
    }
  }
}

std::string KernelPrinter::parameters() const {
  std::string list;
  for (std::size_t i = 0; i < kernel_.buffers.size(); ++i) {
    const KernelBuffer& buffer = kernel_.buffers[i];
    list += list.empty() ? "" : ", ";
    list += buffer.written ? "" : "const ";
    list += type_name(buffer.dtype) + "* " + (in_place_[i] ? "b" : "__restrict__ b") +
            std::to_string(i);
  }
  if (source_.workspace_bytes > 0)
    list += (list.empty() ? "u8*" : ", u8*") + std::string(" workspace");
  return list;
}

std::vector<std::string> KernelPrinter::parameters_beside(int given) const {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < kernel_.buffers.size(); ++i) {
    if (static_cast<int>(i) == given) continue;
    const KernelBuffer& buffer = kernel_.buffers[i];
    out.push_back((buffer.written ? "" : "const ") + type_name(buffer.dtype) + "* b" +
                  std::to_string(i));
  }
  return out;
}

std::string KernelPrinter::header(const std::string& name) const {
  std::string text = "// " + name + ": outer " + extents_text(kernel_.outer);
  if (!kernel_.inner.empty()) text += ", inner " + extents_text(kernel_.inner);
  text += "\n// " + describe(kernel_, mapping_) + "\n\n";
  return text;
}

void KernelPrinter::set_blocks(std::int64_t x, std::int64_t y) {
  // What a launch may have; points of a kernel that needs more do not fit in any memory.
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  if (x > kMost) {
    throw InternalError("kernel " + kernel_.name + " needs " + std::to_string(x) +
                        " blocks on a GPU, which takes " + std::to_string(kMost));
  }
  source_.grid = {static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y), 1};
}

Source KernelPrinter::print() {
  source_.name = function_name(original_);
  if (outer_points(kernel_) > 0) {
    starts();
    switch (mapping_.kind) {
      case Mapping::Kind::points:
        points();
        break;
      case Mapping::Kind::tiles:
        tiles();
        break;
      case Mapping::Kind::rows:
      case Mapping::Kind::columns:
        teams();
        break;
    }
  }
  scalars_.use("types");
  const std::vector<std::string_view> used(scalars_.texts().begin(), scalars_.texts().end());
  const std::uint32_t threads = source_.block[0] * source_.block[1] * source_.block[2];
  source_.text = header(source_.name) + kernels::device_texts(used) +
                 "extern \"C\" __global__ void __launch_bounds__(" + std::to_string(threads) +
                 ")\n" + source_.name + "(" + parameters() + ") {\n" + text_ + "}\n";
  return std::move(source_);
}

}  // namespace tutti::codegen::cuda
