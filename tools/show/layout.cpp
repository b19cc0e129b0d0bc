#include "tools/show/layout.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <numeric>
#include <ranges>
#include <utility>

namespace tutti::tools::show {

namespace {

constexpr double kGap = 18;        // between the boxes of a row
constexpr int kComponentGap = 40;  // between parts that are not connected
constexpr int kWidest = 2400;      // a row of such parts, unless one alone is wider
constexpr double kBendWidth = 4;   // the room of an edge that passes a row
constexpr int kOrderSweeps = 8;
constexpr int kPlaceSweeps = 12;
constexpr double kLoosePull = 0.1;  // of a loose box on its users, beside that of others

std::size_t at(int i) { return static_cast<std::size_t>(i); }

std::vector<std::vector<int>> lists(std::size_t count) {
  std::vector<std::vector<int>> out;
  out.resize(count);
  return out;
}

struct Rows {
  std::vector<int> rows;
  // Boxes that nothing leads to, and chains of boxes that only those lead to.
  std::vector<bool> loose;
};

// Rows by longest path from the top; what is loose stands right above its first user.
Rows find_rows(std::size_t boxes, std::span<const LayoutEdge> edges) {
  std::vector<std::vector<int>> users = lists(boxes);
  std::vector<int> waiting(boxes, 0);
  std::vector<int> operand(boxes, -1);  // the last one
  for (const LayoutEdge& edge : edges) {
    users[at(edge.from)].push_back(edge.to);
    ++waiting[at(edge.to)];
    operand[at(edge.to)] = edge.from;
  }
  const std::vector<int> operands = waiting;
  Rows out{.rows = std::vector<int>(boxes, 0), .loose = std::vector<bool>(boxes, false)};
  std::vector<bool> done(boxes, false);
  std::vector<int> order;
  std::deque<int> ready;
  for (std::size_t i = 0; i < boxes; ++i) {
    if (waiting[i] == 0) ready.push_back(static_cast<int>(i));
  }
  for (std::size_t next = 0;;) {
    if (ready.empty()) {  // the end, or a cycle: its first box begins it
      while (next < boxes && done[next]) ++next;
      if (next == boxes) break;
      ready.push_back(static_cast<int>(next));
    }
    const int box = ready.front();
    ready.pop_front();
    if (done[at(box)]) continue;
    done[at(box)] = true;
    order.push_back(box);
    const bool chain = operands[at(box)] == 1 && out.loose[at(operand[at(box)])];
    out.loose[at(box)] = operands[at(box)] == 0 || chain;
    for (const int user : users[at(box)]) {
      if (done[at(user)]) continue;
      int& row = out.rows[at(user)];
      row = std::max(row, out.rows[at(box)] + 1);
      if (--waiting[at(user)] == 0) ready.push_back(user);
    }
  }
  for (const int box : std::views::reverse(order)) {
    if (!out.loose[at(box)] || users[at(box)].empty()) continue;
    int first = out.rows[at(users[at(box)][0])];
    for (const int user : users[at(box)]) first = std::min(first, out.rows[at(user)]);
    out.rows[at(box)] = std::max(first - 1, out.rows[at(box)]);
  }
  return out;
}

// Which part each box belongs to; parts are numbered by their first boxes.
std::vector<int> find_components(std::size_t boxes, std::span<const LayoutEdge> edges) {
  std::vector<int> parent(boxes);
  std::iota(parent.begin(), parent.end(), 0);
  const auto find = [&](int box) {
    while (parent[at(box)] != box) box = parent[at(box)] = parent[at(parent[at(box)])];
    return box;
  };
  for (const LayoutEdge& edge : edges) {
    const int a = find(edge.from);
    const int b = find(edge.to);
    parent[at(std::max(a, b))] = std::min(a, b);
  }
  std::vector<int> out(boxes, -1);
  int count = 0;
  for (std::size_t i = 0; i < boxes; ++i) {
    int& root = out[at(find(static_cast<int>(i)))];
    if (root < 0) root = count++;
    out[i] = root;
  }
  return out;
}

// A box, or the place where an edge passes a row.
struct Item {
  int row = 0;
  double width = 0;
  double pull = 1;  // how much neighbours mind where it is
  double centre = 0;
  int position = 0;  // in its row
  std::vector<int> above;
  std::vector<int> below;
};

// One connected part: orders its rows and places the items in them.
class Component {
 public:
  int add(int row, double width, double pull = 1) {
    if (rows_.size() <= at(row)) rows_.resize(at(row) + 1);
    const int id = static_cast<int>(items_.size());
    items_.push_back({.row = row,
                      .width = width,
                      .pull = pull,
                      .centre = 0,
                      .position = 0,
                      .above = {},
                      .below = {}});
    rows_[at(row)].push_back(id);
    return id;
  }
  void connect(int above, int below) {
    items_[at(above)].below.push_back(below);
    items_[at(below)].above.push_back(above);
  }
  const Item& item(int id) const { return items_[at(id)]; }
  int row_count() const { return static_cast<int>(rows_.size()); }

  // Gives the width of all.
  int place() {
    for (std::vector<int>& row : rows_) number(row);
    for (int sweep = 0; sweep < kOrderSweeps; ++sweep) {
      each_row(sweep % 2 == 0, [&](std::vector<int>& row) { order(row, sweep % 2 == 0); });
    }
    for (std::vector<int>& row : rows_) pack(row);
    for (int sweep = 0; sweep < kPlaceSweeps; ++sweep) {
      const bool last = sweep + 4 >= kPlaceSweeps;
      each_row(sweep % 2 == 0, [&](std::vector<int>& row) { move(row, sweep % 2 == 0, last); });
    }
    double left = 0;
    double right = 0;
    for (std::size_t i = 0; i < items_.size(); ++i) {
      const double half = items_[i].width / 2;
      left = i == 0 ? items_[i].centre - half : std::min(left, items_[i].centre - half);
      right = i == 0 ? items_[i].centre + half : std::max(right, items_[i].centre + half);
    }
    for (Item& item : items_) item.centre -= left;
    return static_cast<int>(std::ceil(right - left));
  }

 private:
  template <class F>
  void each_row(bool down, F&& f) {
    for (std::size_t i = 0; i < rows_.size(); ++i) f(rows_[down ? i : rows_.size() - 1 - i]);
  }

  void number(const std::vector<int>& row) {
    for (std::size_t i = 0; i < row.size(); ++i) items_[at(row[i])].position = static_cast<int>(i);
  }

  void order(std::vector<int>& row, bool by_above) {
    std::vector<std::pair<double, int>> keys;
    for (const int id : row) {
      const std::vector<int>& others = by_above ? item(id).above : item(id).below;
      double sum = 0;
      for (const int other : others) sum += item(other).position;
      const bool alone = others.empty();
      keys.emplace_back(alone ? item(id).position : sum / static_cast<double>(others.size()), id);
    }
    std::ranges::stable_sort(keys, {}, &std::pair<double, int>::first);
    for (std::size_t i = 0; i < row.size(); ++i) row[i] = keys[i].second;
    number(row);
  }

  // How far the centres of neighbours in a row are from each other at least.
  double distance(int left, int right) const {
    return (item(left).width + item(right).width) / 2 + kGap;
  }

  void pack(const std::vector<int>& row) {
    double length = 0;
    for (std::size_t i = 1; i < row.size(); ++i) length += distance(row[i - 1], row[i]);
    double centre = -length / 2;
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i != 0) centre += distance(row[i - 1], row[i]);
      items_[at(row[i])].centre = centre;
    }
  }

  // Moves the items of a row to where their neighbours want them: the places with the least sum of
  // squared distances from there that keep the order (isotonic regression by pooling).
  void move(const std::vector<int>& row, bool by_above, bool by_both) {
    struct Pool {
      double sum;
      double count;
    };
    std::vector<Pool> pools;
    double offset = 0;
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i != 0) offset += distance(row[i - 1], row[i]);
      pools.push_back({wanted(item(row[i]), by_above, by_both) - offset, 1});
      while (pools.size() > 1) {
        const Pool last = pools.back();
        Pool& before = pools[pools.size() - 2];
        if (before.sum * last.count <= last.sum * before.count) break;
        before = {before.sum + last.sum, before.count + last.count};
        pools.pop_back();
      }
    }
    offset = 0;
    std::size_t i = 0;
    for (const Pool& pool : pools) {
      for (int n = 0; n < pool.count; ++n, ++i) {
        if (i != 0) offset += distance(row[i - 1], row[i]);
        items_[at(row[i])].centre = pool.sum / pool.count + offset;
      }
    }
  }

  double wanted(const Item& item, bool by_above, bool by_both) const {
    double sum = 0;
    double weight = 0;
    for (const bool above : {true, false}) {
      if (!by_both && above != by_above) continue;
      for (const int other : above ? item.above : item.below) {
        const Item& neighbour = this->item(other);
        sum += neighbour.pull * neighbour.centre;
        weight += neighbour.pull;
      }
    }
    return weight == 0 ? item.centre : sum / weight;
  }

  std::vector<Item> items_;
  std::vector<std::vector<int>> rows_;
};

class LayoutMaker {
 public:
  LayoutMaker(std::span<const int> widths, std::span<const LayoutEdge> edges)
      : widths_(widths), edges_(edges), component_of_(find_components(widths.size(), edges)) {
    Rows rows = find_rows(widths.size(), edges);
    out_.rows = std::move(rows.rows);
    loose_ = std::move(rows.loose);
    out_.lefts.resize(widths.size());
    out_.bends.resize(edges.size());
    out_.cut.resize(edges.size());
    item_of_.resize(widths.size());
    std::size_t count = 0;
    for (const int component : component_of_) count = std::max(count, at(component) + 1);
    boxes_ = lists(count);
    edge_lists_ = lists(count);
    for (std::size_t i = 0; i < widths.size(); ++i) {
      boxes_[at(component_of_[i])].push_back(static_cast<int>(i));
    }
    for (std::size_t i = 0; i < edges.size(); ++i) {
      edge_lists_[at(component_of_[at(edges[i].from)])].push_back(static_cast<int>(i));
    }
  }

  Layout run() {
    for (std::size_t i = 0; i < boxes_.size(); ++i) place(boxes_[i], edge_lists_[i]);
    out_.row_count = shelf_top_ + shelf_rows_;
    return std::move(out_);
  }

 private:
  void place(const std::vector<int>& boxes, const std::vector<int>& edges) {
    int top = out_.rows[at(boxes[0])];
    for (const int box : boxes) top = std::min(top, out_.rows[at(box)]);
    Component component;
    for (const int box : boxes) {
      out_.rows[at(box)] -= top;
      item_of_[at(box)] =
          component.add(out_.rows[at(box)], widths_[at(box)], loose_[at(box)] ? kLoosePull : 1);
    }
    std::vector<std::vector<int>> bends = lists(edges.size());
    for (std::size_t i = 0; i < edges.size(); ++i) {
      const LayoutEdge& edge = edges_[at(edges[i])];
      const int from = out_.rows[at(edge.from)];
      const int to = out_.rows[at(edge.to)];
      const bool cut = to <= from || to - from > kLongestEdge;
      out_.cut[at(edges[i])] = cut;
      if (cut) continue;
      int last = item_of_[at(edge.from)];
      for (int row = from + 1; row < to; ++row) {
        bends[i].push_back(component.add(row, kBendWidth));
        component.connect(last, bends[i].back());
        last = bends[i].back();
      }
      component.connect(last, item_of_[at(edge.to)]);
    }
    const int width = component.place();
    choose_shelf(width);
    for (const int box : boxes) {
      const Item& item = component.item(item_of_[at(box)]);
      out_.rows[at(box)] += shelf_top_;
      out_.lefts[at(box)] =
          shelf_width_ + static_cast<int>(std::lround(item.centre - item.width / 2));
    }
    for (std::size_t i = 0; i < edges.size(); ++i) {
      for (const int bend : bends[i]) {
        out_.bends[at(edges[i])].push_back(
            shelf_width_ + static_cast<int>(std::lround(component.item(bend).centre)));
      }
    }
    shelf_width_ += width;
    out_.width = std::max(out_.width, shelf_width_);
    shelf_width_ += kComponentGap;
    shelf_rows_ = std::max(shelf_rows_, component.row_count());
  }

  // Begins new rows below if a part does not fit beside the others.
  void choose_shelf(int width) {
    if (shelf_width_ == 0 || shelf_width_ + width <= kWidest) return;
    shelf_top_ += shelf_rows_;
    shelf_rows_ = 0;
    shelf_width_ = 0;
  }

  std::span<const int> widths_;
  std::span<const LayoutEdge> edges_;
  std::vector<int> component_of_;
  std::vector<std::vector<int>> boxes_;  // by component
  std::vector<std::vector<int>> edge_lists_;
  std::vector<int> item_of_;
  std::vector<bool> loose_;
  Layout out_;
  // The rows that are being filled.
  int shelf_top_ = 0;
  int shelf_rows_ = 0;
  int shelf_width_ = 0;
};

}  // namespace

Layout lay_out(std::span<const int> widths, std::span<const LayoutEdge> edges) {
  return LayoutMaker(widths, edges).run();
}

}  // namespace tutti::tools::show
