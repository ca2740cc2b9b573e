# SPDX-License-Identifier: MIT
"""Children: subprocess.Popen and run() with events, and exec."""

import os
import subprocess
import sys
import types

from . import _session, _span
from ._session import seconds


def _caller():
    frame = sys._getframe(2)
    while frame.f_back and frame.f_code.co_filename == subprocess.__file__:
        frame = frame.f_back
    return frame


def _is_word(args):
    return isinstance(args, (str, bytes, os.PathLike))


def _read_once(args):
    """Return arguments that can be read twice."""
    return args if isinstance(args, (list, tuple)) or _is_word(args) else list(args)


class Popen(subprocess.Popen):
    """subprocess.Popen that emits child_start, and child_exit when the end is
    seen (by wait(), poll(), communicate() or leaving its `with`).

    child_class: what the child is to the program, such as "hook" or "editor".
    """

    _trace2 = None

    def __init__(self, args, *rest, child_class="?", **options):
        session = _session.current
        if session is None:
            super().__init__(args, *rest, **options)
            return
        args = _read_once(args)
        thread = session.thread()
        now = session.now()
        number = next(session.children)
        cwd = options.get("cwd")
        cd = "" if cwd is None else f',"cd":{session.text(cwd)}'
        shell = "true" if options.get("shell") else "false"
        session.emit("child_start",
                     f',"child_id":{number},"child_class":{session.text(child_class)}{cd}'
                     f',"use_shell":{shell},"argv":{session.words([args] if _is_word(args) else args)}',
                     _caller(), now, thread)
        parent = _span.child_context(session, number)
        if parent and options.get("env") is None and len(rest) < 10:
            options["env"] = dict(os.environ, TRACEPARENT=parent)
        try:
            super().__init__(args, *rest, **options)
        except BaseException:
            self._trace2_exit(session, number, now, -1, -1)
            raise
        self._trace2 = (session, session.pid, number, now)

    def _trace2_exit(self, session, number, start, pid, code):
        now = session.now()
        session.emit("child_exit", f',"child_id":{number},"pid":{pid},"code":{code}'
                     f',"t_rel":{seconds(now - start)}', None, now)

    def _trace2_look(self):
        code = self.returncode
        if code is None or self._trace2 is None:
            return
        (session, pid, number, start), self._trace2 = self._trace2, None
        if session is _session.current and pid == os.getpid():
            self._trace2_exit(session, number, start, self.pid,
                              code if code >= 0 else 128 - code)

    def wait(self, timeout=None):
        code = super().wait(timeout=timeout)
        self._trace2_look()
        return code

    def poll(self):
        code = super().poll()
        self._trace2_look()
        return code

    def communicate(self, input=None, timeout=None):
        result = super().communicate(input=input, timeout=timeout)
        self._trace2_look()
        return result


# Take subprocess.run() of this Python, and let it use the Popen above.
run = types.FunctionType(subprocess.run.__code__, dict(vars(subprocess), Popen=Popen),
                         "run", subprocess.run.__defaults__, subprocess.run.__closure__)
run.__kwdefaults__ = subprocess.run.__kwdefaults__
run.__doc__ = "subprocess.run() with the events of the child, and child_class."


def execvp(file, args):
    """os.execvp() with the event exec, and exec_result if it fails."""
    session = _session.current
    if session is None:
        os.execvp(file, args)
    frame = sys._getframe(1)
    now = session.now()
    number = next(session.execs)
    session.emit("exec", f',"exec_id":{number},"exe":{session.text(file)}'
                 f',"argv":{session.words(args)}', frame, now)
    try:
        os.execvp(file, args)
    except OSError as error:
        session.emit("exec_result", f',"exec_id":{number},"code":{error.errno}', frame)
        raise
