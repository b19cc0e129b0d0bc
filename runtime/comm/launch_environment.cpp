#include <tutti/ir/support/error.h>
#include <tutti/ir/support/hash.h>
#include <tutti/runtime/comm/launch_environment.h>

#include <algorithm>
#include <charconv>
#include <string_view>
#include <vector>

namespace tutti::runtime {

namespace {

constexpr std::int64_t kMostRanks = 1'000'000;
constexpr std::size_t kLongestName = 64;
// The ids from here on are SLURM's own: of batch scripts, of the shell of an allocation, ...
constexpr std::int64_t kFirstReservedStep = 0xFFFFFFF0;

// The variables of one launcher.
struct Launcher {
  const char* source;
  const char* short_name;
  const char* rank;
  std::vector<const char*> ranks;  // the first that is set counts; likewise below
  const char* local_rank;
  std::vector<const char*> local_ranks;
  std::vector<const char*> job;          // each tells this job from others
  std::vector<const char*> part_of_job;  // these tell its steps and restarts apart
};

const Launcher& torchrun() {
  static const Launcher launcher{
      .source = "torchrun's RANK, WORLD_SIZE, ...",
      .short_name = "torchrun",
      .rank = "RANK",
      .ranks = {"WORLD_SIZE"},
      .local_rank = "LOCAL_RANK",
      .local_ranks = {"LOCAL_WORLD_SIZE"},
      .job = {"MASTER_PORT"},
      .part_of_job = {"MASTER_ADDR", "TORCHELASTIC_RUN_ID", "TORCHELASTIC_RESTART_COUNT"},
  };
  return launcher;
}

const Launcher& openmpi() {
  static const Launcher launcher{
      .source = "OpenMPI's OMPI_COMM_WORLD_RANK, ...",
      .short_name = "openmpi",
      .rank = "OMPI_COMM_WORLD_RANK",
      .ranks = {"OMPI_COMM_WORLD_SIZE"},
      .local_rank = "OMPI_COMM_WORLD_LOCAL_RANK",
      .local_ranks = {"OMPI_COMM_WORLD_LOCAL_SIZE"},
      .job = {"PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid", "OMPI_MCA_orte_hnp_uri"},
      .part_of_job = {},
  };
  return launcher;
}

// The step's own variables come first: with --preserve-env the others speak of the allocation.
const Launcher& slurm() {
  static const Launcher launcher{
      .source = "SLURM's SLURM_PROCID, ...",
      .short_name = "slurm",
      .rank = "SLURM_PROCID",
      .ranks = {"SLURM_STEP_NUM_TASKS", "SLURM_NTASKS"},
      .local_rank = "SLURM_LOCALID",
      .local_ranks = {"SLURM_STEP_TASKS_PER_NODE", "SLURM_TASKS_PER_NODE", "SLURM_NTASKS_PER_NODE"},
      .job = {"SLURM_JOB_ID"},
      .part_of_job = {"SLURM_STEP_ID", "SLURM_RESTART_COUNT"},
  };
  return launcher;
}

// Only its process manager hydra (and that of Intel's MPI) sets the local ones.
const Launcher& mpich() {
  static const Launcher launcher{
      .source = "MPICH's PMI_RANK, ...",
      .short_name = "mpich",
      .rank = "PMI_RANK",
      .ranks = {"PMI_SIZE"},
      .local_rank = "MPI_LOCALRANKID",
      .local_ranks = {"MPI_LOCALNRANKS"},
      .job = {},
      .part_of_job = {},
  };
  return launcher;
}

[[noreturn]] void refuse_variable(std::string_view name, std::string_view value,
                                  const std::string& right) {
  throw EnvironmentError(std::string(name) + " is \"" + std::string(value) + "\"; " + right);
}

std::optional<std::int64_t> parse_integer(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  return value;
}

// The entry of a node in a list like "4,2(x3),1": a number, and for how many nodes in a row.
std::int64_t tasks_on_node(const char* name, std::string_view list, std::int64_t node) {
  const std::string right = "it must be a list like \"4,2(x3)\" that covers node " +
                            std::to_string(node) + ", SLURM_NODEID";
  std::int64_t covered = 0;
  for (std::string_view rest = list; !rest.empty();) {
    std::string_view entry = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(entry.size() + 1, rest.size()));
    std::int64_t nodes = 1;
    if (const std::size_t sign = entry.find("(x"); sign != entry.npos && entry.ends_with(')')) {
      nodes = parse_integer(entry.substr(sign + 2, entry.size() - sign - 3)).value_or(0);
      entry = entry.substr(0, sign);
    }
    const std::int64_t tasks = parse_integer(entry).value_or(0);
    if (tasks < 1 || nodes < 1 || nodes > kMostRanks) refuse_variable(name, list, right);
    covered += nodes;
    if (node < covered) return tasks;
  }
  refuse_variable(name, list, right);
}

class EnvironmentReader {
 public:
  explicit EnvironmentReader(const GetVariable& get) : get_(get), settings_(get) {}

  LaunchEnvironment read() const {
    LaunchEnvironment out;
    if (const Launcher* const launcher = find_launcher(); launcher != nullptr) {
      read_place(*launcher, out);
    } else {
      out.source = "none";
    }
    out.threads = static_cast<int>(settings_.number("TUTTI_THREADS").value_or(0));
    out.flight_recorder = settings_.text("TUTTI_FLIGHT_RECORDER");
    out.timeout = settings_.seconds("TUTTI_TIMEOUT");
    return out;
  }

 private:
  std::string_view text(const char* name) const {
    const char* const value = get_(name);
    return value == nullptr ? std::string_view() : std::string_view(value);
  }
  bool has(const char* name) const { return !text(name).empty(); }

  const char* first_set(const std::vector<const char*>& names) const {
    const auto found = std::ranges::find_if(names, [&](const char* name) { return has(name); });
    return found == names.end() ? nullptr : *found;
  }

  std::optional<std::int64_t> number(const char* name, std::int64_t least,
                                     std::int64_t most) const {
    if (!has(name)) return {};
    const std::optional<std::int64_t> value = parse_integer(text(name));
    if (!value || *value < least || *value > most) {
      refuse_variable(name, text(name),
                      "it must be a whole number from " + std::to_string(least) + " to " +
                          std::to_string(most));
    }
    return value;
  }

  const Launcher* find_launcher() const {
    if (has("RANK") || has("WORLD_SIZE")) return &torchrun();
    if (has("OMPI_COMM_WORLD_RANK")) return &openmpi();
    // Within a SLURM job, hydra's ranks inherit the variables of the step that runs its daemons.
    if (has("PMI_RANK") && has("MPI_LOCALRANKID")) return &mpich();
    if (has("SLURM_PROCID") && has("SLURM_STEP_ID") &&
        parse_integer(text("SLURM_STEP_ID")).value_or(0) < kFirstReservedStep) {
      return &slurm();
    }
    return has("PMI_RANK") ? &mpich() : nullptr;
  }

  void read_place(const Launcher& launcher, LaunchEnvironment& out) const {
    out.source = launcher.source;
    const char* const ranks_name = first_set(launcher.ranks);
    if (!has(launcher.rank) || ranks_name == nullptr) {
      const std::string there = has(launcher.rank) ? launcher.rank : ranks_name;
      const std::string missing = has(launcher.rank) ? launcher.ranks[0] : launcher.rank;
      throw EnvironmentError(there + " is set but " + missing +
                             " is not; a launcher sets both, a process by itself needs neither");
    }
    out.ranks = *number(ranks_name, 1, kMostRanks);
    out.rank = *number(launcher.rank, 0, kMostRanks);
    if (out.rank >= out.ranks) {
      throw EnvironmentError(std::string(launcher.rank) + " is " + std::to_string(out.rank) +
                             " of " + ranks_name + " " + std::to_string(out.ranks) +
                             "; ranks count from 0 to " + ranks_name + " - 1");
    }
    read_local_place(launcher, ranks_name, out);
    if (out.ranks > 1) out.rendezvous = rendezvous(launcher);
  }

  void read_local_place(const Launcher& launcher, const char* ranks_name,
                        LaunchEnvironment& out) const {
    const std::string ranks_text = ranks_name + (" " + std::to_string(out.ranks));
    const char* const local_ranks_name = first_set(launcher.local_ranks);
    out.local_ranks = out.ranks;
    if (local_ranks_name != nullptr) {
      out.local_ranks = local_ranks(local_ranks_name);
      if (out.local_ranks > out.ranks) {
        refuse_variable(local_ranks_name, text(local_ranks_name),
                        "a host has at most all ranks, " + ranks_text);
      }
    }
    out.local_rank = number(launcher.local_rank, 0, kMostRanks).value_or(out.rank);
    if (out.local_rank >= out.local_ranks) {
      const std::string most = std::to_string(out.local_ranks - 1);
      if (!has(launcher.local_rank)) {
        throw EnvironmentError(std::string(launcher.local_rank) + " is not set; with " +
                               local_ranks_name + " " + std::to_string(out.local_ranks) + " and " +
                               launcher.rank + " " + std::to_string(out.rank) +
                               " it must be, to a number from 0 to " + most);
      }
      refuse_variable(launcher.local_rank, text(launcher.local_rank),
                      "with " + std::to_string(out.local_ranks) +
                          " ranks on this host it must be from 0 to " + most);
    }
    if (out.local_ranks == out.ranks && out.local_rank != out.rank) {
      refuse_variable(launcher.local_rank, text(launcher.local_rank),
                      "all of " + ranks_text + " are on this host, so it must be " + launcher.rank +
                          ", " + std::to_string(out.rank));
    }
  }

  std::int64_t local_ranks(const char* name) const {
    if (!std::string_view(name).ends_with("TASKS_PER_NODE")) return *number(name, 1, kMostRanks);
    return tasks_on_node(name, text(name), number("SLURM_NODEID", 0, kMostRanks).value_or(0));
  }

  std::string rendezvous(const Launcher& launcher) const {
    if (const std::string& given = settings_.text("TUTTI_RENDEZVOUS"); !given.empty()) {
      const bool is_name = std::ranges::all_of(given, [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
               c == '-' || c == '_';
      });
      if (!is_name || given.size() > kLongestName) {
        refuse_variable("TUTTI_RENDEZVOUS", given,
                        "it must be a name of at most " + std::to_string(kLongestName) +
                            " letters, digits, '-' and '_'");
      }
      return given;
    }
    for (const Launcher* const known : {&launcher, &torchrun()}) {
      if (first_set(known->job) == nullptr) continue;
      Hasher hasher;
      for (const auto* const names : {&known->job, &known->part_of_job}) {
        for (const char* const name : *names) hasher.add(text(name));
      }
      return std::string(launcher.short_name) + "-" + hasher.finish().text();
    }
    throw EnvironmentError(
        std::string(launcher.source) +
        " say that this is one of several ranks, but not of which job: set MASTER_PORT to a free "
        "port, or TUTTI_RENDEZVOUS to a name that only this job's ranks share");
  }

  const GetVariable& get_;
  const Settings settings_;
};

}  // namespace

LaunchEnvironment read_launch_environment(const GetVariable& get) {
  return EnvironmentReader(get).read();
}

}  // namespace tutti::runtime
