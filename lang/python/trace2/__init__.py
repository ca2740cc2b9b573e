# SPDX-License-Identifier: MIT
"""Trace a Python program: regions, spans, data, timers, counters, children.

    import trace2

    def main():
        with trace2.region("index", "read"):
            trace2.data("index", "entries", 12)

    trace2.initialize()
    main()

The events go where GIT_TRACE2_EVENT says, in the format of Git's Trace2 and of
libtrace2; trace2-python(7) describes the module. Before initialize(), and while
the variable is not set, calls do nothing. No call raises an exception, prints
or waits, whatever happens to the destination.
"""

import functools
import os
import sys

from . import _session
from ._child import Popen, execvp, run
from ._metric import Counter, Timer
from ._session import seconds as _seconds
from ._span import NO_SPAN, Span, current_span, span, traced, traceparent
from ._span import is_coroutine as _is_coroutine

__all__ = [
    "Counter", "NO_SPAN", "Popen", "Span", "Timer", "cmd_exit", "cmd_mode", "cmd_name",
    "current_span", "data", "def_param", "enabled", "error", "execvp", "initialize",
    "printf", "region", "run", "span", "traced", "traceparent",
]


def initialize(argv=None, name=None):
    """Begin the session of this process, once. argv: its command line, sys.argv;
    name: of the command, by default that of its file."""
    argv = list(sys.argv if argv is None else argv)
    _session.start(argv)
    if _session.current is not None:
        command = _session.current.plain(argv[0] if argv else "python")
        _session.current.name(name or os.path.basename(command), sys._getframe(1))


def enabled():
    """Return whether tracing is on, for values that take long to find."""
    return _session.current is not None


class region:
    """A region of the calling thread: `with region("odb", "unzip"):`, or a
    decorator of a function. Of a coroutine, use traced()."""

    __slots__ = ("category", "label", "message", "_open")

    def __init__(self, category, label, message=None):
        self.category = category
        self.label = label
        self.message = message
        self._open = None

    def __reduce__(self):
        return region, (self.category, self.label, self.message)

    def __enter__(self):
        if _session.current is not None:
            self._enter(sys._getframe(1))
        return self

    def _enter(self, where):
        session = _session.current
        thread = session.enter() if session is not None else None
        if thread is None:
            return
        try:
            now = session.now()
            names = f',"category":{session.text(self.category)},"label":{session.text(self.label)}'
            if self.message is not None:
                names += f',"msg":{session.text(self.message)}'
            entry = (now, names)
            thread.stack.append(entry)
            self._open = (thread, entry)
            nesting = len(thread.stack)
            if nesting <= session.nesting:
                session.emit("region_enter", f',"nesting":{nesting}{names}', where, now, thread)
        finally:
            thread.busy = False

    def __exit__(self, kind, error, traceback):
        if self._open is not None:
            self._leave(sys._getframe(1))
        return False

    def _leave(self, where):
        if self._open is None:
            return
        (thread, entry), self._open = self._open, None
        session = _session.current
        if session is None or session.thread() is not thread or entry not in thread.stack \
                or session.enter() is None:
            return
        try:
            # Spans inside this one that were not left end here, too.
            now = session.now()
            top = None
            while top is not entry:
                top = thread.stack.pop()
                nesting = len(thread.stack) + 1
                if nesting <= session.nesting:
                    session.emit("region_leave", f',"t_rel":{_seconds(now - top[0])}'
                                 f',"nesting":{nesting}{top[1]}', where, now, thread)
        finally:
            thread.busy = False

    def __call__(self, function):
        category, label, message = self.category, self.label, self.message
        if _is_coroutine(function):
            return traced(category, label)(function)

        where = getattr(function, "__code__", None)

        @functools.wraps(function)
        def wrapper(*args, **options):
            if _session.current is None:
                return function(*args, **options)
            inner = region(category, label, message)
            inner._enter(where)
            try:
                return function(*args, **options)
            finally:
                inner._leave(where)
        return wrapper


def data(category, key, value):
    """Emit a value in the innermost region: a str, an int, a float or a bool; a list,
    a dict or None becomes JSON."""
    session = _session.current
    thread = session.enter() if session is not None else None
    if thread is None:
        return
    try:
        nesting = len(thread.stack) + 1
        if nesting <= session.nesting:
            _emit_data(session, thread, nesting, category, key, value)
    finally:
        thread.busy = False


def _emit_data(session, thread, nesting, category, key, value):
    now = session.now()
    since = thread.stack[-1][0] if thread.stack else thread.start_ns
    event, text = "data", None
    if value is None or issubclass(type(value), (list, tuple, dict)):
        event, text = "data_json", _json_of(session, value)
    elif type(value) is bool:
        text = '"true"' if value else '"false"'
    session.emit(event, f'{session.t_abs(now)},"t_rel":{_seconds(now - since)}'
                 f',"nesting":{nesting},"category":{session.text(category)}'
                 f',"key":{session.text(key)},"value":{text or session.text(value)}',
                 sys._getframe(2), now, thread)


def _json_of(session, value):
    """Return JSON whose strings have no secrets."""
    def clean(item):
        kind = type(item)
        if issubclass(kind, dict):
            return {json.loads(session.text(key)): clean(inner) for key, inner in item.items()}
        if issubclass(kind, (list, tuple)):
            return [clean(inner) for inner in item]
        if item is None or issubclass(kind, int):
            return item
        if issubclass(kind, float):
            return item if item - item == 0 else str(item)
        return json.loads(session.text(item))
    try:
        import json  # few programs need it
        return json.dumps(clean(value), ensure_ascii=False, separators=(",", ":"))
    except Exception:  # the host's methods; another thread changes it; too deep
        return "null"


def error(message, fmt=None):
    """Emit an error of the program. fmt: the same for all errors of its kind."""
    session = _session.current
    if session is not None:
        session.error(message, fmt, sys._getframe(1))


def printf(message):
    """Emit a message for the reader of the trace."""
    session = _session.current
    if session is not None:
        now = session.now()
        session.emit("printf", f'{session.t_abs(now)},"msg":{session.text(message)}',
                     sys._getframe(1), now)


def cmd_name(name):
    """Name the command; the names of its children are below this name."""
    session = _session.current
    if session is not None:
        session.name(name, sys._getframe(1))


def cmd_mode(mode):
    """Report what the command is about to do."""
    session = _session.current
    if session is not None:
        session.emit("cmd_mode", f',"name":{session.text(mode)}', sys._getframe(1))


def cmd_exit(code):
    """Note the exit code, and return it: sys.exit(trace2.cmd_exit(main()))."""
    session = _session.current
    if session is not None:
        session.code = _session.code_of(code)
    return code


def def_param(scope, param, value):
    """Report a setting of the program; if its name is that of a secret, the value is hidden."""
    session = _session.current
    if session is not None:
        session.emit("def_param", f',"scope":{session.text(scope)},"param":{session.text(param)}'
                     f',"value":{session.secret(param, value)}', sys._getframe(1))
