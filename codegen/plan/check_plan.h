#pragma once

#include <tutti/codegen/plan/plan.h>

namespace tutti::codegen {

// Throws InternalError when a plan breaks a rule, so that it never runs. What lives when, it finds
// by itself from the steps:
// - every buffer is written once, before it is read; buffers outside the arena are allocated before
//   and freed once, never used after, and none is left over;
// - live local buffers do not overlap, and what the plan says of buffers' lives is true;
// - a collective is waited for once at most, after its start; what peers may read is never written,
//   its memory is not the arena's, and is not freed before a wait for it; no results are under way
//   when a region ends;
// - what a kernel that follows a collective writes is used behind the wait for that alone, and what
//   it reads is there at the start; of the result nothing else is read;
// - what lies in a group's memory is acquired before it is written, overlaps nothing that is in use
//   there, and is for that group's collectives, which the plan waits for: so nothing is acquired
//   before this rank is done with what lay there;
// - what peers have is read behind the wait for it and before it is finished, in between nothing is
//   waited for, acquired, started or entered, and the finish is there;
// - a region keeps these rules, too, and uses no buffers but its own, which lie behind those of all
//   that enter it; a loop or branch gives it as many values as it takes, of their sizes, and what
//   it writes has no other use in the step, but for a carry that is computed in place;
// - a result takes over an argument's memory only if nothing reads the argument afterwards.
void check(const Plan& plan);

}  // namespace tutti::codegen
