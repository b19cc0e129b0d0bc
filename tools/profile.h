#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <map>
#include <string>
#include <tuple>

namespace tutti::tools {

struct ProfileOptions {
  std::string file;
  std::size_t most = 30;  // kernels to show; 0: all
};

// What a trace says in sums, over all ranks. Times are microseconds.
struct ProfileSummary {
  struct Kernel {
    std::int64_t calls = 0;
    double time = 0;
    double compared_time = 0;  // of those whose roofline is known, as it is not on GPUs
    double least_time = 0;     // that this allows them
    double library_time = 0;   // of products: that the matmul library takes by itself
    double bytes = 0;
    double flops = 0;
  };
  // Communication that nothing hides, of one source line.
  struct Exposed {
    std::int64_t waits = 0;
    double blocked = 0;  // the rank's thread
    double on_gpus = 0;  // a GPU's collective, and no launch beside it
  };
  // Its name, its shapes if it is a library call, and its source line.
  using KernelKey = std::tuple<std::string, std::string, std::string>;

  std::map<std::int64_t, std::string> ranks;  // their measured limits, in words
  std::map<KernelKey, Kernel> kernels;
  std::map<std::string, Exposed> exposed;  // by line
  double compute = 0;                      // launches
  // Those that the roofline is known of, and what they would take if products took what the library
  // takes by itself, and all else what the roofline allows; of no launch more than it took.
  double compared_compute = 0;
  double least_compute = 0;
  double waits = 0;      // communication that nothing hides: the rank's thread is blocked
  double starts = 0;     // announcing collectives
  double in_flight = 0;  // collectives from start to end, overlaps counted once a rank
  std::int64_t collectives = 0;
  double collective_bytes = 0;
  double compilation = 0;
  double span = 0;  // from the first event to the last, of all ranks together
  std::int64_t dropped = 0;
};

// Reads a trace. `name` is the file's, for messages. Throws ParseError for what is no JSON, is cut
// off, or is no trace of Tutti.
ProfileSummary summarise_trace(std::istream& in, const std::string& name);

// As a table.
std::string print(const ProfileSummary& summary, std::size_t most);

// Prints the summary of a file. Throws EnvironmentError, ParseError.
void profile(const ProfileOptions& options);

}  // namespace tutti::tools
