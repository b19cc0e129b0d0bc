#include "tests/codegen/kernel_maker.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include <sys/mman.h>
#include <unistd.h>

namespace tutti::codegen::kernel_testing {

KernelMaker::KernelMaker(std::string name, Strides outer, Strides inner, VectorAxis axis,
                         std::int64_t block) {
  kernel_.name = std::move(name);
  kernel_.outer = std::move(outer);
  kernel_.inner = std::move(inner);
  kernel_.vector_axis = axis;
  kernel_.block = block;
}

int KernelMaker::read(DType dtype, std::vector<Start> starts) {
  kernel_.buffers.push_back({.dtype = dtype, .written = false, .starts = std::move(starts)});
  return static_cast<int>(kernel_.buffers.size()) - 1;
}

int KernelMaker::write(DType dtype) {
  kernel_.buffers.push_back({.dtype = dtype, .written = true});
  return static_cast<int>(kernel_.buffers.size()) - 1;
}

void KernelMaker::point() { kernel_.segments.emplace_back(); }
void KernelMaker::loop() { kernel_.segments.emplace_back().loop = true; }

ValueId KernelMaker::add(Instruction instruction, DType type) {
  instruction.result = kernel_.value_count++;
  instruction.type = type;
  types_.push_back(type);
  kernel_.segments.back().body.push_back(instruction);
  return instruction.result;
}

ValueId KernelMaker::load(int buffer, Affine address) {
  const DType dtype = kernel_.buffers[static_cast<std::size_t>(buffer)].dtype;
  return add({.kind = Instruction::Kind::load, .buffer = buffer, .address = std::move(address)},
             ir::compute_dtype(dtype));
}

ValueId KernelMaker::load_within(int buffer, Affine address, std::vector<Bound> bounds,
                                 double around) {
  const DType dtype = ir::compute_dtype(kernel_.buffers[static_cast<std::size_t>(buffer)].dtype);
  return add({.kind = Instruction::Kind::load,
              .constant = ir::cell_of(dtype, around),
              .buffer = buffer,
              .address = std::move(address),
              .bounds = std::move(bounds)},
             dtype);
}

ValueId KernelMaker::load_at(int buffer, Affine address, const std::vector<ValueId>& indices,
                             std::vector<Term> terms, std::vector<Bound> bounds, double around) {
  const DType dtype = ir::compute_dtype(kernel_.buffers[static_cast<std::size_t>(buffer)].dtype);
  Instruction load{.kind = Instruction::Kind::load,
                   .constant = ir::cell_of(dtype, around),
                   .buffer = buffer,
                   .address = std::move(address),
                   .bounds = std::move(bounds),
                   .terms = std::move(terms)};
  std::ranges::copy(indices, load.operands.begin());
  return add(std::move(load), dtype);
}

ValueId KernelMaker::constant(DType dtype, double value) {
  return add(
      {.kind = Instruction::Kind::constant, .dtype = dtype, .constant = ir::cell_of(dtype, value)},
      dtype);
}

ValueId KernelMaker::index(Affine address) {
  return add({.kind = Instruction::Kind::index, .address = std::move(address)}, DType::i64);
}

ValueId KernelMaker::round(DType dtype, ValueId value) {
  return add({.kind = Instruction::Kind::round, .operands = {value, -1, -1}, .dtype = dtype},
             DType::f32);
}

ValueId KernelMaker::cast(ValueId value, DType to) {
  return add({.kind = Instruction::Kind::scalar,
              .op = ir::ScalarOp::cast,
              .operands = {value, -1, -1},
              .dtype = type(value),
              .to = to},
             ir::compute_dtype(to));
}

ValueId KernelMaker::bitcast(ValueId value, DType from, DType to) {
  return add({.kind = Instruction::Kind::scalar,
              .op = ir::ScalarOp::bitcast,
              .operands = {value, -1, -1},
              .dtype = from,
              .to = to},
             ir::compute_dtype(to));
}

ValueId KernelMaker::op(ir::ScalarOp op, ValueId a, ValueId b, ValueId c) {
  const DType dtype = type(op == ir::ScalarOp::select ? b : a);
  return add({.kind = Instruction::Kind::scalar, .op = op, .operands = {a, b, c}, .dtype = dtype},
             ir::is_comparison(op) ? DType::boolean : dtype);
}

ValueId KernelMaker::reduce(ir::ScalarOp combine, ValueId value) {
  const ValueId result = kernel_.value_count++;
  types_.push_back(type(value));
  kernel_.segments.back().reductions.push_back(
      {.combine = combine, .dtype = type(value), .value = value, .result = result});
  return result;
}

void KernelMaker::store(int buffer, Affine address, ValueId value) {
  kernel_.segments.back().stores.push_back(
      {.buffer = buffer, .address = std::move(address), .value = value});
}

// ---- Memory ----

namespace {

constexpr std::byte kFront{0xA5};
constexpr std::size_t kFrontBytes = 64;

}  // namespace

GuardedBuffer::GuardedBuffer(std::size_t bytes, std::size_t alignment) : bytes_(bytes) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t aligned = (bytes + alignment - 1) / alignment * alignment;
  usable_ = (aligned + kFrontBytes + page - 1) / page * page;
  mapped_ = usable_ + page;
  mapping_ = static_cast<std::byte*>(
      mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  mprotect(mapping_ + usable_, page, PROT_NONE);
  data_ = mapping_ + usable_ - aligned;
  std::memset(mapping_, static_cast<int>(kFront), usable_);
}

GuardedBuffer::GuardedBuffer(GuardedBuffer&& other) noexcept
    : mapping_(std::exchange(other.mapping_, nullptr)),
      mapped_(other.mapped_),
      usable_(other.usable_),
      data_(other.data_),
      bytes_(other.bytes_) {}

GuardedBuffer::~GuardedBuffer() {
  if (mapping_ != nullptr) munmap(mapping_, mapped_);
}

bool GuardedBuffer::surroundings_intact() const {
  const auto untouched = [](std::byte byte) { return byte == kFront; };
  return std::all_of(mapping_, data_, untouched) &&
         std::all_of(data_ + bytes_, mapping_ + usable_, untouched);
}

std::vector<void*> Arguments::pointers() {
  std::vector<void*> out;
  for (auto& buffer : buffers) out.push_back(buffer.data());
  return out;
}

namespace {

// The last element that an access reaches within bounds.
std::int64_t reach(const Kernel& kernel, const Affine& affine, bool in_loop,
                   const std::vector<Bound>& bounds) {
  std::int64_t most = affine.offset;
  const auto add = [&](const Strides& strides, const Strides& extents, bool inner) {
    for (std::size_t i = 0; i < extents.size(); ++i) {
      std::int64_t first = 0;
      std::int64_t last = extents[i] - 1;
      for (const Bound& bound : bounds) {
        if (bound.inner != inner || static_cast<std::size_t>(bound.axis) != i) continue;
        first = std::max(first, bound.begin);
        last = std::min(last, bound.end - 1);
      }
      most += std::max(strides[i] * first, strides[i] * last);
    }
  };
  add(affine.outer, kernel.outer, false);
  if (in_loop) add(affine.inner, kernel.inner, true);
  return most;
}

bool runs(const Kernel& kernel, bool in_loop) {
  const auto none = [](const Strides& extents) {
    return std::find(extents.begin(), extents.end(), 0) != extents.end();
  };
  return !none(kernel.outer) && !(in_loop && none(kernel.inner));
}

double random_number(std::mt19937& random, DType dtype, bool special_values) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  constexpr double kSpecial[] = {0.0,  -0.0,    1.0,   -1.0,   kInfinity, -kInfinity,
                                 kNaN, 1e-40,   -1e-7, 3e38,   -7e4,      2147483648.0,
                                 1e10, -9.3e18, 0.5,   -128.0, 65504.0,   255.0};
  if (special_values && random() % 8 == 0) return kSpecial[random() % std::size(kSpecial)];
  const double unit = std::uniform_real_distribution<double>(-1, 1)(random);
  if (is_floating(dtype)) return random() % 4 == 0 ? unit * 100 : unit * 2;
  return random() % 4 == 0 ? unit * 1e4 : unit * 10;
}

}  // namespace

Arguments make_arguments(const Kernel& kernel, std::uint32_t seed, bool special_values,
                         std::size_t alignment) {
  std::vector<std::int64_t> elements(kernel.buffers.size(), 0);
  const auto use = [&](int buffer, const Affine& affine, bool in_loop,
                       const std::vector<Bound>& bounds, const std::vector<Term>& terms) {
    if (!runs(kernel, in_loop)) return;
    auto& count = elements[static_cast<std::size_t>(buffer)];
    std::int64_t last = reach(kernel, affine, in_loop, bounds);
    for (const Term& term : terms) last += std::max<std::int64_t>(term.most * term.stride, 0);
    count = std::max(count, last + 1);
  };
  for (const Segment& segment : kernel.segments) {
    for (const Instruction& instruction : segment.body) {
      if (instruction.kind != Instruction::Kind::load) continue;
      use(instruction.buffer, instruction.address, segment.loop, instruction.bounds,
          instruction.terms);
    }
    for (const Store& store : segment.stores) {
      use(store.buffer, store.address, segment.loop, {}, {});
    }
  }
  for (std::size_t i = 0; i < elements.size(); ++i) {
    for (const Start& start : kernel.buffers[i].starts) {
      if (elements[i] > 0) elements[i] += start.most * start.stride;
      auto& numbers = elements[static_cast<std::size_t>(start.buffer)];
      numbers = std::max(numbers, start.element + 1);
    }
  }
  std::mt19937 random(seed);
  Arguments arguments;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const DType dtype = kernel.buffers[i].dtype;
    const bool written = kernel.buffers[i].written;
    const auto size = static_cast<std::size_t>(size_of(dtype));
    auto& buffer =
        arguments.buffers.emplace_back(static_cast<std::size_t>(elements[i]) * size, alignment);
    for (std::int64_t j = 0; j < elements[i]; ++j) {
      std::byte* element = buffer.data() + static_cast<std::size_t>(j) * size;
      const double number = written ? 1 : random_number(random, dtype, special_values);
      ir::store_cell(dtype, ir::cell_of(ir::compute_dtype(dtype), number), element);
    }
  }
  return arguments;
}

void run_all(const KernelCode& code, const Kernel& kernel, Arguments& arguments) {
  const std::vector<void*> pointers = arguments.pointers();
  const std::int64_t tiles = kernel.tiles();
  const std::int64_t cuts[] = {0, tiles / 3, tiles / 2, tiles};
  for (std::size_t i = 0; i + 1 < std::size(cuts); ++i) {
    code.run(pointers.data(), cuts[i], cuts[i + 1]);
  }
}

namespace {

double number_at(DType dtype, const std::byte* element) {
  const ir::Cell cell = ir::load_cell(dtype, element);
  return dtype == DType::f64 ? cell.number : static_cast<double>(cell.single);
}

// How many units in the last place of a dtype two numbers are apart.
double ulp_apart(DType dtype, double wanted, double got, double scale) {
  const int digits = dtype == DType::f64   ? 53
                     : dtype == DType::f32 ? 24
                     : dtype == DType::f16 ? 11
                                           : 8;
  const int least = dtype == DType::f64 ? -1021 : dtype == DType::f16 ? -13 : -125;
  if (wanted == got) return 0;
  if (!std::isfinite(wanted) || !std::isfinite(got)) return std::numeric_limits<double>::infinity();
  int exponent = 0;
  std::frexp(std::max(std::abs(wanted), scale), &exponent);
  return std::abs(wanted - got) / std::ldexp(1.0, std::max(exponent, least) - digits);
}

}  // namespace

std::string difference(const Kernel& kernel, const Arguments& wanted, const Arguments& got,
                       double ulp, double scale) {
  for (std::size_t i = 0; i < kernel.buffers.size(); ++i) {
    const DType dtype = kernel.buffers[i].dtype;
    const auto size = static_cast<std::size_t>(size_of(dtype));
    const GuardedBuffer& a = wanted.buffers[i];
    const GuardedBuffer& b = got.buffers[i];
    const std::string where = "buffer " + std::to_string(i);
    if (!b.surroundings_intact()) return where + ": written outside";
    for (std::size_t at = 0; at < a.bytes(); at += size) {
      if (std::memcmp(a.data() + at, b.data() + at, size) == 0) continue;
      std::string values = " differs";
      if (is_floating(dtype)) {
        const double x = number_at(dtype, a.data() + at);
        const double y = number_at(dtype, b.data() + at);
        if (std::isnan(x) && std::isnan(y)) continue;
        const bool half = size_of(dtype) == 2;
        if (ulp > 0 && half && ulp_apart(dtype, x, y, 0) <= 1) continue;
        if (ulp > 0 && ulp_apart(half ? DType::f32 : dtype, x, y, scale) <= ulp) continue;
        values = ": wanted " + std::to_string(x) + ", got " + std::to_string(y) + ", " +
                 std::to_string(ulp_apart(dtype, x, y, scale)) + " ulp apart";
      } else {
        values = ": wanted " + std::to_string(ir::load_cell(dtype, a.data() + at).integer) +
                 ", got " + std::to_string(ir::load_cell(dtype, b.data() + at).integer);
      }
      std::string text = where + " (";
      text += name_of(dtype);
      return text += ") element " + std::to_string(at / size) + values;
    }
  }
  return "";
}

Kernel add_number(double number) {
  KernelMaker maker("add", {50}, {}, VectorAxis::outer, 64);
  const int x = maker.read(DType::f32);
  const int y = maker.write(DType::f32);
  const Affine at{0, {1}, {}};
  maker.point();
  maker.store(y, at,
              maker.op(ir::ScalarOp::add, maker.load(x, at), maker.constant(DType::f32, number)));
  return maker.kernel();
}

}  // namespace tutti::codegen::kernel_testing
