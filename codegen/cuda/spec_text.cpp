#include <tutti/codegen/cuda/spec_text.h>
#include <tutti/ir/support/error.h>
#include <tutti/kernels/device/texts.h>

#include <algorithm>

namespace tutti::codegen::cuda {

namespace {

// More would only be started one after another.
constexpr std::int64_t kMostBlocks = 1 << 20;

void add_term(std::string& sum, const std::string& term, bool negative) {
  if (sum.empty()) {
    sum = (negative ? "0 - " : "") + term;
  } else {
    sum += (negative ? " - " : " + ") + term;
  }
}

}  // namespace

std::string_view count_type(std::int64_t most) {
  return most < (std::int64_t{1} << 31) ? "u32" : "u64";
}

std::string place_text(std::string_view i, const std::vector<Axis>& axes, std::int64_t offset) {
  std::string sum = offset == 0 ? "" : std::to_string(offset);
  std::int64_t below = 1;  // numbers of the axes behind
  for (std::size_t d = axes.size(); d-- > 0;) {
    const Axis& axis = axes[d];
    if (axis.size != 1 && axis.stride != 0) {
      std::string term(i);
      if (below != 1) term += " / " + std::to_string(below);
      const bool outermost = std::all_of(axes.begin(), axes.begin() + static_cast<std::int64_t>(d),
                                         [](const Axis& outer) { return outer.size == 1; });
      if (!outermost) term += " % " + std::to_string(axis.size);
      const std::int64_t stride = axis.stride < 0 ? -axis.stride : axis.stride;
      if (stride != 1) term += " * " + std::to_string(stride);
      add_term(sum, term, axis.stride < 0);
    }
    below *= axis.size;
  }
  return sum.empty() ? "0" : sum;
}

SpecText::SpecText(std::string_view name, std::string_view count) : name_(name) {
  type("Count", count);
}

void SpecText::type(std::string_view name, std::string_view is) {
  line("using " + std::string(name) + " = " + std::string(is) + ";");
}
void SpecText::integer(std::string_view name, std::int64_t value) {
  line("static constexpr int " + std::string(name) + " = " + std::to_string(value) + ";");
}
void SpecText::count(std::string_view name, std::int64_t value) {
  line("static constexpr Count " + std::string(name) + " = " + std::to_string(value) + ";");
}
void SpecText::place(std::string_view name, std::string_view parameter, std::string_view value) {
  // A parameter that the value does not depend on has no name.
  const bool used = value.find(parameter) != std::string_view::npos;
  line("static __device__ Count " + std::string(name) + "(Count" +
       (used ? " " + std::string(parameter) : "") + ") { return " + std::string(value) + "; }");
}
void SpecText::line(std::string_view text) { lines_ += "  " + std::string(text) + "\n"; }

std::string SpecText::text() const { return "struct " + name_ + " {\n" + lines_ + "};\n"; }

Source make_source(const CallText& call, std::int64_t blocks, std::uint32_t threads) {
  Source out;
  out.name = call.name;
  const std::string_view pieces[] = {call.piece};
  out.text = kernels::device_texts(pieces);
  out.text += "// " + call.name + " " + call.detail + "\n";
  for (const SpecText& spec : call.specs) out.text += spec.text() + "\n";
  out.text += "extern \"C\" __global__ void __launch_bounds__(" + std::to_string(threads) +
              ", 1) " + call.name + "(" + call.parameters + ") {\n" + call.body + "}\n";
  out.grid = {static_cast<std::uint32_t>(blocks), 1, 1};
  out.block = {threads, 1, 1};
  return out;
}

Source empty_source(std::string name, std::string detail, std::string parameters) {
  return make_source({.name = std::move(name),
                      .detail = std::move(detail),
                      .piece = "types",
                      .specs = {},
                      .parameters = std::move(parameters),
                      .body = "  // The result is empty.\n"},
                     1, 32);
}

std::int64_t blocks_for(std::int64_t items, std::int64_t threads) {
  return std::clamp<std::int64_t>((items + threads - 1) / threads, 1, kMostBlocks);
}

std::string_view bits_type(std::int64_t bytes) {
  switch (bytes) {
    case 1:
      return "u8";
    case 2:
      return "u16";
    case 4:
      return "u32";
    case 8:
      return "u64";
    case 16:
      return "Pack<u32, 4>";
    default:
      throw InternalError("elements of " + std::to_string(bytes) +
                          " bytes; 1, 2, 4, 8 or 16 can be moved");
  }
}

std::string_view sum_type(DType dtype) {
  if (is_floating(dtype)) return dtype == DType::f64 ? "f64" : "f32";
  return size_of(dtype) == 8 ? "u64" : "u32";
}

}  // namespace tutti::codegen::cuda
