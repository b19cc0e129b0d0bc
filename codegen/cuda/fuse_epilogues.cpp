#include <tutti/codegen/access_history.h>
#include <tutti/codegen/cuda/fuse_epilogues.h>
#include <tutti/codegen/cuda/target.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <utility>

namespace tutti::codegen::cuda {

namespace {

class Epilogues {
 public:
  Epilogues(Plan& plan, const PlannedMatmuls& matmuls)
      : plan_(plan), matmuls_(matmuls), history_(plan), reads_(plan.buffers.size(), 0) {
    for (const Step& step : plan.steps) {
      for_each_access(plan, step, [&](BufferId id, bool written) {
        if (!written) ++reads_[at(id)];
      });
    }
    for (const PlanResult& result : plan.results) ++reads_[at(result.buffer)];
  }

  void run() {
    std::vector<bool> gone(plan_.steps.size(), false);
    for (std::size_t step = 0; step < plan_.steps.size(); ++step) {
      Launch* const launch = launch_of(plan_.steps[step]);
      if (launch != nullptr && !launch->device.is_cpu()) {
        LaunchPart& part = launch->parts.front();
        if (part.kernel >= 0) {
          if (const auto matmul = join(part)) gone[*matmul] = true;
        } else if (matmuls_.contains(part.buffers.back())) {
          made_at_[part.buffers.back()] = step;
        }
      }
      history_.note(plan_.steps[step], step);
    }
    erase_steps(plan_, gone);
    drop_unused_kernels();
  }

 private:
  // Those that became part of a call.
  void drop_unused_kernels() {
    constexpr int kUnused = -1;
    std::vector<int> numbers(plan_.kernels.size(), kUnused);  // from now on
    const auto for_each_use = [&](auto&& f) {
      for (Step& step : plan_.steps) {
        Launch* const launch = launch_of(step);
        if (launch == nullptr) continue;
        for (LaunchPart& part : launch->parts) {
          if (part.kernel >= 0) f(part.kernel);
          if (part.epilogue >= 0) f(part.epilogue);
        }
      }
    };
    for_each_use([&](int kernel) { numbers[static_cast<std::size_t>(kernel)] = 0; });
    std::vector<Kernel> used;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (numbers[i] == kUnused) continue;
      numbers[i] = static_cast<int>(used.size());
      used.push_back(std::move(plan_.kernels[i]));
    }
    plan_.kernels = std::move(used);
    for_each_use([&](int& kernel) { kernel = numbers[static_cast<std::size_t>(kernel)]; });
  }

  // Makes the kernel's launch, the next step, one of a matmul and what the kernel does: of which
  // step, if there is one that may move down to it.
  std::optional<std::size_t> join(LaunchPart& part) const {
    for (const BufferId product : part.buffers) {
      const auto made = made_at_.find(product);
      if (made == made_at_.end() || reads_[at(product)] != 1) continue;
      const LaunchPart& matmul = launch_of(plan_.steps[made->second])->parts.front();
      if (history_.earliest(matmul) > made->second + 1) continue;
      if (join(matmul, part, product)) return made->second;
    }
    return std::nullopt;
  }
  bool join(const LaunchPart& matmul, LaunchPart& part, BufferId product) const {
    const PlannedMatmul& planned = matmuls_.at(product);
    const Shape& shape = planned.result.shape;
    const std::int64_t columns = shape.rank() == 0 ? 1 : shape[shape.rank() - 1];
    const auto number = std::ranges::find(part.buffers, product) - part.buffers.begin();
    const auto epilogue = recognise_epilogue(plan_.kernels[static_cast<std::size_t>(part.kernel)],
                                             static_cast<int>(number), columns);
    // cuBLASLt does not say what its maximum makes of NaN; ours keeps it.
    if (!epilogue || epilogue->kind == Epilogue::Kind::bias_relu) return false;
    const BufferId bias = part.buffers[static_cast<std::size_t>(epilogue->bias)];
    const BufferId result = part.buffers[static_cast<std::size_t>(epilogue->result)];
    // A kernel that reads only some rows of the product.
    if (plan_.buffers[at(result)].bytes != plan_.buffers[at(product)].bytes) return false;
    LaunchPart call = call_of(device_matmul(planned.result, planned.operands, epilogue->kind));
    part.name = call.name + " then " + part.name;
    part.detail = std::move(call.detail);
    part.kernel = -1;
    part.source = std::move(call.source);
    part.device_code = std::move(call.device_code);
    part.buffers = {matmul.buffers[0], matmul.buffers[1], bias, result};
    part.counts += matmul.counts;
    // The product is neither written nor read.
    const std::int64_t between = plan_.buffers[at(product)].bytes;
    part.counts.bytes_read -= between;
    part.counts.bytes_written -= between;
    return true;
  }

  Plan& plan_;
  const PlannedMatmuls& matmuls_;
  AccessHistory history_;
  std::map<BufferId, std::size_t> made_at_;  // by a matmul's buffer: its step
  std::vector<int> reads_;                   // [buffer]
};

}  // namespace

void fuse_epilogues(Plan& plan, const PlannedMatmuls& matmuls) {
  const auto on_gpu = [&](const auto& made) {
    return !plan.buffers[at(made.first)].device.is_cpu();
  };
  if (std::ranges::any_of(matmuls, on_gpu)) Epilogues(plan, matmuls).run();
}

}  // namespace tutti::codegen::cuda
