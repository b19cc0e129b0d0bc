#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tutti::fake_cuda {

// The memory of all devices: addresses that the host can't read or write, but for the time that a
// device works. A new block is full of kPoison, and what lies around it is watched.
class Memory {
 public:
  static constexpr unsigned char kPoison = 0xA5;

  struct Block {
    std::uintptr_t begin = 0;
    std::size_t bytes = 0;
    int device = 0;
    std::size_t number = 0;    // in the order of allocation
    std::uintptr_t place = 0;  // where the addresses begin that it has, with the margins
    std::size_t place_bytes = 0;
    bool mapped = false;  // whole pages, at reserved addresses
  };

  Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory();

  // 0 if the addresses are used up.
  std::uintptr_t allocate(int device, std::size_t bytes);
  // False if no block begins there.
  bool free(std::uintptr_t begin);

  // Addresses for mapped blocks, whole pages, that begin at a multiple of the alignment; 0 if they
  // are used up.
  std::uintptr_t reserve(std::size_t bytes, std::size_t alignment);
  void release(std::uintptr_t begin);
  // A mapped block fills what reserve() gave; its bytes are those of a file, which others may have
  // written.
  void map(int device, std::uintptr_t begin, std::size_t bytes, int file, bool is_new);
  bool unmap(std::uintptr_t begin);

  // The block that holds these bytes; null if there is none.
  const Block* find(std::uintptr_t address, std::size_t bytes = 1) const;
  // "memory3+256"; "0x7f..." where there is none.
  std::string name(std::uintptr_t address) const;
  // All, in the order of their addresses.
  std::vector<Block> blocks() const;
  // Whether the bytes around a block are as they were; only while it is open.
  bool is_intact(const Block& block) const;

  // While one of these lives the host can read and write.
  class Open {
   public:
    explicit Open(Memory& memory) : memory_(memory) { memory_.open(); }
    Open(const Open&) = delete;
    Open& operator=(const Open&) = delete;
    ~Open() { memory_.close(); }

   private:
    Memory& memory_;
  };

 private:
  // Of so many bytes, with the margins; 0 if the addresses are used up.
  std::uintptr_t take_place(std::size_t size);
  void fill(const Block& block, bool with_margins_only = false);
  void open();
  void close();
  void protect(int protection) const;

  std::byte* base_ = nullptr;
  std::size_t used_ = 0;  // bytes of the addresses, from the base on
  std::map<std::uintptr_t, Block> blocks_;
  std::map<std::size_t, std::vector<std::uintptr_t>> free_;  // places, by size
  struct Place {
    std::uintptr_t begin = 0;
    std::size_t bytes = 0;
  };
  std::map<std::uintptr_t, Place> reserved_;  // by the first address that was given
  std::size_t count_ = 0;
  int opened_ = 0;
};

}  // namespace tutti::fake_cuda
