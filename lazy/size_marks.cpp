#include <tutti/ir/names.h>
#include <tutti/ir/passes/passes.h>
#include <tutti/ir/sizes/complete_sizes.h>
#include <tutti/ir/support/error.h>
#include <tutti/ir/symbolic_sizes.h>
#include <tutti/lazy/size_marks.h>
#include <tutti/lazy/tensor_state.h>

#include <algorithm>
#include <string_view>

namespace tutti::detail {

SizeMarks::SizeMarks(const std::vector<VaryingSize>& sizes, Location where)
    : sizes_(sizes), where_(where) {
  for (const VaryingSize& size : sizes_) {
    if (!ir::is_identifier(size.name) || ir::is_number_word(size.name)) {
      throw UsageError(
          "the name of a size that varies is an identifier, as n, not '" + size.name + "'", where_);
    }
    auto found = std::ranges::find(symbols_, size.name, &ir::SizeSymbol::name);
    if (found == symbols_.end()) {
      symbols_.push_back({.name = size.name, .least = -1, .most = 0});
      found = symbols_.end() - 1;
    }
    if (size.least && *size.least < 0) fail_bounds(size.name, *size.least, size.most);
    if (size.least) found->least = std::max(found->least, *size.least);
    if (found->most == 0 || (size.most != 0 && size.most < found->most)) found->most = size.most;
  }
  std::ranges::sort(symbols_, {}, &ir::SizeSymbol::name);
  if (symbols_.size() > ir::kMostSymbols) {
    throw UsageError("a program has at most " + std::to_string(ir::kMostSymbols) +
                         " sizes that vary, not " + std::to_string(symbols_.size()),
                     where_);
  }
  for (ir::SizeSymbol& symbol : symbols_) {
    if (symbol.least < 0) symbol.least = 1;
    if (symbol.most > symbol.least && symbol.most <= Shape::kMostElements) {
      continue;
    }
    fail_bounds(symbol.name, symbol.least, symbol.most);
  }
  for (const ir::SizeSymbol& symbol : symbols_) {
    buckets_.push_back(buckets_of(symbol));
    chosen_.push_back(symbol.most);
  }
}

std::vector<std::int64_t> SizeMarks::buckets_of(const ir::SizeSymbol& symbol) const {
  std::vector<std::int64_t> out{symbol.most};
  for (const VaryingSize& size : sizes_) {
    if (size.name != symbol.name) continue;
    for (const std::int64_t bucket : size.buckets) {
      if (bucket <= symbol.least || bucket > symbol.most) {
        throw UsageError("the bucket " + std::to_string(bucket) + " of the size " + symbol.name +
                             " is not between its bounds, " + std::to_string(symbol.least) +
                             " and " + std::to_string(symbol.most),
                         where_);
      }
      out.push_back(bucket);
    }
  }
  std::ranges::sort(out);
  const auto repeated = std::ranges::unique(out);
  out.erase(repeated.begin(), repeated.end());
  return out;
}

void SizeMarks::fail_bounds(const std::string& name, std::int64_t least, std::int64_t most) const {
  throw UsageError("the size " + name + " varies from " + std::to_string(least) + " to " +
                       std::to_string(most) +
                       "; `most` has to be given, and to be above `least`, which is not negative",
                   where_);
}

void SizeMarks::find(const CompiledFunction::Arguments& arguments,
                     CompiledFunction::Describe describe) {
  const auto same_ranks = [&] {
    return std::ranges::equal(arguments.tensors, found_ranks_, [](const StatePtr& state, int rank) {
      return state->type.shape.rank() == rank;
    });
  };
  if (!marks_.empty() && found_for_ == arguments.key && same_ranks()) return;
  // What fails leaves marks of no call.
  marks_.clear();
  std::vector<Mark> marks;
  const CompiledFunction::Names names = describe();
  const std::vector<std::string_view> tensors(names.tensors.begin(), names.tensors.end());
  for (const VaryingSize& size : sizes_) {
    const auto found = std::ranges::find(tensors, size.argument);
    if (found == tensors.end()) {
      std::string all;
      for (const std::string_view name : tensors) {
        all += (all.empty() ? "" : ", ") + std::string(name);
      }
      throw UsageError("there is no tensor " + size.argument + " among the arguments" +
                           ir::suggestion(size.argument, tensors) + "; they are " + all,
                       where_);
    }
    const auto tensor = static_cast<std::size_t>(found - tensors.begin());
    const int rank = arguments.tensors[tensor]->type.shape.rank();
    if (size.dimension < -rank || size.dimension >= rank) {
      throw UsageError("argument " + size.argument + " has " + std::to_string(rank) +
                           " dimensions, so that dimension " + std::to_string(size.dimension) +
                           " cannot vary",
                       where_);
    }
    const auto symbol = std::ranges::find(symbols_, size.name, &ir::SizeSymbol::name);
    const int dimension = size.dimension < 0 ? size.dimension + rank : size.dimension;
    const auto is_marked = [&](const Mark& mark) {
      return mark.tensor == tensor && mark.dimension == dimension;
    };
    if (std::ranges::any_of(marks, is_marked)) {
      throw UsageError("dimension " + std::to_string(dimension) + " of argument " + size.argument +
                           " is marked twice",
                       where_);
    }
    marks.push_back({tensor, dimension, static_cast<std::size_t>(symbol - symbols_.begin())});
  }
  marks_ = std::move(marks);
  found_for_ = arguments.key;
  found_ranks_.clear();
  for (const StatePtr& state : arguments.tensors) found_ranks_.push_back(state->type.shape.rank());
}

void SizeMarks::choose(const CompiledFunction::Arguments& arguments) {
  for (std::size_t i = 0; i < symbols_.size(); ++i) chosen_[i] = buckets_[i].front();
  for (const Mark& mark : marks_) {
    const std::int64_t size = arguments.tensors[mark.tensor]->type.shape[mark.dimension];
    const std::vector<std::int64_t>& buckets = buckets_[mark.symbol];
    const auto holds = std::ranges::lower_bound(buckets, size);
    // The whole program says what is wrong with a size that no program takes.
    const bool taken = holds != buckets.end() && size >= symbols_[mark.symbol].least;
    chosen_[mark.symbol] = std::max(chosen_[mark.symbol], taken ? *holds : buckets.back());
  }
}

ir::Graph SizeMarks::narrowed(ir::Graph graph) const {
  if (graph.sizes == nullptr) return graph;
  std::vector<std::int64_t> most;
  bool differs = false;
  for (const ir::SizeSymbol& symbol : graph.sizes->symbols) {
    const auto known = std::ranges::find(symbols_, symbol.name, &ir::SizeSymbol::name);
    const std::int64_t bucket = chosen_[static_cast<std::size_t>(known - symbols_.begin())];
    most.push_back(bucket > symbol.least ? bucket : symbol.most);
    differs = differs || most.back() != symbol.most;
  }
  if (!differs) return graph;
  // Near its smallest sizes a program may be another, or none: what two sizes are together may be
  // too small where each is not. Then the whole one serves.
  try {
    ir::Graph out = ir::narrowed(graph, most);
    if (!ir::raise_lower_bounds(out).empty()) return graph;
    ir::Graph trial = out;
    ir::bound_sizes(trial);
    return out;
  } catch (const TypeError&) {
    return graph;
  }
}

std::optional<std::size_t> SizeMarks::symbol_of(std::size_t tensor, int dimension) const {
  for (const Mark& mark : marks_) {
    if (mark.tensor == tensor && mark.dimension == dimension) return mark.symbol;
  }
  return std::nullopt;
}

std::string SizeMarks::shape_text(std::size_t tensor, const Shape& shape) const {
  std::string out = "[";
  for (int d = 0; d < shape.rank(); ++d) {
    const std::optional<std::size_t> symbol = symbol_of(tensor, d);
    out += (d == 0 ? "" : ",") + (symbol ? symbols_[*symbol].name : std::to_string(shape[d]));
  }
  return out + "]";
}

Shape SizeMarks::shape_for(std::size_t tensor, const Shape& shape,
                           std::span<const std::int64_t> values) const {
  std::vector<std::int64_t> sizes(shape.begin(), shape.end());
  for (const Mark& mark : marks_) {
    if (mark.tensor == tensor)
      sizes[static_cast<std::size_t>(mark.dimension)] = values[mark.symbol];
  }
  return Shape(sizes);
}

}  // namespace tutti::detail
