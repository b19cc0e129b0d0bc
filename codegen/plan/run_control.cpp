#include <tutti/codegen/plan/run_control.h>
#include <tutti/runtime/run/abi.h>

#include <algorithm>
#include <cstring>

namespace tutti::codegen {

namespace {

// A scan's carries lie where the frame says of the body's parameters and results: nobody else
// enters the body between two of its steps.
class ControlRun {
 public:
  ControlRun(const Control& control, Binding& binding)
      : control_(control),
        binding_(binding),
        body_(binding.plan().regions[at(control.regions.back())]),
        carries_(static_cast<std::size_t>(control.carries)),
        sequences_(static_cast<std::size_t>(control.sequences)) {}

  void run() const {
    switch (control_.kind) {
      case Control::Kind::scan:
        return scan();
      case Control::Kind::while_loop:
        return while_loop();
      case Control::Kind::conditional:
        return conditional();
    }
  }

 private:
  void enter(std::size_t number, std::int64_t iteration) const {
    const int region = control_.regions[number];
    try {
      binding_.enter(binding_.plan().regions[at(region)]);
    } catch (...) {
      binding_.frame().failed_inside(region, iteration);
      throw;
    }
  }

  std::byte* address(BufferId id) const { return static_cast<std::byte*>(binding_.address_of(id)); }
  std::byte* operand(std::size_t i) const { return address(control_.operands[i]); }
  std::byte* result(std::size_t i) const { return address(control_.results[i]); }
  std::int64_t bytes(BufferId id) const { return binding_.plan().buffers[at(id)].bytes; }
  void place(BufferId id, std::byte* address) const { binding_.frame().place(id, address); }

  // Of the body.
  BufferId parameter(std::size_t i) const { return body_.parameters[i]; }
  BufferId given(std::size_t i) const { return body_.results[i].buffer; }
  bool in_place(std::size_t i) const { return control_.spares[i] < 0; }

  // Brings bytes from one place of a buffer's device to another.
  void move(BufferId like, std::byte* to, const std::byte* from, std::int64_t bytes) const {
    const Device device = binding_.plan().buffers[at(like)].device;
    if (device.is_cpu()) return tutti_move(to, from, bytes);
    if (to == from || bytes == 0) return;
    binding_.context().accelerator(device).copy(to, from, static_cast<std::size_t>(bytes));
  }
  // The number that decides about the next step.
  template <class T>
  T decision(BufferId id) const {
    T out{};
    const Device device = binding_.plan().buffers[at(id)].device;
    if (device.is_cpu()) {
      std::memcpy(&out, address(id), sizeof out);
    } else {
      binding_.context().accelerator(device).copy_out(&out, address(id), sizeof out);
    }
    return out;
  }

  // Where a carry that is computed by turns lies before the first step, which writes it to `next`.
  // On a GPU that is one of its two places, since the work of a step is recorded for its addresses.
  std::byte* first_place(std::size_t i, const std::byte* next) const {
    const BufferId spare = control_.spares[i];
    if (binding_.plan().buffers[at(spare)].device.is_cpu()) return operand(i);
    std::byte* const other = next == result(i) ? address(spare) : result(i);
    move(spare, other, operand(i), bytes(parameter(i)));
    return other;
  }

  void begin_carries(bool with_spare) const {
    for (std::size_t i = 0; i < carries_; ++i) {
      if (in_place(i)) {
        move(parameter(i), result(i), operand(i), bytes(parameter(i)));
        place(parameter(i), result(i));
        place(given(i), result(i));
      } else {
        std::byte* const next = with_spare ? address(control_.spares[i]) : result(i);
        place(parameter(i), first_place(i, next));
        place(given(i), next);
      }
    }
  }
  void next_carries() const {
    for (std::size_t i = 0; i < carries_; ++i) {
      if (in_place(i)) continue;
      std::byte* const written = address(given(i));
      place(parameter(i), written);
      place(given(i), written == result(i) ? address(control_.spares[i]) : result(i));
    }
  }
  // Where the last step's do not lie where they belong.
  void end_carries() const {
    for (std::size_t i = 0; i < carries_; ++i) {
      move(parameter(i), result(i), address(parameter(i)), bytes(parameter(i)));
    }
  }

  // A step's part of a sequence, and of what a scan stacks.
  void begin_parts(std::int64_t index) const {
    const std::vector<BufferId>& staged = control_.staged;
    for (std::size_t i = 0; i < sequences_; ++i) {
      const BufferId id = parameter(carries_ + i);
      std::byte* const part = operand(carries_ + i) + index * bytes(id);
      place(id, staged.empty() ? part : address(staged[i]));
      if (!staged.empty()) move(id, address(staged[i]), part, bytes(id));
    }
    for (std::size_t i = carries_; i < control_.results.size(); ++i) {
      place(given(i), staged.empty() ? result(i) + index * bytes(given(i))
                                     : address(staged[sequences_ + i - carries_]));
    }
  }
  void end_parts(std::int64_t index) const {
    if (control_.staged.empty()) return;
    for (std::size_t i = carries_; i < control_.results.size(); ++i) {
      move(given(i), result(i) + index * bytes(given(i)), address(given(i)), bytes(given(i)));
    }
  }

  void scan() const {
    begin_carries(begins_with_spare(control_.length));
    for (std::size_t i = carries_ + sequences_; i < control_.operands.size(); ++i) {
      place(parameter(i), operand(i));
    }
    for (std::int64_t step = 0; step < control_.length; ++step) {
      const std::int64_t index = control_.reverse ? control_.length - 1 - step : step;
      begin_parts(index);
      enter(0, step);
      end_parts(index);
      next_carries();
    }
    end_carries();
  }

  // Condition and body may enter each other's regions inside, or be one, so that all places are
  // said before each is entered, and the loop itself keeps where its carries lie.
  void while_loop() const {
    const Region& condition = binding_.plan().regions[at(control_.regions[0])];
    std::byte* const goes_on = address(control_.condition);
    std::vector<std::byte*>& carried = binding_.carried();
    const std::size_t base = carried.size();  // where they lie, and where they go next
    struct End {
      std::vector<std::byte*>& of;
      std::size_t size;
      ~End() { of.resize(size); }
    } const end{carried, base};
    carried.resize(base + 2 * carries_);
    const auto now = [&](std::size_t i) -> std::byte*& { return carried[base + 2 * i]; };
    const auto next = [&](std::size_t i) -> std::byte*& { return carried[base + 2 * i + 1]; };
    for (std::size_t i = 0; i < carries_; ++i) {
      if (in_place(i)) move(parameter(i), result(i), operand(i), bytes(parameter(i)));
      now(i) = in_place(i) ? result(i) : first_place(i, result(i));
      next(i) = result(i);
    }
    const auto place_parameters = [&](const Region& region) {
      for (std::size_t i = 0; i < control_.operands.size(); ++i) {
        place(region.parameters[i], i < carries_ ? now(i) : operand(i));
      }
    };
    for (std::int64_t step = 0;; ++step) {
      place_parameters(condition);
      place(condition.results[0].buffer, goes_on);
      enter(0, step);
      if (decision<std::uint8_t>(control_.condition) == 0) break;
      place_parameters(body_);
      for (std::size_t i = 0; i < carries_; ++i) place(given(i), next(i));
      enter(1, step);
      for (std::size_t i = 0; i < carries_; ++i) {
        if (in_place(i)) continue;
        now(i) = next(i);
        next(i) = now(i) == result(i) ? address(control_.spares[i]) : result(i);
      }
    }
    for (std::size_t i = 0; i < carries_; ++i) {
      move(parameter(i), result(i), now(i), bytes(parameter(i)));
    }
  }

  void conditional() const {
    auto index = decision<std::int32_t>(control_.operands[0]);
    const auto last = static_cast<std::int32_t>(control_.regions.size()) - 1;
    if (index < 0 || index > last) index = last;
    const Region& branch = binding_.plan().regions[at(control_.regions[at(index)])];
    for (std::size_t i = 0; i < branch.parameters.size(); ++i) {
      place(branch.parameters[i], operand(i + 1));
    }
    for (std::size_t i = 0; i < branch.results.size(); ++i) {
      place(branch.results[i].buffer, result(i));
    }
    binding_.enter(branch);
  }

  const Control& control_;
  Binding& binding_;
  const Region& body_;
  const std::size_t carries_;
  const std::size_t sequences_;
};

}  // namespace

void run_control(const Control& control, Binding& binding) { ControlRun(control, binding).run(); }

}  // namespace tutti::codegen
