# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2154

# Threads as trace2 reads them, and their states, for tests with made-up records
# of the kernel.

# dumped DIR: write what trace2 reads of threads and processes to `dump`.
dumped () {
	"$GIT_BUILD_DIR/build/unit/tool-states" "$1" >dump 2>err
}

# states DIR [TYPE FIELD...]: print the states in microseconds: TID STATE FROM FOR
# ...; then what `of` does.
states () {
	dumped "$1" && shift &&
	jq -r -s '(.[] | select(.type == "state") |
		"\(.tid) \(.state) \((.start_ns - 5e9) / 1000) \(.ns / 1000)" +
		(if .cause and .cause != "unknown" then " " + .cause else "" end) +
		(if .other then " by \(.other)" else "" end) +
		(if .comm then " by \(.comm)" else "" end) +
		(if .by_kernel then " by kernel" else "" end) +
		(if .by_outside then " by outside" else "" end) +
		(if .inferred then " ~" else "" end)),
		($ARGS.positional as [$type] | .[] | select(.type == $type) | . as $row |
		[$ARGS.positional[1:][] | $row[.] // "-"] | join(" "))' \
		dump --args "$@"
}

# states_with PATTERN: print those states of r that match it.
states_with () {
	states r >dumped &&
	grep "$1" dumped
}

# of TYPE FIELD...: print these fields of r.
of () {
	local type="$1" && shift &&
	dumped r &&
	jq -r --arg type "$type" 'select(.type == $type) | . as $row |
		[$ARGS.positional[] | $row[.] // "-"] | join(" ")' \
		dump --args "$@"
}
