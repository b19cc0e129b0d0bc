#pragma once

#include <tutti/ir/builder.h>

#include <optional>
#include <span>
#include <vector>

#include "tests/support/ops/table.h"
#include "tests/support/random/draw.h"
#include "tests/support/random/facts.h"
#include "tests/support/random/random_array.h"
#include "tests/support/random/random_program.h"

namespace tutti::test {

// A random program while it is being made: what it has, and how something is added to it.
class GrowingProgram {
 public:
  using Operands = std::span<const ir::Value>;

  GrowingProgram(Draw& draw, const ProgramOptions& options, RandomProgram& program);
  // A function that a node of `outer` runs.
  GrowingProgram(const GrowingProgram& outer, RandomProgram& program, bool may_communicate);

  Draw& draw;
  const ProgramOptions& options;

  const ir::Graph& graph() const { return program_.graph; }
  ir::Builder& builder() { return builder_; }
  const ir::Type& type(ir::Value value) const { return graph().type(value); }
  const Shape& shape(ir::Value value) const { return type(value).shape; }
  std::size_t ranks() const { return program_.inputs.size(); }
  // All that is not async, and what is.
  const std::vector<ir::Value>& values() const { return values_; }
  const std::vector<ir::Value>& pending() const { return pending_; }

  void add_parameters();
  void add_parameter(const std::string& name, const ir::Type& type, Facts facts);
  // Of a value; empty where there are none.
  Facts facts(ir::Value value) const { return run_ ? facts_[value.id] : Facts(); }
  // Appends a node whose results are of use to what the program's values are for. Says whether it
  // did: not if operands or attributes do not fit the op, or a result is too large.
  bool add(ir::Op op, Operands operands, std::vector<ir::Attribute> attributes = {});
  bool add(ir::Op op, std::initializer_list<ir::Value> operands,
           std::vector<ir::Attribute> attributes = {}) {
    return add(op, std::span(operands.begin(), operands.size()), std::move(attributes));
  }
  // The same for a local op of one result; none: not added.
  std::optional<ir::Value> value_of(ir::Op op, std::initializer_list<ir::Value> operands,
                                    std::vector<ir::Attribute> attributes = {});
  ir::Value constant(ir::Array array);
  void wait_for(std::size_t pending);
  void set_results();

  bool may_draw(ir::Op op) const;
  bool may_communicate() const { return may_communicate_; }
  bool may_run_functions() const { return options.control && levels_ < kMostLevels; }
  // Rather a late value than an early one, so that chains grow.
  ir::Value pick();
  std::optional<ir::Value> pick(DType dtype);
  DType some_dtype();
  // Of parameters and of what is made from nothing.
  Shape some_shape();
  Elements some_elements();
  // The mesh's dimensions, all ranks in another order, or ranks in pairs.
  ir::GroupPtr some_group();
  // The least and the greatest element of a value; none if they are not known.
  std::optional<std::pair<double, double>> range(ir::Value value) const;

 private:
  bool fits(ir::Op op, Operands operands, const std::vector<ir::Attribute>& attributes,
            std::vector<Facts>& facts) const;
  void keep_facts(ir::NodeId first, std::vector<Facts> of_last);

  RandomProgram& program_;
  ir::Builder builder_;
  const bool run_;  // whether there are facts
  const bool may_communicate_;
  static constexpr int kMostLevels = 2;
  const int levels_ = 0;  // of functions around it
  std::vector<std::int64_t> sizes_;
  std::vector<Facts> facts_;  // by value
  std::vector<ir::Value> values_;
  std::vector<ir::Value> pending_;
};

}  // namespace tutti::test
