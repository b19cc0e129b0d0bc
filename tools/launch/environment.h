#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace tutti::tools {

using Environment = std::map<std::string, std::string>;

// This process's own.
Environment own_environment();

// Adds what all ranks of a new job on this host share: WORLD_SIZE, LOCAL_WORLD_SIZE, MASTER_ADDR,
// MASTER_PORT (a port that was free just now) and TUTTI_RENDEZVOUS (random).
void add_job(Environment& environment, std::size_t ranks);

// "NAME=VALUE" lines with RANK and LOCAL_RANK.
std::vector<std::string> lines_for_rank(Environment environment, std::size_t rank);

}  // namespace tutti::tools
