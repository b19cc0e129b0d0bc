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
        carries_(static_cast<std::size_t>(control.carries)) {}

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

  void begin_carries(bool with_spare) const {
    for (std::size_t i = 0; i < carries_; ++i) {
      if (in_place(i)) {
        tutti_move(result(i), operand(i), bytes(parameter(i)));
        place(parameter(i), result(i));
        place(given(i), result(i));
      } else {
        place(parameter(i), operand(i));
        place(given(i), with_spare ? address(control_.spares[i]) : result(i));
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
      tutti_move(result(i), address(parameter(i)), bytes(parameter(i)));
    }
  }

  void scan() const {
    const auto sequences = static_cast<std::size_t>(control_.sequences);
    begin_carries(begins_with_spare(control_.length));
    for (std::size_t i = carries_ + sequences; i < control_.operands.size(); ++i) {
      place(parameter(i), operand(i));
    }
    for (std::int64_t step = 0; step < control_.length; ++step) {
      const std::int64_t index = control_.reverse ? control_.length - 1 - step : step;
      for (std::size_t i = carries_; i < carries_ + sequences; ++i) {
        place(parameter(i), operand(i) + index * bytes(parameter(i)));
      }
      for (std::size_t i = carries_; i < control_.results.size(); ++i) {
        place(given(i), result(i) + index * bytes(given(i)));
      }
      enter(0, step);
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
      if (in_place(i)) tutti_move(result(i), operand(i), bytes(parameter(i)));
      now(i) = in_place(i) ? result(i) : operand(i);
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
      if (*goes_on == std::byte{0}) break;
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
      tutti_move(result(i), now(i), bytes(parameter(i)));
    }
  }

  void conditional() const {
    std::int32_t index = 0;
    std::memcpy(&index, operand(0), sizeof index);
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
};

}  // namespace

void run_control(const Control& control, Binding& binding) { ControlRun(control, binding).run(); }

}  // namespace tutti::codegen
