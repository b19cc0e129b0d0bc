// Kernels without loops: a thread for one or a few points, or a block for a tile of them.

#include <tutti/codegen/cuda/kernel_printer.h>

#include <algorithm>

namespace tutti::codegen::cuda {

namespace {

constexpr std::int64_t kTileRows = 8;  // threads of a block along y

// All segments as one: without loops they run one after another.
Segment joined_segments(const std::vector<Segment>& segments) {
  Segment all;
  for (const Segment& segment : segments) {
    all.body.insert(all.body.end(), segment.body.begin(), segment.body.end());
    all.stores.insert(all.stores.end(), segment.stores.begin(), segment.stores.end());
  }
  return all;
}

}  // namespace

void KernelPrinter::points() {
  const std::int64_t lanes = mapping_.lanes;
  const std::int64_t last = kernel_.outer.back();
  const std::int64_t groups = outer_points(kernel_) / last * ((last + lanes - 1) / lanes);
  const std::int64_t threads = mapping_.points;
  source_.block = {static_cast<std::uint32_t>(threads), 1, 1};
  set_blocks((groups + threads - 1) / threads, 1);
  const bool exact = groups % threads == 0;
  if (!exact || std::ranges::find(used_outer_, true) != used_outer_.end()) {
    line("const " + number() + " p = " + (mapping_.wide ? "u64(blockIdx.x)" : "blockIdx.x") +
         " * " + std::to_string(threads) + " + threadIdx.x;");
  }
  if (!exact) line("if (p >= " + unsigned_literal(groups) + ") return;");
  define_axes('o', kernel_.outer, used_outer_, "p", mapping_.lanes);

  const Segment all = joined_segments(kernel_.segments);
  if (lanes == 1) {
    body(all);
    stores(all);
    return;
  }
  Lanes packed{.inner = false, .left = ""};
  if (last % lanes != 0) {
    packed.left = "left";
    line("const " + index() + " left = " + std::to_string(last) + " - o" +
         std::to_string(static_cast<std::int64_t>(kernel_.outer.size()) - 1) + ";");
  }
  load_packs(all, packed);
  declare_store_packs(all, packed);
  open_lanes();
  lane_body(all);
  close();
  store_packs(all, packed);
}

// ---- Within another kernel ----

std::string KernelPrinter::given_element(int buffer) {
  return scalars_.widen(kernel_.buffers[static_cast<std::size_t>(buffer)].dtype, "given.at[k]");
}

std::string KernelPrinter::print_operator(int given, bool packed) {
  given_ = given;
  depth_ = 2;
  const std::string lanes = std::to_string(mapping_.lanes);
  const Segment all = joined_segments(kernel_.segments);
  const bool used = std::ranges::find(used_outer_, true) != used_outer_.end();
  scalars_.use("packs");
  if (packed) {
    const Lanes along{.inner = false,
                      .left = kernel_.outer.back() % mapping_.lanes != 0 ? "left" : ""};
    if (used) line("const " + number() + " p = " + number() + "(place / " + lanes + ");");
    define_axes('o', kernel_.outer, used_outer_, "p", mapping_.lanes);
    load_packs(all, along);
    declare_store_packs(all, along);
    open_lanes();
    lane_body(all);
    close();
    store_packs(all, along);
  } else {
    open_lanes();
    open("if (k < left)");
    if (used) line("const " + number() + " p = " + number() + "(place + k);");
    define_axes('o', kernel_.outer, used_outer_, "p", 1);
    body(all);
    stores(all);
    close();
    close();
  }
  return std::move(text_);
}

// ---- Tiles ----

bool KernelPrinter::goes_through_tile(const Instruction& instruction) const {
  return instruction.kind == Instruction::Kind::load &&
         cuda::goes_through_tile(kernel_, mapping_, instruction.address);
}

void KernelPrinter::open_tile_rounds(const std::string& along_tile_axis,
                                     const std::string& along_last) {
  const std::string axis = std::to_string(mapping_.tile_axis);
  const std::size_t last = kernel_.outer.size() - 1;
  text_ += "#pragma unroll\n";
  open("for (int step = 0; step < " + std::to_string(kTileSide) +
       "; step += " + std::to_string(kTileRows) + ")");
  line("const int k = step + threadIdx.y;");
  line("const " + index() + " o" + axis + " = t" + axis + " + " + along_tile_axis + ";");
  line("const " + index() + " o" + std::to_string(last) + " = t" + std::to_string(last) + " + " +
       along_last + ";");
  open("if (o" + axis + " < " +
       std::to_string(kernel_.outer[static_cast<std::size_t>(mapping_.tile_axis)]) + " && o" +
       std::to_string(last) + " < " + std::to_string(kernel_.outer[last]) + ")");
}

void KernelPrinter::load_tile(const Instruction& load) {
  line("w" + std::to_string(load.result) +
       "[k][threadIdx.x] = " + element(load.buffer, load.address, false) + ";");
}

void KernelPrinter::tiles() {
  const auto axis = static_cast<std::size_t>(mapping_.tile_axis);
  const std::size_t last = kernel_.outer.size() - 1;
  std::vector<std::int64_t> extents = kernel_.outer;
  extents[axis] = (extents[axis] + kTileSide - 1) / kTileSide;
  extents[last] = (extents[last] + kTileSide - 1) / kTileSide;
  std::int64_t count = 1;
  for (const std::int64_t extent : extents) count *= extent;
  source_.block = {kTileSide, kTileRows, 1};
  set_blocks(count, 1);

  std::int64_t below = 1;
  for (std::size_t i = extents.size(); i-- > 0;) {
    const bool tiled = i == axis || i == last;
    std::string block = mapping_.wide ? "u64(blockIdx.x)" : "blockIdx.x";
    if (below > 1) block += " / " + unsigned_literal(below);
    if (below * extents[i] < count) block += " % " + unsigned_literal(extents[i]);
    if (tiled) {
      line("const " + index() + " t" + std::to_string(i) + " = " + block + " * " +
           std::to_string(kTileSide) + ";");
    } else if (used_outer_[i]) {
      line("const " + index() + " o" + std::to_string(i) + " = " + block + ";");
    }
    below *= extents[i];
  }

  const Segment all = joined_segments(kernel_.segments);
  for (const Instruction& instruction : all.body) {
    if (!goes_through_tile(instruction)) continue;
    const DType dtype = kernel_.buffers[static_cast<std::size_t>(instruction.buffer)].dtype;
    line("__shared__ " + type_name(dtype) + " w" + std::to_string(instruction.result) + "[" +
         std::to_string(kTileSide) + "][" + std::to_string(tile_row(dtype)) + "];");
  }
  open_tile_rounds("threadIdx.x", "k");
  for (const Instruction& instruction : all.body) {
    if (goes_through_tile(instruction)) load_tile(instruction);
  }
  close();
  close();
  line("__syncthreads();");
  open_tile_rounds("k", "threadIdx.x");
  for (const Instruction& instruction : all.body) {
    const DType dtype = instruction.buffer < 0
                            ? DType::i64
                            : kernel_.buffers[static_cast<std::size_t>(instruction.buffer)].dtype;
    define(instruction, goes_through_tile(instruction)
                            ? scalars_.widen(dtype, "w" + std::to_string(instruction.result) +
                                                        "[threadIdx.x][k]")
                            : expression(instruction, false));
  }
  stores(all);
  close();
  close();
}

}  // namespace tutti::codegen::cuda
