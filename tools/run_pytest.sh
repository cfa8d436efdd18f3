#!/usr/bin/env bash
# Run pytest. In CI (CI=true), run the tests that failed once more: a machine that stalls is no defect.
#
# usage: tools/run_pytest.sh PYTHON [ARGUMENT...]
#
# On a developer's machine the first failure counts. The second run prints its own closing line, so a test that fails once
# is seen. (pytest-rerunfailures repeats it at once, but asks the first process about each test, which takes 40 ms.)
set -euo pipefail

pytest=("$1" -m pytest)
shift
if [[ ${CI:-} != true ]]; then
    exec "${pytest[@]}" "$@"
fi

# Two runs side by side must not share what they remember.
cache=$(mktemp -d)
trap 'rm -rf "$cache"' EXIT
# The slowest tests are listed: they are the ones to make faster.
pytest+=(-o "cache_dir=$cache" -ra --durations=25 --durations-min=5)

status=0
"${pytest[@]}" "$@" || status=$?
# Other codes than 1 are no failures of tests: an interruption, a wrong option.
[[ $status -eq 1 ]] || exit "$status"
printf '\ncanfetch: the tests that failed run once more\n'
"${pytest[@]}" --last-failed --last-failed-no-failures=none --cov-append "$@"
