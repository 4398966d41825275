#!/usr/bin/env bash
# Writes what changed between $BASE and $HEAD to $COMMENT_FILE, and its exit code to the step's outputs: the comment is
# posted before the job fails. A mistake (2 or more) ends here.
set -uo pipefail
options=()
[ -n "${SCENARIO:-}" ] && options+=(--scenario "$SCENARIO")
[ -n "${FAIL_ABOVE:-}" ] && options+=(--fail-above "$FAIL_ABOVE")
read -r -a further <<< "${ARGUMENTS:-}"
# ${further[@]+…}: an empty array is unbound for the bash 3 of some runners
"${WASIM:-wasim}" diff "$BASE" "$HEAD" --format markdown \
  ${options[@]+"${options[@]}"} ${further[@]+"${further[@]}"} > "$COMMENT_FILE"
status=$?
[ "$status" -gt 1 ] && exit "$status"
cat "$COMMENT_FILE" >> "${GITHUB_STEP_SUMMARY:-/dev/null}"
{
  echo "status=$status"
  echo "comment-file=$COMMENT_FILE"
} >> "${GITHUB_OUTPUT:-/dev/null}"
