// Kernels with loops: a team of threads for each outer point.

#include <tutti/codegen/cuda/kernel_printer.h>
#include <tutti/codegen/kernel/folding.h>
#include <tutti/runtime/accelerator.h>

#include <algorithm>
#include <optional>

namespace tutti::codegen::cuda {

namespace {

constexpr std::int64_t kAlignment = 256;  // of what lies in the workspace

std::string value_name(ValueId id) { return "v" + std::to_string(id); }

bool has_stores(const Segment& segment) { return !segment.stores.empty(); }

// How many rounds of a loop are printed by the compiler one after another: enough loads under way
// at once to keep the memory busy, and no more text than the instruction cache takes.
std::int64_t unrolled_rounds(const Segment& segment, int lanes) {
  constexpr std::int64_t kInstructions = 1024;
  const auto size = static_cast<std::int64_t>(segment.body.size() + segment.reductions.size());
  return std::clamp<std::int64_t>(kInstructions / std::max<std::int64_t>(size * lanes, 1), 1, 8);
}

}  // namespace

std::string KernelPrinter::team_rank() const {
  return mapping_.kind == Mapping::Kind::rows ? "threadIdx.x" : "threadIdx.y";
}

std::string KernelPrinter::leader() const {
  std::string condition = mapping_.team > 1 ? team_rank() + " == 0" : "";
  if (partial_block_) condition += condition.empty() ? "live" : " && live";
  return condition;
}

void KernelPrinter::define_point() {
  const std::int64_t count = outer_points(kernel_);
  const bool rows = mapping_.kind == Mapping::Kind::rows;
  const auto team = static_cast<std::uint32_t>(mapping_.team);
  const auto points = static_cast<std::uint32_t>(mapping_.points);
  source_.block = rows ? std::array{team, points, 1U} : std::array{points, team, 1U};
  set_blocks((count + points - 1) / points, mapping_.parts);

  std::string point = mapping_.wide ? "u64(blockIdx.x)" : "blockIdx.x";
  if (points > 1)
    point += " * " + std::to_string(points) + (rows ? " + threadIdx.y" : " + threadIdx.x");
  const std::string end = unsigned_literal(count);
  const bool exact = count % points == 0;
  // Who leaves must not be waited for: by the warp in shuffles, by the block at barriers.
  const bool waits = rows ? mapping_.team > 1 && mapping_.team < kWarp : mapping_.team > 1;
  partial_block_ = !exact && waits;
  const bool used = mapping_.parts > 1 || std::ranges::find(used_outer_, true) != used_outer_.end();
  if (partial_block_) {
    line("const " + number() + " any = " + point + ";");
    line("const bool live = any < " + end + ";");
    if (used) line("const " + number() + " p = live ? any : " + std::to_string(count - 1) + ";");
  } else {
    if (used || !exact) line("const " + number() + " p = " + point + ";");
    if (!exact) line("if (p >= " + end + ") return;");
  }
  define_axes('o', kernel_.outer, used_outer_, "p", 1);
}

void KernelPrinter::teams() {
  define_point();
  const std::size_t count = kernel_.segments.size();
  for (std::size_t i = 0; i < count; ++i) {
    const Segment& segment = kernel_.segments[i];
    line("");
    if (!segment.loop) {
      point_segment(segment);
      continue;
    }
    loop_segment(segment);
    if (mapping_.parts == 1) continue;
    const bool more = std::any_of(kernel_.segments.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                                  kernel_.segments.end(), has_stores);
    if (!more) return;
    pass_on_parts(segment);
  }
}

void KernelPrinter::meet() {
  const bool warp = mapping_.kind == Mapping::Kind::rows && mapping_.team == kWarp;
  line(warp ? "__syncwarp();" : "__syncthreads();");
}

void KernelPrinter::point_segment(const Segment& segment) {
  body(segment);
  if (segment.stores.empty()) return;
  const bool in_place = std::ranges::any_of(segment.stores, [&](const Store& store) {
    return in_place_[static_cast<std::size_t>(store.buffer)];
  });
  // The others of the team have to have read what may be overwritten.
  if (in_place && mapping_.team > 1) meet();
  const std::string condition = leader();
  if (!condition.empty()) open("if (" + condition + ")");
  stores(segment);
  if (!condition.empty()) close();
}

// ---- Loops ----

std::string KernelPrinter::combined(const Reduction& reduction, const std::string& x,
                                    const std::string& y) {
  return scalars_.apply(reduction.combine, reduction.dtype, {x, y, ""}, reduction.dtype);
}

void KernelPrinter::declare_reduction(const Reduction& reduction) {
  const std::string neutral =
      literal(reduction.dtype, neutral_element(reduction.combine, reduction.dtype));
  if (neutral.starts_with("bits_as")) scalars_.use("bits");
  line(type_name(reduction.dtype) + " " + accumulator(reduction) + " = " + neutral + ";");
  names_[static_cast<std::size_t>(reduction.result)] = value_name(reduction.result);
}

// What the innermost loop adds to.
std::string KernelPrinter::accumulator(const Reduction& reduction) const {
  return (in_chunk_ ? "c" : "v") + std::to_string(reduction.result);
}

// Opens a loop over the chunks of one from `first` to `end`, each over `size` of its numbers: that
// one goes from `chunk` to `behind` instead, which are of its counter's type, or unsigned.
void KernelPrinter::open_chunks(const Segment& segment, const std::string& type,
                                const std::string& first, std::int64_t end, std::int64_t size) {
  const std::string last = unsigned_literal(end);
  const std::string step = unsigned_literal(size);
  open("for (" + number() + " chunk = " + first + "; chunk < " + last + "; chunk += " + step + ")");
  ++opened_;
  line("const " + type + " behind = " + last + " - chunk > " + step + " ? chunk + " + step + " : " +
       last + ";");
  in_chunk_ = true;
  around_chunk_ = opened_;
  for (const Reduction& reduction : segment.reductions) declare_reduction(reduction);
}

void KernelPrinter::add_chunk(const Segment& segment) {
  for (; opened_ > around_chunk_; --opened_) close();
  for (const Reduction& reduction : segment.reductions) {
    const std::string name = value_name(reduction.result);
    line(name + " = " + combined(reduction, name, accumulator(reduction)) + ";");
  }
  in_chunk_ = false;
}

void KernelPrinter::open_inner_loops(const Segment& segment) {
  const int lanes = mapping_.lanes;
  const std::int64_t unrolled = unrolled_rounds(segment, lanes);
  const std::string pragma =
      "#pragma unroll " +
      std::to_string(std::min<std::int64_t>(unrolled, mapping_.lanes > 1 ? 4 : 8)) + "\n";
  opened_ = 0;
  const std::int64_t together = mapping_.team * mapping_.parts;
  if (together == 1 && lanes == 1) {
    const std::optional<Folding> folding = folding_of(kernel_, segment, 1);
    for (std::size_t i = 0; i < kernel_.inner.size(); ++i) {
      const std::string name = "i" + std::to_string(i);
      const std::int64_t extent = kernel_.inner[i];
      if (extent == 1) continue;
      const bool folds = folding && folding->axis == i;
      if (folds) open_chunks(segment, index(), "0", extent, folding->rounds);
      if (i + 1 == kernel_.inner.size()) text_ += pragma;
      open("for (" + index() + " " + name + " = " + (folds ? "chunk" : "0") + "; " + name + " < " +
           (folds ? "behind" : std::to_string(extent)) + "; ++" + name + ")");
      ++opened_;
    }
    if (opened_ == 0) {
      open("");
      ++opened_;
    }
    return;
  }
  const std::int64_t steps = inner_steps(kernel_, lanes);
  std::string first = team_rank();
  if (mapping_.parts > 1) first += " + blockIdx.y * " + std::to_string(mapping_.team);
  // With one inner axis a step is its index.
  const bool direct = kernel_.inner.size() == 1 && lanes == 1;
  const std::string q = direct ? "i0" : "q";
  const std::int64_t rounds = (steps + together - 1) / together;
  const std::int64_t most = Folding::kMostAdditions / lanes;
  const bool folds = adds_floats(segment) && rounds > most;
  if (steps % together == 0) {
    if (folds) open_chunks(segment, index(), "0", rounds, most);
    // A number of rounds that is known can be unrolled, and what is loaded kept for later loops.
    text_ += rounds <= unrolled ? "#pragma unroll\n" : pragma;
    open("for (" + index() + " round = " + (folds ? "chunk" : "0") + "; round < " +
         (folds ? "behind" : std::to_string(rounds)) + "; ++round)");
    line("const " + (direct ? index() : number()) + " " + q + " = " + first + " + round * " +
         std::to_string(together) + ";");
  } else {
    const std::string type = direct ? index() : number();
    if (folds) open_chunks(segment, type, first, steps, most * together);
    text_ += pragma;
    open("for (" + type + " " + q + " = " + (folds ? "chunk" : first) + "; " + q + " < " +
         (folds ? "behind" : std::to_string(steps)) + "; " + q + " += " + std::to_string(together) +
         ")");
  }
  ++opened_;
  if (!direct) define_axes('i', kernel_.inner, used_inner_, "q", lanes);
}

void KernelPrinter::accumulate(const Segment& segment, const std::string& condition) {
  for (const Reduction& reduction : segment.reductions) {
    const std::string name = accumulator(reduction);
    line(condition + name + " = " +
         combined(reduction, name, names_[static_cast<std::size_t>(reduction.value)]) + ";");
  }
}

void KernelPrinter::loop_body(const Segment& segment) {
  const auto guarded = [&](auto&& print) {
    if (segment.stores.empty()) return;
    if (partial_block_) open("if (live)");
    print();
    if (partial_block_) close();
  };
  if (mapping_.lanes == 1) {
    body(segment);
    guarded([&] { stores(segment); });
    accumulate(segment, "");
    return;
  }
  Lanes packed{.inner = true, .left = ""};
  if (kernel_.inner.back() % mapping_.lanes != 0) {
    packed.left = "left";
    line("const " + index() + " left = " + std::to_string(kernel_.inner.back()) + " - i" +
         std::to_string(static_cast<std::int64_t>(kernel_.inner.size()) - 1) + ";");
  }
  load_packs(segment, packed);
  declare_store_packs(segment, packed);
  open_lanes();
  lane_body(segment);
  accumulate(segment, packed.left.empty() ? "" : "if (k < left) ");
  close();
  guarded([&] { store_packs(segment, packed); });
}

void KernelPrinter::loop_segment(const Segment& segment) {
  for (const Reduction& reduction : segment.reductions) declare_reduction(reduction);
  if (inner_points(kernel_) > 0) {
    open_inner_loops(segment);
    loop_body(segment);
    if (in_chunk_) add_chunk(segment);
    for (; opened_ > 0; --opened_) close();
  }
  for (const Reduction& reduction : segment.reductions) combine_team(reduction);
}

// ---- Teams ----

void KernelPrinter::combine_team(const Reduction& reduction) {
  if (mapping_.team == 1 || inner_points(kernel_) == 0) return;
  scalars_.use("combine");
  const std::string name = value_name(reduction.result);
  const std::string type = type_name(reduction.dtype);
  const std::string combine =
      "[](" + type + " x, " + type + " y) { return " + combined(reduction, "x", "y") + "; }";
  const std::string shared = "w" + std::to_string(reduction.result);
  const auto declare_shared = [&](std::int64_t count) {
    // Once; the parts' results are combined through the same memory.
    const std::string declaration =
        "__shared__ " + type + " " + shared + "[" + std::to_string(count) + "];";
    if (text_.find(declaration) == std::string::npos) line(declaration);
  };
  if (mapping_.kind == Mapping::Kind::columns) {
    declare_shared(std::int64_t{mapping_.team} * mapping_.points);
    line(name + " = combine_column<" + std::to_string(mapping_.points) + ", " +
         std::to_string(mapping_.team) + ">(" + name + ", " + shared + ", " + combine + ");");
  } else if (mapping_.team > kWarp) {
    declare_shared(mapping_.team / kWarp);
    line(name + " = combine_block<" + std::to_string(mapping_.team) + ">(" + name + ", " + shared +
         ", " + combine + ");");
  } else {
    line(name + " = combine_lanes<" + std::to_string(mapping_.team) + ">(" + name + ", " + combine +
         ");");
  }
}

// Every block leaves the results of its part in the workspace; the last one to come combines them,
// in the order of the parts, and goes on.
void KernelPrinter::pass_on_parts(const Segment& segment) {
  const std::int64_t count = outer_points(kernel_);
  std::int64_t offset = runtime::Accelerator::kCounterBytes;
  const auto parts_name = [](const Reduction& reduction) {
    return "parts" + std::to_string(reduction.result);
  };
  line("");
  line("// The last block to come goes on with the results of all parts.");
  for (const Reduction& reduction : segment.reductions) {
    const std::string type = type_name(reduction.dtype);
    line(type + "* const " + parts_name(reduction) + " = reinterpret_cast<" + type +
         "*>(workspace + " + std::to_string(offset) + ") + p;");
    const std::int64_t bytes = mapping_.parts * count * size_of(reduction.dtype);
    offset += (bytes + kAlignment - 1) / kAlignment * kAlignment;
  }
  source_.workspace_bytes = offset;
  const std::string stride = literal(count);
  open("if (" + leader() + ")");
  for (const Reduction& reduction : segment.reductions) {
    line(parts_name(reduction) + "[" + (mapping_.wide ? "i64(blockIdx.y)" : "blockIdx.y") + " * " +
         stride + "] = " + value_name(reduction.result) + ";");
  }
  close();
  line("__threadfence();");
  line("__syncthreads();");
  line("__shared__ bool last;");
  line("u32* const counter = reinterpret_cast<u32*>(workspace) + blockIdx.x;");
  open("if (threadIdx.x + threadIdx.y == 0)");
  line("last = atomicAdd(counter, 1U) == " + std::to_string(mapping_.parts - 1) + "U;");
  line("if (last) *counter = 0;");
  close();
  line("__syncthreads();");
  line("if (!last) return;");
  line("__threadfence();");
  for (const Reduction& reduction : segment.reductions) {
    const std::string name = value_name(reduction.result);
    line(name + " = " +
         literal(reduction.dtype, neutral_element(reduction.combine, reduction.dtype)) + ";");
    text_ += "#pragma unroll 4\n";
    open("for (" + index() + " part = " + team_rank() + "; part < " +
         std::to_string(mapping_.parts) + "; part += " + std::to_string(mapping_.team) + ")");
    line(name + " = " +
         combined(reduction, name, parts_name(reduction) + "[part * " + stride + "]") + ";");
    close();
    combine_team(reduction);
  }
}

}  // namespace tutti::codegen::cuda
