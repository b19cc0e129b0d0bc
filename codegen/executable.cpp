#include <tutti/codegen/executable.h>

#include <algorithm>

namespace tutti::codegen {

namespace {

using runtime::Buffer;
using BufferPtr = std::shared_ptr<Buffer>;

// The memory of one run.
class Memory {
 public:
  Memory(const Plan& plan, runtime::Context& context, std::span<const BufferPtr> inputs,
         std::span<const BufferPtr> constants)
      : plan_(plan),
        allocator_(context.allocator),
        held_(plan.buffers.size()),
        arena_(allocator_.allocate(static_cast<std::size_t>(plan.arena_bytes))) {
    for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
      const PlanBuffer& buffer = plan.buffers[i];
      if (buffer.kind == PlanBuffer::Kind::input)
        held_[i] = inputs[static_cast<std::size_t>(buffer.index)];
      if (buffer.kind == PlanBuffer::Kind::constant) {
        held_[i] = constants[static_cast<std::size_t>(buffer.index)];
      }
    }
  }

  void* address(BufferId id) {
    const PlanBuffer& buffer = plan_.buffers[static_cast<std::size_t>(id)];
    if (buffer.kind == PlanBuffer::Kind::local) return arena_->data() + buffer.offset;
    return hold(id)->data();
  }

  // A buffer of its own (not local); allocated when first named.
  const BufferPtr& hold(BufferId id) {
    BufferPtr& held = held_[static_cast<std::size_t>(id)];
    if (held == nullptr) {
      held = allocator_.allocate(
          static_cast<std::size_t>(plan_.buffers[static_cast<std::size_t>(id)].bytes));
    }
    return held;
  }

  // Lets go of what no step from `step` on uses.
  void drop_after(int step, BufferId id) {
    if (plan_.buffers[static_cast<std::size_t>(id)].last_use <= step)
      held_[static_cast<std::size_t>(id)] = nullptr;
  }

 private:
  const Plan& plan_;
  runtime::Allocator& allocator_;
  std::vector<BufferPtr> held_;
  BufferPtr arena_;
};

}  // namespace

Executable::Executable(Plan plan, runtime::Context& context)
    : plan_(std::move(plan)), context_(context), communicators_(plan_.steps.size()) {
  for (const ir::ArrayPtr& array : plan_.constants) {
    BufferPtr buffer = context.allocator.allocate(array->bytes().size());
    std::ranges::copy(array->bytes(), buffer->data());
    constants_.push_back(std::move(buffer));
  }
}

std::vector<Executable::Result> Executable::run(std::span<const BufferPtr> inputs,
                                                const RunOptions& options) {
  std::size_t collectives = 0;
  Memory memory(plan_, context_, inputs, constants_);
  std::vector<std::shared_ptr<runtime::Work>> works(static_cast<std::size_t>(plan_.works));
  std::vector<void*> addresses;
  for (std::size_t i = 0; i < plan_.steps.size(); ++i) {
    const Step& step = plan_.steps[i];
    const int at = static_cast<int>(i);
    if (const auto* launch = std::get_if<Launch>(&step)) {
      addresses.clear();
      for (const BufferId id : launch->buffers) addresses.push_back(memory.address(id));
      const KernelCode& code = *launch->code;
      void* const* const buffers = addresses.data();
      context_.pool.parallel_for(launch->tiles, [&](std::int64_t begin, std::int64_t end) {
        code.run(buffers, begin, end);
      });
      for (const BufferId id : launch->buffers) memory.drop_after(at, id);
    } else if (const auto* start = std::get_if<CollectiveStart>(&step)) {
      if (communicators_[i] == nullptr) {
        communicators_[i] = context_.backend->communicator(
            start->group->members_with(context_.rank()), start->group->tag);
      }
      runtime::CollectiveCall call = start->call;
      if (collectives < options.collective_lines.size()) {
        call.location = options.collective_lines[collectives];
      }
      ++collectives;
      std::vector<BufferPtr> keep_alive;
      for (std::size_t part = 0; part < call.parts.size(); ++part) {
        keep_alive.push_back(memory.hold(start->operands[part]));
        call.parts[part].operand = keep_alive.back()->data();
        keep_alive.push_back(memory.hold(start->results[part]));
        call.parts[part].result = keep_alive.back()->data();
      }
      works[static_cast<std::size_t>(start->work)] =
          communicators_[i]->start(std::move(call), std::move(keep_alive));
    } else {
      works[static_cast<std::size_t>(std::get<CollectiveWait>(step).work)]->wait();
    }
  }
  std::vector<Result> results;
  for (const PlanResult& result : plan_.results) {
    results.push_back(
        {.buffer = memory.hold(result.buffer),
         .type = result.type,
         .work = result.work < 0 ? nullptr : works[static_cast<std::size_t>(result.work)]});
  }
  return results;
}

}  // namespace tutti::codegen
