# The checks, as functions that chain their commands with &&: `set -e` has no effect in them. Sourced
# by scripts/test and scripts/slice, after common.sh.

logs=build/logs

# A few tests that fail get a second chance, alone on the machine, and are named in the summary if
# they take it: ranks race, and others use the machine.
runner=()  # the command that starts ctest
run_ctest() {
  local preset=$1 names
  shift
  names=build/$preset/Testing/Temporary/LastTestsFailed.log
  rm -f "$names"  # that of an earlier run says nothing of this one
  if "${runner[@]}" ctest --preset "$preset" --parallel "$jobs" --progress "$@"; then return; fi
  [[ -f $names && $(wc -l <"$names") -le 2 ]] || return 1
  sed 's/^[0-9]*://' "$names" >"$logs/again"
  heading "what failed, once more"
  # By names: --rerun-failed goes by numbers, and tests that -E leaves out have none.
  "${runner[@]}" ctest --preset "$preset" \
    -R "^($(sed 's/[].*+?^$(){}|\\[]/\\&/g' "$logs/again" | paste -sd '|'))\$" &&
    sed 's/^/passed only the second time: /' "$logs/again" | tee -a "$logs/flaky"
}

# Of the programs that take longest a run of scripts/test --slice leaves half out in one of its two
# builds: two of four pieces. With Clang the optimised build runs these, since both have the same
# tests; the sanitizers' builds run the other half after six more commits.
shared_pieces='^test_(lazy|ops|processes|runtime)/'
others_piece=()  # what a build leaves to the other one
leave_to() {
  local first=12 second=34
  if (($(git rev-list --count HEAD) / 6 % 2)); then first=34 second=12; fi
  case $1 in
    slice) others_piece=(-E "${shared_pieces}[$second]") ;;
    first) others_piece=(-E "${shared_pieces}[$first]") ;;
  esac
}

# Somebody may have built it for an install alone.
configure_all() { configure "$1" -D TUTTI_TESTS=ON -D TUTTI_EXAMPLES=ON; }
release() { configure_all release && build release && run_ctest release -L quick "${others_piece[@]}"; }
# The benchmarks are built so that they do not rot; they run by hand.
slow() {
  configure_all release && build release && build release tutti_benches && build release tutti_slow_tests &&
    run_ctest release -L full
}

# The shadow memory of gcc 12's sanitizers collides with randomised addresses on some kernels.
fixed_addresses=()
if setarch -R true 2>/dev/null; then fixed_addresses=(setarch -R); fi

# sanitized PRESET [CTEST'S ARGUMENTS...]
sanitized() {
  local preset=$1 runner=("${fixed_addresses[@]}")
  shift
  configure "$preset" && build "$preset" tutti_tests && run_ctest "$preset" -L quick "${others_piece[@]}" "$@"
}

# Of the two programs that take longer than all others together, one piece in four: another one after
# every commit. Slice 2 runs all.
address() {
  local commits
  # Of every six commits CI has one come here.
  commits=$(git rev-list --count HEAD) &&
    sanitized asan -E "^test_(lazy|ops)/[^$(((commits + commits / 6) % 4 + 1))]"
}

layering() { build release test_layering && build/release/bin/test_layering --gtest_brief=1; }

formatting() {
  local files wrong
  files=$(cxx_files) || return 1
  # One line a file will do; scripts/format shows the rest.
  wrong=$(xargs -r -P "$jobs" -n 1 bash -c \
    'clang-format-22 --dry-run -Werror "$0" >/dev/null 2>&1 || echo "not formatted: $0"' <<<"$files")
  [[ -z $wrong ]] || {
    sort <<<"$wrong"
    printf 'scripts/format formats them\n'
    return 1
  }
}

# Generated code and kernels here are those of processors with AVX2 alone, which have vectors of two
# registers where those with AVX-512 have one; the other builds run all that the machine has.
clang() {
  configure clang && build clang &&
    TUTTI_SET=instructions=avx2 run_ctest clang -L quick "${others_piece[@]}"
}

# On batches of files as the compiler sees them: a file's time goes into the headers that it shares.
tidy() {
  local files='/(ir|kernels|runtime|codegen|lazy|tools)/[^:]*\.(h|cpp)$'
  # One batch has a file that is made.
  configure tidy && ninja -C build/tidy kernels/embedded_texts.cpp &&
    find build/tidy/{ir,kernels,runtime,codegen,lazy,tools} -name 'unity_*.cxx' |
    xargs -r -P "$jobs" -n 1 clang-tidy-22 -p build/tidy --quiet --warnings-as-errors='*' \
      --header-filter="$files" --checks=-bugprone-suspicious-include
}

# Every file compiles on its own: users' builds have no batches, and a header that needs another one
# to come first would break users, not us. A header that a file includes first is checked with it.
alone() {
  local files
  files=$(cxx_files ir kernels runtime codegen lazy tools) || return 1
  configure tidy && {
    grep '\.cpp$' <<<"$files"
    grep '\.h$' <<<"$files" | grep -vxFf <(
      grep '\.cpp$' <<<"$files" | xargs awk 'FNR == 1 { found = 0 }
        !found && /^#include / { found = 1; if (gsub(/.*<tutti\/|>.*/, "")) print }')
  } | xargs -r -P "$jobs" -I{} clang++-22 -std=c++20 -fsyntax-only -x c++ \
    -DTUTTI_HAS_LLVM=1 -DTUTTI_HAS_ONEDNN=1 -DTUTTI_HAS_CUDA=1 -DTUTTI_HAS_ZIP=1 \
    -DTUTTI_VERSION="\"alone\"" -w -I . \
    -isystem "$(llvm-config-22 --includedir)" -I build/tidy/include {}
}

# What is checked beyond the quick part, in slices that take about as long as each other.
slice_names=(
  "benchmarks build, slow tests"
  "all checks of undefined behaviour"
  "clang's warnings, quick tests with AVX2"
  "clang-tidy, address sanitizer"
  "each file on its own"
  "thread sanitizer"
)
slice() {
  case $1 in
    1) slow ;;
    2) sanitized asan-all ;;
    3) clang ;;
    4) tidy && if [[ ${2-} != --full ]]; then address; fi ;;  # slice 2 has more
    5) alone ;;
    6) sanitized tsan ;;
  esac
}
