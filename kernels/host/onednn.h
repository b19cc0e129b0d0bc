#pragma once

#include <oneapi/dnnl/dnnl.hpp>

// What all that call oneDNN share. Only for sources of builds that have it.
namespace tutti::kernels {

// The host. Never destroyed, like what is made with it: threads may still compute while the process
// ends.
const dnnl::engine& onednn_engine();

// While it lives, the calling thread's OpenMP regions have that many threads. Debian's oneDNN runs
// on OpenMP, which would otherwise start a team per calling thread, and would divide sums by its
// size. Which OpenMP library is loaded is oneDNN's affair; without one there is nothing to do. A
// round trip costs 4 ns.
class OpenMpThreads {
 public:
  explicit OpenMpThreads(int count) {
    const Functions& openmp = functions();
    if (openmp.set == nullptr) return;
    before_ = openmp.get();
    if (before_ == count) {
      before_ = 0;
    } else {
      openmp.set(count);
    }
  }
  ~OpenMpThreads() {
    if (before_ > 0) functions().set(before_);
  }
  OpenMpThreads(const OpenMpThreads&) = delete;
  OpenMpThreads& operator=(const OpenMpThreads&) = delete;

 private:
  struct Functions {
    int (*get)() = nullptr;
    void (*set)(int) = nullptr;
  };
  static const Functions& functions();

  int before_ = 0;  // 0: as it was
};

}  // namespace tutti::kernels
