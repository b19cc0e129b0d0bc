#pragma once

#include <tutti/lazy/compiled_function.h>
#include <tutti/lazy/mesh.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tutti {

template <class F>
class Compiled;

// For which rank of which world a function is lowered.
struct LowerOptions {
  int world = 0;  // how many ranks; 0: as many as the world that the calling thread records for
  int rank = 0;
  // The program's mesh; empty: that world's, or one of one dimension.
  std::vector<MeshDimension> mesh = {};
};

// A function compiled for one rank, as text: what Compiled offers under the same names. There is no
// data, and nobody is talked to.
class Lowered {
 public:
  std::string ir() const { return core_->ir(); }
  std::string ir(std::string_view pass) const { return core_->ir(pass); }
  std::string plan() const { return core_->plan(); }
  std::string kernels() const { return core_->kernels(); }
  std::string llvm() const { return core_->llvm(); }
  std::string assembly() const { return core_->assembly(); }
  std::string cuda() const { return core_->cuda(); }
  std::string ptx() const { return core_->ptx(); }
  std::string sizes() const { return core_->sizes(); }

 private:
  template <class F>
  friend class Compiled;
  Lowered(const LowerOptions& options, const std::vector<VaryingSize>& sizes, Location where);
  void trace(const detail::CompiledFunction::FormalArguments& arguments,
             detail::CompiledFunction::UserFunction f);

  std::shared_ptr<detail::RankContext> context_;
  std::shared_ptr<detail::CompiledFunction> core_;  // goes before the context
};

}  // namespace tutti
