#include <tutti/ir/debug/correspondence.h>
#include <tutti/ir/debug/text_difference.h>
#include <tutti/ir/text/print.h>

#include <algorithm>
#include <unordered_map>
#include <vector>

namespace tutti::ir {

namespace {

constexpr std::size_t kNoLine = static_cast<std::size_t>(-1);
constexpr std::string_view kRed = "\x1b[31m";
constexpr std::string_view kGreen = "\x1b[32m";
constexpr std::string_view kCyan = "\x1b[36m";
constexpr std::string_view kPlain = "\x1b[0m";

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    out.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

// For every line of `after` the equal line of `before`: the first of a text with the first, and so
// on. kNoLine where there is none.
std::vector<std::size_t> equal_lines(const std::vector<std::string_view>& before,
                                     const std::vector<std::string_view>& after) {
  struct Places {
    std::vector<std::size_t> lines;
    std::size_t taken = 0;
  };
  std::unordered_map<std::string_view, Places> known;
  for (std::size_t i = 0; i < before.size(); ++i) known[before[i]].lines.push_back(i);
  std::vector<std::size_t> out(after.size(), kNoLine);
  for (std::size_t i = 0; i < after.size(); ++i) {
    const auto found = known.find(after[i]);
    if (found == known.end() || found->second.taken == found->second.lines.size()) continue;
    out[i] = found->second.lines[found->second.taken++];
  }
  return out;
}

// Leaves of the pairs those that keep the order, as many as possible: the longest increasing
// subsequence, by patience sorting.
void keep_order(std::vector<std::size_t>& partners) {
  std::vector<std::size_t> ends;  // [length - 1]: where the subsequence with the least end ends
  std::vector<std::size_t> previous(partners.size(), kNoLine);
  for (std::size_t i = 0; i < partners.size(); ++i) {
    if (partners[i] == kNoLine) continue;
    const auto place = std::ranges::lower_bound(ends, partners[i], {},
                                                [&](std::size_t line) { return partners[line]; });
    if (place != ends.begin()) previous[i] = *(place - 1);
    if (place == ends.end()) {
      ends.push_back(i);
    } else {
      *place = i;
    }
  }
  std::vector<std::size_t> kept(partners.size(), kNoLine);
  for (std::size_t i = ends.empty() ? kNoLine : ends.back(); i != kNoLine; i = previous[i]) {
    kept[i] = partners[i];
  }
  partners = std::move(kept);
}

struct Line {
  char sign;  // ' ', '-' or '+'
  std::string_view text;
};

// Both texts as one: of lines that differ at one place what went stands before what came.
std::vector<Line> merged(const std::vector<std::string_view>& before,
                         const std::vector<std::string_view>& after) {
  std::vector<std::size_t> partners = equal_lines(before, after);
  keep_order(partners);
  std::vector<Line> out;
  std::size_t old = 0;
  std::size_t now = 0;
  const auto until = [&](std::size_t old_end, std::size_t now_end) {
    for (; old < old_end; ++old) out.push_back({'-', before[old]});
    for (; now < now_end; ++now) out.push_back({'+', after[now]});
  };
  for (std::size_t i = 0; i < after.size(); ++i) {
    if (partners[i] == kNoLine) continue;
    until(partners[i], i);
    out.push_back({' ', after[now++]});
    ++old;
  }
  until(before.size(), after.size());
  return out;
}

class Writer {
 public:
  Writer(const std::vector<Line>& lines, const DifferenceStyle& style)
      : lines_(lines), style_(style) {}

  std::string run() {
    for (std::size_t i = 0; i < lines_.size();) {
      const std::size_t first = next_change(i);
      if (first == lines_.size()) break;
      const std::size_t begin = std::max(i, first - std::min(first, style_.context));
      advance(i, begin);
      const std::size_t end = end_of_hunk(first);
      hunk(begin, end);
      advance(begin, end);
      i = end;
    }
    if (out_.empty()) return out_;
    return line("--- " + style_.before, kRed) + line("+++ " + style_.after, kGreen) + out_;
  }

 private:
  std::size_t next_change(std::size_t from) const {
    while (from < lines_.size() && lines_[from].sign == ' ') ++from;
    return from;
  }

  // Changes with so little between them that their surroundings meet share a hunk.
  std::size_t end_of_hunk(std::size_t change) const {
    std::size_t last = change;
    for (std::size_t next = change; next < lines_.size() && next <= last + 2 * style_.context + 1;
         next = next_change(next + 1)) {
      last = next;
    }
    return std::min(lines_.size(), last + style_.context + 1);
  }

  void advance(std::size_t from, std::size_t to) {
    for (; from < to; ++from) {
      before_ += lines_[from].sign != '+' ? 1 : 0;
      after_ += lines_[from].sign != '-' ? 1 : 0;
    }
  }

  void hunk(std::size_t begin, std::size_t end) {
    const auto range = [&](std::size_t start, char other) {
      const auto first = lines_.begin() + static_cast<std::ptrdiff_t>(begin);
      const auto last = lines_.begin() + static_cast<std::ptrdiff_t>(end);
      const auto count =
          std::count_if(first, last, [&](const Line& one) { return one.sign != other; });
      // Of no lines the one before, as everybody does.
      return std::to_string(count == 0 ? start : start + 1) + "," + std::to_string(count);
    };
    out_ += line("@@ -" + range(before_, '+') + " +" + range(after_, '-') + " @@", kCyan);
    for (std::size_t i = begin; i < end; ++i) {
      const char sign = lines_[i].sign;
      out_ += line(std::string(1, sign) + std::string(lines_[i].text), sign == '-' ? kRed
                                                                       : sign == '+'
                                                                           ? kGreen
                                                                           : std::string_view());
    }
  }

  std::string line(const std::string& text, std::string_view colour) const {
    if (!style_.colours || colour.empty()) return text + "\n";
    return std::string(colour) + text + std::string(kPlain) + "\n";
  }

  const std::vector<Line>& lines_;
  const DifferenceStyle& style_;
  std::size_t before_ = 0;  // lines of each text so far
  std::size_t after_ = 0;
  std::string out_;
};

}  // namespace

std::string text_difference(std::string_view before, std::string_view after,
                            const DifferenceStyle& style) {
  return Writer(merged(lines_of(before), lines_of(after)), style).run();
}

std::string text_difference(const Graph& before, const Graph& after, const DifferenceStyle& style) {
  return text_difference(print(before),
                         print(after, names_from(before, after), names_inside_from(before, after)),
                         style);
}

}  // namespace tutti::ir
