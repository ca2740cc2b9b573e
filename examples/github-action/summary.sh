#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Say on the page of the job where the time went, and make the page to upload.
set -e
test -d trace2.data || exit 0
trace2 report --summary --redact --format=md trace2.data >>"$GITHUB_STEP_SUMMARY"
trace2 report --html trace2.html trace2.data
