#pragma once

#include <tutti/codegen/cuda/source.h>
#include <tutti/ir/dtype.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::codegen::cuda {

// Kernels that call a hand-written function of kernels/device/, a template, with a struct that
// binds it to the shapes:
//
//   struct Take {
//     using Element = Pack<u32, 4>;
//     using Count = u32;
//     static constexpr Count size = 50257;
//     ...
//   };
//   extern "C" __global__ void __launch_bounds__(256) take(const f32* x, ...) {
//     take_rows<Take>(x, indices, result);
//   }

// The type that counts up to and adds places below `most`: "u32" or "u64". A grid-stride loop adds
// a step of less than 2^31 to what it counts.
std::string_view count_type(std::int64_t most);

// One axis of a space of numbers and the step that it means in memory, in elements.
struct Axis {
  std::int64_t size = 1;
  std::int64_t stride = 0;
};

// The place of number `i` of the space of those axes (row-major): "i / 64 % 12 * 768 + i % 64".
std::string place_text(std::string_view i, const std::vector<Axis>& axes, std::int64_t offset = 0);

// The struct, line by line.
class SpecText {
 public:
  SpecText(std::string_view name, std::string_view count);

  const std::string& name() const { return name_; }

  void type(std::string_view name, std::string_view is);
  void integer(std::string_view name, std::int64_t value);  // an int
  void count(std::string_view name, std::int64_t value);    // a Count
  // A function of a Count that returns one.
  void place(std::string_view name, std::string_view parameter, std::string_view value);
  // A line of any kind.
  void line(std::string_view text);

  std::string text() const;

 private:
  std::string name_;
  std::string lines_;
};

// The parts of a kernel.
struct CallText {
  std::string name;    // of the kernel
  std::string detail;  // what it computes, for the comment: "f32[8,4] by i64[2]"
  std::string piece;   // of kernels/device/, with what it includes: "move"
  std::vector<SpecText> specs;
  std::string parameters;  // "const f32* x, f32* result"
  std::string body;        // indented lines
};

// The kernel with what it needs, for blocks of `threads`, one a `block`.
Source make_source(const CallText& call, std::int64_t blocks, std::uint32_t threads);

// A kernel that does nothing: what is left where a result is empty.
Source empty_source(std::string name, std::string detail, std::string parameters);

// Blocks of `threads` for so many items, one a thread: at least one and at most as many as a
// grid-stride loop makes good use of.
std::int64_t blocks_for(std::int64_t items, std::int64_t threads);

// The type in which elements of a dtype are added up.
std::string_view sum_type(DType dtype);

// An unsigned integer of 1, 2, 4 or 8 bytes, or a Pack of them for 16: what moves elements.
std::string_view bits_type(std::int64_t bytes);

}  // namespace tutti::codegen::cuda
