# SPDX-License-Identifier: MIT
"""The session of the process: its start, its events, threads, forks, its end."""

import atexit
import itertools
import os
import signal
import sys
import threading
import time
from time import monotonic_ns, time_ns  # the host may patch those of the module

# These modules are imported by start(): only a traced program waits for them.
_dest = _text = None

PREFIX = "GIT_TRACE2"
PARENT_SID = PREFIX + "_PARENT_SID"
PARENT_NAME = PREFIX + "_PARENT_NAME"

# The session; None while tracing is off. Each public function looks here first.
current = None

# Functions of other parts. They are called when the session begins, when a
# thread ends (with the thread), when the session ends, and in a forked child.
at_open = []
at_thread_end = []
at_end = []
at_fork = []


def seconds(ns):
    """Return JSON for a duration, rounded to microseconds."""
    us = (max(ns, 0) + 500) // 1000
    return f"{us // 1000000}.{us % 1000000:06d}"


def _flag(name, default):
    value = os.environ.get(PREFIX + name, "").lower()
    if value in ("0", "false", "no", "off"):
        return False
    return default or value in ("1", "true", "yes", "on")


def _number(name, default, least):
    try:
        value = int(os.environ.get(PREFIX + name, ""))
    except ValueError:
        return default
    return value if value >= least else default


class Thread:
    """A thread of the session: its members of events, and its open regions."""

    __slots__ = ("session", "name", "head", "start_ns", "stack", "cells", "busy",
                 "writes")

    def __init__(self, session, name, start_ns):
        self.session = session
        self.name = name
        self.head = f',"sid":{session.sid_json},"thread":{_text.string(name)}'
        self.start_ns = start_ns
        self.stack = []
        self.cells = []  # (metric, cell)
        self.busy = False  # in a call
        self.writes = False


class _Guard:
    """An object in a threading.local, which ends with the thread."""

    __slots__ = ("thread",)

    def __init__(self, thread):
        self.thread = thread

    def __del__(self):
        thread = self.thread
        session = thread.session
        # Modules may be gone at the very end of Python. A forked child drops
        # the other threads of its parent before it calls functions.
        if session is not None and session is current and session.pid == os.getpid():
            for function in at_thread_end:
                function(session, thread)
            now = session.now()
            session.emit("thread_exit", f',"t_rel":{seconds(now - thread.start_ns)}',
                         None, now, thread)
            session.threads.discard(thread)


class Session:
    """One process's events, in one destination."""

    def __init__(self, argv):
        self.start_ns = monotonic_ns()
        self.wall_base_ns = time_ns() - self.start_ns
        self.argv = argv
        self.nesting = _number("_EVENT_NESTING", 2, 1)
        self.brief = _flag("_EVENT_BRIEF", False)
        self.redacts = _flag("_REDACT", True)
        self.debug = _flag("_DST_DEBUG", False)
        self.max_files = _number("_MAX_FILES", 0, 0)
        self.code = None
        self.lost = 0
        self.second = -1
        self.second_text = ""
        self.places = {}
        self.forked = False
        self.dest = None

    def open(self):
        """Name the session, and open its destination; False: there is none."""
        self.pid = os.getpid()
        self.local = threading.local()
        self.lock = threading.Lock()
        self.nr_threads = 0
        self.threads = set()
        self.closed = False
        self.children = itertools.count()
        self.execs = itertools.count()
        self.lost = 0
        wall = self.wall_base_ns + self.start_ns
        host = _sha1(os.fsencode(os.uname().nodename)).hexdigest()[:8]
        stamp = time.strftime("%Y%m%dT%H%M%S", time.gmtime(wall // 10**9))
        own = f"{stamp}.{wall // 1000 % 10**6:06d}Z-H{host}-P{self.pid:08x}"
        parent = "".join(c for c in os.environ.get(PARENT_SID, "") if c.isprintable())
        self.sid = f"{parent}/{own}" if parent else own
        self.sid_json = _text.string(self.sid)
        dest, sentinel = _dest.open_dest(PREFIX + "_EVENT", own, self.max_files, self.debug,
                                         warns=not self.dest)
        if not dest:
            # In a forked process, self.dest stays the closed one of the parent,
            # which loses events.
            return False
        self.dest = dest
        os.environ[PARENT_SID] = self.sid
        self.main = Thread(self, "main", self.start_ns)
        self.local.thread = self.main
        self.emit("version", ',"evt":"4","exe":"unknown"')
        if sentinel:
            self.emit("too_many_files", "")
            dest.close()
            return False
        now = self.now()
        self.emit("start", f'{self.t_abs(now)},"argv":{self.words(self.argv)}', now=now)
        for function in at_open:
            function(self)
        return True

    # -- the members of events

    @staticmethod
    def plain(value):
        """Return any value as a string."""
        if type(value) is str:
            return value
        try:
            if issubclass(type(value), (bytes, os.PathLike)):
                value = os.fsdecode(value)
            return str.__str__(value if issubclass(type(value), str) else str(value))
        except Exception:  # the host's __str__
            return "?"

    def text(self, value):
        """Return a JSON string of any value, without secrets."""
        value = self.plain(value)
        if self.redacts:
            value = _text.redact(value)
        return _text.string(value)

    def words(self, argv):
        """Return a JSON array of a command line."""
        words = []
        program = before = ""
        for word in argv:
            if self.redacts and before and self.plain(word)[:1] != "-" \
                    and _text.is_secret_option(program, before):
                word = _text.HIDDEN
            words.append(self.text(word))
            before = word if type(word) is str else ""
            program = program or before
        return "[" + ",".join(words) + "]"

    def secret(self, name, value):
        """Return a JSON string of a value, which is hidden if its name is that of a secret."""
        if self.redacts and _text.is_secret_name(self.plain(name)):
            value = _text.HIDDEN
        return self.text(value)

    def now(self):
        return monotonic_ns()

    def t_abs(self, now):
        return f',"t_abs":{seconds(now - self.start_ns)}'

    def _time(self, now):
        us = (self.wall_base_ns + now) // 1000
        second = us // 1000000
        if second != self.second:
            # Another thread may do the same at this time, for another second.
            text = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(second))
            self.second_text, self.second = text, second
            return f',"time":"{text}.{us % 1000000:06d}Z"'
        return f',"time":"{self.second_text}.{us % 1000000:06d}Z"'

    def _place(self, where):
        try:
            name, line = where.f_code.co_filename, where.f_lineno
        except AttributeError:
            name, line = where.co_filename, where.co_firstlineno
        file = self.places.get(name)
        if file is None:
            file = self.places[name] = _text.string(name)
        return f',"file":{file},"line":{line or 0}'

    # -- threads

    def thread(self):
        """Return the calling thread, after its thread_start."""
        try:
            return self.local.thread
        except AttributeError:
            pass
        if self.forked:
            self._reopen()
            return self.local.thread
        now = self.now()
        with self.lock:
            self.nr_threads += 1
            number = self.nr_threads
        name = threading.current_thread().name
        thread = Thread(self, f"th{number:02d}:{name}", now)
        self.threads.add(thread)
        self.local.thread = thread
        self.local.guard = _Guard(thread)
        self.emit("thread_start", "", None, now, thread)
        return thread

    def enter(self):
        """Return the calling thread, which is busy until the caller changes that;
        None: the thread is busy already. A signal handler or a finalizer has
        interrupted it, and the event is lost."""
        thread = self.thread()
        if thread.busy:
            self.lost += 1
            return None
        thread.busy = True
        return thread

    # -- events

    def emit(self, event, members, where=None, now=0, thread=None):
        """Write an event. where: the host's frame, or its code."""
        if thread is None:
            thread = self.thread()
        head = thread.head
        if not self.brief:
            head += self._time(now or self.now())
            if where is not None:
                head += self._place(where)
        elif event in ("version", "atexit"):
            head += self._time(now or self.now())
        line = f'{{"event":"{event}"{head}{members}}}\n'.encode("utf-8", "replace")
        # The end of the session first sets `closed`, then looks for threads
        # that write.
        thread.writes = True
        try:
            if (self.closed and thread is not self.main) or not self.dest.write(line):
                self.lost += 1
        finally:
            thread.writes = False

    def name(self, name, where):
        """Emit the name of the command, and pass it on to children."""
        up = os.environ.get(PARENT_NAME, "")
        name = self.plain(name)
        names = f"{up}/{name}" if up else name
        try:
            os.environ[PARENT_NAME] = names
        except ValueError:  # a NUL
            pass
        self.emit("cmd_name", f',"name":{self.text(name)},"hierarchy":{self.text(names)}', where)

    def error(self, message, fmt=None, where=None, thread=None):
        text = self.text(message)
        fmt = text if fmt is None else self.text(fmt)
        self.emit("error", f',"msg":{text},"fmt":{fmt}', where, 0, thread)

    # -- the end

    def end(self, code):
        """Emit the last events, in main's name."""
        global current
        error = _last_exception()
        interrupted = isinstance(error, KeyboardInterrupt)
        if not interrupted:
            if error is not None:
                self._tell_exception(error)
                code = 1
            self._emit_code("exit", code, "")
        for function in at_end:
            function(self)
        current = None
        self._close_to_threads()
        if interrupted:
            # Python is about to end by the signal.
            self._emit_signal(signal.SIGINT, None)
        else:
            self._emit_code("atexit", code, f',"lost":{self.lost}' if self.lost else "")
        self.dest.close()

    def _close_to_threads(self):
        """Let other threads, which may run on, write no more; wait for those that write."""
        self.closed = True
        until = monotonic_ns() + int(_dest.STALL_S * 10**9)
        while any(thread.writes for thread in list(self.threads)) \
                and monotonic_ns() < until:
            time.sleep(0.0005)

    def _emit_code(self, event, code, more):
        now = self.now()
        self.emit(event, f'{self.t_abs(now)},"code":{code}{more}', None, now, self.main)

    def _emit_signal(self, number, frame):
        now = self.now()
        self.emit("signal", f'{self.t_abs(now)},"signo":{int(number)}', frame, now, self.main)

    def _tell_exception(self, error):
        kind = type(error).__name__
        try:
            text = f"{kind}: {error}"
        except Exception:  # the host's __str__
            text = kind
        self.error(text, kind, None, self.main)

    # -- forks

    def after_fork(self):
        """Let the child begin a session of its own at its first event."""
        self.dest.close()
        self.forked = True
        self.start_ns = monotonic_ns()
        self.local = threading.local()
        self.lock = threading.Lock()
        self.threads = set()
        self.code = None

    def _reopen(self):
        global current
        self.forked = False
        if not self.open():
            current = None
            self.main = self.local.thread = Thread(self, "main", self.start_ns)
            return
        # Children of multiprocessing end without calling functions of atexit.
        util = sys.modules.get("multiprocessing.util")
        if util is not None:
            util.Finalize(None, _at_exit, exitpriority=-1000)


def _last_exception():
    """Return what Python printed before it ended, or None."""
    if hasattr(sys, "ps1") or sys.flags.interactive:
        return None
    return getattr(sys, "last_value", None)


def _at_exit():
    session = current
    if session is None or session.forked or session.pid != os.getpid():
        return
    try:
        session.end(session.code or 0)
    except Exception:  # nothing at the end of the host may fail
        pass


def code_of(status):
    """Return the exit code for the argument of sys.exit()."""
    if status is None:
        return 0
    return int(status) & 0xff if isinstance(status, int) else 1


def _watch_exit():
    """Note the code of sys.exit(), which Python tells nobody."""
    original = sys.exit

    def watching_exit(status=None, /):
        session = current
        if session is not None and threading.current_thread() is threading.main_thread():
            session.code = code_of(status)
        original(status)

    watching_exit.__doc__ = original.__doc__
    watching_exit.__name__ = watching_exit.__qualname__ = "exit"
    watching_exit.__module__ = "sys"  # pickle looks there
    sys.exit = watching_exit


def _watch_signals():
    """Emit an event for signals that the user names, if they have the default
    disposition."""
    if threading.current_thread() is not threading.main_thread():
        return
    names = os.environ.get(PREFIX + "_SIGNALS", "").replace(",", " ").split()
    for name in names:
        try:
            number = int(name) if name.isdigit() else \
                getattr(signal, name if name.startswith("SIG") else "SIG" + name)
            if signal.getsignal(number) == signal.SIG_DFL:
                signal.signal(number, _on_signal)
        except (AttributeError, ValueError, OSError):
            pass


def _on_signal(number, frame):
    global current
    session, current = current, None
    if session is not None and session.pid == os.getpid():
        session._emit_signal(number, frame)
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)


def _after_fork():
    if current is not None:
        for function in at_fork:
            function()
        current.after_fork()


def _load():
    global _dest, _text, _sha1
    from . import _dest, _span, _text
    try:
        from _sha1 import sha1 as _sha1
    except ImportError:  # hashlib loads OpenSSL
        from hashlib import sha1 as _sha1
    _span.load()


_initialized = False


def start(argv):
    """Begin the session of this process, once."""
    global current, _initialized
    if _initialized:
        return
    _initialized = True
    if os.getuid() != os.geteuid() or os.getgid() != os.getegid():
        return
    value = os.environ.get(PREFIX + "_EVENT", "")
    if value.lower() in ("", "0", "false"):
        return
    try:
        _load()
    except (ImportError, OSError):  # out of reach, say after a chroot
        return
    session = Session(argv)
    if session.open():
        current = session
        atexit.register(_at_exit)
        os.register_at_fork(after_in_child=_after_fork)
        _watch_exit()
        _watch_signals()
