#include "tools/show/svg.h"

#include <tutti/codegen/driver/dump_page.h>

#include <algorithm>

#include "tools/show/format.h"
#include "tools/show/picture.h"

namespace tutti::tools::show {

namespace {

using codegen::page::escaped;

constexpr int kMargin = 16;
// Where the ends of an arrow that is not drawn are named:
constexpr double kFarCharacter = 6.1;  // the width of a character
constexpr std::size_t kArrow = 2;      // characters before the names
constexpr std::size_t kMore = 5;       // and behind some: " +12"

constexpr std::string_view kStyle = R"(<style>
text{font:12px ui-monospace,monospace;fill:#1a1a1a}
.title{font-weight:600}.far{font-size:10px;fill:#667}
rect{stroke-width:1;rx:5px}
path{fill:none;stroke:#8a8f98}.async{stroke-dasharray:5 3}
.parameter rect{fill:#d5ecd8;stroke:#77a97d}.constant rect{fill:#e6e6e6;stroke:#999}
.compute rect{fill:#dbe7fb;stroke:#7a94c4}.view rect{fill:#f6f6f6;stroke:#b5b5b5}
.collective rect{fill:#ffdcc2;stroke:#d08d5b}.wait rect{fill:#fff3c4;stroke:#c4ab4e}
@media(prefers-color-scheme:dark){
text{fill:#e8e8e8}.far{fill:#9aa}path{stroke:#7d828c}
.parameter rect{fill:#1f3a24;stroke:#4d7a55}.constant rect{fill:#333;stroke:#666}
.compute rect{fill:#1d2f4f;stroke:#4a6799}.view rect{fill:#26282b;stroke:#55585e}
.collective rect{fill:#4d2f16;stroke:#95623a}.wait rect{fill:#463c12;stroke:#8a7830}
}
</style>
)";

std::string number(int value) { return std::to_string(value); }

class Drawing {
 public:
  Drawing(const ir::Graph& function, bool folded)
      : function_(function),
        text_(function),
        picture_(picture_of(function, text_, folded)),
        layout_(lay_out(picture_)),
        heights_(static_cast<std::size_t>(layout_.row_count), 0),
        tops_(heights_.size(), 0),
        far_above_(picture_.boxes.size()),
        far_below_(picture_.boxes.size()) {
    for (std::size_t i = 0; i < picture_.boxes.size(); ++i) {
      int& height = heights_[row(i)];
      height = std::max(height, height_of(picture_.boxes[i]));
    }
    int top = kMargin;
    for (std::size_t i = 0; i < heights_.size(); ++i) {
      tops_[i] = top;
      top += heights_[i] + kRowGap;
    }
    height_ = std::max(top - kRowGap, kMargin) + kMargin;
  }

  std::string run() {
    std::string arrows;
    for (std::size_t i = 0; i < picture_.arrows.size(); ++i) arrows += arrow(i);
    std::string boxes;
    for (std::size_t i = 0; i < picture_.boxes.size(); ++i) boxes += box(i);
    const std::string width = number(layout_.width + 2 * kMargin);
    const std::string height = number(height_ + kMargin);
    return "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + width + "\" height=\"" + height +
           "\" viewBox=\"0 0 " + width + " " + height + "\" role=\"img\">\n<title>" +
           escaped(printable("@" + function_.name)) + "</title>\n" + std::string(kStyle) + arrows +
           boxes + "</svg>\n";
  }

 private:
  std::size_t row(std::size_t box) const { return static_cast<std::size_t>(layout_.rows[box]); }
  int left(std::size_t box) const { return kMargin + layout_.lefts[box]; }
  int centre(std::size_t box) const { return left(box) + width_of(picture_.boxes[box]) / 2; }

  // An arrow, or the names of its ends where it would cross too much.
  std::string arrow(std::size_t i) {
    const Arrow& arrow = picture_.arrows[i];
    const auto from = static_cast<std::size_t>(arrow.from);
    const auto to = static_cast<std::size_t>(arrow.to);
    if (layout_.cut[i]) {
      far_below_[from].push_back(picture_.boxes[to].nodes[0]);
      far_above_[to].push_back(function_.producer(arrow.value));
      return {};
    }
    int x = centre(from);
    int y = tops_[row(from)] + height_of(picture_.boxes[from]);
    std::string path = "M" + number(x) + " " + number(y);
    const auto curve = [&](int to_x, int to_y) {
      const std::string middle = number((y + to_y) / 2);
      path += "C" + number(x) + " " + middle + " " + number(to_x) + " " + middle + " " +
              number(to_x) + " " + number(to_y);
      x = to_x;
      y = to_y;
    };
    std::size_t passed = row(from);
    path += "V" + number(y = tops_[passed] + heights_[passed]);
    for (const int bend : layout_.bends[i]) {
      ++passed;
      curve(kMargin + bend, tops_[passed]);
      path += "V" + number(y = tops_[passed] + heights_[passed]);
    }
    curve(centre(to), tops_[row(to)]);
    const std::string tip = number(x - 4) + " " + number(y - 6);
    path +=
        "M" + tip + "L" + number(x) + " " + number(y) + "L" + number(x + 4) + " " + number(y - 6);
    const bool async = function_.type(arrow.value).async;
    return "<path" + std::string(async ? " class=\"async\"" : "") + " d=\"" + path + "\"/>\n";
  }

  static std::string text(const char* style, int x, int y, const std::string& content) {
    return "<text class=\"" + std::string(style) + "\" x=\"" + number(x) + "\" y=\"" + number(y) +
           "\">" + escaped(content) + "</text>";
  }

  std::string box(std::size_t i) const {
    const Box& box = picture_.boxes[i];
    const int width = width_of(box);
    const int top = tops_[row(i)];
    std::string out = "<g class=\"" + std::string(name_of(box.kind)) + "\"><title>";
    for (const ir::NodeId id : box.nodes) {
      out += escaped(printable(shortened(text_.node(id).code, 400)));
      if (!text_.node(id).source.empty())
        out += "  // " + escaped(printable(text_.node(id).source));
      out += "\n";
    }
    out += "</title><rect x=\"" + number(left(i)) + "\" y=\"" + number(top) + "\" width=\"" +
           number(width) + "\" height=\"" + number(height_of(box)) + "\"/>";
    int y = top + kLineHeight;
    out += text("title", left(i) + kPadding, y, box.title);
    for (const std::string& line : box.lines) {
      out += text("line", left(i) + kPadding, y += kLineHeight, line);
    }
    if (!far_above_[i].empty()) {
      out += text("far", left(i), top - 4, "\xE2\x86\x91 " + names(far_above_[i], width));
    }
    if (!far_below_[i].empty()) {
      out += text("far", left(i), top + height_of(box) + 12,
                  "\xE2\x86\x93 " + names(far_below_[i], width));
    }
    return out + "</g>\n";
  }

  // As many names as there is room for.
  std::string names(const std::vector<ir::NodeId>& nodes, int width) const {
    const auto most = static_cast<std::size_t>(width / kFarCharacter) - kArrow;
    std::string out;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const std::string_view name = text_.node(nodes[i]).names;
      const std::string_view shown = name.empty() ? name_of(function_.node(nodes[i]).op) : name;
      const bool last = i + 1 == nodes.size();
      const std::size_t rest = last ? 0 : kMore;
      if (i != 0 && out.size() + shown.size() + 2 + rest > most) {
        return out + " +" + std::to_string(nodes.size() - i);
      }
      out += (i == 0 ? "" : ", ") + printable(shortened(shown, most - rest));
    }
    return out;
  }

  const ir::Graph& function_;
  const FunctionText text_;
  const Picture picture_;
  const Layout layout_;
  std::vector<int> heights_;  // of the rows
  std::vector<int> tops_;
  // The other ends of arrows that are not drawn, by box.
  std::vector<std::vector<ir::NodeId>> far_above_;
  std::vector<std::vector<ir::NodeId>> far_below_;
  int height_ = 0;
};

}  // namespace

std::string svg_text(const ir::Graph& function, bool folded) {
  return Drawing(function, folded).run();
}

}  // namespace tutti::tools::show
