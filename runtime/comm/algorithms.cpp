#include <tutti/ir/names.h>
#include <tutti/ir/support/error.h>
#include <tutti/kernels/host/collective_run.h>
#include <tutti/runtime/comm/algorithms.h>
#include <tutti/runtime/comm/collective.h>
#include <tutti/runtime/settings.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace tutti::runtime {

namespace {

// Where kernels read for themselves: of less, the step more costs as much as it saves. In between
// what a core reads of another's cache decides: a kernel stops at the end of each row, the runtime
// does not, and of two ranks each reads half as much of the operands.
constexpr std::string_view kDefaults =
    "# of which collectives:             on the host:                  between GPUs:\n"
    "# kind      reduction dtype members one-shot read by kernels one-shot by the switch two-shot\n"
    "all_reduce  *         *     2       64K      4K..32K,4M..    1M       never         1M\n"
    "all_reduce  *         *     3..4    64K      4K..32K         512K     32M           1M\n"
    "all_reduce  *         *     5..8    64K      4K..32K         256K     32M           1M\n"
    "*           *         *     2       64K      never           1M       never         never\n"
    "*           *         *     3..8    64K      never           1M       32M           never\n"
    "*           *         *     *       64K      never           never    never         never\n";

// More than any machine has.
constexpr std::int64_t kAnySize = std::int64_t{1} << 46;

// A line of a table while it is read.
class Line {
 public:
  Line(std::string_view text, std::string where) : where_(std::move(where)) {
    std::istringstream words{std::string(text.substr(0, text.find('#')))};
    for (std::string word; words >> word;) words_.push_back(std::move(word));
  }

  bool empty() const { return words_.empty(); }

  AlgorithmTable::Rule rule() const {
    if (words_.size() != 9) {
      fail(
          "a rule has nine columns: collective, reduction, dtype and members; one-shot and read of "
          "hosts; one-shot, switch and two-shot of GPUs. This has " +
          std::to_string(words_.size()));
    }
    AlgorithmTable::Rule out;
    if (words_[0] != "*") out.kind = kind(words_[0]);
    if (words_[1] != "*") {
      out.reduction = kernels::reduction_from_name(words_[1]);
      if (!out.reduction) fail("there is no reduction '" + words_[1] + "'");
    }
    if (words_[2] != "*") {
      out.dtype = dtype_from_name(words_[2]);
      if (!out.dtype) fail("there is no dtype '" + words_[2] + "'");
    }
    if (out.kind == kernels::CollectiveKind::barrier) fail("a barrier moves nothing");
    if (out.kind && out.reduction && !kernels::reduces(*out.kind)) {
      fail(words_[0] + " has no reduction; write *");
    }
    if (words_[3] != "*") {
      const auto [least, most] = range(words_[3], std::numeric_limits<int>::max());
      if (least < 1) fail("a group has at least one member");
      out.least_members = static_cast<int>(least);
      out.most_members = static_cast<int>(most);
    }
    out.one_shot_up_to = limit(words_[4]);
    out.between_gpus = {
        .one_shot = limit(words_[6]), .by_switch = limit(words_[7]), .two_shot = limit(words_[8])};
    using enum kernels::CollectiveKind;
    if (out.kind && out.kind != all_reduce && out.between_gpus.two_shot >= 0) {
      fail("between GPUs all_reduce alone has two shots; write never");
    }
    const bool has_kernels =
        !out.kind || out.kind == all_reduce || out.kind == all_gather || out.kind == reduce_scatter;
    if (!has_kernels && out.between_gpus != CommKernelLimits{}) {
      fail("between GPUs " + words_[0] + " is always NCCL's; write never");
    }
    if (words_[5] == "never") return out;
    if (out.kind && out.kind != kernels::CollectiveKind::all_reduce) {
      fail("kernels read the operands of all_reduce alone; write never");
    }
    if (words_[5].ends_with(',')) fail("'" + words_[5] + "' ends in a comma");
    std::istringstream ranges(words_[5] == "always" ? "0.." : words_[5]);
    for (std::string each; std::getline(ranges, each, ',');) {
      out.read.push_back(range(each, kAnySize));
    }
    return out;
  }

  [[noreturn]] void fail(const std::string& why) const {
    throw EnvironmentError(where_ + ": " + why);
  }

 private:
  kernels::CollectiveKind kind(const std::string& name) const {
    const auto found = std::ranges::find(kernels::kCollectiveNames, name);
    if (found == kernels::kCollectiveNames.end()) {
      fail("there is no collective '" + name + "'" +
           ir::suggestion(name, kernels::kCollectiveNames));
    }
    return static_cast<kernels::CollectiveKind>(found - kernels::kCollectiveNames.begin());
  }

  std::int64_t limit(const std::string& text) const {
    if (text == "never") return -1;
    return text == "always" ? kAnySize : number(text);
  }

  // "2", "2..8" or "2..".
  AlgorithmTable::Range range(const std::string& text, std::int64_t most) const {
    const std::size_t dots = text.find("..");
    const std::int64_t from = number(text.substr(0, dots));
    std::int64_t to = from;
    if (dots != std::string::npos) {
      to = dots + 2 == text.size() ? most : number(text.substr(dots + 2));
    }
    if (to < from || to > most) fail("'" + text + "' is no range");
    return {from, to};
  }

  std::int64_t number(const std::string& text) const {
    std::int64_t out = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, out);
    const std::string_view unit(rest, static_cast<std::size_t>(end - rest));
    const int shift = unit == "K" ? 10 : unit == "M" ? 20 : unit == "G" ? 30 : 0;
    if (error != std::errc{} || (shift == 0 && !unit.empty()) || out < 0 ||
        out > kAnySize >> shift) {
      fail("'" + text + "' is no size, as in 512, 64K or 4M, or a number of members");
    }
    return out << shift;
  }

  std::string where_;
  std::vector<std::string> words_;
};

std::string read_text_of(const std::string& path) {
  if (std::filesystem::is_directory(path)) {
    throw EnvironmentError("TUTTI_COLLECTIVES: " + path + " is a folder");
  }
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) throw EnvironmentError("TUTTI_COLLECTIVES: " + path + " can't be read");
  return std::move(text).str();
}

}  // namespace

const AlgorithmTable& AlgorithmTable::defaults() {
  static const auto* const table = new AlgorithmTable(parse(kDefaults, "defaults"));
  return *table;
}

const AlgorithmTable& AlgorithmTable::process() {
  static const auto* const table = [] {
    const std::string& path = Settings::process().text("TUTTI_COLLECTIVES");
    return path.empty() ? &defaults() : new AlgorithmTable(parse(read_text_of(path), path));
  }();
  return *table;
}

AlgorithmTable AlgorithmTable::parse(std::string_view text, const std::string& name) {
  if (text.size() > kMostText) {
    throw EnvironmentError(name + ": a table of collectives has at most " +
                           std::to_string(kMostText) + " characters; this has " +
                           std::to_string(text.size()));
  }
  AlgorithmTable out;
  out.text_ = text;
  if (text.find('\0') != text.npos)
    throw EnvironmentError(name + ": it has bytes that are no text");
  int number = 0;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const Line line(rest.substr(0, end), name + ":" + std::to_string(++number));
    if (!line.empty()) out.rules_.push_back(line.rule());
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  const bool fits_all = !out.rules_.empty() && !out.rules_.back().kind &&
                        !out.rules_.back().reduction && !out.rules_.back().dtype &&
                        out.rules_.back().least_members <= 1 &&
                        out.rules_.back().most_members == std::numeric_limits<int>::max();
  if (!fits_all) {
    throw EnvironmentError(name +
                           ": the last rule has to fit every collective, as in '*  *  *  *"
                           "  64K  never  never  never  never'");
  }
  return out;
}

const AlgorithmTable::Rule& AlgorithmTable::rule(kernels::CollectiveKind kind,
                                                 kernels::Reduction reduction, DType dtype,
                                                 int members) const {
  return *std::ranges::find_if(rules_, [&](const Rule& rule) {
    const bool reduces = kernels::reduces(kind);
    return rule.kind.value_or(kind) == kind &&
           (!rule.reduction || (reduces && *rule.reduction == reduction)) &&
           rule.dtype.value_or(dtype) == dtype && rule.least_members <= members &&
           members <= rule.most_members;
  });
}

std::int64_t Algorithms::one_shot_up_to(const CollectiveCall& call, const ir::Group& group) const {
  switch (asked_of(group)) {
    case ir::Algorithm::one_shot:
      return kAnySize;
    case ir::Algorithm::two_shot:
      return -1;
    default:
      return table->rule(call.kind, call.reduction, call.dtype, static_cast<int>(group.size()))
          .one_shot_up_to;
  }
}

bool Algorithms::reads(kernels::Reduction reduction, DType dtype, const ir::Group& group,
                       std::int64_t bytes) const {
  const ir::Algorithm algorithm = asked_of(group);
  if (algorithm == ir::Algorithm::off || algorithm == ir::Algorithm::two_shot) return false;
  const AlgorithmTable::Rule& rule = table->rule(kernels::CollectiveKind::all_reduce, reduction,
                                                 dtype, static_cast<int>(group.size()));
  return std::ranges::any_of(rule.read, [&](const AlgorithmTable::Range& range) {
    return range.first <= bytes && bytes <= range.second;
  });
}

bool always_one_shot(const CollectiveCall& call) { return call.one_shot_up_to >= kAnySize; }
bool always_two_shot(const CollectiveCall& call) { return call.one_shot_up_to < 0; }

std::string algorithm_text(const CollectiveCall& call, int members) {
  if (always_one_shot(call)) return "one-shot, always";
  if (always_two_shot(call)) return "two-shot, always";
  const std::string limit = std::to_string(call.one_shot_up_to) + " bytes";
  // How much there is is known once all have come.
  const bool unknown =
      call.kind == CollectiveKind::all_to_all &&
      std::ranges::any_of(call.parts, [](const TensorPart& part) { return !part.sizes.empty(); });
  if (unknown) return "one-shot or two-shot, above " + limit;
  return is_one_shot(call, members) ? "one-shot, up to " + limit : "two-shot, above " + limit;
}

std::optional<std::int64_t> one_shot_limit(std::string_view text) {
  if (text == "one-shot, always") return kAnySize;
  if (text == "two-shot, always") return -1;
  const std::size_t end = text.rfind(" bytes");
  const std::size_t begin = end == text.npos || end == 0 ? text.npos : text.rfind(' ', end - 1);
  if (begin == text.npos) return std::nullopt;
  std::int64_t limit = 0;
  const auto [rest, error] = std::from_chars(text.data() + begin + 1, text.data() + end, limit);
  if (error != std::errc{} || rest != text.data() + end || limit < 0 || limit > kAnySize) {
    return std::nullopt;
  }
  return limit;
}

}  // namespace tutti::runtime
