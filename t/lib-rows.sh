# SPDX-License-Identifier: MIT
#
# The processes of a recording.
#
# shellcheck shell=sh

# rows RECORDING: print the depth, arguments and exit code or signal of each
# process. The file json has the output of `trace2 list`.
rows () {
	trace2 list --format=json "$1" >json &&
	jq -r '.processes[] | "\(.depth) \(.argv // ["?"] | join(" ")): \(.code // .signal)"' json
}
