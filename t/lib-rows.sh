# SPDX-License-Identifier: MIT
#
# The processes of a recording.
#
# shellcheck shell=sh

# rows RECORDING: the depth, arguments and exit code or signal of each process; what
# `trace2 list` says of them is in the file json.
rows () {
	trace2 list --format=json "$1" >json &&
	jq -r '.processes[] | "\(.depth) \(.argv // ["?"] | join(" ")): \(.code // .signal)"' json
}
