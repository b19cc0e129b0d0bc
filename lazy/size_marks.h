#pragma once

#include <tutti/ir/graph.h>
#include <tutti/ir/size_expression.h>
#include <tutti/lazy/compiled_function.h>
#include <tutti/lazy/varying_size.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tutti::detail {

// Which dimensions of a compiled function's arguments vary in size.
class SizeMarks {
 public:
  // Throws UsageError for bounds and names that make no sense.
  SizeMarks(const std::vector<VaryingSize>& sizes, Location where);

  // In the order of their names.
  const std::vector<ir::SizeSymbol>& symbols() const { return symbols_; }

  // Finds the marked tensors among a call's arguments. Throws UsageError for a name that no tensor
  // has, and for a dimension that it has not.
  void find(const CompiledFunction::Arguments& arguments, CompiledFunction::Describe describe);
  // Chooses the least bucket of each symbol that holds the call's size. After find().
  void choose(const CompiledFunction::Arguments& arguments);
  // Whether the symbol has buckets, so that programs differ by the one that was chosen; and that.
  bool has_buckets(std::size_t symbol) const { return buckets_[symbol].size() > 1; }
  std::int64_t bucket(std::size_t symbol) const { return chosen_[symbol]; }
  // The program for the buckets that were chosen, where there is one; else as it is.
  ir::Graph narrowed(ir::Graph graph) const;
  // The symbol of a tensor's dimension, if that varies.
  std::optional<std::size_t> symbol_of(std::size_t tensor, int dimension) const;
  // A tensor's shape for such values of the symbols.
  Shape shape_for(std::size_t tensor, const Shape& shape,
                  std::span<const std::int64_t> values) const;
  // "[n,784]".
  std::string shape_text(std::size_t tensor, const Shape& shape) const;

 private:
  [[noreturn]] void fail_bounds(const std::string& name, std::int64_t least,
                                std::int64_t most) const;
  std::vector<std::int64_t> buckets_of(const ir::SizeSymbol& symbol) const;

  struct Mark {
    std::size_t tensor;
    int dimension;
    std::size_t symbol;
  };

  const std::vector<VaryingSize> sizes_;
  const Location where_;
  std::vector<ir::SizeSymbol> symbols_;
  std::vector<std::vector<std::int64_t>> buckets_;  // of each symbol, up to its largest size
  std::vector<std::int64_t> chosen_;                // of these
  std::vector<Mark> marks_;
  // Of which arguments' structure they were found.
  std::vector<std::uint64_t> found_for_;
  std::vector<int> found_ranks_;
};

}  // namespace tutti::detail
