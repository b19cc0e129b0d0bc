# LLVM 22, as the shared library: the static archives are 366 MB and link slowly.
# One major version only, since LLVM's C++ interface changes between majors.
# Used by the build and by the installed package.

# LLVM's package compares major.minor, and its releases start at minor version 1.
find_package(LLVM 22.1 CONFIG QUIET PATHS /usr/lib/llvm-22)
set(TUTTI_LLVM_FOUND FALSE)
if(LLVM_FOUND AND TARGET LLVM)
  set(TUTTI_LLVM_FOUND TRUE)
endif()
