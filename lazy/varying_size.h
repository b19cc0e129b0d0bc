#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tutti {

// A dimension of an argument of a compiled function whose size may differ from call to call; see
// compile().
struct VaryingSize {
  std::string argument;   // a tensor of the arguments as errors name it: "0", "2.weights"
  int dimension = 0;      // of it; a negative one counts from the last
  std::string name;       // what the size is called: dimensions of one name have one size
  std::int64_t most = 0;  // the largest size; of one name said once at least
  // The smallest size; 1 if nobody says. A function that takes no smaller one raises it.
  std::optional<std::int64_t> least = {};
  // Sizes below `most` up to which there are programs of their own, each made when a call first
  // needs it: a call costs what the least of them that holds its size does, not what `most` does.
  std::vector<std::int64_t> buckets = {};
};

}  // namespace tutti
