#pragma once

#include <tutti/kernels/host/collectives.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace tutti::runtime {

// While a rank waits, those it waits for are asked to hurry (Backend::peer_waits).
class Asking {
 public:
  // `ranks` and their pages by position; `own` is the position of who waits. With room in `spare`
  // for all positions it needs no memory; it gives that back, larger maybe. One in another needs
  // some.
  Asking(const std::vector<kernels::RankPage*>& pages, const std::vector<std::int64_t>& ranks,
         int own, int spins, std::vector<int>& spare)
      : pages_(pages),
        ranks_(ranks),
        own_(own),
        patience_(std::min(spins, kLooksBeforeAsking)),
        spare_(spare),
        asked_(std::exchange(spare, {})) {}
  Asking(const Asking&) = delete;
  Asking& operator=(const Asking&) = delete;
  ~Asking() {
    keep_asking({});
    if (spare_.capacity() < asked_.capacity()) spare_.swap(asked_);
  }

  // To be called at every look in vain, with the positions of those still waited for.
  void looked(const std::vector<int>& late) {
    if (looks_ < patience_) {
      ++looks_;
    } else if (!has_asked_) {
      has_asked_ = true;
      late_ = late.size();
      asked_ = late;
      // A wait that this one is in the middle of may ask the same.
      std::erase_if(asked_, [&](int position) {
        return !kernels::ask(page(own_), page(position), rank(position));
      });
    } else if (late_ != late.size()) {
      late_ = late.size();
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
      kernels::stop_asking(page(own_), page(position), rank(position));
      return true;
    });
  }
  kernels::RankPage& page(int position) const {
    return *pages_[static_cast<std::size_t>(position)];
  }
  std::int64_t rank(int position) const { return ranks_[static_cast<std::size_t>(position)]; }

  const std::vector<kernels::RankPage*>& pages_;
  const std::vector<std::int64_t>& ranks_;
  const int own_;
  const int patience_;
  int looks_ = 0;
  bool has_asked_ = false;
  std::size_t late_ = 0;  // how many were, when it last looked whom to ask
  std::vector<int>& spare_;
  std::vector<int> asked_;
};

}  // namespace tutti::runtime
