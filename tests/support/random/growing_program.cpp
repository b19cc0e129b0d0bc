#include "tests/support/random/growing_program.h"

#include <tutti/ir/control.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "tests/support/random/random_array.h"

namespace tutti::test {

namespace {

using ir::Op;
using ir::Value;
using Values = ProgramOptions::Values;

constexpr std::array kAllDTypes = {
#define TUTTI_ENTRY(name, text, type) DType::name,
    TUTTI_DTYPES(TUTTI_ENTRY)
#undef TUTTI_ENTRY
};

// Of everything that modes do in steps: rests of vectors, of tiles and of blocks.
constexpr std::array<std::int64_t, 12> kSizes = {1, 2, 3, 4, 5, 7, 8, 16, 17, 33, 64, 130};

// The first rank that has a rank's coordinates in all dimensions but the replicated ones.
std::size_t first_like(const ir::Mesh& mesh, std::size_t rank, std::uint8_t replicated) {
  std::size_t out = 0;
  std::size_t stride = 1;
  for (std::size_t d = mesh.sizes.size(); d-- > 0;) {
    const auto size = static_cast<std::size_t>(mesh.sizes[d]);
    if ((replicated >> d & 1) == 0) out += rank / stride % size * stride;
    stride *= size;
  }
  return out;
}

}  // namespace

GrowingProgram::GrowingProgram(Draw& draw, const ProgramOptions& options, RandomProgram& program)
    : draw(draw),
      options(options),
      program_(program),
      builder_(program.graph),
      run_(options.values != Values::any),
      may_communicate_(options.mesh != nullptr && options.mesh->ranks() > 1) {
  program.graph.mesh = options.mesh;
  program.graph.default_device = draw.one_of(options.devices);
  program.inputs.resize(options.mesh == nullptr ? 1
                                                : static_cast<std::size_t>(options.mesh->ranks()));
  const std::int64_t small = draw.coin() ? 5 : std::ssize(kSizes);
  for (int i = 0; i < 3; ++i) {
    sizes_.push_back(kSizes[static_cast<std::size_t>(draw.below(small))]);
  }
  if (draw.one_in(8)) sizes_.push_back(0);
}

GrowingProgram::GrowingProgram(const GrowingProgram& outer, RandomProgram& program,
                               bool may_communicate)
    : draw(outer.draw),
      options(outer.options),
      program_(program),
      builder_(program.graph),
      run_(outer.run_),
      may_communicate_(may_communicate),
      levels_(outer.levels_ + 1),
      sizes_(outer.sizes_) {
  program.graph.mesh = options.mesh;
  program.graph.default_device = outer.graph().default_device;
  program.inputs.resize(outer.ranks());
}

void GrowingProgram::add_parameter(const std::string& name, const ir::Type& type, Facts facts) {
  values_.push_back(program_.graph.add_parameter(name, type));
  if (run_) facts_.push_back(std::move(facts));
}

void GrowingProgram::add_parameters() {
  const std::int64_t count = 2 + draw.below(4);
  for (std::int64_t i = 0; i < count; ++i) {
    ir::Type type{.dtype = some_dtype(), .shape = some_shape(), .device = graph().default_device};
    if (options.devices.size() > 1) type.device = draw.one_of(options.devices);
    if (options.mesh != nullptr) {
      const auto dimensions = static_cast<std::int64_t>(options.mesh->sizes.size());
      type.replication.dimensions = static_cast<std::uint8_t>(draw.below(1LL << dimensions));
    }
    if (draw.one_in(6)) {  // a number of the program
      type.shape = {};
      type.replication = {.dimensions = 0, .literal = true};
      type.device = Device::any();
    }
    const Value value = program_.graph.add_parameter("x" + std::to_string(i), type, draw.coin());
    values_.push_back(value);
    const Elements elements = some_elements();
    Facts facts;
    for (std::size_t rank = 0; rank < ranks(); ++rank) {
      std::size_t like = rank;
      if (is_number(type)) like = 0;
      if (options.mesh != nullptr && !is_number(type)) {
        like = first_like(*options.mesh, rank, type.replication.dimensions);
      }
      std::vector<Array>& own = program_.inputs[rank];
      own.push_back(like < rank ? program_.inputs[like].back()
                                : random_array(type.dtype, type.shape, elements, draw));
      facts.values.push_back(own.back());
    }
    if (run_) facts_.push_back(std::move(facts));
  }
}

bool GrowingProgram::fits(Op op, Operands operands, const std::vector<ir::Attribute>& attributes,
                          std::vector<Facts>& facts) const {
  std::vector<ir::Type> types;
  for (const Value operand : operands) {
    types.push_back({.dtype = type(operand).dtype,
                     .shape = shape(operand),
                     .async = type(operand).async,
                     .device = type(operand).device});
    // Functions say how they want it.
    if (ir::is_control(op)) types.back().replication = type(operand).replication;
  }
  for (const ir::Type& result : ir::infer_types(op, types, attributes, graph().mesh.get())) {
    if (result.shape.elements() > options.most_elements) return false;
  }
  if (!run_) return true;
  std::vector<const Facts*> known;
  for (const Value operand : operands) known.push_back(&facts_[operand.id]);
  facts = facts_of(op, attributes, known, ranks());
  return std::ranges::all_of(facts, [&](const Facts& result) {
    return result.misfit.empty() && (result.exact() || options.values != Values::exact);
  });
}

void GrowingProgram::keep_facts(ir::NodeId first, std::vector<Facts> of_last) {
  // In front of the last node may stand those of `vary`.
  for (ir::NodeId id = first; id + 1 < graph().node_count(); ++id) {
    facts_.push_back(facts_[graph().operand(id, 0).id]);
  }
  for (Facts& facts : of_last) facts_.push_back(std::move(facts));
}

bool GrowingProgram::add(Op op, Operands operands, std::vector<ir::Attribute> attributes) {
  try {
    ir::complete_attributes(ir::definition(op), attributes);
    std::vector<Facts> facts;
    if (!fits(op, operands, attributes, facts)) return false;
    const auto first = static_cast<ir::NodeId>(graph().node_count());
    const ir::NodeId node = builder_.node(op, operands, std::move(attributes));
    if (node < first) return false;  // a second wait of the same value
    if (run_) keep_facts(first, std::move(facts));
    for (std::uint32_t i = 0; i < graph().node(node).result_count; ++i) {
      const Value result = graph().result(node, i);
      (type(result).async ? pending_ : values_).push_back(result);
    }
    return true;
  } catch (const TypeError&) {
    return false;
  }
}

std::optional<Value> GrowingProgram::value_of(Op op, std::initializer_list<Value> operands,
                                              std::vector<ir::Attribute> attributes) {
  if (!add(op, operands, std::move(attributes))) return std::nullopt;
  return values_.back();
}

Value GrowingProgram::constant(ir::Array array) {
  if (run_) {
    Facts& facts = facts_.emplace_back();
    facts.values.assign(ranks(), array);
  }
  values_.push_back(builder_.constant(std::move(array)));
  return values_.back();
}

void GrowingProgram::wait_for(std::size_t number) {
  const Value value = pending_[number];
  pending_.erase(pending_.begin() + static_cast<std::ptrdiff_t>(number));
  add(Op::wait, {value});
}

void GrowingProgram::set_results() {
  // What nobody uses, or a few of all values, so that others go unused.
  std::vector<Value> results = pending_;
  const std::vector<std::uint32_t> uses = ir::count_uses(graph());
  const bool all = draw.coin();
  for (const Value value : values_) {
    if (all ? uses[value.id] == 0 && graph().op(value) != Op::parameter : draw.one_in(10)) {
      results.push_back(value);
    }
  }
  results.push_back(values_.back());
  draw.shuffle(results);
  if (results.size() > 8) results.resize(8);
  program_.graph.set_results(std::move(results));
}

bool GrowingProgram::may_draw(Op op) const {
  return options.ops.empty() || std::ranges::find(options.ops, op) != options.ops.end();
}

Value GrowingProgram::pick() {
  const std::int64_t count = std::ssize(values_);
  const std::int64_t at =
      draw.one_in(3) ? draw.below(count) : count - 1 - draw.below(std::min<std::int64_t>(5, count));
  return values_[static_cast<std::size_t>(at)];
}

std::optional<Value> GrowingProgram::pick(DType dtype) {
  for (int i = 0; i < 20; ++i) {
    const Value value = pick();
    if (type(value).dtype == dtype) return value;
  }
  return std::nullopt;
}

DType GrowingProgram::some_dtype() {
  if (!options.dtypes.empty()) return draw.one_of(options.dtypes);
  if (options.values == Values::smooth || (options.values == Values::close && draw.coin())) {
    return draw.coin() ? DType::f32 : DType::f64;
  }
  return draw.one_in(3) ? DType::f32 : draw.one_of(kAllDTypes);
}

Shape GrowingProgram::some_shape() {
  if (!options.shapes.empty()) return draw.one_of(options.shapes);
  // Rarely of many dimensions; sizes of 1 broadcast.
  const std::int64_t rank = draw.one_in(10) ? draw.below(Shape::kMaxRank + 1) : draw.below(4);
  std::vector<std::int64_t> out;
  std::int64_t elements = 1;
  for (std::int64_t d = 0; d < rank; ++d) {
    std::int64_t size = draw.one_in(6) ? 1 : draw.one_of(sizes_);
    if (size * elements > options.most_elements) size = 1;
    elements *= std::max<std::int64_t>(size, 1);
    out.push_back(size);
  }
  return Shape(out);
}

Elements GrowingProgram::some_elements() {
  switch (options.values) {
    case Values::any:
      return Elements::special;
    case Values::exact:
      // Integers held in floats, so that sums are exact, too.
      if (draw.one_in(8)) return Elements::special;
      return draw.one_in(6) ? Elements::uneven : Elements::small;
    default:
      return draw.one_in(4) ? Elements::small : Elements::uneven;
  }
}

ir::GroupPtr GrowingProgram::some_group() {
  const auto count = static_cast<std::int64_t>(ranks());
  if (options.mesh != nullptr && !draw.one_in(4)) {
    const auto dimensions = static_cast<std::int64_t>(options.mesh->sizes.size());
    const auto over = static_cast<std::uint8_t>(1 + draw.below((1LL << dimensions) - 1));
    return std::make_shared<const ir::Group>(mesh_group(*options.mesh, over));
  }
  ir::Group group{.tag = "", .ranks = std::vector<std::int64_t>(ranks()), .stride = count};
  std::iota(group.ranks.begin(), group.ranks.end(), 0);
  draw.shuffle(group.ranks);
  if (count % 2 == 0 && draw.coin()) group.stride = count / 2;
  group.tag = "g" + std::to_string(group.stride);
  for (const std::int64_t rank : group.ranks) group.tag += "_" + std::to_string(rank);
  return std::make_shared<const ir::Group>(std::move(group));
}

std::optional<std::pair<double, double>> GrowingProgram::range(Value value) const {
  if (!run_) return std::nullopt;
  std::pair out(std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity());
  for (const Array& array : facts_[value.id].values) {
    for (std::int64_t i = 0; i < array.elements(); ++i) {
      out.first = std::min(out.first, array.at(i));
      out.second = std::max(out.second, array.at(i));
    }
  }
  return out;
}

}  // namespace tutti::test
