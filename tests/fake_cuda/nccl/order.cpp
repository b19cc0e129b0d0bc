#include "tests/fake_cuda/nccl/order.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <utility>

#include "tests/fake_cuda/nccl/board.h"
#include "tests/fake_cuda/nccl/communicator.h"
#include <unistd.h>

namespace tutti::fake_cuda {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kOrderMark = "-order-";

// What one rank has launched.
struct Launches {
  std::set<std::string> communicators;
  std::vector<std::vector<std::string>> names;  // of each launch
};

Launches read_launches(const fs::path& path) {
  std::ifstream file(path);
  Launches out;
  for (std::string line; std::getline(file, line);) {
    if (file.eof()) break;  // somebody is writing it
    std::istringstream words(line);
    std::string communicator;
    words >> communicator;
    out.communicators.insert(communicator);
    std::vector<std::string>& launch = out.names.emplace_back();
    for (std::string name; words >> name;) launch.push_back(communicator + " " + name);
  }
  return out;
}

// Of the rank of that file, and of all who share a communicator with one of these. (Other jobs of
// this machine have others.)
std::vector<Launches> launches_around(const fs::path& own) {
  std::vector<Launches> out = {read_launches(own)};
  std::vector<Launches> others;
  std::error_code ignored;
  for (const fs::directory_entry& each : fs::directory_iterator(own.parent_path(), ignored)) {
    const bool is_order = each.path().filename().string().find(kOrderMark) != std::string::npos;
    if (is_order && each.path() != own) others.push_back(read_launches(each.path()));
  }
  std::set<std::string> known = out[0].communicators;
  for (bool has_grown = true; has_grown;) {
    has_grown = false;
    for (Launches& other : others) {
      const bool meets = std::ranges::any_of(
          other.communicators, [&](const std::string& each) { return known.contains(each); });
      if (!meets) continue;
      known.insert(other.communicators.begin(), other.communicators.end());
      out.push_back(std::exchange(other, {}));  // and has none any more
      has_grown = true;
    }
  }
  return out;
}

// What comes before what.
class Precedence {
 public:
  // All of a launch come behind all of the launch before, by a step between.
  void add(const Launches& launches) {
    std::size_t step = kNone;
    for (const std::vector<std::string>& launch : launches.names) {
      const std::size_t next = new_node("");
      for (const std::string& name : launch) {
        const std::size_t node = node_of(name);
        if (step != kNone) before_[node].push_back(step);
        before_[next].push_back(node);
      }
      step = next;
    }
  }

  // Those of a circle, each before the next; empty: there is none.
  std::vector<std::string> find_circle() const {
    const std::vector<bool> left = behind_circles();
    std::size_t node = 0;
    while (node < left.size() && !left[node]) ++node;
    if (node == left.size()) return {};
    // Whoever goes back from there comes round.
    std::vector<bool> seen(left.size());
    const auto go_back = [&] {
      node = *std::ranges::find_if(before_[node], [&](std::size_t each) { return left[each]; });
    };
    for (; !seen[node]; go_back()) seen[node] = true;
    std::vector<std::string> out;
    const std::size_t begin = node;
    do {
      if (!names_[node].empty()) out.insert(out.begin(), names_[node]);
      go_back();
    } while (node != begin);
    return out;
  }

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  std::size_t new_node(const std::string& name) {
    names_.push_back(name);
    before_.emplace_back();
    return names_.size() - 1;
  }
  std::size_t node_of(const std::string& name) {
    const auto found = numbers_.find(name);
    if (found != numbers_.end()) return found->second;
    return numbers_[name] = new_node(name);
  }
  // What is left when all has been taken away that has nothing before it, again and again.
  std::vector<bool> behind_circles() const {
    std::vector<std::vector<std::size_t>> behind(names_.size());
    std::vector<std::size_t> waits_for(names_.size());
    std::vector<std::size_t> free;
    for (std::size_t node = 0; node < names_.size(); ++node) {
      for (const std::size_t each : before_[node]) behind[each].push_back(node);
      waits_for[node] = before_[node].size();
      if (waits_for[node] == 0) free.push_back(node);
    }
    std::vector<bool> left(names_.size(), true);
    while (!free.empty()) {
      const std::size_t node = free.back();
      free.pop_back();
      left[node] = false;
      for (const std::size_t each : behind[node]) {
        if (--waits_for[each] == 0) free.push_back(each);
      }
    }
    return left;
  }

  std::vector<std::string> names_;                // empty: a step
  std::vector<std::vector<std::size_t>> before_;  // of each
  std::unordered_map<std::string, std::size_t> numbers_;
};

}  // namespace

LaunchOrder& LaunchOrder::of(int device) {
  static std::mutex& mutex = *new std::mutex;
  static auto& orders = *new std::map<int, LaunchOrder*>;
  const std::scoped_lock lock(mutex);
  LaunchOrder*& out = orders[device];
  if (out == nullptr) out = new LaunchOrder(device);
  return *out;
}

std::string LaunchOrder::path() const {
  return Board::path_of_process(std::string(kOrderMark) + std::to_string(device_));
}

void LaunchOrder::open(const std::string& communicator) {
  const std::scoped_lock lock(mutex_);
  if (++open_[communicator] < 2) return;
  is_shared_ = true;
  forget();
}

void LaunchOrder::close(const std::string& communicator) {
  const std::scoped_lock lock(mutex_);
  if (--open_[communicator] == 0) open_.erase(communicator);
  if (open_.empty()) forget();
}

void LaunchOrder::forget() {
  launched_.clear();
  std::error_code ignored;
  fs::remove(path(), ignored);
}

void LaunchOrder::add(const std::string& communicator, const std::vector<std::string>& names) {
  const std::scoped_lock lock(mutex_);
  if (is_shared_) return;
  launched_.insert(communicator);
  std::string line = communicator;
  for (const std::string& name : names) line += " " + name;
  std::ofstream(path(), std::ios::app) << line + "\n";
}

void LaunchOrder::check() {
  const std::scoped_lock lock(mutex_);
  if (has_complained_ || launched_.size() < 2) return;
  Precedence precedence;
  for (const Launches& each : launches_around(path())) precedence.add(each);
  std::string circle;
  for (const std::string& name : precedence.find_circle()) circle += name + ", ";
  if (circle.empty()) return;
  has_complained_ = true;
  complain_of_nccl("ranks launch in orders that make a circle: " + circle + "and so on");
}

}  // namespace tutti::fake_cuda
