#include <tutti/codegen/cuda/compiler.h>
#include <tutti/codegen/cuda/cublaslt_matmul.h>
#include <tutti/codegen/cuda/matmul_text.h>
#include <tutti/codegen/cuda/matmul_ways.h>
#include <tutti/codegen/matmul_call.h>
#include <tutti/ir/support/error.h>
#include <tutti/runtime/cuda/accelerator.h>
#include <tutti/runtime/log.h>

#include <algorithm>
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
      : library_(library), result_(result), operands_(operands), epilogue_(epilogue) {
    if (epilogue_) ways_.push_back(Way::library_with_epilogue);
    ways_.push_back(Way::library);
    ways_.push_back(Way::own);
  }

  void launch(Accelerator& accelerator, void* const* buffers) const override {
    const int gpu = accelerator.device().index;
    std::size_t least = 0;
    for (;;) {
      const auto [known, codes] = chosen_on(gpu);
      const std::size_t number = std::max(known, least);
      // A recording would have the slower way for good, and what fails there need not fail outside.
      const auto is_last = [&] {
        return number + 1 == ways_.size() ||
               runtime::CudaAccelerator::of(accelerator).is_recording();
      };
      try {
        const bool is_made = codes != nullptr && number == known;
        return run(number, is_made ? *codes : *make(number, accelerator), accelerator, buffers);
      } catch (const OutOfMemoryError&) {
        // Of a workspace, for which there may be room the next time.
        if (is_last()) throw;
        least = number + 1;
      } catch (const EnvironmentError& error) {
        if (is_last()) throw;
        go_on_from(number, accelerator.device(), error.what());
      }
    }
  }

 private:
  // The library's product apart has its epilogue in a kernel behind it.
  enum class Way : std::uint8_t { library_with_epilogue, library, own };
  // One after another: of the product, and of an epilogue apart, or null.
  struct Codes {
    Code product;
    Code epilogue;
  };
  struct Choice {
    std::size_t way = 0;  // in ways_
    std::shared_ptr<const Codes> codes = nullptr;
  };

  void run(std::size_t number, const Codes& codes, Accelerator& accelerator,
           void* const* buffers) const {
    if (ways_[number] != Way::library || !epilogue_) {
      return codes.product->launch(accelerator, buffers);
    }
    void* const product[] = {buffers[0], buffers[1], buffers[3]};
    codes.product->launch(accelerator, product);
    codes.epilogue->launch(accelerator, buffers + 2);
  }

  Choice chosen_on(int gpu) const {
    const std::scoped_lock lock(mutex_);
    return choices_[gpu];
  }

  std::shared_ptr<const Codes> make(std::size_t number, Accelerator& accelerator) const {
    auto codes = std::make_shared<Codes>();
    if (ways_[number] == Way::own) {
      codes->product = compiled(matmul_source(result_, operands_, epilogue_), accelerator);
    } else {
      const bool at_once = ways_[number] == Way::library_with_epilogue;
      codes->product = cublaslt_matmul(library_, *matmul_layout(result_, operands_),
                                       at_once ? epilogue_ : std::nullopt);
      if (epilogue_ && !at_once) {
        codes->epilogue = compiled(epilogue_source(result_, *epilogue_), accelerator);
      }
    }
    const std::scoped_lock lock(mutex_);
    Choice& choice = choices_[accelerator.device().index];
    if (choice.way == number) choice.codes = codes;
    return codes;
  }
  static Code compiled(const Source& source, const Accelerator& accelerator) {
    return Compiler::shared().compile({&source, 1}, accelerator.target())[0];
  }

  void go_on_from(std::size_t number, Device device, const std::string& why) const {
    {
      const std::scoped_lock lock(mutex_);
      Choice& choice = choices_[device.index];
      if (choice.way > number) return;
      choice = {.way = number + 1};
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
  std::vector<Way> ways_;  // the best first
  mutable std::mutex mutex_;
  mutable std::map<int, Choice> choices_;  // by GPU
};

}  // namespace

Code matmul_ways(const runtime::CublasLt& library, const ir::Type& result,
                 const std::vector<View>& operands, std::optional<Epilogue::Kind> epilogue) {
  return std::make_shared<const MatmulWays>(library, result, operands, epilogue);
}

}  // namespace tutti::codegen::cuda
