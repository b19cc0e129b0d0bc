#include <tutti/ir/support/error.h>
#include <tutti/lazy/trace.h>
#include <tutti/lazy/world.h>
#include <tutti/runtime/comm/local.h>

#include <cstdlib>
#include <exception>
#include <iostream>
#include <mutex>
#include <thread>

namespace tutti {

using detail::RankContext;

namespace {

std::shared_ptr<RankContext> make_context(std::shared_ptr<runtime::LocalFabric> fabric,
                                          std::int64_t rank, int threads) {
  const auto mesh =
      std::make_shared<const ir::Mesh>(ir::Mesh{.names = {"world"}, .sizes = {fabric->ranks()}});
  return std::make_shared<RankContext>(
      std::make_unique<runtime::LocalBackend>(std::move(fabric), rank), threads, mesh);
}

std::int64_t environment_number(const char* name, std::int64_t standard) {
  const char* text = std::getenv(name);
  if (text == nullptr || *text == '\0') return standard;
  char* end = nullptr;
  const std::int64_t value = std::strtoll(text, &end, 10);
  if (*end != '\0' || value < 0) {
    throw EnvironmentError(std::string(name) + " is \"" + text +
                           "\"; it must be a number, 0 or more");
  }
  return value;
}

[[noreturn]] void rethrow_with_rank(const std::exception_ptr& error, int rank) {
  const std::string prefix = "rank " + std::to_string(rank) + ": ";
  try {
    std::rethrow_exception(error);
  } catch (const CommError& e) {
    throw CommError(prefix + e.what());
  } catch (const TypeError& e) {
    throw TypeError(prefix + e.what());
  } catch (const UsageError& e) {
    throw UsageError(prefix + e.what());
  } catch (const EnvironmentError& e) {
    throw EnvironmentError(prefix + e.what());
  } catch (const InternalError& e) {
    throw InternalError(prefix + e.what());
  } catch (const Error& e) {
    throw Error(prefix + e.what());
  } catch (...) {
    throw;  // not ours: as it is
  }
}

}  // namespace

// Closes the world with its last copy.
class World::Owner {
 public:
  explicit Owner(std::shared_ptr<RankContext> owned)
      : context(std::move(owned)),
        previous_(RankContext::exchange_current(context)),
        exceptions_(std::uncaught_exceptions()) {}
  Owner(const Owner&) = delete;
  Owner& operator=(const Owner&) = delete;
  ~Owner() {
    try {
      if (std::uncaught_exceptions() > exceptions_) {
        context->runtime().backend->leave("an exception ended it");
      } else {
        close();
      }
    } catch (const std::exception& error) {
      // A destructor can't throw; silence would hide that ranks disagreed. close() throws.
      std::cerr << "tutti: error at the end of a World: " << error.what() << "\n";
    }
    const std::shared_ptr<RankContext> current = RankContext::exchange_current(previous_.lock());
    if (current != context) RankContext::exchange_current(current);
  }

  void close() {
    if (std::exchange(closed_, true)) return;
    try {
      context->flush();
      context->runtime().backend->finish();
    } catch (const std::exception& error) {
      context->runtime().backend->leave(error.what());
      throw;
    }
    context->runtime().backend->leave("its World was closed");
  }

  const std::shared_ptr<RankContext> context;

 private:
  std::weak_ptr<RankContext> previous_;
  int exceptions_;
  bool closed_ = false;
};

World::World(std::shared_ptr<RankContext> context)
    : owner_(std::make_shared<Owner>(std::move(context))) {}

const std::shared_ptr<RankContext>& World::context() const { return owner_->context; }
int World::rank() const { return static_cast<int>(context()->runtime().rank()); }
int World::size() const { return static_cast<int>(context()->runtime().ranks()); }
void World::attach() const { RankContext::exchange_current(context()); }
void World::close() { owner_->close(); }
void World::set_eager(bool eager) const { context()->eager = eager; }

World init() {
  const std::int64_t ranks = environment_number("WORLD_SIZE", 1);
  const std::int64_t rank = environment_number("RANK", 0);
  if (ranks < 1 || rank >= ranks) {
    throw EnvironmentError("RANK is " + std::to_string(rank) + " of WORLD_SIZE " +
                           std::to_string(ranks) + "; ranks count from 0 to WORLD_SIZE - 1");
  }
  if (ranks > 1) {
    throw EnvironmentError(
        "WORLD_SIZE is " + std::to_string(ranks) +
        ", but this version runs ranks as threads of one process: use simulate(" +
        std::to_string(ranks) + ", ...)");
  }
  return World(make_context(std::make_shared<runtime::LocalFabric>(1), 0, 0));
}

void simulate(int ranks, const std::function<void(World&)>& body, const SimulateOptions& options) {
  if (ranks < 1)
    throw UsageError("simulate: " + std::to_string(ranks) + " ranks; it takes at least one");
  const int cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  const int threads = options.threads > 0 ? options.threads : std::max(1, cores / ranks);
  const auto fabric = std::make_shared<runtime::LocalFabric>(
      ranks, runtime::LocalOptions{.timeout = options.timeout});
  std::mutex mutex;
  // One rank's mistake makes the others fail with a CommError: what is reported is the first by
  // rank that is none, or else the first CommError by rank.
  std::exception_ptr cause;
  std::pair<bool, int> cause_order{true, ranks};
  const auto fail = [&](bool is_comm_error, int rank) {
    const std::scoped_lock lock(mutex);
    if (cause != nullptr && cause_order < std::pair(is_comm_error, rank)) return;
    cause = std::current_exception();
    cause_order = {is_comm_error, rank};
  };
  std::vector<std::thread> threads_of_ranks;
  for (int rank = 0; rank < ranks; ++rank) {
    threads_of_ranks.emplace_back([&, rank] {
      try {
        World world(make_context(fabric, rank, threads));
        try {
          body(world);
          world.close();
        } catch (const std::exception& error) {
          world.context()->runtime().backend->leave(error.what());
          throw;
        } catch (...) {
          world.context()->runtime().backend->leave("an exception ended it");
          throw;
        }
      } catch (const CommError&) {
        fail(true, rank);
      } catch (...) {
        fail(false, rank);
      }
    });
  }
  for (std::thread& thread : threads_of_ranks) thread.join();
  if (cause != nullptr) rethrow_with_rank(cause, cause_order.second);
}

Group::Group(const World& world) {
  ir::Group group{.tag = "world", .ranks = {}, .stride = world.size()};
  for (int rank = 0; rank < world.size(); ++rank) group.ranks.push_back(rank);
  data_ = std::make_shared<const ir::Group>(std::move(group));
}

Group::Group(std::vector<std::int64_t> ranks, std::string tag)
    : Group(std::vector<std::vector<std::int64_t>>{std::move(ranks)}, std::move(tag)) {}

Group::Group(const std::vector<std::vector<std::int64_t>>& partition, std::string tag) {
  ir::Group group{.tag = std::move(tag), .ranks = {}, .stride = 1};
  if (!partition.empty()) group.stride = static_cast<std::int64_t>(partition[0].size());
  for (const auto& ranks : partition) {
    if (static_cast<std::int64_t>(ranks.size()) != group.stride) {
      throw TypeError("a partition's groups must have equally many ranks");
    }
    group.ranks.insert(group.ranks.end(), ranks.begin(), ranks.end());
  }
  ir::check_group(group);
  if (group.tag.empty()) group.tag = "ranks";
  data_ = std::make_shared<const ir::Group>(std::move(group));
}

}  // namespace tutti
