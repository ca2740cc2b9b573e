# SPDX-License-Identifier: MIT
"""Destinations: open them, and write lines without harm to the host.

A write never waits for a reader for longer than STALL_S in all, raises no
SIGPIPE, and ends at the first error. A line goes into no file of the host that
took over a descriptor.
"""

import errno
import fcntl
import os
import select
import signal
import socket
import stat
import sys
import threading
from time import monotonic  # the host may patch that of the module

STALL_S = 0.05
SENTINEL = "git-trace2-discard"
_FLAGS = (os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOCTTY
          | os.O_NONBLOCK)
_NOWAIT = 8  # RWF_NOWAIT


def _off(value):
    return value.lower() in ("", "0", "false")


class Refused(Exception):
    """The destination cannot be used; it stays off."""


class Dest:
    """A destination of lines. Lines of several threads do not mix."""

    def __init__(self, fd, ours):
        status = os.fstat(fd)
        self.ours = ours
        self.cut = False
        self.left_s = STALL_S
        self.owner = 0
        self.lock = threading.Lock()
        self.sock = None
        self.id = (status.st_dev, status.st_ino)
        self.is_file = not (stat.S_ISFIFO(status.st_mode)
                            or stat.S_ISSOCK(status.st_mode)
                            or os.isatty(fd))
        # Do not change pipes of the host, since others share them.
        self.flags = 0 if ours else _NOWAIT
        self.fd = fd

    def write(self, line):
        """Write a line; False: it is lost."""
        fd = self.fd
        if fd < 0:
            return False
        try:
            status = os.fstat(fd)
            if (status.st_dev, status.st_ino) != self.id:
                self.fd = -1
                return False
            if self.is_file and not self.cut:
                return os.write(fd, line) == len(line) or self._fail(b"\n")
        except OSError:
            return self._fail()
        # Do not wait for the lock in a signal handler or finalizer that
        # interrupted its owner here.
        if self.owner == threading.get_ident():
            return False
        if not self.lock.acquire(timeout=STALL_S):
            return False
        try:
            self.owner = threading.get_ident()
            return self._write_whole(line)
        except OSError:
            return self._fail()
        finally:
            self.owner = 0
            self.lock.release()

    def _fail(self, end=b""):
        """Stop, and end the incomplete line. The descriptor stays open, since
        other threads may be writing."""
        fd, self.fd = self.fd, -1
        try:
            if end and fd >= 0:
                os.write(fd, end)
        except OSError:
            pass
        return False

    def _write_whole(self, line):
        if self.cut:
            line = b"\n" + line
        done = 0
        while done < len(line):
            try:
                done += self._write_some(line[done:])
            except BlockingIOError:
                if not self._wait():
                    self.cut = self.cut or done > 0
                    return False
        self.cut = False
        return True

    def _write_some(self, data):
        if self.sock:
            return self.sock.send(data, socket.MSG_NOSIGNAL | socket.MSG_DONTWAIT)
        if self.is_file or signal.getsignal(signal.SIGPIPE) == signal.SIG_IGN:
            return self._write_fd(data)
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGPIPE})
        try:
            pending = signal.SIGPIPE in signal.sigpending()
            return self._write_fd(data)
        except BrokenPipeError:
            if not pending:
                signal.sigtimedwait({signal.SIGPIPE}, 0)
            raise
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def _write_fd(self, data):
        if self.flags and not self.is_file:
            return os.pwritev(self.fd, [data], -1, self.flags)
        return os.write(self.fd, data)

    def _wait(self):
        """Wait for the reader, as long as there is time left."""
        if self.left_s <= 0:
            return False
        before = monotonic()
        poll = select.poll()
        poll.register(self.fd, select.POLLOUT)
        ready = poll.poll(self.left_s * 1000)
        self.left_s -= monotonic() - before
        return bool(ready)

    def close(self):
        fd, self.fd = self.fd, -1
        if fd < 0 or not self.ours:
            return
        try:
            status = os.fstat(fd)
            if (status.st_dev, status.st_ino) == self.id:
                if self.sock:
                    self.sock.close()
                else:
                    os.close(fd)
            elif self.sock:
                self.sock.detach()
        except OSError:
            pass


def _move_up(fd):
    """Return a number that the host is unlikely to take."""
    try:
        new = fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 200)
    except OSError:
        return fd
    os.close(fd)
    return new


def _end_line(dest, path):
    """End the incomplete line that a killed process may have left. If another
    process is appending a line that crosses a page, the file grows between two
    looks: look until the size stays the same. (In most file systems a search for
    a hole waits until no write is in progress.)"""
    try:
        with open(path, "rb") as file:
            fd, size = file.fileno(), -1
            while (end := os.fstat(fd).st_size) != size:
                size = end
                if not size or os.pread(fd, 1, size - 1) == b"\n":
                    return
                os.lseek(fd, size - 1, os.SEEK_HOLE)
                os.sched_yield()
            dest.cut = True
    except OSError:
        pass


def _descriptor_behind(path):
    """Return the descriptor to which a link leads, as /dev/stderr does, or None."""
    for _ in range(8):
        if not os.path.islink(path):
            return None
        directory, name = os.path.split(path)
        own = [os.path.realpath(f"/proc/{s}/fd") for s in ("self", "thread-self")]
        if os.path.realpath(directory) in own and name.isdigit():
            return int(name)
        path = os.path.join(directory, os.readlink(path))
    return None


def _takes_lines(fd):
    mode = fcntl.fcntl(fd, fcntl.F_GETFL) & os.O_ACCMODE
    return mode != os.O_RDONLY and not stat.S_ISDIR(os.fstat(fd).st_mode)


def _open_path(path, name, max_files):
    """Return the destination, and whether it is the sentinel of a directory."""
    own = _descriptor_behind(path)
    if own is not None and _takes_lines(own):
        return _open_fd(own)
    try:
        fd = os.open(path, _FLAGS, 0o666)
    except IsADirectoryError:
        return _open_in(path, name, max_files)
    dest = Dest(_move_up(fd), True)
    if dest.is_file and stat.S_ISREG(os.fstat(dest.fd).st_mode):
        _end_line(dest, path)
    return dest, False


def _open_in(directory, name, max_files):
    sentinel = os.path.join(directory, SENTINEL)
    new = _FLAGS | os.O_EXCL | os.O_NOFOLLOW
    if max_files:
        if os.path.lexists(sentinel):
            raise Refused("the directory has too many files")
        if len(os.listdir(directory)) >= max_files:
            return Dest(_move_up(os.open(sentinel, new, 0o666)), True), True
    for number in [""] + [f".{i}" for i in range(1, 10)]:
        try:
            fd = os.open(os.path.join(directory, name + number), new, 0o666)
        except FileExistsError:
            continue
        return Dest(_move_up(fd), True), False
    raise Refused("each name for a file there is taken")


def _open_fd(fd):
    mode = os.fstat(fd).st_mode
    if (fcntl.fcntl(fd, fcntl.F_GETFL) & os.O_ACCMODE) == os.O_RDONLY:
        raise Refused("it is open for reading only")
    if stat.S_ISSOCK(mode):
        raise Refused("it is a socket: name it by af_unix:")
    if os.isatty(fd):
        flags = os.O_WRONLY | os.O_NOCTTY | os.O_NONBLOCK | os.O_CLOEXEC
        return Dest(_move_up(os.open(f"/proc/self/fd/{fd}", flags)), True), False
    return Dest(fd, False), False


def _open_socket(rest):
    kinds = [socket.SOCK_STREAM, socket.SOCK_DGRAM]
    for prefix, kind in (("stream:", kinds[0]), ("dgram:", kinds[1])):
        if rest.startswith(prefix):
            rest = rest[len(prefix):]
            kinds = [kind]
    if not rest.startswith("/"):
        raise Refused("want af_unix:[stream:|dgram:]/absolute/path")
    for kind in kinds:
        sock = socket.socket(socket.AF_UNIX, kind | socket.SOCK_NONBLOCK)
        try:
            sock.connect(rest)
        except OSError as error:
            sock.close()
            if error.errno != errno.EPROTOTYPE or kind == kinds[-1]:
                raise
            continue
        moved = socket.socket(fileno=_move_up(sock.detach()))
        dest = Dest(moved.fileno(), True)
        dest.sock = moved
        return dest, False
    raise Refused("nobody listens")


def _open(value, name, max_files):
    if value.startswith("/"):
        return _open_path(value, name, max_files)
    if value.lower() in ("1", "true"):
        return _open_fd(2)
    if len(value) == 1 and value in "23456789":
        return _open_fd(int(value))
    if value.startswith("af_unix:"):
        return _open_socket(value[8:])
    return None, False


def _warn(text):
    try:
        sys.stderr.write(f"warning: trace2: {text}\n")
    except (OSError, ValueError, AttributeError):
        pass


def open_dest(variable, name, max_files, debug, warns=True):
    """Return the destination that a variable names, or None, and whether it is
    the sentinel of a directory. name: for a file in a directory. warns: warn if
    the value names no destination."""
    value = os.environ.get(variable, "")
    if _off(value):
        return None, False
    try:
        dest, is_sentinel = _open(value, name, max_files)
    except (Refused, OSError, ValueError) as error:
        if debug:
            reason = error.strerror if isinstance(error, OSError) else error
            _warn(f"cannot use {variable}: '{value}': {reason}")
        return None, False
    if not dest and warns:
        _warn(f"unknown value for '{variable}': '{value}'")
    return dest, is_sentinel
