#pragma once

#include <tutti/ir/builder.h>
#include <tutti/ir/function.h>
#include <tutti/ir/stablehlo/sharding.h>
#include <tutti/ir/stablehlo/tree.h>
#include <tutti/ir/term.h>

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tutti::ir::stablehlo {

class Step;

// What is known of an operation: how it becomes nodes.
struct Rule {
  std::string_view name;
  void (*translate)(Step&);
  // Whether it may stand in a region that is applied to whole tensors, where the text has scalars.
  bool elementwise = false;
};

// What a name of the text stands for.
struct Bound {
  Value value;
  std::shared_ptr<const std::vector<Bound>> parts = nullptr;  // of a tuple
  // Null: the value is whole. Else it is this rank's part of what the text has.
  std::shared_ptr<const AxesOfDimensions> sharding = nullptr;
  int argument = -1;  // of the imported function, if it is that and nothing else
  // How it is to be split where ranks take their parts of it, if a custom call said so.
  std::shared_ptr<const AxesOfDimensions> asked = nullptr;
  int depth = 0;  // of tuples within each other
};

// How the ranks share an argument, found out while translating: a first translation takes every
// argument as whole and notes who asks for it.
struct ArgumentUse {
  std::vector<AxesOfDimensions> shardings;  // asked for by manual computations; different ones
  bool whole = false;                       // asked for by anything else
};

// What a region that becomes a function of its own knows under a name: a parameter of that type, or
// a constant made again inside.
struct FunctionInput {
  Reference name;
  Type type;
  const Array* constant = nullptr;
};

// Makes a function of the IR from one of a module.
class Translator {
 public:
  Translator(const TreeModule& module, std::string_view text, const std::string& file_name);

  Graph run(const TreeFunction& function);

  // For rules.
  const TreeModule& module() const { return module_; }
  Builder& builder() { return *builder_; }
  const std::shared_ptr<const Mesh>& mesh() const { return mesh_; }
  // How many ranks the program is for.
  std::int64_t ranks() const;
  // Whether they are replicas; else they are partitions, as those of a mesh are.
  bool ranks_are_replicas() const { return count_in_module("mhlo.num_replicas") > 1; }
  // The groups along mesh dimensions and that of all ranks. They name every rank, and are made
  // once.
  const GroupPtr& group_along(std::uint8_t dimensions);
  const GroupPtr& everyone();
  // Whether operations work on whole tensors where the text has scalars.
  bool lifted() const { return lifted_; }
  [[noreturn]] void fail(std::size_t offset, const std::string& message) const;

  const Bound& lookup(const Reference& reference) const;
  // The same; null if there is no such name.
  const Bound* find(const Reference& reference) const;
  // The whole value.
  Term whole(const Reference& reference);
  Term whole(const Bound& bound);
  ArgumentUse* use_of(const Bound& bound);

  // The values that a region's return gives, for these arguments.
  std::vector<Bound> region(const Region& region, std::span<const Bound> arguments);
  // The same for one whose scalars are whole tensors.
  std::vector<Bound> lifted_region(const Region& region, std::span<const Bound> arguments);
  // The same for a function, whose body is put in.
  std::vector<Bound> call(const std::string& name, std::size_t offset,
                          std::span<const Bound> arguments);
  // What an operation gives.
  std::vector<Bound> results_of(const Operation& operation);
  // A function of the IR with the region's meaning, whose parameters are as `inputs` say.
  FunctionPtr function(const Region& region, const std::string& name,
                       std::span<const FunctionInput> inputs);
  // What regions use that is defined around them, each once, in the order of first use.
  std::vector<Reference> captures(std::span<const Region* const> regions) const;

 private:
  using Scope = std::unordered_map<std::string_view, std::vector<Bound>>;

  Graph translate(const TreeFunction& function, std::span<const AxesOfDimensions> shardings);
  std::vector<Bound> block(const Region& region);
  void translate_lifted(Step& step, const Rule& rule);
  void define(const Operation& operation, std::vector<Bound> results);
  void check(const Operation& operation, const std::vector<Bound>& results) const;
  // Whether a value has the type that is written.
  bool fits(const Bound& bound, const TreeType& written) const;
  // "f32[2], but f32[4] is written", of one that does not.
  std::string difference(const Bound& bound, const TreeType& written) const;
  void check_returned(const TreeFunction& function, std::span<const Bound> results) const;
  void check_shapes(const Operation& operation) const;
  // Counts those made since the last call; fails if there are too many.
  void count_nodes(std::size_t offset);
  // 1 where the module does not say.
  std::int64_t count_in_module(std::string_view name) const;
  const Rule& rule(const Operation& operation) const;
  [[noreturn]] void fail_unknown(const Operation& operation) const;

  const TreeModule& module_;
  std::string_view text_;
  const std::string& file_name_;
  std::unordered_map<std::string_view, const Rule*> rules_;
  std::shared_ptr<const Mesh> mesh_;
  std::map<std::uint8_t, GroupPtr> groups_along_;
  GroupPtr everyone_;

  Builder* builder_ = nullptr;
  Scope scope_;
  bool lifted_ = false;
  std::vector<std::string_view> calls_;  // the functions that are being put in
  std::size_t operations_ = 0;
  std::size_t nodes_ = 0;    // made in all graphs, of which
  std::size_t counted_ = 0;  // those of the builder's own
  int levels_ = 0;           // of functions around the one that is made
  std::vector<ArgumentUse> uses_;
  // What was made whole outside of functions: by the part, whose sharding counts, too.
  std::map<std::pair<std::uint32_t, AxesOfDimensions>, Term> gathered_;
};

// One operation on its way into the IR: what a rule sees.
class Step {
 public:
  Step(Translator& translator, const Operation& operation)
      : translator(translator), operation(operation) {}

  int count() const { return static_cast<int>(operation.operands.size()); }
  Term operand(int i) { return translator.whole(reference(i)); }
  const Reference& reference(int i) const;
  std::vector<Term> operands();
  Builder& builder() { return translator.builder(); }

  // Of a result, as the text has them.
  const Shape& shape(std::size_t i = 0) const { return result_type(i).shape; }
  DType dtype(std::size_t i = 0) const { return result_type(i).dtype; }

  // Attributes. Of the names the first is that of the pretty form, the second of the generic one.
  const Attribute* find(std::string_view name, std::string_view generic = {}) const;
  const Attribute& get(std::string_view name, std::string_view generic = {}) const;
  std::int64_t integer(std::string_view name, std::string_view generic = {}) const;
  std::int64_t integer(std::string_view name, std::int64_t standard) const;
  std::vector<std::int64_t> integers(std::string_view name, std::string_view generic = {}) const;
  std::vector<std::int64_t> integers(std::string_view name,
                                     std::vector<std::int64_t> standard) const;
  bool flag(std::string_view name) const;
  std::vector<std::int64_t> integers_of(const Attribute& attribute) const;
  // Of the entry of a dictionary; none if it has no such entry.
  std::vector<std::int64_t> integers_in(const Attribute& all, std::string_view name) const;

  Term constant(Array array) { return {&builder(), builder().constant(std::move(array))}; }
  Term scalar(DType dtype, double value) { return constant(Array::scalar_of(dtype, value)); }
  Term iota(DType dtype, const Shape& shape, std::int64_t axis);
  // The values, that many, that a region gives for whole tensors instead of scalars.
  std::vector<Term> apply(std::size_t region, std::span<const Term> arguments, std::size_t count);
  // The same for a region with one result.
  Term apply(std::size_t region, std::span<const Term> arguments) {
    return apply(region, arguments, 1)[0];
  }
  // What region 0 makes of two lists of values, one result for each pair.
  std::vector<Term> combine(const std::vector<Term>& a, const std::vector<Term>& b);
  // The rule of an op with two operands, if a region is that and nothing else; "" else.
  std::string_view combination(std::size_t region) const;

  void result(Term term) { results.push_back({.value = term.value()}); }
  void result(Bound bound) { results.push_back(std::move(bound)); }
  [[noreturn]] void fail(const std::string& message) const {
    translator.fail(operation.offset, operation.name + ": " + message);
  }

  Translator& translator;
  const Operation& operation;
  std::vector<Bound> results;

 private:
  const TreeType& result_type(std::size_t i) const;
  const Region& region(std::size_t i) const;
};

}  // namespace tutti::ir::stablehlo
