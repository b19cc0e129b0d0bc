// Compiling for a rank of a world that need not exist.

#include <tutti/ir/support/error.h>
#include <tutti/lazy/composite.h>
#include <tutti/lazy/context.h>
#include <tutti/lazy/lower.h>
#include <tutti/runtime/comm/unbound_backend.h>

namespace tutti {

namespace {

using detail::RankContext;

constexpr std::int64_t kMostRanks = 1 << 16;

// While it lives, the calling thread records for another rank.
class RecordsFor {
 public:
  explicit RecordsFor(const std::shared_ptr<RankContext>& context)
      : previous_(RankContext::attach(context)) {}
  RecordsFor(const RecordsFor&) = delete;
  RecordsFor& operator=(const RecordsFor&) = delete;
  ~RecordsFor() { RankContext::exchange_current(previous_); }

 private:
  std::shared_ptr<RankContext> previous_;
};

std::shared_ptr<const ir::Mesh> mesh_of(const LowerOptions& options, std::int64_t ranks,
                                        const RankContext& current, Location where) {
  if (options.mesh.empty()) {
    if (current.mesh() != nullptr && current.mesh()->ranks() == ranks) return current.mesh();
    return std::make_shared<const ir::Mesh>(ir::Mesh{.names = {"world"}, .sizes = {ranks}});
  }
  const DeviceMesh mesh =
      detail::composite("lower", where, [&] { return DeviceMesh(options.mesh); });
  if (mesh.size() != ranks) {
    throw UsageError("lower: a mesh of " + std::to_string(mesh.size()) + " ranks in a world of " +
                         std::to_string(ranks),
                     where);
  }
  return std::make_shared<const ir::Mesh>(ir::Mesh{.names = mesh.names(), .sizes = mesh.sizes()});
}

}  // namespace

Lowered::Lowered(const LowerOptions& options, const std::vector<VaryingSize>& sizes,
                 Location where) {
  const RankContext& current = RankContext::current();
  const std::int64_t ranks = options.world == 0 ? current.runtime().ranks() : options.world;
  if (ranks < 1 || ranks > kMostRanks || options.rank < 0 || options.rank >= ranks) {
    throw UsageError("lower: rank " + std::to_string(options.rank) + " of a world of " +
                         std::to_string(ranks) + "; worlds have up to " +
                         std::to_string(kMostRanks) + " ranks, numbered from 0",
                     where);
  }
  context_ = std::make_shared<RankContext>(
      std::make_unique<runtime::UnboundBackend>(ranks, options.rank), 1,
      mesh_of(options, ranks, current, where), current.default_device());
  context_->compile_options = current.compile_options;
  const RecordsFor scope(context_);
  core_ = std::make_shared<detail::CompiledFunction>(where, sizes);
}

void Lowered::trace(const detail::CompiledFunction::FormalArguments& arguments,
                    detail::CompiledFunction::UserFunction f) {
  {
    const RecordsFor scope(context_);
    core_->check_owner(detail::RankContext::current(), arguments.where);
  }
  core_->take(arguments);  // collectives' results wait where they were made
  const RecordsFor scope(context_);
  core_->lower(arguments, f);
}

}  // namespace tutti
