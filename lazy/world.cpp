#include <tutti/ir/support/error.h>
#include <tutti/lazy/context.h>
#include <tutti/lazy/world.h>
#include <tutti/runtime/allowed_cores.h>
#include <tutti/runtime/comm/host_backend.h>
#include <tutti/runtime/comm/launch_environment.h>
#include <tutti/runtime/comm/local.h>
#include <tutti/runtime/comm/shm/shm.h>
#include <tutti/runtime/comm/usual_gpu_engine.h>
#include <tutti/runtime/log.h>
#include <tutti/runtime/profile/trace_file.h>
#include <tutti/runtime/run/gpus.h>
#include <tutti/runtime/settings.h>
#include <tutti/runtime/start_thread.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <iostream>
#include <mutex>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <typeinfo>

#include <sched.h>
#include <unistd.h>

namespace tutti {

using detail::RankContext;

namespace {

std::shared_ptr<RankContext> make_context(std::shared_ptr<runtime::HostFabric> fabric,
                                          std::int64_t rank, int threads,
                                          std::optional<Device> device, bool programs_differ,
                                          std::int64_t local_rank) {
  const auto mesh =
      std::make_shared<const ir::Mesh>(ir::Mesh{.names = {"world"}, .sizes = {fabric->ranks()}});
  auto context =
      std::make_shared<RankContext>(std::make_unique<runtime::HostBackend>(std::move(fabric), rank),
                                    threads, mesh, device, local_rank);
  context->runtime().programs_differ = programs_differ;
  return context;
}

// A launcher that has bound this process to its share of the cores has divided them already.
int share_of_cores(std::int64_t local_ranks) {
  const std::int64_t all = std::max<std::int64_t>(1, sysconf(_SC_NPROCESSORS_ONLN));
  cpu_set_t cores;
  const bool known = sched_getaffinity(0, sizeof(cores), &cores) == 0;
  const std::int64_t allowed = known ? CPU_COUNT(&cores) : all;
  const bool bound = allowed <= all / local_ranks;
  return static_cast<int>(bound ? allowed : std::max<std::int64_t>(1, allowed / local_ranks));
}

// The same type with the rank in front, if the error is of just that type of the standard library.
template <class E>
void rethrow_exactly(const std::exception& error, const std::string& prefix) {
  if (typeid(error) == typeid(E)) throw E(prefix + error.what());
}

// A type that cannot be made anew with the rank in front.
void say_rank(const std::exception& error, int rank) {
  runtime::warn("rank " + std::to_string(rank) + " threw: " + error.what());
}

// What it says without what the code means.
std::string own_text(const std::system_error& error) {
  std::string text = error.what();
  const std::string meaning = error.code().message();
  if (!text.ends_with(meaning)) return text;
  text.resize(text.size() - meaning.size());
  if (text.ends_with(": ")) text.resize(text.size() - 2);
  return text;
}

[[noreturn]] void rethrow_with_rank(const std::exception_ptr& error, int rank) {
  const std::string prefix = "rank " + std::to_string(rank) + ": ";
  try {
    std::rethrow_exception(error);
  } catch (const CommError& e) {
    throw CommError(prefix, e);
  } catch (const TypeError& e) {
    throw TypeError(prefix, e);
  } catch (const UsageError& e) {
    throw UsageError(prefix, e);
  } catch (const ParseError& e) {
    throw ParseError(prefix, e);
  } catch (const VerifyError& e) {
    throw VerifyError(prefix, e);
  } catch (const OutOfMemoryError& e) {
    throw OutOfMemoryError(prefix, e);
  } catch (const EnvironmentError& e) {
    throw EnvironmentError(prefix, e);
  } catch (const NumericError& e) {
    throw NumericError(prefix, e);
  } catch (const InternalError& e) {
    throw InternalError(prefix, e);
  } catch (const Error& e) {
    throw Error(prefix, e);
  } catch (const std::system_error& e) {
    if (typeid(e) == typeid(std::system_error)) {
      const std::string own = own_text(e);
      throw std::system_error(e.code(),
                              own.empty() ? "rank " + std::to_string(rank) : prefix + own);
    }
    say_rank(e, rank);
    throw;
  } catch (const std::exception& e) {
    rethrow_exactly<std::runtime_error>(e, prefix);
    rethrow_exactly<std::range_error>(e, prefix);
    rethrow_exactly<std::overflow_error>(e, prefix);
    rethrow_exactly<std::underflow_error>(e, prefix);
    rethrow_exactly<std::logic_error>(e, prefix);
    rethrow_exactly<std::invalid_argument>(e, prefix);
    rethrow_exactly<std::domain_error>(e, prefix);
    rethrow_exactly<std::length_error>(e, prefix);
    rethrow_exactly<std::out_of_range>(e, prefix);
    say_rank(e, rank);
    throw;
  } catch (...) {
    runtime::warn("rank " + std::to_string(rank) + " threw what is no std::exception");
    throw;
  }
}

}  // namespace

// Closes the world with its last copy.
class World::Owner {
 public:
  explicit Owner(std::shared_ptr<RankContext> owned)
      : context(std::move(owned)),
        previous_(RankContext::attach(context)),
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
    save_profile();
    const std::shared_ptr<RankContext> current = RankContext::exchange_current(previous_.lock());
    if (current != context) RankContext::exchange_current(current);
  }

  void close() {
    if (closed_) return;
    context->recorder().take();  // throws, and changes nothing, while another thread records
    closed_ = true;
    try {
      context->flush();
      runtime::Profile* const profile = context->runtime().profile.get();
      const runtime::ProfileSlice slice(profile, "wait", "wait for all at the end");
      context->runtime().backend->finish();
      if (profile != nullptr) profile->completed_all();
      context->run_callbacks();
    } catch (const std::exception& error) {
      context->runtime().backend->leave(error.what());
      save_profile();
      throw;
    }
    context->runtime().backend->leave("its World was closed");
    save_profile();
  }

  const std::shared_ptr<RankContext> context;

 private:
  void save_profile() const {
    if (context->runtime().profile != nullptr) context->runtime().profile->save();
  }

  std::weak_ptr<RankContext> previous_;
  int exceptions_;
  bool closed_ = false;
};

World::World(std::shared_ptr<RankContext> context)
    : owner_(std::make_shared<Owner>(std::move(context))) {}

const std::shared_ptr<RankContext>& World::context() const { return owner_->context; }
int World::rank() const { return static_cast<int>(context()->runtime().rank()); }
int World::size() const { return static_cast<int>(context()->runtime().ranks()); }
Device World::gpu() const { return runtime::own_gpu(context()->local_rank()); }
void World::attach() const { RankContext::attach(context()); }
void World::close() { owner_->close(); }
void World::abort(const std::string& reason) const { context()->runtime().backend->abort(reason); }
void World::set_eager(bool eager) const { context()->eager = eager; }

World init(const InitOptions& options, std::source_location at) {
  if (options.threads < 0 || options.timeout.count() < 0) {
    throw UsageError("init: threads and timeout are 0 (not said) or positive", at);
  }
  const runtime::LaunchEnvironment launched = runtime::read_launch_environment();
  const auto context = RankContext::find_current();
  if (context != nullptr && context->runtime().ranks() > 1) {
    throw UsageError("init: this thread records for rank " +
                         std::to_string(context->runtime().rank()) + " of " +
                         std::to_string(context->runtime().ranks()) + " already",
                     at);
  }
  const std::string trace = runtime::profile_file();
  if (!trace.empty()) runtime::check_trace_file(trace);
  int threads = options.threads > 0 ? options.threads : launched.threads;
  if (threads == 0) threads = share_of_cores(launched.local_ranks);
  runtime::HostOptions host;
  host.record = launched.flight_recorder;
  if (launched.timeout) host.timeout = *launched.timeout;
  if (options.timeout.count() > 0) host.timeout = options.timeout;
  if (launched.ranks == 1) {
    auto alone = make_context(std::make_shared<runtime::LocalFabric>(1, host), 0, threads,
                              options.device, options.programs_differ, launched.local_rank);
    alone->runtime().profile = runtime::make_profile(trace, 0, alone->runtime().pool);
    return World(std::move(alone));
  }
  if (launched.local_ranks != launched.ranks) {
    throw EnvironmentError("the " + std::to_string(launched.ranks) + " ranks of this job (" +
                           launched.source + ") are on several hosts, " +
                           std::to_string(launched.local_ranks) +
                           " on this one; this version runs ranks of one host");
  }
  static std::atomic<bool> joined = false;
  if (joined) {
    throw UsageError("init: this process has joined its job already, as rank " +
                         std::to_string(launched.rank) + "; a process joins once",
                     at);
  }
  auto fabric = std::make_shared<runtime::ShmFabric>(
      runtime::ShmOptions{.rendezvous = launched.rendezvous,
                          .rank = launched.rank,
                          .ranks = launched.ranks,
                          .host = host,
                          .nccl = runtime::find_nccl_of_rank(launched)});
  joined = true;
  std::vector<kernels::NcclOfRank> nccl;
  for (std::int64_t rank = 0; rank < launched.ranks; ++rank) {
    nccl.push_back(fabric->page(rank).nccl);
  }
  runtime::agree_about_nccl(nccl);
  auto joined_context = make_context(std::move(fabric), launched.rank, threads, options.device,
                                     options.programs_differ, launched.local_rank);
  if (!trace.empty()) {
    joined_context->runtime().profile =
        runtime::make_profile(runtime::part_of_trace(trace, launched.rank), launched.rank,
                              joined_context->runtime().pool);
  }
  return World(std::move(joined_context));
}

void simulate(int ranks, const std::function<void(World&)>& body, const SimulateOptions& options,
              std::source_location at) {
  if (body == nullptr) throw UsageError("simulate: there is no function to run", at);
  if (ranks < 1) {
    throw UsageError("simulate: " + std::to_string(ranks) + " ranks; it takes at least one", at);
  }
  if (ranks > runtime::kMostThreads) {
    throw UsageError("simulate: " + std::to_string(ranks) + " ranks, each a thread; at most " +
                         std::to_string(runtime::kMostThreads),
                     at);
  }
  if (options.threads < 0 || options.timeout.count() <= 0) {
    throw UsageError("simulate: threads are 0 (not said) or positive, and the time-out is positive",
                     at);
  }
  const int cores = runtime::count_of_allowed_cores();
  const int threads = options.threads > 0 ? options.threads : std::max(1, cores / ranks);
  const auto fabric = std::make_shared<runtime::LocalFabric>(
      ranks, runtime::HostOptions{.timeout = options.timeout});
  const std::string trace = runtime::profile_file();
  if (!trace.empty()) runtime::check_trace_file(trace);
  std::vector<std::shared_ptr<runtime::Profile>> profiles(static_cast<std::size_t>(ranks));
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
  const auto run_rank = [&](int rank) {
    try {
      const auto own = [&] {
        try {
          return make_context(fabric, rank, threads, options.device, options.programs_differ, rank);
        } catch (const std::exception& error) {
          fabric->leave(rank, error.what());
          throw;
        }
      }();
      World world(own);
      try {
        own->runtime().profile = runtime::make_profile(trace, rank, own->runtime().pool, false);
        profiles[static_cast<std::size_t>(rank)] = own->runtime().profile;
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
  };
  runtime::run_threads(ranks, run_rank, [&](int rank, const std::string& why) {
    fabric->leave(rank, "it was not started: " + why);
  });
  runtime::save_together(trace, profiles);
  if (cause != nullptr) rethrow_with_rank(cause, cause_order.second);
}

}  // namespace tutti
