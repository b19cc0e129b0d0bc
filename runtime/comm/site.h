#pragma once

#include <tutti/ir/support/location.h>
#include <tutti/runtime/comm/collective.h>

#include <cstdint>
#include <string_view>

namespace tutti::runtime {

// Calls that meet come from one position of one program, or carry one name. A site is a hash of
// that: of the file without its folders, line and column, or of the name alone where there is one.
// Never 0, but for a position that is not known to the column.
std::uint32_t site_of(Location where, std::string_view name);

// What a rank says of where it calls: 0 where that is not compared.
std::uint32_t compared_site(const CollectiveCall& call);

// And of the program that it is of: nothing where that is not compared.
ProgramCalls compared_program(const CollectiveCall& call);

// Whether the sites that two members of one build say are right together, for calls with equal
// fingerprints. The root of a rooted kind may stand in a branch of its own.
inline bool sites_agree(const CollectiveCall& call, int member, std::uint32_t site, int other,
                        std::uint32_t others) {
  if (site == others || site == 0 || others == 0) return true;
  return kernels::has_root(call.kind) && (member == call.root || other == call.root);
}

// What to do where they aren't.
inline constexpr std::string_view kMendOfSites =
    "; where that is meant, give both one name, all_reduce(x, group.named(\"...\")), or say that "
    "the "
    "ranks run programs of their own, group.programs_differ()";

// What this process's program was built as, by the linker's build id: positions mean nothing to
// another build. Never 0.
std::uint64_t program_build();

}  // namespace tutti::runtime
