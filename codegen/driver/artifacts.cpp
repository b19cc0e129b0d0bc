#include <tutti/codegen/cuda/source.h>
#include <tutti/codegen/driver/artifacts.h>
#include <tutti/ir/support/error.h>

#include <algorithm>
#include <unordered_map>
#include <variant>

#if TUTTI_HAS_CUDA
#include <tutti/codegen/cuda/nvrtc.h>
#endif
#if TUTTI_HAS_LLVM
#include <tutti/codegen/llvm/compile_kernels.h>
#include <tutti/codegen/llvm/compile_plan.h>
#endif

namespace tutti::codegen {

namespace {

// `comment` starts a line that the text's own readers skip.
template <class Text>
std::string each_kernel(const Plan& plan, const char* comment, bool only_host, Text&& text) {
  std::string out;
  for (const DistinctKernel& distinct : distinct_kernels(plan)) {
    if (only_host && !distinct.on_host) continue;
    out += comment;
    for (const int number : distinct.numbers) out += " k" + std::to_string(number);
    for (const Location location : distinct.locations) out += ", " + location.text();
    out += "\n" + text(*distinct.kernel) + "\n";
  }
  return out;
}

void add_once(std::vector<Location>& locations, Location location) {
  if (!location.known() || std::ranges::find(locations, location) != locations.end()) return;
  locations.push_back(location);
}

}  // namespace

std::vector<DistinctKernel> distinct_kernels(const Plan& plan) {
  std::vector<DistinctKernel> out;
  std::unordered_map<Hash128, std::size_t, Hash128Hasher> known;
  std::vector<std::size_t> distinct_of(plan.kernels.size());
  for (std::size_t i = 0; i < plan.kernels.size(); ++i) {
    const auto [found, inserted] = known.try_emplace(kernel_hash(plan.kernels[i]), out.size());
    if (inserted) out.push_back({.kernel = &plan.kernels[i], .numbers = {}, .locations = {}});
    out[found->second].numbers.push_back(static_cast<int>(i));
    distinct_of[i] = found->second;
  }
  for_each_part(plan, [&](Device device, const LaunchPart& part) {
    for (const int kernel : {part.kernel, part.epilogue}) {
      if (kernel < 0) continue;
      DistinctKernel& distinct = out[distinct_of[static_cast<std::size_t>(kernel)]];
      distinct.on_host = distinct.on_host || device.is_cpu();
      if (kernel == part.kernel) add_once(distinct.locations, part.location);
    }
  });
  return out;
}

std::vector<DistinctSource> distinct_sources(const Plan& plan) {
  std::vector<DistinctSource> out;
  std::unordered_map<std::string_view, std::size_t> known;  // by text; of one GPU
  for_each_part(plan, [&](Device device, const LaunchPart& part) {
    if (part.source == nullptr) return;
    const auto [found, inserted] = known.try_emplace(part.source->text, out.size());
    if (inserted) {
      const auto used = std::ranges::find(plan.devices, device, &PlanDevice::device);
      out.push_back({.source = part.source, .target = used->target, .locations = {}});
    }
    add_once(out[found->second].locations, part.location);
  });
  return out;
}

namespace {

template <class Text>
std::string each_source(const Plan& plan, Text&& text) {
  std::string out;
  for (const DistinctSource& distinct : distinct_sources(plan)) {
    out += "// " + distinct.source->name;
    for (const Location location : distinct.locations) out += ", " + location.text();
    out += "\n" + text(distinct) + "\n";
  }
  return out;
}

}  // namespace

std::string cuda_text(const Plan& plan) {
  return each_source(plan, [](const DistinctSource& each) { return each.source->text; });
}

std::string ptx_text(const Plan& plan) {
  return each_source(plan, [](const DistinctSource& each) { return ptx_text(each); });
}

#if TUTTI_HAS_CUDA
std::string ptx_text(const DistinctSource& source) {
  return cuda::ptx_of(*source.source, source.target);
}
#else
std::string ptx_text(const DistinctSource&) {
  throw EnvironmentError("this build of Tutti has no CUDA: there is no PTX");
}
#endif

std::string kernels_text(const Plan& plan) {
  return each_kernel(plan, "//", false, [](const Kernel& kernel) { return print(kernel); });
}

std::string llvm_text(const Plan& plan) {
  return each_kernel(plan, ";", true, [](const Kernel& kernel) { return llvm_text(kernel); }) +
         "; the steps\n" + steps_llvm_text(plan);
}

std::string assembly_text(const Plan& plan) {
  return each_kernel(plan, "#", true, [](const Kernel& kernel) { return assembly_text(kernel); }) +
         "# the steps\n" + steps_assembly_text(plan);
}

#if TUTTI_HAS_LLVM
namespace {
constexpr const char* kWalked = " run one after another: native code knows the host's alone\n";
}  // namespace

std::string llvm_text(const Kernel& kernel) { return native::llvm_text(kernel); }
std::string assembly_text(const Kernel& kernel) { return native::assembly_text(kernel); }
std::string steps_llvm_text(const Plan& plan) {
  return plan.devices.empty() ? native::llvm_text(plan) : std::string(";") + kWalked;
}
std::string steps_assembly_text(const Plan& plan) {
  return plan.devices.empty() ? native::assembly_text(plan) : std::string("#") + kWalked;
}
#else
namespace {
[[noreturn]] std::string refuse(const char* what) {
  throw EnvironmentError("this build of Tutti has no LLVM: there is no " + std::string(what));
}
}  // namespace

std::string llvm_text(const Kernel&) { refuse("LLVM IR"); }
std::string assembly_text(const Kernel&) { refuse("assembly"); }
std::string steps_llvm_text(const Plan&) { refuse("LLVM IR"); }
std::string steps_assembly_text(const Plan&) { refuse("assembly"); }
#endif

}  // namespace tutti::codegen
