# SPDX-License-Identifier: MIT
"""Spans: stretches of work with an id, and the W3C's trace context."""

import contextvars
import functools
import math
import os
import sys

from . import _session

# These modules are imported by load(): only a traced program waits for them.
_TRACEPARENT = _generator = _text = None

_current = contextvars.ContextVar("trace2_span", default=None)
_MAX_OPEN = 16384
_MAX_INTERVALS = 16


class _Trace:
    """A place in a trace: the ids, and whether the trace is sampled."""

    __slots__ = ("trace_id", "span_id", "parent_id", "sampled", "one_in")

    def __init__(self, trace_id, parent_id, sampled, one_in=1):
        self.trace_id = trace_id
        self.span_id = _random_id()
        self.parent_id = parent_id
        self.sampled = sampled
        self.one_in = one_in

    def header(self, span_id=None):
        return f"00-{self.trace_id}-{span_id or self.span_id}-{'01' if self.sampled else '00'}"

    def ids(self):
        parent = f',"parent_id":"{self.parent_id}"' if self.parent_id else ""
        return f'{{"trace_id":"{self.trace_id}","span_id":"{self.span_id}"{parent}'


def _random_id():
    return f"{_generator.getrandbits(64) or 1:016x}"


def load():
    global _TRACEPARENT, _generator, _text
    # Do not import random: the host may have a random.py of its own.
    from _random import Random
    import re
    from . import _text
    _TRACEPARENT = re.compile(
        r"([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?", re.DOTALL)
    # Use a generator of the module: the host may seed the default one.
    _generator = Random()


def _parse(header):
    """Return (trace id, span id, sampled) of a traceparent, or None."""
    match = _TRACEPARENT.fullmatch(header) if issubclass(type(header), str) else None
    if not match:
        return None
    version, trace_id, span_id, flags, more = match.groups()
    if version == "ff" or (more and version == "00") or not int(trace_id, 16) \
            or not int(span_id, 16):
        return None
    return trace_id, span_id, bool(int(flags, 16) & 1)


# -- the trace of the session, and which spans are recorded

class _State:
    trace = None    # of the session, if TRACEPARENT named one
    ratio = 1       # one in so many; 0: none
    slower_ns = 0   # and those that took as long, or failed
    open = {}


def _duration(text):
    for unit, ns in (("us", 10**3), ("ms", 10**6), ("s", 10**9)):
        if text.endswith(unit) and text[:-len(unit)].isdigit():
            return int(text[:-len(unit)]) * ns
    raise ValueError(text)


def _load_sampling(session):
    _State.ratio, _State.slower_ns = 1, 0
    setting = os.environ.get(_session.PREFIX + "_SPANS", "")
    if not setting:
        return
    ratio = slower = 0
    try:
        for word in setting.split(","):
            if word.startswith("slower:"):
                slower = _duration(word[7:])
            else:
                of, _, of_nr = word.partition("/")
                if int(of) not in (0, 1):
                    raise ValueError(word)
                ratio = int(of) and int(of_nr or "1")
    except ValueError:
        session.error("trace2: GIT_TRACE2_SPANS: want 1/N, slower:TIME or both, such as "
                      "'1/100,slower:50ms'; all spans are recorded")
        return
    _State.ratio, _State.slower_ns = ratio, slower


def begin(session):
    """Make the session a child of the span that TRACEPARENT names."""
    _load_sampling(session)
    _State.open = {}
    above = _parse(os.environ.get("TRACEPARENT", ""))
    _State.trace = None
    if above:
        trace = _State.trace = _Trace(*above)
        os.environ["TRACEPARENT"] = trace.header()
        sampled = "true" if trace.sampled else "false"
        _emit(session, "trace", f'{trace.ids()},"sampled":{sampled}}}', None, session.now(), 0)


def _mix(x):
    mask = 2**64 - 1
    x = ((x ^ x >> 30) * 0xbf58476d1ce4e5b9) & mask
    x = ((x ^ x >> 27) * 0x94d049bb133111eb) & mask
    return x ^ x >> 31


def child_context(session, number):
    """Return the traceparent for a child process, or None. Readers know its id
    from that of the span or the session, and the child's number."""
    span = _current.get()
    trace = span._trace if span is not None and span._session is session else _State.trace
    if trace is None:
        return None
    child = _mix(int(trace.span_id, 16) + (number + 1) * 0x9e3779b97f4a7c15 & 2**64 - 1) or 1
    return trace.header(f"{child:016x}")


def _emit(session, key, value, frame, now, took_ns):
    thread = session.enter()
    if thread is None:
        return
    try:
        session.emit("data_json", f'{session.t_abs(now)},"t_rel":{_session.seconds(took_ns)}'
                     f',"nesting":{len(thread.stack) + 1},"category":"trace2","key":"{key}"'
                     f',"value":{value}', frame, now, thread)
    finally:
        thread.busy = False


def _seconds9(ns):
    ns = max(ns, 0)
    return f"{ns // 10**9}.{ns % 10**9:09d}"


def _value(session, value):
    if value is True or value is False:
        return "true" if value else "false"
    if issubclass(type(value), int):
        value = int.__int__(value)
        if -2**63 <= value < 2**63:
            return str(value)
    if issubclass(type(value), float):
        value = float.__float__(value)
        if math.isfinite(value):
            return repr(value)
        return '"NaN"' if math.isnan(value) else '"Infinity"' if value > 0 else '"-Infinity"'
    return session.text(_cut(value, 256))


def _cut(value, most):
    return _session.Session.plain(value)[:most]


class Span:
    """A stretch of work with an id, which may begin in one thread or task and
    end in another. As a context manager it is the current span of its task or
    thread: children and spans inside belong to it; it ends with its block, and
    fails by an exception."""

    __slots__ = ("_session", "_pid", "_trace", "_category", "_name", "_start", "_remote",
                 "_state", "_attributes", "_intervals", "_failed", "_tokens", "_lost")

    def __init__(self, session, category, name, trace, remote, state):
        self._session = session
        self._pid = session.pid
        self._trace = trace
        self._category = category
        self._name = name
        self._start = session.now()
        self._remote = remote
        self._state = state
        self._attributes = {}
        self._intervals = []
        self._failed = None
        self._tokens = []
        self._lost = 0
        _State.open[id(self)] = self

    def set(self, key, value):
        """Set an attribute: a str, int, float or bool; the last value counts."""
        if self._session is not None:
            self._attributes[_cut(key, 64)] = value
        return self

    def traceparent(self):
        """Return the W3C's header for a request that this span makes."""
        return self._trace.header() if self._session is not None else None

    def fail(self, reason=""):
        """End the span as failed."""
        if self._session is not None:
            self._failed = _cut(reason, 256)
            self._finish(sys._getframe(1), False)

    def end(self):
        """End the span, in any thread. Later calls do nothing."""
        self._finish(sys._getframe(1), False)

    def __reduce__(self):
        """A copy of an object that holds a span holds NO_SPAN instead."""
        return _no_span, ()

    def __enter__(self):
        session = self._session
        if session is not None:
            token = _current.set(self)
            # The tasks of a loop take turns, so the time from enter to exit is
            # not the time for which the thread works for this task.
            loop = sys.modules.get("asyncio")
            running = getattr(loop, "_get_running_loop", None)  # half imported
            since = 0 if running and running() else session.now()
            self._tokens.append((token, since))
        return self

    def __exit__(self, kind, error, traceback):
        if self._tokens:
            token, since = self._tokens.pop()
            try:
                _current.reset(token)
            except ValueError:  # another context ends it
                pass
            if since and self._session is not None:
                self._note_interval(since)
        if error is not None and self._session is not None and self._failed is None:
            self._failed = _cut(f"{kind.__name__}: {_cut(error, 200)}", 256)
        self._finish(sys._getframe(1), False)
        return False

    async def __aenter__(self):
        return self.__enter__()

    async def __aexit__(self, kind, error, traceback):
        return self.__exit__(kind, error, traceback)

    def _note_interval(self, since):
        if len(self._intervals) < _MAX_INTERVALS:
            self._intervals.append((self._session.thread().name, since, self._session.now()))
        else:
            self._lost += 1

    def _finish(self, frame, unfinished):
        session, self._session = self._session, None
        if session is None:
            return
        _State.open.pop(id(self), None)
        if session is not _session.current or self._pid != os.getpid():
            return
        now = session.now()
        took = now - self._start
        one_in = self._trace.one_in
        if _State.slower_ns and (self._failed is not None or took >= _State.slower_ns):
            one_in = 1
        elif not self._trace.sampled:
            return
        _emit(session, "span", self._json(session, now, unfinished, one_in), frame, now, took)

    def _json(self, session, now, unfinished, one_in):
        base = session.start_ns
        parts = [self._trace.ids()]
        if self._remote:
            parts.append(',"remote":true')
        parts.append(f',"category":{session.text(_cut(self._category, 100))}'
                     f',"name":{session.text(_cut(self._name, 200))}'
                     f',"start":{_seconds9(self._start - base)}'
                     f',"end":{_seconds9(now - base)}')
        if unfinished:
            parts.append(',"unfinished":true')
        if self._failed is not None:
            parts.append(f',"failed":{session.text(self._failed)}')
        if one_in > 1:
            parts.append(f',"one_in":{one_in}')
        if self._attributes:
            items = [f"{_text.string(key)}:{_value(session, value)}"
                     for key, value in list(self._attributes.items())]
            parts.append(',"attributes":{' + ",".join(items) + "}")
        if self._intervals:
            items = [f"[{_text.string(name)},{_seconds9(since - base)},{_seconds9(to - base)}]"
                     for name, since, to in self._intervals]
            parts.append(',"threads":[' + ",".join(items) + "]")
        if self._state:
            parts.append(f',"tracestate":{session.text(_cut(self._state, 256))}')
        if self._lost:
            parts.append(f',"lost":{self._lost}')
        return "".join(parts) + "}"


class _NoSpan:
    """The span that span() returns while tracing is off."""

    __slots__ = ()

    def set(self, key, value):
        return self

    def traceparent(self):
        return None

    def fail(self, reason=""):
        pass

    def end(self):
        pass

    def __enter__(self):
        return self

    def __exit__(self, kind, error, traceback):
        return False

    async def __aenter__(self):
        return self

    async def __aexit__(self, kind, error, traceback):
        return False


NO_SPAN = _NoSpan()


def _no_span():
    return NO_SPAN


def span(category, name, parent=None, *, traceparent=None, tracestate=None):
    """Start a span. Its parent is `parent`, else the one that a request's header
    `traceparent` names, else the current span, else the process's; without any
    of them it begins a trace. NO_SPAN as a parent begins a trace, too."""
    session = _session.current
    if session is None or len(_State.open) >= _MAX_OPEN:
        return NO_SPAN
    session.thread()
    remote = False
    above = _parse(traceparent) if traceparent is not None and parent is None else None
    if above:
        remote = True
        trace = _Trace(*above)
    else:
        if parent is None:
            parent = _current.get()
        up = parent._trace if type(parent) is Span else \
            None if parent is NO_SPAN else _State.trace
        if up is not None:
            trace = _Trace(up.trace_id, up.span_id, up.sampled, up.one_in)
        else:
            ratio = _State.ratio
            sampled = ratio > 0 and (ratio == 1 or _generator.getrandbits(64) % ratio == 0)
            trace = _Trace(_random_id() + _random_id(), None, sampled, ratio)
    return Span(session, category, name, trace, remote, tracestate if remote else None)


def traced(category, name):
    """Return a decorator: each call of the function, or coroutine, is a span."""
    def decorate(function):
        if is_coroutine(function):
            @functools.wraps(function)
            async def wrapper(*args, **options):
                with span(category, name):
                    return await function(*args, **options)
        else:
            @functools.wraps(function)
            def wrapper(*args, **options):
                with span(category, name):
                    return function(*args, **options)
        return wrapper
    return decorate


def is_coroutine(function):
    if type(function) is type(is_coroutine) and not function.__dict__:
        return bool(function.__code__.co_flags & 0x80)  # inspect.CO_COROUTINE
    # Import inspect late: it takes as long to import as the rest of this
    # module.
    import inspect
    return inspect.iscoroutinefunction(function)


def current_span():
    """Return the current span of this task or thread, or NO_SPAN."""
    span_ = _current.get()
    return span_ if span_ is not None else NO_SPAN


def traceparent():
    """Return the header for a request: of the current span, else of the process;
    None: there is neither."""
    header = current_span().traceparent()
    if header is None and _State.trace is not None and _session.current is not None:
        header = _State.trace.header()
    return header


def _end(session):
    for open_span in list(_State.open.values()):
        open_span._finish(None, True)


def _forked():
    # The parent ends its own spans; in the child they may only be parents.
    _State.open = {}
    _generator.seed()


_session.at_end.append(_end)
_session.at_fork.append(_forked)
_session.at_open.append(begin)
