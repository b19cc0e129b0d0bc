#pragma once

#include <tutti/codegen/cuda/source.h>
#include <tutti/codegen/view.h>
#include <tutti/ir/array.h>

#include <functional>
#include <string>
#include <vector>

namespace tutti::test {

// A buffer's elements and a way to see them.
struct Seen {
  ir::Array storage;
  codegen::View view;
};

// All of an array.
Seen seen(ir::Array array);
// The same elements seen as another shape. The strides are in elements.
Seen seen(ir::Array array, const Shape& shape, const std::vector<std::int64_t>& strides,
          std::int64_t offset = 0);
// What is seen, densely.
ir::Array dense(const Seen& seen);

// Kernels that are compiled together and run on the CPU, by the emulator, in two orders of their
// threads and blocks.
class DeviceCases {
 public:
  // The kernel gets the storages of the operands and then memory for the result, of which it has to
  // write every byte. Its bytes must be those of `expected`.
  void add(codegen::cuda::Source source, const std::vector<Seen>& operands, ir::Array expected,
           std::string what);
  // The same with another way to compare: `same(result, expected)`.
  void add(codegen::cuda::Source source, const std::vector<Seen>& operands, ir::Array expected,
           std::string what,
           std::function<bool(const ir::Array& result, const ir::Array& expected)> same);
  // A node with these operands, which have to be dense where takes_strides says so; the
  // interpreter says what is right.
  void add(ir::Op op, const std::vector<Seen>& operands, std::vector<ir::Attribute> attributes,
           const std::string& what);
  // The same, with the result in the first operand's memory.
  void add_in_place(ir::Op op, const std::vector<Seen>& operands,
                    std::vector<ir::Attribute> attributes, const std::string& what);

  // Expects all to be right.
  void run() const;

 private:
  struct Case {
    codegen::cuda::Source source;
    std::vector<Seen> operands;
    ir::Array expected;
    std::string what;
    std::function<bool(const ir::Array&, const ir::Array&)> same;
    bool in_place = false;
  };
  std::vector<Case> cases_;
};

// The kernel of a node with these operands.
codegen::cuda::Source source_of(ir::Op op, const std::vector<Seen>& operands,
                                std::vector<ir::Attribute> attributes);

}  // namespace tutti::test
