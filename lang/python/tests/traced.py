# SPDX-License-Identifier: MIT
"""Run programs with the module, and read their streams."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

MODULE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def some(kinds):
    """Return the kinds to try: with TRACE2_FEW only the first two, since each runs a program."""
    return kinds[:2] if os.environ.get("TRACE2_FEW") else kinds


class TracedTest(unittest.TestCase):
    """Each test has a directory of its own. TRACE2_KEEP is a directory that keeps the streams."""

    def setUp(self):
        keep = os.environ.get("TRACE2_KEEP")
        if keep:
            self.dir = os.path.join(keep, self.id().replace(".", "-"))
            os.makedirs(self.dir)
        else:
            directory = tempfile.TemporaryDirectory()
            self.addCleanup(directory.cleanup)
            self.dir = directory.name
        self.stream = os.path.join(self.dir, "stream")

    def run_program(self, program, *args, to=None, env=None, expect=0, running=None,
                    site=False, **options):
        """Run a program that begins the session; return its standard output.
        running: a function to call before the program's standard input ends. site:
        make installed packages available, which takes long."""
        path = os.path.join(self.dir, "prog.py")
        with open(path, "w", encoding="utf-8") as file:
            file.write("import sys\nimport trace2\ntrace2.initialize()\n" + program)
        variables = {name: value for name, value in os.environ.items()
                     if not name.startswith(("GIT_TRACE2", "TRACEPARENT"))}
        # Leave out directories of other users: there, a missing program is
        # reported as forbidden.
        variables["PATH"] = os.pathsep.join(
            name for name in os.get_exec_path() if os.access(name, os.X_OK))
        variables["PYTHONPATH"] = MODULE
        variables["GIT_TRACE2_EVENT"] = self.stream if to is None else to
        variables.update(env or {})
        command = [sys.executable, *([] if site else ["-S"]), path, *args]
        with subprocess.Popen(command, env=variables, cwd=self.dir,
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, **options) as child:
            if running:
                running()
            out, err = child.communicate()
        self.err = err.decode()
        self.assertEqual(child.returncode, expect, self.err)
        return out.decode()

    def same(self, program, *args, **options):
        """Check that the program does the same with tracing off."""
        off = self.run_program(program, *args, **dict(options, to="0"))
        off_err = self.err
        on = self.run_program(program, *args, **options)
        self.assertEqual(on, off)
        self.assertEqual(self.err, off_err)
        return on

    def events(self, *names, path=None):
        with open(path or self.stream, encoding="utf-8") as file:
            events = [json.loads(line) for line in file]
        return [event for event in events if not names or event["event"] in names]

    def one(self, name, **members):
        found = [event for event in self.events(name)
                 if all(event.get(key) == value for key, value in members.items())]
        self.assertEqual(len(found), 1, f"{name} {members} in {self.events(name)}")
        return found[0]

    def names(self):
        return [event["event"] for event in self.events()]
