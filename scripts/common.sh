# Shared by the other scripts, which source it. Leaves the shell at the top of the tree.

cd "$(dirname "${BASH_SOURCE[0]}")/.."

jobs=$(nproc)

heading() { printf '\n== %s\n' "$*"; }

die() {
  printf '%s: %s\n' "$(basename "$0")" "$*" >&2
  exit 1
}

# Quiet when all is well: a configure's output matters only when it fails, except our own lines.
# A tree that exists keeps the size of its batches, which a preset would set again.
configure() {
  local output batches
  batches=$(grep -s '^TUTTI_UNITY:' "build/$1/CMakeCache.txt" | cut -d= -f2) || true
  if output=$(cmake --preset "$@" ${batches:+"-DTUTTI_UNITY=$batches"} 2>&1); then
    grep '^-- Tutti:' <<<"$output" || true
  else
    printf '%s\n' "$output"
    return 1
  fi
}

# build PRESET [TARGET...]
build() {
  local preset=$1
  shift
  cmake --build --preset "$preset" --parallel "$jobs" ${1:+--target "$@"}
}

# cxx_files [PATH...]: the C++ files that git knows or would take, one a line; not the hand-aligned
# tables in .def files.
# A failing git must not look like "nothing to check".
cxx_files() {
  local files file
  files=$(git ls-files --cached --others --exclude-standard -- "${@:-.}") || return 1
  sort -u <<<"$files" | while read -r file; do
    case $file in
      *.h | *.cpp | *.cuh) if [[ -f $file ]]; then printf '%s\n' "$file"; fi ;;
    esac
  done
}
