#include <tutti/ir/names.h>
#include <tutti/ir/support/error.h>
#include <tutti/runtime/comm/backend_config.h>
#include <tutti/runtime/comm/engine.h>
#include <tutti/runtime/comm/transports.h>
#include <tutti/runtime/settings.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace tutti::runtime {

namespace {

// A text that is read, and whose line is to blame.
struct BackendsText {
  std::string_view text;
  Location where;
};

[[noreturn]] void refuse_backends(const BackendsText& from, const std::string& why) {
  throw UsageError(
      "backends \"" + std::string(from.text) + "\": " + why +
          "; write \"shm\", or an engine for each kind of device, \"cpu:shm,cuda:nccl\"",
      from.where);
}

void check_engine(const BackendsText& from, const std::string& name) {
  std::vector<std::string> known = EngineRegistry::process().names();
  for (const TransportEntry& own : transports()) known.emplace_back(own.name);
  if (std::ranges::find(known, name) != known.end()) return;
  if (name.empty()) refuse_backends(from, "an engine's name is missing");
  const std::vector<std::string_view> names(known.begin(), known.end());
  refuse_backends(from, "there is no engine '" + name + "'" + ir::suggestion(name, names));
}

}  // namespace

const BackendConfig& BackendConfig::process() {
  static const auto* const config = [] {
    const std::string& text = Settings::process().text("TUTTI_BACKENDS");
    try {
      BackendConfig found = text.empty() ? BackendConfig() : parse(text);
      if (text.empty()) found.cuda_.clear();
      return new BackendConfig(std::move(found));
    } catch (const UsageError& error) {
      throw EnvironmentError("TUTTI_BACKENDS: " + error.message());
    }
  }();
  return *config;
}

BackendConfig BackendConfig::parse(std::string_view text, Location where) {
  const BackendsText from{.text = text, .where = where};
  BackendConfig config;
  if (text.find(':') == std::string_view::npos && text.find(',') == std::string_view::npos) {
    config.cpu_ = config.cuda_ = std::string(text);
    check_engine(from, config.cpu_);
    if (moves_on_devices(config.cpu_)) config.cpu_ = BackendConfig().cpu_;
    return config;
  }
  bool cpu = false;
  bool cuda = false;
  for (std::string_view rest = text;;) {
    const std::string_view entry = rest.substr(0, rest.find(','));
    const std::size_t colon = entry.find(':');
    if (colon == std::string_view::npos) {
      refuse_backends(from, "'" + std::string(entry) + "' names no device");
    }
    const std::string_view device = entry.substr(0, colon);
    if (device != "cpu" && device != "cuda") {
      refuse_backends(from, "there is no kind of device '" + std::string(device) + "'");
    }
    bool& seen = device == "cpu" ? cpu : cuda;
    if (seen) refuse_backends(from, "'" + std::string(device) + "' is there twice");
    seen = true;
    std::string& engine = device == "cpu" ? config.cpu_ : config.cuda_;
    engine = entry.substr(colon + 1);
    check_engine(from, engine);
    if (device == "cpu" && moves_on_devices(engine)) {
      refuse_backends(from, "'" + engine + "' moves what lies on GPUs, not on the host");
    }
    if (entry.size() == rest.size()) return config;
    rest.remove_prefix(entry.size() + 1);
  }
}

void require_engine(std::string_view engine, const std::string& tag) {
  const TransportEntry* const own = find_transport(engine);
  if (own == nullptr || own->make != nullptr) return;
  throw EnvironmentError("group \"" + tag + "\" communicates with " + std::string(engine) +
                         ", which this build does not have; " + std::string(own->instead));
}

}  // namespace tutti::runtime
