#pragma once

#include <tutti/ir/device.h>
#include <tutti/ir/dtype.h>
#include <tutti/ir/group.h>
#include <tutti/ir/shape.h>

#include <string>

namespace tutti::ir {

// The type of a value: `f32[64,10]`, `f32[64,10] rep(dp)`, `async f32[10]`, `f32[10] on cuda:0`.
struct Type {
  DType dtype = DType::f32;
  Shape shape;
  Replication replication = {};
  bool async = false;  // the result of a collective before its wait
  Device device = {};  // `any`: where it is needed, or else the graph's default device

  std::int64_t bytes() const { return shape.elements() * size_of(dtype); }
  // "async f32[64,10] on cuda:0": what messages show, with no device where that is the host or any.
  // Replication needs the mesh's names; see print.h.
  std::string text() const;

  friend bool operator==(const Type&, const Type&) = default;
};

// A number of the program, passed when it runs: in text such a parameter, `f32[] rep(*)`, lies
// anywhere unless it says where.
inline bool is_number(const Type& type) {
  return type.replication.literal && type.shape.rank() == 0;
}

}  // namespace tutti::ir
