#pragma once

#include <tutti/codegen/plan/plan.h>

#include <cstdint>
#include <vector>

namespace tutti::test {

// A plan of nameless library calls, made by hand.
class PlanMaker {
 public:
  codegen::Plan plan;

  codegen::BufferId add(codegen::PlanBuffer::Kind kind, std::int64_t bytes = 1000);
  // The next argument.
  codegen::BufferId input(std::int64_t bytes = 1000);
  codegen::BufferId local(std::int64_t bytes = 1000) {
    return add(codegen::PlanBuffer::Kind::local, bytes);
  }
  codegen::BufferId output(std::int64_t bytes = 1000) {
    return add(codegen::PlanBuffer::Kind::output, bytes);
  }
  codegen::BufferId comm(std::int64_t bytes = 1000) {
    return add(codegen::PlanBuffer::Kind::comm, bytes);
  }

  // One launch, whose parts read all but their last buffer.
  void launch(std::vector<std::vector<codegen::BufferId>> parts);
  // A collective, and its wait; gives the number of its work.
  int start(codegen::BufferId operand, codegen::BufferId result);
  void wait(int work);
  void result(codegen::BufferId buffer, int work = -1);
};

}  // namespace tutti::test
