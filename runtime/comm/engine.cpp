#include <tutti/ir/support/error.h>
#include <tutti/runtime/comm/engine.h>
#include <tutti/runtime/start_thread.h>

#include <algorithm>
#include <optional>
#include <thread>
#include <utility>

#include <dlfcn.h>

namespace tutti::runtime {

namespace {

class FutureWork final : public EngineWork {
 public:
  explicit FutureWork(std::future<void> future) : future_(future.share()) {}
  ~FutureWork() override {
    for (std::thread& watcher : watchers_) watcher.join();
  }

  bool test() override { return is_over(std::chrono::milliseconds(0)); }
  bool wait(std::chrono::milliseconds timeout) override {
    if (!is_over(timeout)) return false;
    future_.get();
    return true;
  }
  void on_complete(std::function<void(std::exception_ptr)> f) override {
    const auto call = [future = future_, told = std::move(f)] {
      std::exception_ptr failure;
      try {
        future.get();
      } catch (...) {
        failure = std::current_exception();
      }
      told(failure);
    };
    if (test()) {
      call();
    } else {
      watchers_.push_back(start_thread(call));
    }
  }

 private:
  // A deferred function runs when it is waited for.
  bool is_over(std::chrono::milliseconds timeout) const {
    return future_.wait_for(timeout) != std::future_status::timeout;
  }

  std::shared_future<void> future_;
  std::vector<std::thread> watchers_;
};

}  // namespace

std::shared_ptr<EngineWork> work_of(std::future<void> future) {
  if (!future.valid()) throw UsageError("work_of: the future stands for nothing");
  return std::make_shared<FutureWork>(std::move(future));
}

EngineRegistry& EngineRegistry::process() {
  static auto* const registry = new EngineRegistry;  // its libraries stay to the end
  return *registry;
}

void EngineRegistry::add(const std::string& name, EngineFactory factory, EngineTraits traits) {
  const bool word = !name.empty() && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
  if (!word) throw UsageError("an engine is named by a word of [a-z0-9_], not \"" + name + "\"");
  if (factory == nullptr) throw UsageError("engine \"" + name + "\" has no factory");
  const std::scoped_lock lock(mutex_);
  if (!engines_.emplace(name, Entry{std::move(factory), traits}).second) {
    throw UsageError("there is an engine \"" + name + "\" already");
  }
}

bool EngineRegistry::contains(std::string_view name) const {
  const std::scoped_lock lock(mutex_);
  return engines_.contains(name);
}

std::vector<std::string> EngineRegistry::names() const {
  const std::scoped_lock lock(mutex_);
  std::vector<std::string> out;
  for (const auto& [name, entry] : engines_) out.push_back(name);
  return out;
}

EngineRegistry::Entry EngineRegistry::find(const std::string& name) const {
  const std::scoped_lock lock(mutex_);
  const auto found = engines_.find(name);
  if (found == engines_.end()) throw UsageError("there is no engine \"" + name + "\"");
  return found->second;
}

EngineFactory EngineRegistry::factory(const std::string& name) const { return find(name).factory; }

EngineTraits EngineRegistry::traits(const std::string& name) const { return find(name).traits; }

void EngineRegistry::load(const std::string& file) {
  // A path, and not a name to be searched for in the system's folders.
  const std::string path = file.find('/') == std::string::npos ? "./" + file : file;
  void* const handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) throw EnvironmentError("can't load engines: " + std::string(dlerror()));
  std::shared_ptr<void> library(handle, [](void* loaded) { dlclose(loaded); });
  const auto version = reinterpret_cast<int (*)()>(dlsym(handle, "tutti_engine_version"));
  const auto entry =
      reinterpret_cast<void (*)(EngineRegistry&)>(dlsym(handle, "tutti_add_engines"));
  if (version == nullptr || entry == nullptr) {
    throw EnvironmentError(path + " holds no engines; write TUTTI_ENGINES(registry) {...}");
  }
  if (version() != kEngineVersion) {
    throw EnvironmentError(path + " was made for version " + std::to_string(version()) +
                           " of the interface of engines; this is version " +
                           std::to_string(kEngineVersion));
  }
  {
    const std::scoped_lock lock(mutex_);
    if (std::ranges::any_of(libraries_, [&](const auto& known) { return known.get() == handle; })) {
      return;  // loaded before
    }
    libraries_.push_back(std::move(library));  // first: factories that it adds are its code
  }
  entry(*this);
}

}  // namespace tutti::runtime
