#include <tutti/codegen/cuda/access.h>
#include <tutti/codegen/cuda/comm_kernels.h>
#include <tutti/codegen/cuda/compiler.h>
#include <tutti/codegen/cuda/emit_kernel.h>
#include <tutti/codegen/cuda/fused_comm.h>
#include <tutti/codegen/cuda/kernel_printer.h>
#include <tutti/ir/support/error.h>
#include <tutti/kernels/device/texts.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tutti::codegen::cuda {

namespace {

using runtime::CommKernel;
using runtime::Companions;

// Whether every access is to packs of so many elements, or to one element for all of a pack.
bool moves_packs(const Kernel& kernel, std::int64_t lanes) {
  const bool rows = kernel.outer.size() > 1;
  if (has_bounds(kernel) || has_terms(kernel) || kernel.outer.back() == 1 ||
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

// A companion's loop nest, in an operator of a struct that has what it takes.
struct CompanionText {
  std::string name;        // of its kernel
  std::string type;        // the struct
  std::string parameters;  // ", f32* first_b2": of the whole kernel
  std::string arguments;   // the struct's members
};

// A leader's stores are to the operand; a follower has packs of the result.
CompanionText companion_text(const CommCompanion& companion, bool leads, std::int64_t lanes,
                             std::set<std::string>& texts) {
  check(companion.kernel);
  const Kernel merged = prepared(companion.kernel);
  Mapping mapping{.lanes = static_cast<int>(lanes)};
  mapping.wide = choose_mapping(merged).wide;
  KernelPrinter printer(merged, mapping, companion.kernel);
  const int given = leads ? -1 : companion.shared;
  const std::string body = printer.print_operator(given, lanes > 1 && moves_packs(merged, lanes));
  texts.insert(printer.texts().begin(), printer.texts().end());

  CompanionText out{.name = printer.name(), .type = {}, .parameters = {}, .arguments = {}};
  std::string members;
  const auto all = printer.parameters_beside(given);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::size_t space = all[i].rfind(' ');
    const bool is_operand = leads && static_cast<int>(i) == companion.shared;
    // Both companions have a b0.
    const std::string name =
        is_operand ? "operand" : (leads ? "first_" : "") + all[i].substr(space + 1);
    members += "  " + all[i] + ";\n";
    if (!is_operand) out.parameters += ", " + all[i].substr(0, space + 1) + name;
    out.arguments += (out.arguments.empty() ? "" : ", ") + name;
  }
  const auto named = [&](const std::string& type, const std::string& name) {
    return body.find(name) == std::string::npos ? type : type + " " + name;
  };
  const std::string element =
      type_name(companion.kernel.buffers[static_cast<std::size_t>(companion.shared)].dtype);
  out.type = std::string("struct ") + (leads ? "Leading" : "Following") + " {\n" + members +
             "\n  __device__ void operator()(" + named("u64", "place") + ", " +
             named("i64", "left") +
             (leads ? "" : ", const Pack<" + element + ", " + std::to_string(lanes) + ">& given") +
             ") const {\n" + body + "  }\n};\n\n";
  return out;
}

class SharedFusedCommKernels final : public runtime::FusedCommKernels {
 public:
  SharedFusedCommKernels(std::optional<CommCompanion> leader, std::optional<CommCompanion> follower)
      : leader_(std::move(leader)), follower_(std::move(follower)) {}

  std::shared_ptr<const runtime::DeviceCode> with(const CommKernel& comm, Companions companions,
                                                  std::string_view target) const override {
    const std::scoped_lock lock(mutex_);
    const auto is_it = [&](const Made& each) {
      return each.comm == comm && each.companions == companions && each.target == target;
    };
    const auto known = std::ranges::find_if(made_, is_it);
    if (known != made_.end()) {
      if (known->code == nullptr) throw EnvironmentError(known->failure);
      return known->code;
    }
    const std::array sources = {fused_comm_source(comm, companions.leader ? leader_ : std::nullopt,
                                                  companions.follower ? follower_ : std::nullopt)};
    Made made{.comm = comm,
              .companions = companions,
              .target = std::string(target),
              .code = nullptr,
              .failure = {}};
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
    Companions companions;
    std::string target;
    std::shared_ptr<const runtime::DeviceCode> code;  // null: it can't be compiled
    std::string failure;                              // why
  };

  const std::optional<CommCompanion> leader_;
  const std::optional<CommCompanion> follower_;
  mutable std::mutex mutex_;
  mutable std::vector<Made> made_;  // few, as long as the group stays
};

}  // namespace

Source fused_comm_source(const CommKernel& comm, const std::optional<CommCompanion>& leader,
                         const std::optional<CommCompanion>& follower) {
  const auto dtype_of = [](const CommCompanion& each) {
    return each.kernel.buffers[static_cast<std::size_t>(each.shared)].dtype;
  };
  const DType dtype = dtype_of(leader ? leader.value() : follower.value());
  CommKernel typed = comm;
  if (comm.kind == CommKernel::Kind::all_gather) typed.dtype = dtype;  // it knows bytes alone
  if (typed.dtype != dtype || (follower && dtype_of(*follower) != dtype)) {
    throw InternalError("what goes with a collective of " + std::string(name_of(typed.dtype)) +
                        " is of another dtype");
  }
  const std::string element = type_name(dtype);
  const CommText text = comm_text(typed, element);
  const std::int64_t lanes = comm.bytes_at_once / size_of(dtype);
  const bool bytes = comm.kind == CommKernel::Kind::all_gather && comm.dtype != dtype;
  const std::string count = bytes ? "elements / sizeof(" + element + ")" : "elements";

  Source out;
  out.name = std::string(text.name);
  std::set<std::string> texts = {std::string(text.piece)};
  std::string types;
  std::string parameters = leader ? ", " : ", const ";
  parameters +=
      element + "* operand" + (follower ? "" : ", " + element + "* result") + ", u64 elements";
  std::string body;
  if (leader) {
    const CompanionText own = companion_text(*leader, true, lanes, texts);
    const bool scatters = comm.kind == CommKernel::Kind::reduce_scatter;
    out.name += "_after_" + own.name;
    types += own.type;
    parameters += own.parameters;
    body += "  make_operand<Collective>(" + std::to_string(scatters ? comm.members : 1) + ", " +
            count + ", Leading{" + own.arguments + "});\n";
  }
  std::string then = "Stored<Collective>{result}";
  if (follower) {
    const CompanionText own = companion_text(*follower, false, lanes, texts);
    out.name += "_then_" + own.name;
    types += own.type;
    parameters += own.parameters;
    then = "Following{" + own.arguments + "}";
  }
  body += "  " + std::string(text.function) + "<Collective>(peers, operand, " + count + ", " +
          then + ");\n";
  const std::vector<std::string_view> used(texts.begin(), texts.end());
  out.text = kernels::device_texts(used) + "// " + out.name + ": " + text.detail + "\n" +
             text.spec.text() + "\n" + types + "extern \"C\" __global__ void __launch_bounds__(" +
             std::to_string(CommKernel::kThreads) + ", 1) " + out.name + "(const PeerTable* peers" +
             parameters + ") {\n" + body + "}\n";
  out.block = {CommKernel::kThreads, 1, 1};
  return out;
}

std::shared_ptr<const runtime::FusedCommKernels> fused_comm_kernels(
    std::optional<CommCompanion> leader, std::optional<CommCompanion> follower) {
  return std::make_shared<SharedFusedCommKernels>(std::move(leader), std::move(follower));
}

}  // namespace tutti::codegen::cuda
