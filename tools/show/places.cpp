#include "tools/show/places.h"

#include <tutti/codegen/driver/dump_page.h>
#include <tutti/codegen/plan/parse_plan.h>
#include <tutti/ir/support/error.h>
#include <tutti/ir/text/constant_files.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <vector>

#include "tools/read_text.h"
#include "tools/show/format.h"
#include "tools/sort_by_number.h"

namespace tutti::tools::show {

namespace {

namespace fs = std::filesystem;
using codegen::page::escaped;

// An operand or result at its place.
struct Placed {
  std::string name;   // of the buffer
  std::string call;   // "all_reduce sum f32[4]"
  std::string where;  // the user's line
  std::int64_t offset = 0;
  std::int64_t bytes = 0;
  int first = 0;  // steps
  int last = 0;
};

// What a program has of one area.
struct AreaUse {
  std::string program;
  std::int64_t bytes = 0;
  std::vector<Placed> placed;
};

struct SharedArea {
  std::string name;
  std::vector<AreaUse> uses;

  std::int64_t bytes() const {
    std::int64_t out = 0;
    for (const AreaUse& use : uses) out = std::max(out, use.bytes);
    return out;
  }
};

Placed placed_at(const codegen::Plan& plan, codegen::BufferId id) {
  const codegen::PlanBuffer& buffer = plan.buffers[codegen::at(id)];
  Placed out{.name = "b" + std::to_string(id),
             .call = {},
             .where = {},
             .offset = buffer.offset,
             .bytes = buffer.bytes,
             .first = buffer.defined_at,
             .last = buffer.last_use};
  for (const codegen::Step& step : plan.steps) {
    const codegen::CollectiveStart* const start = codegen::start_of(step);
    if (start == nullptr) continue;
    const bool is_operand = std::ranges::count(start->operands, id) > 0;
    if (!is_operand && std::ranges::count(start->results, id) == 0) continue;
    out.call = (is_operand ? "operand of " : "result of ") + start->call.description;
    out.where = start->call.location.text();
    break;
  }
  return out;
}

// The plans of a folder, by the folders that they lie in: their names begin with a number.
std::vector<fs::path> plans_in(const fs::path& folder) {
  std::vector<fs::path> out;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (fs::exists(entry.path() / "plan.txt")) out.push_back(entry.path());
  }
  sort_by_number(out);
  for (fs::path& path : out) path /= "plan.txt";
  if (out.empty()) {
    throw UsageError(folder.string() +
                     " has no programs with plans; TUTTI_DUMP=plan writes them, those of rank 0 "
                     "into tutti-dump/rank0");
  }
  return out;
}

std::vector<SharedArea> areas_of(const fs::path& folder) {
  std::vector<SharedArea> out;
  std::map<std::string, std::size_t> known;
  for (const fs::path& path : plans_in(folder)) {
    const codegen::Plan plan = codegen::parse_plan(
        read_text(path), path.string(), ir::load_constants_beside(path.parent_path().string()));
    for (std::size_t i = 0; i < plan.areas.size(); ++i) {
      const codegen::PlanArea& area = plan.areas[i];
      std::string name = "group " + area.group->tag + " [";
      for (const std::int64_t rank : area.group->members_with(plan.rank)) {
        name += (name.ends_with('[') ? "" : ", ") + std::to_string(rank);
      }
      name += area.member < 0
                  ? "], of each member" + std::string(area.device.is_cpu() ? "" : " on its GPU")
                  : "], results in common that member " + std::to_string(area.member) + " has";
      const auto [found, is_new] = known.try_emplace(name, out.size());
      if (is_new) out.push_back({.name = name, .uses = {}});
      AreaUse& use = out[found->second].uses.emplace_back();
      use.program = path.parent_path().filename().string();
      use.bytes = area.bytes;
      for (codegen::BufferId id = 0; codegen::at(id) < plan.buffers.size(); ++id) {
        const codegen::PlanBuffer& buffer = plan.buffers[codegen::at(id)];
        if (buffer.kind != codegen::PlanBuffer::Kind::symmetric) continue;
        if (codegen::at(buffer.index) == i) use.placed.push_back(placed_at(plan, id));
      }
    }
  }
  if (out.empty()) {
    throw UsageError("no program in " + folder.string() + " has places in a group's memory");
  }
  return out;
}

// ---- The picture

constexpr double kAreaWidth = 1000;  // of an area
constexpr double kAround = 16;
constexpr double kStepHeight = 16;  // of a step
constexpr double kLetter = 6.7;

constexpr std::string_view kPlacesStyle = R"(<style>
text{font:11px ui-monospace,monospace;fill:#1a1a1a}
.area{font-weight:600;font-size:13px}.program{fill:#556}
rect{fill:#dbe7fb;stroke:#7a94c4;stroke-width:1}.result rect{fill:#ffdcc2;stroke:#d08d5b}
.ground{fill:#fafafa;stroke:#d5d7da}
@media(prefers-color-scheme:dark){
text{fill:#e8e8e8}.program{fill:#9aa}
rect{fill:#1d2f4f;stroke:#4a6799}.result rect{fill:#4d2f16;stroke:#95623a}
.ground{fill:#1b1d20;stroke:#3a3a3a}
}
</style>
)";

std::string coordinate(double value) {
  const auto tenths = std::llround(value * 10);
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10);
}

class PlacesDrawing {
 public:
  std::string of(const std::vector<SharedArea>& areas) {
    for (const SharedArea& area : areas) add(area);
    const std::string width = coordinate(kAreaWidth + 2 * kAround);
    const std::string height = coordinate(top_);
    return "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + width + "\" height=\"" + height +
           "\" viewBox=\"0 0 " + width + " " + height + "\" role=\"img\">\n" +
           std::string(kPlacesStyle) + body_ + "</svg>\n";
  }

 private:
  void text(const char* kind, double left, const std::string& what) {
    body_ += "<text class=\"" + std::string(kind) + "\" x=\"" + coordinate(left) + "\" y=\"" +
             coordinate(top_ + kStepHeight - 4) + "\">" + escaped(printable(what)) + "</text>\n";
    top_ += kStepHeight;
  }

  void rectangle(const char* kind, double left, double top, double width, double height) {
    body_ += "<rect class=\"" + std::string(kind) + "\" x=\"" + coordinate(left) + "\" y=\"" +
             coordinate(top) + "\" width=\"" + coordinate(width) + "\" height=\"" +
             coordinate(height) + "\"/>";
  }

  void add(const SharedArea& area) {
    top_ += kStepHeight / 2;
    text("area", kAround, area.name + ": " + bytes_text(area.bytes()));
    const double scale = kAreaWidth / static_cast<double>(std::max<std::int64_t>(area.bytes(), 1));
    for (const AreaUse& use : area.uses) add(use, scale);
    top_ += kStepHeight;
  }

  // Of the steps there are only those at which something begins or ends.
  void add(const AreaUse& use, double scale) {
    text("program", kAround, use.program + ": " + bytes_text(use.bytes));
    std::vector<int> steps;
    for (const Placed& each : use.placed) {
      steps.push_back(each.first);
      steps.push_back(each.last);
    }
    std::ranges::sort(steps);
    steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
    const auto row = [&](int step) {
      return static_cast<double>(std::ranges::lower_bound(steps, step) - steps.begin());
    };
    const double height = static_cast<double>(steps.size()) * kStepHeight;
    rectangle("ground", kAround, top_, kAreaWidth, height);
    body_ += '\n';
    for (const Placed& each : use.placed) {
      const double left = kAround + static_cast<double>(each.offset) * scale;
      const double width = std::max(static_cast<double>(each.bytes) * scale, 1.0);
      const double top = top_ + row(each.first) * kStepHeight;
      const double rows = row(each.last) - row(each.first) + 1;
      const std::string what = each.name + "  " + each.where + "  " + each.call;
      body_ += each.call.starts_with("result") ? "<g class=\"result\">" : "<g>";
      body_ += "<title>" +
               escaped(printable(what + "; " + bytes_text(each.bytes) + " at " +
                                 std::to_string(each.offset) + ", steps " +
                                 std::to_string(each.first) + ".." + std::to_string(each.last))) +
               "</title>";
      rectangle("", left, top, width, rows * kStepHeight);
      const auto room = static_cast<std::size_t>(std::max(width - 8, 0.0) / kLetter);
      if (room >= 3) {
        body_ += "<text x=\"" + coordinate(left + 4) + "\" y=\"" +
                 coordinate(top + kStepHeight - 4) + "\">" +
                 escaped(shortened(printable(what), room)) + "</text>";
      }
      body_ += "</g>\n";
    }
    top_ += height;
  }

  std::string body_;
  double top_ = kAround / 2;
};

}  // namespace

std::string places_picture(const fs::path& folder) { return PlacesDrawing().of(areas_of(folder)); }

std::string places_text(const fs::path& folder) {
  std::string out;
  for (const SharedArea& area : areas_of(folder)) {
    out += (out.empty() ? "" : "\n") + area.name + ": " + bytes_text(area.bytes()) + "\n";
    for (const AreaUse& use : area.uses) {
      out += "  " + use.program + ": " + bytes_text(use.bytes) + "\n";
      for (const Placed& each : use.placed) {
        out += "    steps " + std::to_string(each.first) + ".." + std::to_string(each.last) +
               "  bytes " + std::to_string(each.offset) + ".." +
               std::to_string(each.offset + each.bytes) + "  " + each.name + "  " +
               printable(each.call) + "  // " + each.where + "\n";
      }
    }
  }
  return out;
}

}  // namespace tutti::tools::show
