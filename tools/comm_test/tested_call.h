#pragma once

#include <tutti/runtime/accelerator.h>
#include <tutti/runtime/comm/backend.h>
#include <tutti/runtime/run/context.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tools/comm_test/test_data.h"

namespace tutti::tools {

// How a collective is carried out.
struct TestedWay {
  std::string engine = "shm";
  std::string algorithm;            // of CommTest::algorithms; empty: there is one alone
  Device device = {};               // where operands and results lie
  std::int64_t one_shot_up_to = 0;  // what the algorithm means for the call
  // Operands and results lie in the group's memory on the GPU, of which so many bytes are needed by
  // some call; 0: they do not.
  std::size_t group_memory = 0;
  bool own_kernels = false;  // and kernels of our own may carry it out
};

// How much of a group's memory the operand and the result of a call take.
std::size_t group_memory_of(const TestedCollective& what);

// One rank's calls of a collective, over all ranks. Every rank makes one, and calls the same.
class TestedCall {
 public:
  // Of values on a GPU that the engine does not move itself, the host does, as in programs.
  TestedCall(runtime::Context& context, const TestedCollective& what, const TestedWay& way);

  // Fills the operand as of a round (TestData), calls once, and gives how many elements are wrong.
  std::int64_t check(std::uint64_t round);
  // How the last call was carried out, see Work::way().
  std::string_view way() const { return last_way_; }
  // The seconds that each of so many calls took, one after another.
  double measure(std::int64_t calls);

 private:
  std::shared_ptr<runtime::Buffer> call();
  std::shared_ptr<runtime::Buffer> call_once(const std::shared_ptr<runtime::Buffer>& operand);
  void synchronize();
  void take_group_memory();

  runtime::Context& context_;
  const TestedCollective what_;
  const TestedWay way_;
  runtime::Accelerator* const gpu_;  // where the values lie; null: on the host
  const bool through_host_;
  std::shared_ptr<runtime::Communicator> group_;
  // Of messages: to the next rank, and from the one before.
  std::shared_ptr<runtime::Communicator> to_next_;
  std::shared_ptr<runtime::Communicator> from_before_;
  std::shared_ptr<const runtime::PreparedCall> prepared_;
  std::shared_ptr<const runtime::PreparedCall> receiving_;
  std::shared_ptr<runtime::Buffer> operand_;
  std::shared_ptr<runtime::Buffer> on_host_;          // the operand's copy there, on the way
  std::shared_ptr<runtime::SymmetricMemory> memory_;  // of the group; null: the rank's own
  std::shared_ptr<runtime::Buffer> result_;           // there
  std::uint64_t last_ = 0;                            // call that used it
  std::string_view last_way_;
};

}  // namespace tutti::tools
