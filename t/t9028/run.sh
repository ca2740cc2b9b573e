#!/bin/sh
# SPDX-License-Identifier: MIT
#
# run.sh DIR OPTION... --rootfs ROOT COMMAND...
#
# Run COMMAND in a container by podman, whose files are in DIR. As an ordinary user
# (podman "without root"), if RUN_AS is its number. The limits are below those that
# podman may not raise here. Its runtime wants one hierarchy of control groups:
# another one is hidden from it, and it makes no group.
top=$1
shift
exec unshare -m sh -c '
	test "$(stat -f -c %T /sys/fs/cgroup)" = cgroup2fs || {
		umount -R /sys/fs/cgroup &&
		mount -t cgroup2 none /sys/fs/cgroup
	} && exec "$@"' sh \
	${RUN_AS:+setpriv --reuid=$RUN_AS --regid=$RUN_AS --clear-groups} \
	env HOME="$top/home" XDG_RUNTIME_DIR="$top/home" \
	podman --root "$top/home/storage" --runroot "$top/home/run" \
	--storage-driver vfs run --rm --network=none --cgroups=disabled \
	--ulimit nofile=1024:1024 --ulimit nproc=1000:1000 "$@"
