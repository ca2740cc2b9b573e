# SPDX-License-Identifier: MIT
"""A traced program does the same as without the module, whatever happens to its stream."""

import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
import unittest

from traced import MODULE, TracedTest, some

WORK = """
with trace2.region("c", "l"):
    trace2.data("c", "k", "x" * 300)
    trace2.run(["true"])
with trace2.span("c", "s"):
    pass
print("done")
"""


class Destinations(TracedTest):
    def test_unusable(self):
        for to in some(("/dev/full", "nonsense", self.dir + "/no/file", "/proc/self/mem", "9",
                        "af_unix:/no/socket", "af_unix:relative", "/\udcff/x", "true")):
            with self.subTest(to):
                self.assertEqual(self.run_program(WORK, to=to), "done\n")
                if to == "nonsense":
                    self.assertIn("unknown value for 'GIT_TRACE2_EVENT': 'nonsense'", self.err)
                elif to != "true":
                    self.assertEqual(self.err, "")

    def test_debug_says_why(self):
        self.run_program(WORK, to=self.dir + "/no/file", env={"GIT_TRACE2_DST_DEBUG": "1"})
        self.assertIn("No such file", self.err)

    def test_gone_streams(self):
        self.run_program("sys.stderr = sys.stdout = None\n", to="nonsense")

    def test_closed_and_reused(self):
        self.run_program("""
import os
trace2.data("c", "k", 1)
for fd in range(3, 300):
    try:
        os.close(fd)
    except OSError:
        pass
files = [open("host", "w") for i in range(300)]
trace2.data("c", "k", 2)
""")
        self.assertEqual(os.path.getsize(os.path.join(self.dir, "host")), 0)
        self.assertEqual([e["value"] for e in self.events("data")], ["1"])

    def test_descriptor_of_the_host(self):
        with open(self.stream, "wb") as file:
            self.run_program("""
import os
trace2.data("c", "k", 1)
host = open("host", "w")
os.dup2(host.fileno(), int(sys.argv[1]))
trace2.data("c", "k", 2)
""", "5", to="5", pass_fds=[5], preexec_fn=lambda: os.dup2(file.fileno(), 5))
        self.assertEqual(self.names(), ["version", "start", "cmd_name", "data"])
        self.assertEqual(os.path.getsize(os.path.join(self.dir, "host")), 0)

    def test_name_of_a_descriptor(self):
        with open(self.stream, "wb") as file:
            self.run_program("""
import os
os.write(5, b"   \\n")
trace2.data("c", "k", 1)
os.write(5, b"   \\n")
""", to="/dev/fd/5", pass_fds=[5], preexec_fn=lambda: os.dup2(file.fileno(), 5))
        with open(self.stream, "rb") as file:
            lines = file.read().splitlines()
        self.assertEqual(len([li for li in lines if li.startswith(b"{")]), 6)
        self.assertEqual(len(lines), 8)

    def test_limit_of_files(self):
        self.run_program("""
import resource, signal
resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
for i in range(100):
    trace2.data("c", "k", i)
""")
        self.assertLessEqual(os.path.getsize(self.stream), 2000)

    def test_directory(self):
        os.mkdir(self.stream)
        self.run_program(WORK)
        names = os.listdir(self.stream)
        self.assertEqual(len(names), 1)
        events = self.events(path=os.path.join(self.stream, names[0]))
        self.assertEqual(events[0]["sid"], names[0])
        for _ in range(3):
            self.run_program(WORK, env={"GIT_TRACE2_MAX_FILES": "2"})
        names = os.listdir(self.stream)
        self.assertEqual(len(names), 3)
        events = self.events(path=os.path.join(self.stream, "git-trace2-discard"))
        self.assertEqual([e["event"] for e in events], ["version", "too_many_files"])

    def test_incomplete_line_of_another_process(self):
        with open(self.stream, "w", encoding="utf-8") as file:
            file.write('{"event":')
        self.run_program(WORK)
        with open(self.stream, encoding="utf-8") as file:
            lines = file.read().split("\n")
        self.assertEqual(lines[0], '{"event":')
        self.assertEqual(json.loads(lines[1])["event"], "version")
        os.unlink(self.stream)

    def test_line_that_another_process_is_writing(self):
        with open(self.stream, "w", encoding="utf-8") as file:
            file.write('{"event":')
        module = os.path.join(self.dir, "sitecustomize.py")
        with open(module, "w", encoding="utf-8") as file:
            file.write(f"""
import os
rest = ['"x"}}\\n', "1,"]
def sched_yield():
    with open({self.stream!r}, "a") as file:
        file.write(rest.pop())
os.sched_yield = sched_yield
""")
        self.run_program(WORK, env={"PYTHONPATH": MODULE + os.pathsep + self.dir}, site=True)
        with open(self.stream, encoding="utf-8") as file:
            lines = file.read().split("\n")
        self.assertEqual(lines[0], '{"event":1,"x"}')
        self.assertEqual(json.loads(lines[1])["event"], "version")
        os.unlink(self.stream)

    def test_brief_and_nesting(self):
        self.run_program(WORK, env={"GIT_TRACE2_EVENT_BRIEF": "1", "GIT_TRACE2_EVENT_NESTING": "1"})
        self.assertEqual([e["event"] for e in self.events() if "time" in e],
                         ["version", "atexit"])
        self.assertEqual(self.events("data"), [])


class Readers(TracedTest):
    def program_to(self, write, program, to, **options):
        try:
            return self.run_program(program, to=to, pass_fds=[write], **options)
        finally:
            os.close(write)

    def short_path(self):
        """Return a path for a socket: paths in the directory of a test may be too long."""
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        return os.path.join(directory.name, "socket")

    def test_pipe(self):
        read, write = os.pipe()
        self.program_to(write, WORK, str(write))
        with os.fdopen(read) as file:
            events = [json.loads(line) for line in file]
        self.assertEqual(events[-1]["event"], "atexit")
        self.assertFalse("lost" in events[-1])

    def test_reader_has_gone(self):
        for disposition in ("SIG_DFL", "SIG_IGN"):
            read, write = os.pipe()
            out = self.run_program(f"""
import os, signal
signal.signal(signal.SIGPIPE, signal.{disposition})
sys.stdin.read()
os.close({read})
{WORK}
assert not signal.sigpending()
""", to=str(write), pass_fds=[read, write], running=lambda: os.close(read))
            os.close(write)
            self.assertEqual(out, "done\n")

    def test_reader_stalls(self):
        read, write = os.pipe()
        out = self.program_to(write, """
import os, time
before = time.monotonic()
for i in range(1000):
    trace2.data("c", "k", "x" * 1000)
assert os.get_blocking(int(sys.argv[1]))
print("done")
""".replace("sys.argv[1]", str(write)), str(write))
        self.assertEqual(out, "done\n")
        os.close(read)

    def test_reader_comes_back(self):
        read, write = os.pipe()
        path = os.path.join(self.dir, "go")
        os.mkfifo(path)
        reader = subprocess.Popen([sys.executable, "-c", f"""
import os
open({path!r}).read()
data = b""
while True:
    part = os.read({read}, 65536)
    if not part:
        break
    data += part
open({self.stream!r}, "wb").write(data)
"""], pass_fds=[read])
        os.close(read)
        self.program_to(write, f"""
import time
for i in range(500):
    trace2.data("c", "k", "x" * 1000)
open({path!r}, "w").close()
import os, select
poll = select.poll()
poll.register({write}, select.POLLOUT)
poll.poll()
trace2.data("c", "k", "last")
""", str(write))
        reader.wait()
        with open(self.stream, encoding="utf-8") as file:
            lines = file.read().splitlines()
        last = json.loads(lines[-1])
        self.assertEqual(last["event"], "atexit")
        self.assertGreater(last["lost"], 0)
        self.assertEqual([json.loads(line)["value"] for line in lines if '"last"' in line],
                         ["last"])
        os.unlink(self.stream)

    def test_sockets(self):
        for kind, prefix in some(((socket.SOCK_STREAM, ""), (socket.SOCK_DGRAM, "dgram:"),
                                  (socket.SOCK_DGRAM, ""), (socket.SOCK_STREAM, "stream:"))):
            path = self.short_path()
            with socket.socket(socket.AF_UNIX, kind) as server:
                server.bind(path)
                if kind == socket.SOCK_STREAM:
                    server.listen()
                self.run_program("trace2.data('c', 'k', 1)", to="af_unix:" + prefix + path)
                if kind == socket.SOCK_STREAM:
                    peer = server.accept()[0]
                    with peer, peer.makefile() as file:
                        lines = file.readlines()
                else:
                    lines = [server.recv(65536).decode() for _ in range(6)]
            os.unlink(path)
            self.assertEqual([json.loads(line)["event"] for line in lines],
                             ["version", "start", "cmd_name", "data", "exit", "atexit"])

    def test_socket_whose_reader_has_gone(self):
        path = self.short_path()
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as server:
            server.bind(path)
            server.listen()
            def read_and_close():
                peer = server.accept()[0]
                peer.recv(1)
                peer.close()
            closer = threading.Thread(target=read_and_close)
            closer.start()
            out = self.run_program(f"""
import signal
signal.signal(signal.SIGPIPE, signal.SIG_DFL)
for i in range(2000):
    trace2.data("c", "k", i)
{WORK}""", to="af_unix:" + path)
            closer.join()
        self.assertEqual(out, "done\n")


class Processes(TracedTest):
    def test_fork(self):
        self.run_program("""
import os, time
counter = trace2.Counter("c", "count")
counter.add(5)
region = trace2.region("c", "open")
region.__enter__()
child = os.fork()
if not child:
    trace2.data("c", "k", "child")
    region.__exit__(None, None, None)
    counter.add(1)
    sys.exit(3)
os.waitpid(child, 0)
if not os.fork():
    os._exit(0)
os.wait()
if not os.fork():
    os.execvp("true", ["true"])
os.wait()
""")
        versions = self.events("version")
        self.assertEqual(len(versions), 2)
        self.assertTrue(versions[1]["sid"].startswith(versions[0]["sid"] + "/"))
        child = [e for e in self.events() if e["sid"] == versions[1]["sid"]]
        self.assertEqual([e["event"] for e in child],
                         ["version", "start", "data", "exit", "counter", "atexit"])
        self.assertEqual(child[2]["nesting"], 1)
        self.assertEqual((child[-1]["code"], child[-2]["count"]), (3, 1))
        self.assertEqual(self.events("counter")[-1]["count"], 5)

    def test_fork_whose_child_has_no_destination(self):
        for change in ("os.environ.clear()", "os.environ['GIT_TRACE2_EVENT'] = '/no/such/e'"):
            out = self.run_program(f"""
import os
{change}
child = os.fork()
if not child:
    trace2.data("c", "k", "child")
    with trace2.region("c", "r"):
        trace2.Counter("c", "count").add(1)
    sys.exit(3)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
""")
            self.assertEqual(out, "3\n")

    def test_arguments_that_can_be_read_once(self):
        out = self.run_program("""
trace2.run(map(str, ["echo", 1]))
""")
        self.assertEqual(out, "1\n")
        self.assertEqual(self.events("child_start")[0]["argv"], ["echo", "1"])

    def test_fork_of_a_thread_and_in_a_lock(self):
        self.run_program("""
import os, threading
def work():
    for i in range(200):
        trace2.data("c", "k", i)
threads = [threading.Thread(target=work) for i in range(3)]
for thread in threads:
    thread.start()
children = []
for i in range(20):
    child = os.fork()
    if not child:
        trace2.data("c", "in", i)
        os._exit(0)
    children.append(child)
for thread in threads:
    thread.join()
for child in children:
    os.waitpid(child, 0)
""", env={"PYTHONWARNINGS": "ignore"})
        self.assertEqual(sorted(int(e["value"]) for e in self.events("data") if e["key"] == "in"),
                         list(range(20)))
        # A child drops the threads of its parent, without ending them.
        self.assertEqual(len(self.events("thread_exit")), 3)

    def test_multiprocessing(self):
        for method in ("fork", "spawn"):
            self.run_program(f"""
import multiprocessing
def work(x):
    trace2.data("c", "k", x)
    return x
if __name__ == "__main__":
    multiprocessing.set_start_method("{method}")
    process = multiprocessing.Process(target=work, args=(1,))
    process.start()
    process.join()
""")
        ended = {e["sid"] for e in self.events("atexit")}
        started = {e["sid"] for e in self.events("version") if e["sid"] in
                   {d["sid"] for d in self.events("data")}}
        self.assertEqual(len(started), 2)
        self.assertTrue(started <= ended)

    def test_subprocess_with_a_function_before_exec(self):
        self.run_program("""
import subprocess
subprocess.run(["true"], preexec_fn=lambda: None)
trace2.run(["true"], preexec_fn=lambda: None)
""")
        self.assertEqual(len(self.events("version")), 1)

    def test_signals_that_the_user_names(self):
        self.run_program("""
import os, signal
signal.signal(signal.SIGUSR1, lambda *args: print("mine", flush=True))
trace2.initialize()
os.kill(os.getpid(), signal.SIGTERM)
import time
while True:
    time.sleep(1)
""", env={"GIT_TRACE2_SIGNALS": "USR1, SIGTERM"}, expect=-15)
        self.assertEqual(self.one("signal")["signo"], 15)

    def test_dispositions_stay(self):
        self.same("""
import signal, threading
print([signal.getsignal(n) for n in sorted(signal.valid_signals())])
print(sys.excepthook is sys.__excepthook__, threading.excepthook is threading.__excepthook__)
print(signal.pthread_sigmask(signal.SIG_BLOCK, []))
print(threading.active_count())
""")

    def test_handler_in_the_middle(self):
        self.run_program("""
import signal
def handler(number, frame):
    with trace2.region("c", "handler"):
        trace2.data("c", "k", "handler")
signal.signal(signal.SIGALRM, handler)
signal.setitimer(signal.ITIMER_REAL, 0.0002, 0.0002)
for i in range(2000):
    with trace2.region("c", "main"):
        trace2.data("c", "k", i)
signal.setitimer(signal.ITIMER_REAL, 0)
""", env={"GIT_TRACE2_EVENT_NESTING": "9"})
        told = len([e for e in self.events("data") if e["value"] != "handler"])
        self.assertEqual(told, 2000)
        self.assertIn("lost", self.one("atexit"))

    def test_hard_ends(self):
        self.run_program("import os; trace2.data('c', 'k', 1); os._exit(3)", expect=3)
        self.assertEqual(self.names()[-1], "data")

    def test_daemon_threads_at_the_end(self):
        self.run_program("""
import threading
def work():
    while True:
        with trace2.region("c", "daemon"):
            pass
for i in range(3):
    threading.Thread(target=work, daemon=True).start()
import time
time.sleep(0.05)
""")
        names = self.names()
        self.assertEqual(names[-1], "atexit")

    def test_strange_arguments(self):
        self.assertEqual(self.run_program("""
class Bad:
    def __str__(self):
        raise RuntimeError
    __repr__ = __str__
bad = Bad()
with trace2.region(bad, None, bad):
    for value in (bad, object, {bad: [bad]}, float("nan"), 10**30, {1: {2: float("inf")}}):
        trace2.data(bad, None, value)
loop = []
loop.append(loop)
trace2.data("c", "k", loop)
trace2.error(bad, bad)
trace2.cmd_name("a\\0b")
trace2.cmd_mode(None)
trace2.def_param(bad, 1, None)
span = trace2.span(bad, None).set(bad, bad).set("x", None)
span.fail(bad)
span.end()
span.set("late", 1)
trace2.Counter(bad, None).add(True)
class Text(str):
    __str__ = Bad.__str__
trace2.cmd_name(Text("a"))
trace2.def_param(Text("a"), Text("b"), Text("c"))
for value in (None, "3", b"3", [1], bad, 10**400, -1, float("nan")):
    trace2.Counter("c", "c").add(value)
    trace2.Timer("c", "t").add(value)
class Proxy:
    @property
    def __class__(self):
        raise RuntimeError
class Dict(dict):
    def items(self):
        raise KeyError
class Int(int):
    __ge__ = __le__ = __str__ = Bad.__str__
for value in (Proxy(), [Proxy()], Dict(a=1), Int(5), [Int(5)]):
    trace2.data("c", "k", value)
    trace2.span("c", "s").set("k", value).end()
    trace2.region(value, value).__enter__()
print("done")
"""), "done\n")

    def test_what_the_host_copies_patches_and_half_imports(self):
        out = self.run_program("""
import copy, pickle, importlib.abc
from unittest import mock
assert pickle.loads(pickle.dumps(sys.exit)) is sys.exit
with trace2.span("c", "s") as span, trace2.region("c", "r") as region:
    assert copy.deepcopy([span]) == [trace2.NO_SPAN]
    pickle.dumps((span, region))
assert trace2.run(("true",)).args == ("true",)
with mock.patch("time.monotonic_ns", side_effect=RuntimeError), mock.patch("time.monotonic"):
    trace2.data("c", "k", "patched")
class Finder(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        with trace2.span("import", name):
            return None
sys.meta_path.insert(0, Finder())
import asyncio
print("done")
""")
        self.assertEqual(out, "done\n")
        self.assertEqual(self.events("data")[0]["value"], "patched")

    def test_off(self):
        self.assertEqual(self.run_program("""
import os, signal
before = dict(os.environ)
trace2.initialize()
slow = {"_hashlib", "json", "random", "socket"} & set(sys.modules)
assert not slow, slow
assert not trace2.enabled() and trace2.traceparent() is None
with trace2.span("c", "s") as span:
    assert span is trace2.NO_SPAN
assert dict(os.environ) == before and sys.exit.__module__ == "sys"
""" + WORK, to=""), "done\n")

    def test_modules_out_of_reach(self):
        # Remove the modules as a chroot does: before initialize(), and after
        # it.
        before = "import sys\nimport trace2\n"
        gone = "sys.path.clear()\nsys.meta_path.clear()\n"
        start = "trace2.initialize()\n"
        rest = "with trace2.span('c', 's'):\n\ttrace2.data('c', 'k', [1])\nprint('done')\n"
        for program in before + gone + start + rest, before + start + gone + rest:
            out = subprocess.run([sys.executable, "-S", "-c", program], check=True,
                                 env=dict(os.environ, PYTHONPATH=MODULE,
                                          GIT_TRACE2_EVENT=self.stream),
                                 stdout=subprocess.PIPE).stdout
            self.assertEqual(out, b"done\n")
        self.assertEqual(self.one("data_json", key="k")["value"], None)


if __name__ == "__main__":
    unittest.main()
