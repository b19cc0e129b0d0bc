#pragma once

#include <tutti/tutti.h>

#include <cstdint>
#include <string>
#include <vector>

// Every collective, in every dtype and over every form of group, as programs that any number of
// ranks runs in any mode, and what the interpreter says they give.
namespace tutti::test {

enum class RunMode : std::uint8_t { lazy, eager, compiled };
inline constexpr RunMode kRunModes[] = {RunMode::lazy, RunMode::eager, RunMode::compiled};
const char* name_of(RunMode mode);

enum class GroupForm : std::uint8_t {
  world,
  list,             // all ranks, in another order
  part_of_ranks,    // all but the first, with a tag
  partition,        // neighbours in twos, if the number of ranks is even
  mesh,             // one dimension
  mesh_dimension,   // the outer one of two, and
  inner_dimension,  // the inner one
  split,            // a handle that World::split made
};
inline constexpr GroupForm kGroupForms[] = {
    GroupForm::world, GroupForm::list,           GroupForm::part_of_ranks,   GroupForm::partition,
    GroupForm::mesh,  GroupForm::mesh_dimension, GroupForm::inner_dimension, GroupForm::split};
const char* name_of(GroupForm form);
// Whether a world of so many ranks can be divided in that way.
bool suits(GroupForm form, int ranks);

// A rank's group in that form: of this rank's world, and without asking anybody.
Group sweep_group(World& world, GroupForm form);
Group sweep_group(GroupForm form, int own, int ranks);

inline constexpr DType kSweptDTypes[] = {
    DType::boolean, DType::u8,  DType::u16, DType::u32,  DType::u64, DType::i8, DType::i16,
    DType::i32,     DType::i64, DType::f16, DType::bf16, DType::f32, DType::f64};

// Small numbers that differ by rank, dtype and place.
Array sweep_operand(DType dtype, const Shape& shape, int rank, int salt);

// What one rank holds: by result.
using SweepResults = std::vector<Array>;

// Runs the program of a dtype and a group form as this rank, and gives what it reads.
SweepResults run_sweep(World& world, DType dtype, GroupForm form, RunMode mode);

// What the interpreter makes of the programs of all ranks, by rank. Needs no World.
std::vector<SweepResults> interpreted_sweep(int ranks, DType dtype, GroupForm form);

// Where two ranks' results differ: "result 3 is f32[2] [1, 2], not [1, 3]"; empty if nowhere.
std::string difference(const SweepResults& actual, const SweepResults& expected);

}  // namespace tutti::test
