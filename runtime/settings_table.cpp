// The table of all environment variables and tunables. A new one is a row here, and is read with
// Settings::process().flag("TUTTI_..."), .number(...), .seconds(...), .text(...) or .words(...).

#include <tutti/ir/passes/passes.h>
#include <tutti/runtime/log.h>
#include <tutti/runtime/settings.h>

namespace tutti::runtime {

namespace {

using Kind = Setting::Kind;

std::vector<SettingWord> dump_stages() {
  return {{"trace", "the program as it was recorded, a .tutti file"},
          {"passes", "the program after every pass that changed it, .tutti files"},
          {"kernels", "the loop nests, one a fused group"},
          {"plan", "the steps and where buffers lie"},
          {"llvm", "every kernel as LLVM IR"},
          {"asm", "every kernel as assembly of this machine"},
          {"cuda", "every kernel of a GPU as CUDA C++"},
          {"ptx", "every kernel of a GPU as PTX"}};
}

std::vector<SettingWord> topics() {
  const auto all = log_topics();
  return {all.begin(), all.end()};
}

std::vector<SettingWord> passes() {
  std::vector<SettingWord> out;
  for (const ir::Pass& pass : ir::all_passes()) out.push_back({pass.name, pass.does});
  return out;
}

std::vector<Setting> make_settings() {
  return {
      // Looking inside
      {.name = "TUTTI_DUMP",
       .kind = Kind::words,
       .takes = "STAGE,...",
       .unset = "nothing is written",
       .does = "Writes these stages of everything that is compiled into a folder, with an "
               "index.html that links them.",
       .words = dump_stages(),
       .all_words = true},
      {.name = "TUTTI_DUMP_DIR",
       .kind = Kind::text,
       .takes = "FOLDER",
       .initial = "tutti-dump",
       .does = "The folder that TUTTI_DUMP writes to; a run adds to what is there."},
      {.name = "TUTTI_LOG",
       .kind = Kind::words,
       .takes = "TOPIC,...",
       .unset = "only warnings",
       .does = "Writes a line to stderr whenever one of these happens.",
       .words = topics(),
       .all_words = true},
      {.name = "TUTTI_DISABLE",
       .kind = Kind::words,
       .takes = "PASS,...",
       .unset = "all passes run",
       .does = "Leaves passes of the compiler out, to find the one that makes a difference.",
       .words = passes()},
      {.name = "TUTTI_SET",
       .kind = Kind::assignments,
       .takes = "NAME=VALUE,...",
       .unset = "all at their defaults",
       .does = "Sets tunables of the compiler."},
      {.name = "TUTTI_PROFILE",
       .kind = Kind::text,
       .takes = "FILE",
       .unset = "nothing is recorded",
       .does = "Records a trace of all ranks, for ui.perfetto.dev and `tutti profile`."},
      {.name = "TUTTI_JIT_SYMBOLS",
       .kind = Kind::words,
       .takes = "TOOL,...",
       .unset = "nobody is told",
       .does = "Tells these tools the names of generated functions.",
       .words = {{"gdb", "gdb and lldb, by their JIT interface"},
                 {"perf", "perf, by /tmp/perf-PID.map"}}},
      // Running
      {.name = "TUTTI_CACHE",
       .kind = Kind::flag,
       .takes = "on|off",
       .initial = "on",
       .does = "Whether compiled code is kept on disk."},
      {.name = "TUTTI_CACHE_DIR",
       .kind = Kind::text,
       .takes = "FOLDER",
       .unset = "$XDG_CACHE_HOME/tutti, or else ~/.cache/tutti",
       .does = "The folder where compiled code is kept."},
      {.name = "TUTTI_CACHE_SIZE",
       .kind = Kind::bytes,
       .takes = "BYTES",
       .initial = "1G",
       .does = "The most that the cache may hold, as 500M or 2G.",
       .least = kSmallestCache,
       .most = kLargestCache},
      {.name = "TUTTI_DEVICE",
       .kind = Kind::text,
       .takes = "DEVICE",
       .initial = "cpu",
       .does = "Where new tensors lie: cpu, cuda (the rank's own GPU, World::gpu) or cuda:1."},
      {.name = "TUTTI_BACKENDS",
       .kind = Kind::text,
       .takes = "DEVICE:ENGINE,...",
       .unset = "cpu:shm, and for GPUs nccl where launched ranks have one each, else shm",
       .does = "What carries out the collectives of groups that do not say it themselves "
               "(Group::with_backends), as cuda:nccl; all ranks alike."},
      {.name = "TUTTI_THREADS",
       .kind = Kind::number,
       .takes = "N",
       .unset = "its share of the cores",
       .does = "Threads that a rank computes with.",
       .least = 1,
       .most = kMostThreads},
      {.name = "TUTTI_TIMEOUT",
       .kind = Kind::seconds,
       .takes = "SECONDS",
       .unset = "300",
       .does = "How long a rank waits for its peers.",
       .least = kShortestTimeout,
       .most = kLongestTimeout},
      {.name = "TUTTI_COLLECTIVES",
       .kind = Kind::text,
       .takes = "FILE",
       .unset = "what was measured",
       .does =
           "A table of how collectives are carried out, by kind, size and number of ranks; rank "
           "0's counts (runtime/comm/algorithms.h explains)."},
      {.name = "TUTTI_FLIGHT_RECORDER",
       .kind = Kind::text,
       .takes = "FILE",
       .unset = "nothing is written",
       .does =
           "Where a rank writes its last collectives when one fails; `tutti diagnose` reads it."},
      {.name = "TUTTI_GPU_CACHE",
       .kind = Kind::bytes,
       .takes = "BYTES",
       .unset = "all that is free",
       .does = "The most free memory of a GPU that a rank keeps for later, as 500M or 2G; where "
               "memory runs out, it is given back.",
       .least = 0,
       .most = kLargestCache},
      {.name = "TUTTI_CUDA_LIBRARIES",
       .kind = Kind::text,
       .takes = "FOLDER:...",
       .unset = "where the system looks, $CUDA_HOME/lib64 and /usr/local/cuda/lib64",
       .does = "Folders to look in first for the libraries of CUDA; `tutti doctor` says what is "
               "found."},
      {.name = "TUTTI_RENDEZVOUS",
       .kind = Kind::text,
       .takes = "NAME",
       .unset = "made from the launcher's variables",
       .does = "A name that the ranks of one job share and no other job has; `tutti launch` sets "
               "it."},
  };
}

std::vector<Setting> make_tunables() {
  return {
      {.name = "kernels",
       .kind = Kind::word,
       .takes = "llvm|evaluate",
       .unset = "llvm, if it was built in",
       .does = "What runs kernels.",
       .words = {{"llvm", "machine code"}, {"evaluate", "the slow and obvious evaluator"}}},
      {.name = "instructions",
       .kind = Kind::word,
       .takes = "avx512|avx2|baseline",
       .unset = "all that this machine has",
       .does = "The most that host code uses, to run what another x86 machine would.",
       .words = {{"avx512", "AVX-512 with its parts F, BW, DQ and VL"},
                 {"avx2", "AVX2, FMA and F16C"},
                 {"baseline", "SSE, up to 4.2 where code is compiled here"}}},
      {.name = "plan",
       .kind = Kind::word,
       .takes = "native|walk",
       .unset = "native, if LLVM was built in",
       .does = "What runs the steps of a program.",
       .words = {{"native", "one native function, made when a program runs a second time"},
                 {"walk", "a loop over the list of steps"}}},
      {.name = "algorithm",
       .kind = Kind::word,
       .takes = "auto|off|one_shot|two_shot|exact",
       .initial = "auto",
       .does = "How collectives are carried out, first of all over the host's memory, where their "
               "group says nothing; all ranks alike.",
       .words = {{"auto", "by the table of TUTTI_COLLECTIVES"},
                 {"off", "so, but not in places that the compiler plans, nor by its kernels"},
                 {"one_shot", "each rank computes its own result"},
                 {"two_shot", "the ranks share the work"},
                 {"exact", "as auto, and on GPUs, too, floats are combined in the ranks' order"}}},
      {.name = "progress",
       .kind = Kind::flag,
       .takes = "on|off",
       .initial = "off",
       .does = "Whether each rank has a thread that completes collectives over the host's memory "
               "while the rank's own computes or sleeps; it wants a core."},
      {.name = "record",
       .kind = Kind::flag,
       .takes = "on|off",
       .initial = "on",
       .does = "Records what is put on GPUs, and replays it as a whole (CUDA graphs)."},
      {.name = "windows",
       .kind = Kind::flag,
       .takes = "on|off",
       .initial = "on",
       .does = "Whether the memory that programs place collectives of GPU values in is registered "
               "with NCCL (windows), where that can be."},
      {.name = "comm_kernels",
       .kind = Kind::flag,
       .takes = "on|off",
       .initial = "on",
       .does = "Whether small collectives of GPU values that programs place in memory which all "
               "members' GPUs reach go by kernels of our own; else NCCL carries them out."},
      {.name = "launch_blocking",
       .kind = Kind::flag,
       .takes = "on|off",
       .initial = "off",
       .does =
           "Waits for GPUs after each kernel, so that an error comes from the one that caused it "
           "and names it."},
      {.name = "eager",
       .kind = Kind::flag,
       .takes = "on|off",
       .initial = "off",
       .does = "Evaluates after every op, so that an error comes from the line that caused it."},
      {.name = "nan",
       .kind = Kind::word,
       .takes = "ignore|error",
       .initial = "ignore",
       .does = "What happens where an op makes a NaN, also inside of compiled functions.",
       .words = {{"ignore", "nothing"},
                 {"error",
                  "the first one is an error that names the op and its line; programs are "
                  "many times slower, since nothing is fused"}}},
      {.name = "programs",
       .kind = Kind::number,
       .takes = "N",
       .initial = "1024",
       .does = "How many programs are kept of a compiled function, and how many of what a rank "
               "records without one, those that ran last; others are compiled again when they "
               "come back.",
       .least = 1,
       .most = kMostPrograms},
      {.name = "verify",
       .kind = Kind::flag,
       .takes = "on|off",
#ifdef NDEBUG
       .initial = "off",
#else
       .initial = "on",
#endif
       .does = "Checks the program after every pass that changed it, and writes over what ranks "
               "say that they are done with."},
  };
}

}  // namespace

std::span<const Setting> all_settings() {
  static const auto* const table = new std::vector<Setting>(make_settings());
  return *table;
}

std::span<const Setting> all_tunables() {
  static const auto* const table = new std::vector<Setting>(make_tunables());
  return *table;
}

}  // namespace tutti::runtime
