# SPDX-License-Identifier: MIT
"""Timers and counters, summed up over threads until the process ends."""

import functools
import threading
from time import monotonic_ns  # the host may patch that of the module

from . import _session
from ._session import seconds


_MOST = 2**63 - 1


def _whole(value):
    """Return the number as an int. None: leave the value out, without an exception."""
    if type(value) is not int:
        try:
            value = int.__int__(int(value)) if not issubclass(type(value), str) else -1
        except Exception:  # no number, or the host's __int__
            return None
    return value if 0 <= value <= _MOST else None


class _Cell:
    """The counts of one thread."""

    __slots__ = ("count", "total", "least", "most", "nest", "since")

    def __init__(self):
        self.count = self.total = self.most = self.nest = self.since = 0
        self.least = None

    def add(self, ns):
        self.merge(1, ns, ns, ns)

    def merge(self, count, total, least, most):
        self.count += count
        self.total += total
        if self.least is None or (least is not None and least < self.least):
            self.least = least
        if most > self.most:
            self.most = most


class _Metric:
    """A definition; each thread counts in a cell of its own."""

    def __init__(self, category, name, per_thread=False):
        self.category = category
        self.name = name
        self.per_thread = per_thread
        self._clear()
        _metrics.append(self)

    def _clear(self):
        self._local = threading.local()
        self._lock = threading.Lock()
        self._cells = {}
        self._ended = _Cell()  # the sum of the threads that have ended

    def _cell(self):
        thread = _session.current.thread()
        cell = self._local.cell = _Cell()
        self._cells[id(cell)] = cell
        thread.cells.append((self, cell))
        return cell

    def _thread_end(self, session, thread, cell):
        with self._lock:
            self._cells.pop(id(cell), None)
            self._ended.merge(cell.count, cell.total, cell.least, cell.most)
        if self.per_thread and cell.count:
            self._emit(session, "th_", cell, thread)

    def _end(self, session):
        total = _Cell()
        for cell in [self._ended, *list(self._cells.values())]:
            total.merge(cell.count, cell.total, cell.least, cell.most)
        if total.count:
            self._emit(session, "", total, session.main)

    def _head(self, session):
        return f',"category":{session.text(self.category)},"name":{session.text(self.name)}'


_metrics = []


class Counter(_Metric):
    """counter.add(5)"""

    def add(self, value=1):
        """Add a value, from 0."""
        value = _whole(value) if _session.current is not None else None
        if value is None:
            return
        try:
            cell = self._local.cell
        except AttributeError:
            cell = self._cell()
        cell.count += value

    def _emit(self, session, prefix, cell, thread):
        session.emit(prefix + "counter", f'{self._head(session)},"count":{cell.count}',
                     None, 0, thread)


class Timer(_Metric):
    """with timer: ..., or timer as a decorator, or timer.add(ns)."""

    def start(self):
        """Start an interval of the calling thread; inside a running one it only
        nests."""
        if _session.current is None:
            return
        try:
            cell = self._local.cell
        except AttributeError:
            cell = self._cell()
        cell.nest += 1
        if cell.nest == 1:
            cell.since = monotonic_ns()

    def stop(self):
        """Stop the interval. A stop without a start is dropped."""
        if _session.current is None:
            return
        cell = getattr(self._local, "cell", None)
        if cell is None or not cell.nest:
            return
        cell.nest -= 1
        if not cell.nest:
            cell.add(monotonic_ns() - cell.since)

    def add(self, ns):
        """Add an interval measured elsewhere, in nanoseconds."""
        ns = _whole(ns) if _session.current is not None else None
        if ns is None:
            return
        try:
            cell = self._local.cell
        except AttributeError:
            cell = self._cell()
        cell.add(ns)

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, kind, error, traceback):
        self.stop()
        return False

    def __call__(self, function):
        @functools.wraps(function)
        def wrapper(*args, **options):
            with self:
                return function(*args, **options)
        return wrapper

    def _emit(self, session, prefix, cell, thread):
        session.emit(prefix + "timer", f'{self._head(session)},"intervals":{cell.count}'
                     f',"t_total":{seconds(cell.total)},"t_min":{seconds(cell.least or 0)}'
                     f',"t_max":{seconds(cell.most)}', None, 0, thread)


def _thread_end(session, thread):
    cells, thread.cells = thread.cells, []
    for metric, cell in cells:
        metric._thread_end(session, thread, cell)


def _end(session):
    _thread_end(session, session.main)
    for metric in sorted(_metrics, key=lambda metric: isinstance(metric, Counter)):
        metric._end(session)


def _forked():
    for metric in _metrics:
        metric._clear()


_session.at_thread_end.append(_thread_end)
_session.at_end.append(_end)
_session.at_fork.append(_forked)
