#include "tools/comm_test/options.h"

#include <tutti/ir/names.h>
#include <tutti/ir/support/error.h>
#include <tutti/kernels/host/collective_kinds.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <limits>
#include <optional>
#include <system_error>

namespace tutti::tools {

namespace {

using runtime::CollectiveKind;

constexpr std::array kUsualCollectives = {
    CollectiveKind::all_reduce, CollectiveKind::all_gather, CollectiveKind::reduce_scatter,
    CollectiveKind::all_to_all, CollectiveKind::broadcast,  CollectiveKind::send_recv};
constexpr std::array<std::string_view, 5> kAlgorithms = {"nccl", "windows", "one_shot", "two_shot",
                                                         "multimem"};
constexpr std::int64_t kMostBytes = std::int64_t{1} << 40;

std::int64_t read_size(std::string_view text, const std::string& whole) {
  const auto refuse = [&]() -> std::int64_t {
    throw UsageError("--sizes: '" + whole +
                     "' is no size; say bytes, 4096 or 64K or 1M (at most 1024G), or a range, "
                     "1K..64M");
  };
  std::int64_t unit = 1;
  const std::size_t letter =
      text.empty() ? std::string_view::npos : std::string_view("KMG").find(text.back());
  if (letter != std::string_view::npos) {
    unit = std::int64_t{1} << (10 * (letter + 1));
    text.remove_suffix(1);
  }
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole_number = error == std::errc() && end == text.data() + text.size();
  if (!whole_number || number < 1 || number > kMostBytes / unit) return refuse();
  return number * unit;
}

CollectiveKind read_collective(const std::string& name) {
  std::vector<std::string_view> names;
  std::string listed;
  for (std::size_t i = 0; i < kernels::kCollectiveNames.size(); ++i) {
    const auto kind = static_cast<CollectiveKind>(i);
    if (kind == CollectiveKind::barrier) continue;
    if (name_of(kind) == name) return kind;
    names.push_back(name_of(kind));
    listed += (listed.empty() ? "" : ", ") + std::string(name_of(kind));
  }
  throw UsageError("--collectives: there is no '" + name + "'" + ir::suggestion(name, names) +
                   "; they are " + listed);
}

DType read_dtype(const std::string& name) {
  const std::optional<DType> dtype = dtype_from_name(name);
  if (dtype && *dtype != DType::boolean) return *dtype;
  throw UsageError("--dtype: '" + name + "' is no dtype of numbers; f32, bf16 or i32 are");
}

}  // namespace

bool is_of_host(std::string_view algorithm) {
  return algorithm == "one_shot" || algorithm == "two_shot";
}

std::vector<std::int64_t> read_sizes(const std::vector<std::string>& texts) {
  std::vector<std::int64_t> out;
  for (const std::string& text : texts) {
    const std::size_t dots = text.find("..");
    if (dots == std::string::npos) {
      out.push_back(read_size(text, text));
      continue;
    }
    const std::int64_t first = read_size(std::string_view(text).substr(0, dots), text);
    const std::int64_t last = read_size(std::string_view(text).substr(dots + 2), text);
    if (first > last) throw UsageError("--sizes: '" + text + "' ends before it begins");
    for (std::int64_t size = first; size <= last; size *= 2) out.push_back(size);
  }
  return out;
}

CommTest read_comm_test(const CommTestOptions& options, std::int64_t ranks) {
  CommTest out;
  const auto has_peer = [ranks](CollectiveKind kind) {
    return kind != CollectiveKind::send_recv || ranks > 1;
  };
  for (const std::string& name : options.collectives) {
    const CollectiveKind kind = read_collective(name);
    if (!has_peer(kind)) {
      throw UsageError("--collectives: " + name +
                       " is a message of each rank to the next, and 1 rank has no other; it takes "
                       "-n 2 or more");
    }
    out.collectives.push_back(kind);
  }
  if (out.collectives.empty()) {
    std::ranges::copy_if(kUsualCollectives, std::back_inserter(out.collectives), has_peer);
  }
  for (const std::string& name : options.algorithms) {
    if (std::ranges::find(kAlgorithms, name) == kAlgorithms.end()) {
      throw UsageError("--algorithms: there is no '" + name +
                       "'; say one_shot or two_shot, and between GPUs nccl, windows or multimem" +
                       ir::suggestion(name, kAlgorithms));
    }
    if (!options.on_gpus && !is_of_host(name)) {
      throw UsageError("--algorithms: " + name + " is between GPUs; it takes --device cuda");
    }
    out.algorithms.push_back(name);
  }
  if (out.algorithms.empty()) {
    for (const std::string_view name : kAlgorithms) {
      if (options.on_gpus || is_of_host(name)) out.algorithms.emplace_back(name);
    }
  }
  const std::vector<std::string> usual(kUsualSizes.begin(), kUsualSizes.end());
  out.sizes = read_sizes(options.sizes.empty() ? usual : options.sizes);
  out.dtype = read_dtype(options.dtype);
  out.backends = options.backends.empty() ? runtime::BackendConfig::process()
                                          : runtime::BackendConfig::parse(options.backends);
  return out;
}

}  // namespace tutti::tools
