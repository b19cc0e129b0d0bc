#pragma once

// What the double of cuBLASLt has beside the library's functions, for tests.
#pragma GCC visibility push(default)
extern "C" {

// What it refuses from now on, though it could do it.
struct FakeCublasLtRefusals {
  bool epilogues;   // has no algorithm for products with one, and says that a value is invalid
  bool algorithms;  // has none for any product
  bool launches;    // finds one, and refuses to launch it
};
void fake_cublaslt_refuse(const FakeCublasLtRefusals* what);

}  // extern "C"
#pragma GCC visibility pop
