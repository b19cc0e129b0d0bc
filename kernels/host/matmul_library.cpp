#include <tutti/ir/support/error.h>
#include <tutti/kernels/host/matmul_product.h>

#if TUTTI_HAS_ONEDNN

#include <tutti/kernels/host/onednn.h>
#include <tutti/kernels/host/per_thread.h>
#include <tutti/kernels/host/scratch.h>

#include <array>
#include <atomic>
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
  SharedPrimitive& owner;
  const Primitive& primitive;
  dnnl::memory a, b, c, scratch;
  std::int64_t scratch_bytes;

  State(SharedPrimitive& of, const Primitive& made)
      : owner(of),
        primitive(made),
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
  explicit SharedPrimitive(const Product& product) : product_(product) {}

  // One that is the caller's until it gives it back, on the same thread.
  std::unique_ptr<State> take() {
    std::call_once(created_, [&] {
      const OpenMpThreads one_thread(1);
      primitive_.emplace(product_);
    });
    Idle& idle = own_idle();
    const std::lock_guard lock(idle.mutex);
    if (idle.states.empty()) {
      idle.states.reserve(++idle.made);  // to give back needs no memory
      return std::make_unique<State>(*this, *primitive_);
    }
    std::unique_ptr<State> state = std::move(idle.states.back());
    idle.states.pop_back();
    return state;
  }
  void give_back(std::unique_ptr<State> state) {
    Idle& idle = own_idle();
    const std::lock_guard lock(idle.mutex);
    idle.states.push_back(std::move(state));
  }

 private:
  // Of a few threads of all: none of those that compute at once waits for another.
  struct alignas(64) Idle {
    std::mutex mutex = {};
    std::size_t made = 0;
    std::vector<std::unique_ptr<State>> states = {};
  };

  Idle& own_idle() {
    static std::atomic<std::size_t> threads{0};
    thread_local const std::size_t number = threads.fetch_add(1, std::memory_order_relaxed);
    return idle_[number % idle_.size()];
  }

  const Product product_;
  std::once_flag created_;
  std::optional<Primitive> primitive_;
  std::array<Idle, 16> idle_;
};

// Primitives by product, for the whole process. Creating one takes 0.01 to 10 ms and happens once,
// outside the lock of the others. The oldest go when there are too many; whoever has prepared a
// product keeps its own.
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
    entry = std::make_shared<SharedPrimitive>(product);
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

LibraryProduct::LibraryProduct(const Product& product)
    : shared_(PrimitiveCache::shared().get(product)) {}

void LibraryProduct::run(LibraryUse& use, const void* a, const void* b, void* c) const try {
  struct OwnStream {
    dnnl::stream stream{onednn_engine()};
  };
  constinit thread_local PerThread<OwnStream> own;
  const dnnl::stream& stream = own.get().stream;
  State& state = use.take_state(*shared_);
  constinit thread_local PerThread<Scratch> scratch;
  const auto memory = scratch.get().use<std::byte>(state.scratch_bytes);
  const OpenMpThreads one_thread(1);
  state.a.set_data_handle(const_cast<void*>(a));
  state.b.set_data_handle(const_cast<void*>(b));
  state.c.set_data_handle(c);
  state.scratch.set_data_handle(memory.get());
  // The C function: dnnl::primitive::execute copies a hash table of the arguments on every call.
  const std::array<dnnl_exec_arg_t, 4> arguments = {{{DNNL_ARG_SRC, state.a.get()},
                                                     {DNNL_ARG_WEIGHTS, state.b.get()},
                                                     {DNNL_ARG_DST, state.c.get()},
                                                     {DNNL_ARG_SCRATCHPAD, state.scratch.get()}}};
  if (state.primitive.uses_stack_below) use.no_signals_.start();
  const dnnl_status_t status =
      dnnl_primitive_execute(state.primitive.multiply.get(), stream.get(),
                             static_cast<int>(arguments.size()), arguments.data());
  if (status != dnnl_success) fail("execution gave status " + std::to_string(status));
} catch (const dnnl::error& error) {
  fail(error.what());
}

LibraryUse::LibraryUse() = default;
LibraryUse::~LibraryUse() { give_back(); }

LibraryProduct::State& LibraryUse::take_state(LibraryProduct::SharedPrimitive& shared) {
  if (state_ == nullptr || &state_->owner != &shared) {
    give_back();
    state_ = shared.take();
  }
  return *state_;
}

void LibraryUse::give_back() {
  if (state_ == nullptr) return;
  LibraryProduct::SharedPrimitive& owner = state_->owner;
  owner.give_back(std::move(state_));
}

}  // namespace tutti::kernels

#else

namespace tutti::kernels {

bool library_multiplies(DType) { return false; }
std::string library_version() { return {}; }

struct LibraryProduct::State {};
class LibraryProduct::SharedPrimitive {};
LibraryProduct::LibraryProduct(const Product&) {
  throw InternalError("a build without oneDNN has no matmul library");
}
void LibraryProduct::run(LibraryUse&, const void*, const void*, void*) const {}

LibraryUse::LibraryUse() = default;
LibraryUse::~LibraryUse() = default;

}  // namespace tutti::kernels

#endif
