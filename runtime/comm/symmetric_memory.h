#pragma once

#include <tutti/runtime/buffer.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace tutti::runtime {

// One rank's part of a group's memory, in which compiled programs have places that are the same on
// all members, call after call. Programs use it by turns; each waits, before it writes at a place,
// until all members are done with what lay there (PlanFrame::acquire). The rank's thread alone
// calls it.
class SymmetricMemory : public std::enable_shared_from_this<SymmetricMemory> {
 public:
  // `keeps_pages`: of the host, and CommMemory's.
  explicit SymmetricMemory(std::shared_ptr<Buffer> memory, bool keeps_pages = false)
      : memory_(std::move(memory)), keeps_pages_(keeps_pages) {}
  SymmetricMemory(const SymmetricMemory&) = delete;
  SymmetricMemory& operator=(const SymmetricMemory&) = delete;

  std::size_t bytes() const { return memory_->bytes(); }
  // Whether it may be registered with a GPU's driver.
  bool keeps_pages() const { return keeps_pages_; }
  // The bytes at a place; they keep all of this, for who waits to use them.
  std::shared_ptr<Buffer> at(std::size_t offset, std::size_t bytes) const {
    return Buffer::wrap(memory_->data() + offset, bytes, [memory = shared_from_this()](void*) {});
  }

  // A number for somebody who is to use it, from 1.
  std::uint64_t new_user() { return ++users_; }
  // Says who uses it from now on; gives the last collective that others had read it, 0 if there is
  // none.
  std::uint64_t enter(std::uint64_t user) { return std::exchange(user_, user) == user ? 0 : last_; }
  // Nobody is to use it any more, whoever did: results of collectives stay in it.
  void retire() { retired_ = true; }
  bool retired() const { return retired_; }
  // What lies in it goes to a collective of that number, which only grows.
  void used_by(std::uint64_t sequence) { last_ = sequence; }

 private:
  const std::shared_ptr<Buffer> memory_;
  const bool keeps_pages_;
  std::uint64_t users_ = 0;
  std::uint64_t user_ = 0;
  std::uint64_t last_ = 0;
  bool retired_ = false;
};

}  // namespace tutti::runtime
