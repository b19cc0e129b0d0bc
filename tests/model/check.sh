#!/usr/bin/env bash
# Runs Spin on a model, in each of its configurations (the file of that name):
#   tests/model/check.sh ring|places|results|sleep|failure quick|full
# Exits with 77 where Spin or a C compiler is missing, which ctest takes as skipped; with 1 where the
# environment has CI, as where every change is checked.
set -euo pipefail

folder=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
model=$1
when=$2
minutes=3  # a bitstate search stops here; what it saw until then is fine

for tool in spin cc; do
  command -v "$tool" >/dev/null || {
    echo "skipped: $tool is not installed (scripts/setup installs Debian's package spin)"
    if [[ -n ${CI-} ]]; then exit 1; fi
    exit 77
  }
done

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
cp "$folder/$model.pml" .

# check EXPECTED SEARCH MACRO... prints a line, and after a surprise Spin's own words.
check() {
  local expected=$1 search=$2 begin=$SECONDS
  shift 2
  local defines=("${@/#/-D}")
  # A mutant is found in less time than it takes to optimise its search.
  local flags=(-w -DSAFETY -DMEMLIM=4000 -O2) options=(-m1000000 -w22)
  if [[ $expected == breaks ]]; then flags+=(-O0); fi
  case $search in
    exhaustive) flags+=(-DCOLLAPSE) ;;
    bitstate)
      flags+=(-DBITSTATE)
      options=(-m1000000 -w32 "-Q$minutes")
      ;;
  esac
  rm -f pan* ./*.trail
  # A run that got nowhere leaves a log without a verdict.
  { spin -a "${defines[@]}" "$model.pml" && cc "${flags[@]}" -o pan pan.c &&
    ./pan "${options[@]}"; } >pan.log 2>&1 || true

  local found=unclear states reason
  reason=$(sed -n 's/^pan:1: \(.*\) (at depth.*/: \1/p' pan.log)
  states=$(sed -n 's/^ *\([0-9.e+]*\) states, stored.*/\1/p' pan.log)
  if grep -q 'errors: [1-9]' pan.log; then
    found=breaks
  elif grep -q 'errors: 0' pan.log &&
    { [[ $search == bitstate ]] || ! grep -q 'Search not completed' pan.log; }; then
    found=holds
  fi
  # Too deep a search is an error to Spin; to us it is neither.
  if grep -q 'max search depth too small' pan.log; then found=unclear; fi
  printf '%-8s %-10s %10s states %4d s  %s%s\n' \
    "$found" "$search" "${states:-?}" $((SECONDS - begin)) "$*" "$reason"
  [[ $found == "$expected" ]] && return
  printf 'expected: %s\n' "$expected"
  cat pan.log
  if [[ -f $model.pml.trail ]]; then
    spin -k "$model.pml.trail" -t -p "${defines[@]}" "$model.pml" | tail -n 60
  fi
  return 1
}

failed=0
ran=0
while read -r name at expected search macros; do
  [[ $name == "$model" && $at == "$when" ]] || continue
  read -ra macros <<<"$macros"
  check "$expected" "$search" "${macros[@]}" || failed=$((failed + 1))
  ran=$((ran + 1))
done <"$folder/configurations"
[[ $ran != 0 ]] || { echo "no configurations of $model for $when"; exit 1; }
[[ $failed == 0 ]] || { echo "$failed of $ran configurations surprise"; exit 1; }
