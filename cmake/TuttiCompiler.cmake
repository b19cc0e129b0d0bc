# What every file of the project is compiled with.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "" FORCE)
endif()

# A compiler cache makes switching between branches and presets cheap.
# The sloppiness is what gcc's precompiled headers need to be cached at all.
find_program(TUTTI_CCACHE ccache)
if(TUTTI_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
      ${TUTTI_CCACHE})
endif()

# The flags ride on one interface target, so that they are not forced on whoever links tutti::tutti.
add_library(tutti_flags INTERFACE)
target_compile_options(tutti_flags INTERFACE
  # A contracted multiply-add rounds once instead of twice: results would depend on the compiler.
  -ffp-contract=off
  # Nobody replaces a function of ours in a running program: without this, gcc inlines none that is
  # seen from outside, since all code can be moved (-fPIC).
  -fno-semantic-interposition
  # __FILE__ and std::source_location then read the same on every machine, also in golden files.
  -fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=
  -fmacro-prefix-map=${PROJECT_BINARY_DIR}/include/tutti/=
  -Wall -Wextra -Wpedantic -Wconversion
  # A constructor's parameter may be named like the member it becomes; clang's -Wshadow agrees.
  $<IF:$<CXX_COMPILER_ID:GNU>,-Wshadow=local,-Wshadow>
  # Sizes are std::int64_t and container indices are unsigned: this one only adds casts.
  -Wno-sign-conversion)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # gcc 12 sees overlapping copies inside std::string, and uninitialised alternatives inside
  # std::variant. The sanitizers and clang look for the real ones.
  target_compile_options(tutti_flags INTERFACE -Wno-restrict -Wno-maybe-uninitialized)
elseif(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  # libstdc++ 12's std::stable_sort calls what it deprecates; __COUNTER__ is known to all compilers.
  target_compile_options(tutti_flags INTERFACE -Wno-deprecated-declarations -Wno-c2y-extensions)
endif()
if(TUTTI_WERROR)
  target_compile_options(tutti_flags INTERFACE -Werror)
endif()
if(CMAKE_CXX_COMPILER_LAUNCHER AND TUTTI_PCH)
  target_compile_options(tutti_flags INTERFACE
    $<IF:$<CXX_COMPILER_ID:GNU>,-fpch-preprocess,SHELL:-Xclang$<SEMICOLON>-fno-pch-timestamp>)
endif()

# tutti_unity(<target> [<source to leave out>...]) compiles several of a target's files as one, which
# takes half of the time: most of a file's is spent on the headers that it shares with the others.
# Helpers of one layer need different names for that; tests/layering holds it.
function(tutti_unity target)
  if(NOT TUTTI_UNITY)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${TUTTI_UNITY})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # A class of one .cpp file may hold what is in that file's anonymous namespace. And gcc would
    # spend a tenth of its time on keeping what it holds below 128 MB.
    target_compile_options(${target} PRIVATE
      -Wno-subobject-linkage --param=ggc-min-heapsize=524288)
  endif()
  if(ARGN)
    set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  endif()
endfunction()

# tutti_precompiled(<library>): of the headers that all layers share; the first one compiles them, and
# codegen again, whose macros are LLVM's. Clang takes about a third less time with them;
# gcc 12 takes as long to load them as to read the headers.
function(tutti_precompiled target)
  if(NOT TUTTI_PCH OR NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    return()
  elseif(target MATCHES "^tutti_(ir|codegen)$")
    target_precompile_headers(${target} PRIVATE ${PROJECT_SOURCE_DIR}/cmake/layers_pch.h)
  else()
    target_precompile_headers(${target} REUSE_FROM tutti_ir)
  endif()
endfunction()

# tutti_quick_to_compile(<target>): for what runs seldom, and is compiled in less than half of the time
# without optimisation where sanitizers are in it.
function(tutti_quick_to_compile target)
  if(TUTTI_SANITIZE)
    target_compile_options(${target} PRIVATE -O0)
    set_target_properties(${target} PROPERTIES DISABLE_PRECOMPILE_HEADERS ON)
  endif()
endfunction()

# Linking the test programs takes minutes with the system's linker. Not of what GCC compiled, where
# exceptions may abort then (docs/decisions/0032-linkers-and-exceptions.md).
find_program(TUTTI_LLD NAMES ld.lld HINTS /usr/lib/llvm-22/bin)
if(TUTTI_LLD AND PROJECT_IS_TOP_LEVEL AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  get_filename_component(folder ${TUTTI_LLD} DIRECTORY)
  add_link_options(-B${folder} -fuse-ld=lld)
endif()

# Coverage that libFuzzer is led by; the fuzzers bring the rest.
if(TUTTI_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "TUTTI_FUZZ needs Clang: cmake --preset fuzz")
  endif()
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

# Sanitizers have to reach every object and the link, so they are directory-wide.
if(TUTTI_SANITIZE STREQUAL "address")
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=all
                      -fno-omit-frame-pointer)
  if(NOT TUTTI_SANITIZE_ALL)
    # Half of what the compiler has to do, and nearly all of it the address sanitizer sees too.
    add_compile_options(-fno-sanitize=null,alignment,object-size,vptr)
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    # Makes what calls many small functions ten times as slow; gcc does not look for it either.
    add_compile_options(-fsanitize-address-use-after-return=never)
  endif()
  add_link_options(-fsanitize=address,undefined)
elseif(TUTTI_SANITIZE STREQUAL "thread")
  # -Wno-tsan: std::atomic_thread_fence is unknown to the tool; the code says so where it matters.
  add_compile_options(-fsanitize=thread -fno-omit-frame-pointer
                      $<$<CXX_COMPILER_ID:GNU>:-Wno-tsan>)
  add_link_options(-fsanitize=thread)
elseif(TUTTI_SANITIZE)
  message(FATAL_ERROR "TUTTI_SANITIZE is '${TUTTI_SANITIZE}'; it can be \"\", \"address\" or \"thread\"")
endif()
