#pragma once

#include <tutti/kernels/host/collectives.h>

#include <algorithm>
#include <atomic>
#include <vector>

namespace tutti::runtime {

// While a rank waits, those it waits for are asked to hurry (Backend::peer_waits).
class Asking {
 public:
  // `asked` is scratch.
  Asking(const std::vector<kernels::RankPage*>& pages, int spins, std::vector<int>& asked)
      : pages_(pages), patience_(std::min(spins, kLooksBeforeAsking)), asked_(asked) {
    asked_.clear();
  }
  Asking(const Asking&) = delete;
  Asking& operator=(const Asking&) = delete;
  ~Asking() { keep_asking({}); }

  // To be called at every look in vain, with the positions of those still waited for.
  void looked(const std::vector<int>& late) {
    if (looks_ < patience_) {
      ++looks_;
    } else if (!has_asked_) {
      has_asked_ = true;
      asked_ = late;
      for (const int position : asked_) waiting_peers(position).fetch_add(1);
    } else if (asked_.size() != late.size()) {
      keep_asking(late);
    }
  }

  // Whether it was more than a moment.
  bool waits_long() const { return looks_ == patience_; }

 private:
  // Where ranks run in step, an answer is closer than the peer's cache line.
  static constexpr int kLooksBeforeAsking = 64;

  void keep_asking(const std::vector<int>& late) {
    std::erase_if(asked_, [&](int position) {
      if (std::find(late.begin(), late.end(), position) != late.end()) return false;
      waiting_peers(position).fetch_sub(1);
      return true;
    });
  }
  std::atomic<std::uint32_t>& waiting_peers(int position) {
    return pages_[static_cast<std::size_t>(position)]->waiting_peers;
  }

  const std::vector<kernels::RankPage*>& pages_;
  const int patience_;
  int looks_ = 0;
  bool has_asked_ = false;
  std::vector<int>& asked_;
};

}  // namespace tutti::runtime
