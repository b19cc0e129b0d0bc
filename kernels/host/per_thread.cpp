#include <tutti/kernels/host/per_thread.h>

#include <vector>

namespace tutti::kernels {

namespace {

constinit thread_local bool all_is_freed = false;

struct FreedAtThreadEnd {
  struct Entry {
    void* object;
    void (*free)(void*);
  };
  std::vector<Entry> entries;

  FreedAtThreadEnd() = default;
  FreedAtThreadEnd(const FreedAtThreadEnd&) = delete;
  FreedAtThreadEnd& operator=(const FreedAtThreadEnd&) = delete;
  ~FreedAtThreadEnd() {
    all_is_freed = true;
    for (const Entry& entry : entries) entry.free(entry.object);
  }
};

}  // namespace

void free_at_thread_end(void* object, void (*free)(void* object)) {
  if (all_is_freed) return;
  thread_local FreedAtThreadEnd freed;
  freed.entries.push_back({object, free});
}

}  // namespace tutti::kernels
