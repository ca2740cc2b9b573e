#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Record $TRACE2_RUN, and end as it does. The runner's user may use sudo, without
# a password; in a container he may not, and needs nothing.
if sudo -n true 2>/dev/null
then
	sudo -n sysctl -q kernel.perf_event_paranoid=1 || :
fi
trace2 check --record || :
exec trace2 record -- sh -c "$TRACE2_RUN"
