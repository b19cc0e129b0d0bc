#pragma once

// The element types by their names in Tutti. NVRTC reads no header of a toolkit, so these stand for
// <cstdint>, too.
typedef signed char i8;
typedef unsigned char u8;
typedef short i16;
typedef unsigned short u16;
typedef int i32;
typedef unsigned int u32;
typedef long long i64;
typedef unsigned long long u64;
typedef float f32;
typedef double f64;

// Storage only: arithmetic happens in f32.
struct f8_e4m3fn {
  u8 bits;
};
struct f8_e5m2 {
  u8 bits;
};
struct f16 {
  u16 bits;
};
struct bf16 {
  u16 bits;
};
