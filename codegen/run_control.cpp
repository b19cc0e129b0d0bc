#include <tutti/codegen/run_control.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace tutti::codegen {

ControlRun::ControlRun(const Control& control, std::vector<Executable*> functions,
                       runtime::Context& context, runtime::PlanFrame& frame,
                       std::span<const PlanBuffer> buffers)
    : control_(control),
      functions_(std::move(functions)),
      context_(context),
      frame_(frame),
      buffers_(buffers) {}

void ControlRun::run() {
  // Whatever happens, nothing is held on to.
  struct End {
    ControlRun& run;
    ~End() {
      run.arguments_.clear();
      run.results_.clear();
      run.condition_.clear();
    }
  } const end{*this};
  switch (control_.kind) {
    case Control::Kind::scan:
      return scan();
    case Control::Kind::while_loop:
      return while_loop();
    case Control::Kind::conditional:
      return conditional();
  }
}

std::size_t ControlRun::bytes_of(BufferId id) const {
  return static_cast<std::size_t>(buffers_[static_cast<std::size_t>(id)].bytes);
}

// The carries, first among the arguments, are the node's first results.
void ControlRun::bind_carries() {
  for (std::size_t i = 0; std::cmp_less(i, control_.carries); ++i) {
    frame_.bind(control_.results[i], std::move(arguments_[i]));
  }
}

void ControlRun::scan() {
  const auto carries = static_cast<std::size_t>(control_.carries);
  const auto sequences = static_cast<std::size_t>(control_.sequences);
  for (std::size_t i = 0; i < control_.operands.size(); ++i) arguments_.push_back(operand(i));
  for (std::size_t i = carries; i < control_.results.size(); ++i) {
    const BufferId id = control_.results[i];
    frame_.bind(id, context_.allocator.allocate(bytes_of(id)));
  }
  for (std::int64_t step = 0; step < control_.length; ++step) {
    const auto index =
        static_cast<std::size_t>(control_.reverse ? control_.length - 1 - step : step);
    for (std::size_t i = carries; i < carries + sequences; ++i) {
      // The buffer may hold more than the sequence, of which it then is the beginning.
      const auto bytes = static_cast<std::size_t>(functions_[0]->plan().inputs[i].bytes());
      arguments_[i] = steps_.wrap(operand(i)->data() + index * bytes, bytes, {});
    }
    functions_[0]->run(arguments_, {.donate = true}, results_);
    for (std::size_t i = 0; i < carries; ++i) arguments_[i] = std::move(results_[i].buffer);
    for (std::size_t i = carries; i < control_.results.size(); ++i) {
      const BufferId id = control_.results[i];
      const std::size_t bytes = bytes_of(id) / static_cast<std::size_t>(control_.length);
      if (bytes == 0) continue;
      std::memcpy(frame_.held(id)->data() + index * bytes, results_[i].buffer->data(), bytes);
    }
  }
  bind_carries();
}

void ControlRun::while_loop() {
  const auto carries = static_cast<std::size_t>(control_.carries);
  for (std::size_t i = 0; i < control_.operands.size(); ++i) arguments_.push_back(operand(i));
  const auto goes_on = [&] {
    functions_[0]->run(arguments_, {}, condition_);
    const bool holds = std::to_integer<int>(*condition_[0].buffer->data()) != 0;
    condition_.clear();  // it may be one of the arguments
    return holds;
  };
  while (goes_on()) {
    functions_[1]->run(arguments_, {.donate = true}, results_);
    for (std::size_t i = 0; i < carries; ++i) arguments_[i] = std::move(results_[i].buffer);
  }
  bind_carries();
}

void ControlRun::conditional() {
  std::int32_t index = 0;
  std::memcpy(&index, operand(0)->data(), sizeof index);
  const auto last = static_cast<std::int32_t>(functions_.size()) - 1;
  if (index < 0 || index > last) index = last;
  for (std::size_t i = 1; i < control_.operands.size(); ++i) arguments_.push_back(operand(i));
  functions_[static_cast<std::size_t>(index)]->run(arguments_, {}, results_);
  for (std::size_t i = 0; i < control_.results.size(); ++i) {
    frame_.bind(control_.results[i], std::move(results_[i].buffer));
  }
}

}  // namespace tutti::codegen
