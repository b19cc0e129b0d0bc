# LLVM 22, as the shared library: the static archives are 366 MB and link slowly.
# One major version only, since LLVM's C++ interface changes between majors.
# Used by the build and by the installed package.

# What its package looks for of the static archives, and says that it is not there.
set(tutti_unneeded LibEdit zstd CURL)
foreach(name IN LISTS tutti_unneeded)
  set(${name}_FIND_QUIETLY TRUE)
endforeach()
# LLVM's package compares major.minor, and its releases start at minor version 1.
find_package(LLVM 22.1 CONFIG QUIET PATHS /usr/lib/llvm-22)
foreach(name IN LISTS tutti_unneeded)
  unset(${name}_FIND_QUIETLY)
endforeach()
unset(tutti_unneeded)
set(TUTTI_LLVM_FOUND FALSE)
if(LLVM_FOUND AND TARGET LLVM)
  set(TUTTI_LLVM_FOUND TRUE)
endif()
