#pragma once

#include <tutti/codegen/driver/compile.h>
#include <tutti/ir/support/hash.h>
#include <tutti/lazy/recent_programs.h>
#include <tutti/lazy/tensor_state.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace tutti::detail {

class RankContext;

// Collectives of data, started without being recorded: the program of one collective with so many
// operands, compiled once for each signature. What a compiled function would be that does nothing
// else; so it is an evaluation point, too.
class DirectCollectives {
 public:
  // Starts the collective, and gives its results: data that may still be under way. `attributes`
  // are complete and were checked. Evaluates the operands; where that or anything else fails, the
  // peers are told that the collective won't come. Throws UsageError inside of itself, and while a
  // program runs: to code that releases memory then.
  std::vector<StatePtr> start(RankContext& context, ir::Op op, std::span<const StatePtr> operands,
                              const std::vector<ir::Attribute>& attributes, Location where);

  // Lets go of the programs that use a group.
  void forget_programs_of(const ir::Group& group);

 private:
  struct Program {
    ir::Graph graph;
    std::unique_ptr<codegen::Executable> executable;
    std::vector<ir::Type> types;  // of the results, waited for
  };
  // Not compiled yet.
  static Program make(RankContext& context, ir::Op op, std::span<const StatePtr> operands,
                      const std::vector<ir::Attribute>& attributes, Location where);
  Program& find(RankContext& context, ir::Op op, std::span<const StatePtr> operands,
                const std::vector<ir::Attribute>& attributes, Location where);
  std::vector<StatePtr> run(RankContext& context, Program& program,
                            std::span<const StatePtr> operands, Location where, bool& ran);

  bool busy_ = false;  // in start(), which memory is released in, too
  // By op, attributes and types of the operands.
  RecentPrograms<Hash128, Program, Hash128Hasher> programs_{kept_programs()};
  // Scratch.
  std::vector<std::uint64_t> types_;
  std::vector<std::shared_ptr<runtime::Buffer>> buffers_;
  std::vector<codegen::Executable::Result> results_;
};

}  // namespace tutti::detail
