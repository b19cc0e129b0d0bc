#include <tutti/codegen/cuda/access.h>
#include <tutti/codegen/cuda/comm_epilogue.h>
#include <tutti/codegen/cuda/comm_kernels.h>
#include <tutti/codegen/cuda/compiler.h>
#include <tutti/codegen/cuda/emit_kernel.h>
#include <tutti/codegen/cuda/kernel_printer.h>
#include <tutti/ir/support/error.h>
#include <tutti/kernels/device/texts.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace tutti::codegen::cuda {

namespace {

using runtime::CommKernel;

// Whether every access is to packs of so many elements, or to one element for all of a pack.
bool moves_packs(const Kernel& kernel, std::int64_t lanes) {
  const bool rows = kernel.outer.size() > 1;
  if (has_bounds(kernel) || kernel.outer.back() == 1 ||
      (rows && kernel.outer.back() % lanes != 0)) {
    return false;
  }
  bool out = true;
  for_each_access(kernel, [&](const Access& access) {
    if (access.buffer < 0) return;
    const std::vector<std::int64_t>& strides = access.address->outer;
    if (strides.back() == 0 && !access.store) return;
    out = out && strides.back() == 1 && access.address->offset % lanes == 0;
    for (std::size_t axis = 0; axis + 1 < strides.size(); ++axis) {
      out = out && (kernel.outer[axis] == 1 || strides[axis] % lanes == 0);
    }
  });
  return out;
}

class SharedCommEpilogue final : public runtime::CommEpilogue {
 public:
  SharedCommEpilogue(Kernel kernel, int given) : kernel_(std::move(kernel)), given_(given) {}

  std::shared_ptr<const runtime::DeviceCode> with(const CommKernel& comm,
                                                  std::string_view target) const override {
    const std::scoped_lock lock(mutex_);
    const auto is_it = [&](const Made& each) { return each.comm == comm && each.target == target; };
    const auto known = std::ranges::find_if(made_, is_it);
    if (known != made_.end()) {
      if (known->code == nullptr) throw EnvironmentError(known->failure);
      return known->code;
    }
    const std::array sources = {fused_comm_source(comm, kernel_, given_)};
    Made made{.comm = comm, .target = std::string(target), .code = nullptr, .failure = {}};
    try {
      made.code = Compiler::shared().compile(sources, target).front();
    } catch (const OutOfMemoryError&) {
      throw;
    } catch (const EnvironmentError& error) {
      made.failure = error.what();
      made_.push_back(std::move(made));
      throw;
    }
    return made_.emplace_back(std::move(made)).code;
  }

 private:
  struct Made {
    CommKernel comm;
    std::string target;
    std::shared_ptr<const runtime::DeviceCode> code;  // null: it can't be compiled
    std::string failure;                              // why
  };

  const Kernel kernel_;
  const int given_;
  mutable std::mutex mutex_;
  mutable std::vector<Made> made_;  // one, as long as the group stays
};

}  // namespace

Source fused_comm_source(const CommKernel& comm, const Kernel& kernel, int given) {
  check(kernel);
  const DType dtype = kernel.buffers[static_cast<std::size_t>(given)].dtype;
  const std::string element = type_name(dtype);
  CommKernel typed = comm;
  if (comm.kind == CommKernel::Kind::all_gather) typed.dtype = dtype;  // it knows bytes alone
  if (typed.dtype != dtype) {
    throw InternalError("what follows a collective reads " + std::string(name_of(dtype)) +
                        " where that gives " + std::string(name_of(typed.dtype)));
  }
  const CommText text = comm_text(typed, element);
  const std::int64_t lanes = comm.bytes_at_once / size_of(dtype);

  const Kernel merged = prepared(kernel);
  Mapping mapping{.lanes = static_cast<int>(lanes)};
  mapping.wide = choose_mapping(merged).wide;
  KernelPrinter printer(merged, mapping, kernel);
  const std::string body = printer.print_following(given, lanes > 1 && moves_packs(merged, lanes));

  std::string members;
  std::string parameters;
  std::string arguments;
  for (const std::string& parameter : printer.parameters_beside(given)) {
    members += "  " + parameter + ";\n";
    parameters += ", " + parameter;
    arguments += (arguments.empty() ? "" : ", ") + parameter.substr(parameter.rfind(' ') + 1);
  }
  const auto named = [&](const std::string& type, const std::string& name) {
    return body.find(name) == std::string::npos ? type : type + " " + name;
  };
  const bool bytes = comm.kind == CommKernel::Kind::all_gather && comm.dtype != dtype;
  const std::string count = bytes ? "elements / sizeof(" + element + ")" : "elements";

  Source out;
  out.name = std::string(text.name) + "_then_" + printer.name();
  std::vector<std::string_view> used(printer.texts().begin(), printer.texts().end());
  used.push_back(text.piece);
  out.text =
      kernels::device_texts(used) + "// " + out.name + ": " + text.detail + "\n" +
      text.spec.text() + "\nstruct Following {\n" + members + "\n  __device__ void operator()(" +
      named("u64", "place") + ", " + named("i64", "left") + ", const Pack<" + element + ", " +
      std::to_string(lanes) + ">& given) const {\n" + body + "  }\n};\n\n" +
      "extern \"C\" __global__ void __launch_bounds__(" + std::to_string(CommKernel::kThreads) +
      ", 1) " + out.name + "(const PeerTable* peers, const " + element + "* operand, u64 elements" +
      parameters + ") {\n  " + std::string(text.function) + "<Collective>(peers, operand, " +
      count + ", Following{" + arguments + "});\n}\n";
  out.block = {CommKernel::kThreads, 1, 1};
  return out;
}

std::shared_ptr<const runtime::CommEpilogue> comm_epilogue(Kernel kernel, int given) {
  return std::make_shared<SharedCommEpilogue>(std::move(kernel), given);
}

}  // namespace tutti::codegen::cuda
