#pragma once

#include <tutti/ir/dtype.h>
#include <tutti/ir/group.h>
#include <tutti/ir/shape.h>

#include <string>

namespace tutti::ir {

// The type of a value: `f32[64,10]`, `f32[64,10] rep(dp)`, `async f32[10]`.
struct Type {
  DType dtype = DType::f32;
  Shape shape;
  Replication replication = {};
  bool async = false;  // the result of a collective before its wait

  std::int64_t bytes() const { return shape.elements() * size_of(dtype); }
  // "async f32[64,10]": what messages show. Replication needs the mesh's names; see print.h.
  std::string text() const;

  friend bool operator==(const Type&, const Type&) = default;
};

}  // namespace tutti::ir
