#include <tutti/ir/support/error.h>
#include <tutti/kernels/host/matmul_product.h>

#if TUTTI_HAS_ONEDNN

#include <tutti/kernels/host/onednn.h>
#include <tutti/kernels/host/per_thread.h>
#include <tutti/kernels/host/scratch.h>

#include <array>
#include <csignal>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <oneapi/dnnl/dnnl.hpp>

namespace tutti::kernels {

namespace {

// While it lives, signals from outside wait, for code that needs it: some that oneDNN generates
// (gemm:jit of 2.6) keeps data below the stack pointer, further than the ABI has it, where a
// handler's frame would go. Takes two calls of the system.
class NoSignals {
 public:
  explicit NoSignals(bool needed) : needed_(needed) {
    if (!needed_) return;
    sigset_t blocked;
    sigfillset(&blocked);
    for (const int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT}) {
      sigdelset(&blocked, own);
    }
    pthread_sigmask(SIG_SETMASK, &blocked, &before_);
  }
  ~NoSignals() {
    if (needed_) pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  NoSignals(const NoSignals&) = delete;
  NoSignals& operator=(const NoSignals&) = delete;

 private:
  const bool needed_;
  sigset_t before_{};
};

[[noreturn]] void fail(const std::string& what) {
  throw EnvironmentError("oneDNN could not multiply: " + what);
}

dnnl::memory::desc matrix(DType dtype, std::int64_t rows, std::int64_t columns,
                          std::int64_t row_stride, std::int64_t column_stride) {
  using Type = dnnl::memory::data_type;
  return {
      {rows, columns}, dtype == DType::bf16 ? Type::bf16 : Type::f32, {row_stride, column_stride}};
}

// oneDNN's code for a product. Its working memory is the caller's, so that threads can share it.
struct Primitive {
  dnnl::memory::desc a, b, c, scratch;
  dnnl::matmul multiply;
  bool fast = false;
  bool uses_stack_below = false;  // see NoSignals

  explicit Primitive(const Product& p)
      : a(matrix(p.dtype, p.m, p.k, p.a_row_stride, p.a_column_stride)),
        b(matrix(p.dtype, p.k, p.n, p.b_row_stride, p.b_column_stride)),
        c(matrix(p.dtype, p.m, p.n, p.c_row_stride, 1)) {
    dnnl::primitive_attr attributes;
    attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    // Whatever ONEDNN_DEFAULT_FPMATH_MODE says: f32 is never multiplied as something narrower.
    attributes.set_fpmath_mode(dnnl::fpmath_mode::strict);
    if (p.accumulate) {
      dnnl::post_ops after;
      after.append_sum(1.F);
      attributes.set_post_ops(after);
    }
#if DNNL_VERSION_MAJOR < 3
    const dnnl::matmul::primitive_desc description({a, b, c}, attributes, onednn_engine());
#else
    const dnnl::matmul::primitive_desc description(onednn_engine(), a, b, c, attributes);
#endif
    scratch = description.scratchpad_desc();
    multiply = dnnl::matmul(description);
    const std::string_view code = description.impl_info_str();
    fast = code.find("ref") == std::string_view::npos;
    uses_stack_below = code.find("gemm") != std::string_view::npos;
  }
};

}  // namespace

// A primitive with places for its arguments: what one thread at a time runs.
struct LibraryProduct::State {
  std::shared_ptr<SharedPrimitive> shared;  // null while idle
  const Primitive& primitive;
  dnnl::memory a, b, c, scratch;
  std::int64_t scratch_bytes;

  explicit State(const Primitive& made)
      : primitive(made),
        a(made.a, onednn_engine(), nullptr),
        b(made.b, onednn_engine(), nullptr),
        c(made.c, onednn_engine(), nullptr),
        scratch(made.scratch, onednn_engine(), nullptr),
        scratch_bytes(static_cast<std::int64_t>(made.scratch.get_size())) {}
};

// A primitive, made once, and the states that nobody uses now: making one anew for every call would
// cost nine allocations.
class LibraryProduct::SharedPrimitive {
 public:
  const Primitive& get(const Product& product) {
    std::call_once(created_, [&] {
      const OpenMpThreads one_thread(1);
      primitive_.emplace(product);
    });
    return *primitive_;
  }

  // Null if there is none.
  std::unique_ptr<State> take_idle() {
    const std::lock_guard lock(mutex_);
    if (idle_.empty()) return nullptr;
    std::unique_ptr<State> state = std::move(idle_.back());
    idle_.pop_back();
    return state;
  }
  void give_back(std::unique_ptr<State> state) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(state));
  }

 private:
  std::once_flag created_;
  std::optional<Primitive> primitive_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<State>> idle_;
};

// Primitives by product, for the whole process. Creating one takes 0.01 to 10 ms and happens once,
// outside the lock of the others. The oldest go when there are too many.
class LibraryProduct::PrimitiveCache {
 public:
  static PrimitiveCache& shared() {
    static auto* const primitives = new PrimitiveCache;
    return *primitives;
  }

  std::shared_ptr<SharedPrimitive> get(const Product& product) {
    const std::lock_guard lock(mutex_);
    std::shared_ptr<SharedPrimitive>& entry = entries_[product];
    if (entry != nullptr) return entry;
    entry = std::make_shared<SharedPrimitive>();
    std::shared_ptr<SharedPrimitive> added = entry;
    order_.push_back(product);
    if (order_.size() > kMost) {
      entries_.erase(order_.front());
      order_.pop_front();
    }
    return added;
  }

 private:
  static constexpr std::size_t kMost = 1024;

  std::mutex mutex_;
  std::map<Product, std::shared_ptr<SharedPrimitive>> entries_;
  std::deque<Product> order_;
};

namespace {

// oneDNN has code for others, too, which takes three times as long as f32 copies.
bool multiplies_bf16_itself() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx512bf16") != 0;
#else
  return true;
#endif
}

bool probe(DType dtype) {
  const OpenMpThreads one_thread(1);
  constexpr std::int64_t kSize = 64;
  try {
    return Primitive({dtype, kSize, kSize, kSize, kSize, 1, kSize, 1, kSize}).fast;
  } catch (const dnnl::error&) {
    return false;  // oneDNN refuses bf16 on machines without instructions for it
  }
}

}  // namespace

std::string library_version() {
  const dnnl_version_t* const version = dnnl_version();
  return std::to_string(version->major) + "." + std::to_string(version->minor) + "." +
         std::to_string(version->patch);
}

bool library_multiplies(DType dtype) {
  static const bool f32 = probe(DType::f32);
  static const bool bf16 = multiplies_bf16_itself() && probe(DType::bf16);
  return (dtype == DType::f32 && f32) || (dtype == DType::bf16 && bf16);
}

LibraryProduct::LibraryProduct(const Product& product) try {
  std::shared_ptr<SharedPrimitive> shared = PrimitiveCache::shared().get(product);
  const Primitive& primitive = shared->get(product);
  state_ = shared->take_idle();
  if (state_ == nullptr) state_ = std::make_unique<State>(primitive);
  state_->shared = std::move(shared);
} catch (const dnnl::error& error) {
  fail(error.what());
}
LibraryProduct::~LibraryProduct() {
  if (state_ == nullptr) return;
  const std::shared_ptr<SharedPrimitive> shared = std::move(state_->shared);
  shared->give_back(std::move(state_));
}
LibraryProduct::LibraryProduct(LibraryProduct&&) noexcept = default;

void LibraryProduct::run(const void* a, const void* b, void* c) {
  struct OwnStream {
    dnnl::stream stream{onednn_engine()};
  };
  constinit thread_local PerThread<OwnStream> own;
  const dnnl::stream& stream = own.get().stream;
  constinit thread_local PerThread<Scratch> scratch;
  const auto memory = scratch.get().use<std::byte>(state_->scratch_bytes);
  const OpenMpThreads one_thread(1);
  try {
    state_->a.set_data_handle(const_cast<void*>(a));
    state_->b.set_data_handle(const_cast<void*>(b));
    state_->c.set_data_handle(c);
    state_->scratch.set_data_handle(memory.get());
  } catch (const dnnl::error& error) {
    fail(error.what());
  }
  // The C function: dnnl::primitive::execute copies a hash table of the arguments on every call.
  const std::array<dnnl_exec_arg_t, 4> arguments = {{{DNNL_ARG_SRC, state_->a.get()},
                                                     {DNNL_ARG_WEIGHTS, state_->b.get()},
                                                     {DNNL_ARG_DST, state_->c.get()},
                                                     {DNNL_ARG_SCRATCHPAD, state_->scratch.get()}}};
  const NoSignals no_signals(state_->primitive.uses_stack_below);
  const dnnl_status_t status =
      dnnl_primitive_execute(state_->primitive.multiply.get(), stream.get(),
                             static_cast<int>(arguments.size()), arguments.data());
  if (status != dnnl_success) fail("execution gave status " + std::to_string(status));
}

}  // namespace tutti::kernels

#else

namespace tutti::kernels {

bool library_multiplies(DType) { return false; }
std::string library_version() { return {}; }

struct LibraryProduct::State {};
LibraryProduct::LibraryProduct(const Product&) {
  throw InternalError("a build without oneDNN has no matmul library");
}
LibraryProduct::~LibraryProduct() = default;
LibraryProduct::LibraryProduct(LibraryProduct&&) noexcept = default;
void LibraryProduct::run(const void*, const void*, void*) {}

}  // namespace tutti::kernels

#endif
