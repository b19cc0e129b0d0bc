#include <tutti/codegen/cuda/compiler.h>
#include <tutti/codegen/cuda/cublaslt_matmul.h>
#include <tutti/codegen/cuda/matmul_text.h>
#include <tutti/codegen/cuda/matmul_ways.h>
#include <tutti/codegen/matmul_call.h>
#include <tutti/ir/support/error.h>
#include <tutti/runtime/log.h>

#include <atomic>
#include <map>
#include <mutex>
#include <string>

namespace tutti::codegen::cuda {

namespace {

using runtime::Accelerator;
using Code = std::shared_ptr<const runtime::DeviceCode>;

class MatmulWays final : public runtime::DeviceCode {
 public:
  MatmulWays(const runtime::CublasLt& library, const ir::Type& result,
             const std::vector<View>& operands, std::optional<Epilogue::Kind> epilogue)
      : library_(library),
        result_(result),
        operands_(operands),
        epilogue_(epilogue),
        layout_(*matmul_layout(result, operands)) {}

  void launch(Accelerator& accelerator, void* const* buffers) const override {
    for (std::size_t way = first_way(accelerator.device());; ++way) {
      const Step* const steps = kWays[way];
      if (way + 1 == kWays.size()) return run(steps, accelerator, buffers);
      if (!epilogue_ && steps[0] == Step::library_with_epilogue) continue;
      try {
        return run(steps, accelerator, buffers);
      } catch (const EnvironmentError& error) {
        go_on_from(way, accelerator.device(), error.what());
      }
    }
  }

 private:
  enum class Step : std::uint8_t { library_with_epilogue, library, epilogue, own, end };
  static constexpr Step kAtOnce[] = {Step::library_with_epilogue, Step::end};
  static constexpr Step kApart[] = {Step::library, Step::epilogue, Step::end};
  static constexpr Step kOwn[] = {Step::own, Step::end};
  static constexpr std::array<const Step*, 3> kWays = {kAtOnce, kApart, kOwn};

  void run(const Step* steps, Accelerator& accelerator, void* const* buffers) const {
    for (; *steps != Step::end; ++steps) {
      const Code code = code_of(*steps, accelerator);
      if (code == nullptr) continue;
      std::vector<void*> own;
      if (*steps == Step::library) {
        own = {buffers[0], buffers[1], buffers[epilogue_ ? 3 : 2]};
      } else if (*steps == Step::epilogue) {
        own = {buffers[2], buffers[3]};
      }
      code->launch(accelerator, own.empty() ? buffers : own.data());
    }
  }

  // Null where there is nothing to do.
  Code code_of(Step step, Accelerator& accelerator) const {
    const std::string target = step == Step::epilogue || step == Step::own
                                   ? accelerator.target()
                                   : std::string();  // the library has code for all
    const std::scoped_lock lock(mutex_);
    Code& code = codes_[{step, target}];
    if (code == nullptr) code = make(step, target);
    return code;
  }
  Code make(Step step, const std::string& target) const {
    switch (step) {
      case Step::library_with_epilogue:
        return cublaslt_matmul(library_, layout_, epilogue_);
      case Step::library:
        return cublaslt_matmul(library_, layout_, std::nullopt);
      case Step::epilogue:
        return epilogue_ ? compiled(epilogue_source(result_, *epilogue_), target) : nullptr;
      case Step::own:
        return compiled(matmul_source(result_, operands_, epilogue_), target);
      case Step::end:
        break;
    }
    __builtin_unreachable();
  }
  static Code compiled(const Source& source, const std::string& target) {
    return Compiler::shared().compile({&source, 1}, target)[0];
  }

  std::size_t first_way(Device device) const {
    const std::scoped_lock lock(mutex_);
    const auto known = ways_.find(device.index);
    return known != ways_.end() ? known->second : 0;
  }
  void go_on_from(std::size_t way, Device device, const std::string& why) const {
    {
      const std::scoped_lock lock(mutex_);
      std::size_t& next = ways_[device.index];
      if (next > way) return;
      next = way + 1;
    }
    const std::string product = matmul_text(matmul_spec(result_, operands_));
    const std::string text = "cuBLASLt refuses the product " + product + " on " + device.text() +
                             " (" + why + "), so it is computed in a slower way";
    runtime::Log::process().write(runtime::LogTopic::gpu, -1, text);
    static std::atomic<bool> warned = false;
    if (!warned.exchange(true)) runtime::warn(text + "; TUTTI_LOG=gpu tells of others");
  }

  const runtime::CublasLt& library_;
  const ir::Type result_;
  const std::vector<View> operands_;
  const std::optional<Epilogue::Kind> epilogue_;
  const MatmulLayout layout_;
  mutable std::mutex mutex_;                 // of what follows
  mutable std::map<int, std::size_t> ways_;  // by GPU: the first to be tried
  mutable std::map<std::pair<Step, std::string>, Code> codes_;
};

}  // namespace

Code matmul_ways(const runtime::CublasLt& library, const ir::Type& result,
                 const std::vector<View>& operands, std::optional<Epilogue::Kind> epilogue) {
  return std::make_shared<const MatmulWays>(library, result, operands, epilogue);
}

}  // namespace tutti::codegen::cuda
