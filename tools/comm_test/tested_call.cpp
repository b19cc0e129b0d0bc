#include "tools/comm_test/tested_call.h"

#include <tutti/codegen/driver/plan_code.h>
#include <tutti/runtime/comm/nccl_calls.h>

#include <algorithm>
#include <chrono>
#include <numeric>
#include <span>
#include <utility>

namespace tutti::tools {

namespace {

using runtime::Buffer;
using runtime::CollectiveCall;
using runtime::CollectiveKind;

constexpr const char* kTag = "comm-test";
// A group that may have kernels of its own, which it learns when it connects.
constexpr const char* kTagOfKernels = "comm-test kernels";
constexpr std::size_t kPlaceAlignment = 256;

std::size_t bytes_of_place(std::int64_t elements, DType dtype) {
  const auto bytes = static_cast<std::size_t>(elements * size_of(dtype));
  return (bytes + kPlaceAlignment - 1) / kPlaceAlignment * kPlaceAlignment;
}

std::vector<std::int64_t> everybody(std::int64_t ranks) {
  std::vector<std::int64_t> out(static_cast<std::size_t>(ranks));
  std::iota(out.begin(), out.end(), 0);
  return out;
}

CollectiveCall call_of(const TestedCollective& what, std::int64_t one_shot_up_to) {
  CollectiveCall out;
  out.kind = what.kind;
  out.dtype = what.dtype;
  out.one_shot_up_to = one_shot_up_to;
  const std::int64_t elements = what.operand_elements();
  out.parts.push_back({.elements = elements, .axis_size = elements});
  if (what.kind == CollectiveKind::collective_permute) {
    for (int from = 0; from < what.members; ++from) {
      out.pairs.emplace_back(from, (from + 1) % what.members);
    }
  }
  return out;
}

}  // namespace

std::size_t group_memory_of(const TestedCollective& what) {
  return bytes_of_place(what.operand_elements(), what.dtype) +
         bytes_of_place(what.result_elements(), what.dtype);
}

TestedCall::TestedCall(runtime::Context& context, const TestedCollective& what,
                       const TestedWay& way)
    : context_(context),
      what_(what),
      way_(way),
      gpu_(way.device.is_cpu() ? nullptr : &context.accelerator(way.device)),
      through_host_(gpu_ != nullptr && way.engine == "shm") {
  const std::vector<std::int64_t> all = everybody(context.ranks());
  group_ = context.backend->communicator(all, way.own_kernels ? kTagOfKernels : kTag, way.engine);
  const std::int64_t own = context.rank();
  const std::int64_t next = (own + 1) % context.ranks();
  const std::int64_t before = (own + context.ranks() - 1) % context.ranks();
  if (what.kind == CollectiveKind::send_recv) {
    to_next_ = context.backend->messages({own, next}, kTag, *group_);
    from_before_ = context.backend->messages({before, own}, kTag, *group_);
    prepared_ = to_next_->prepare(call_of(what, way.one_shot_up_to));
    receiving_ = from_before_->prepare(call_of(what, way.one_shot_up_to));
  } else {
    prepared_ = group_->prepare(call_of(what, way.one_shot_up_to));
  }
  const auto bytes = static_cast<std::size_t>(what.operand_elements() * size_of(what.dtype));
  const runtime::MemoryLabel label = {.what = "operand", .where = {}};
  if (gpu_ == nullptr || through_host_) on_host_ = context.backend->allocate(bytes, label);
  if (way.group_memory > 0) {
    take_group_memory();
  } else {
    operand_ = gpu_ == nullptr ? on_host_ : gpu_->memory().allocate(bytes, label);
  }
}

// As plans do: at the same places on all members, which wait before they write there.
void TestedCall::take_group_memory() {
  memory_ = group_->symmetric_memory(way_.group_memory, gpu_);
  last_ = memory_->enter(memory_->new_user());
  const std::size_t operand_bytes = bytes_of_place(what_.operand_elements(), what_.dtype);
  operand_ =
      memory_->at(0, static_cast<std::size_t>(what_.operand_elements() * size_of(what_.dtype)));
  result_ = memory_->at(operand_bytes,
                        static_cast<std::size_t>(what_.result_elements() * size_of(what_.dtype)));
}

std::shared_ptr<Buffer> TestedCall::call_once(const std::shared_ptr<Buffer>& operand) {
  runtime::StartOptions options;
  if (!through_host_) options.accelerator = gpu_;
  if (memory_ != nullptr) {
    options.results = std::span(&result_, 1);
    if (way_.own_kernels) options.comm_kernels = codegen::find_comm_kernels();
  }
  if (to_next_ == nullptr) {
    const auto work = group_->start(prepared_, std::span(&operand, 1), options);
    if (memory_ != nullptr) {
      last_ = work->sequence();
      memory_->used_by(last_);
    }
    work->wait();
    last_way_ = work->way();
    return work->result(0);
  }
  const std::shared_ptr<Buffer> none;
  const auto sent = to_next_->start(prepared_, std::span(&operand, 1), options);
  const auto received = from_before_->start(receiving_, std::span(&none, 1), options);
  received->wait();
  sent->wait();
  return received->result(0);
}

std::shared_ptr<Buffer> TestedCall::call() {
  if (!through_host_) return call_once(operand_);
  gpu_->copy_out(on_host_->data(), operand_->data(), operand_->bytes());
  const std::shared_ptr<Buffer> result = call_once(on_host_);
  std::shared_ptr<Buffer> out = gpu_->memory().allocate(result->bytes());
  gpu_->copy_in(out->data(), result->data(), result->bytes());
  return out;
}

void TestedCall::synchronize() {
  if (gpu_ != nullptr) gpu_->synchronize();
}

std::int64_t TestedCall::check(std::uint64_t round) {
  const TestData data(what_, round);
  const int member = static_cast<int>(context_.rank());
  const std::vector<std::byte> operand = data.operand(member);
  if (memory_ != nullptr && !group_->released(last_)) group_->wait_released(last_);
  if (gpu_ != nullptr) {
    gpu_->copy_in(operand_->data(), operand.data(), operand.size());
  } else {
    std::ranges::copy(operand, operand_->data());
  }
  const std::shared_ptr<Buffer> result = call();
  std::vector<std::byte> there(result->bytes());
  if (gpu_ != nullptr) {
    gpu_->copy_out(there.data(), result->data(), there.size());
  } else {
    std::copy_n(result->data(), there.size(), there.begin());
  }
  return data.count_wrong(member, there);
}

double TestedCall::measure(std::int64_t calls) {
  synchronize();
  const auto begin = std::chrono::steady_clock::now();
  for (std::int64_t i = 0; i < calls; ++i) call();
  synchronize();
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  return taken.count() / static_cast<double>(calls);
}

}  // namespace tutti::tools
