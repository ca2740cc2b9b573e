# SPDX-License-Identifier: MIT
"""What a program says is in its stream."""

import json
import os
import random
import re
import subprocess
import sys
import tempfile
import unittest

from traced import MODULE, TracedTest, some

sys.path.insert(0, MODULE)
from trace2 import _span, _text

ALL = """
import threading
counter = trace2.Counter("c", "count", per_thread=True)
timer = trace2.Timer("c", "time", per_thread=True)
trace2.cmd_mode("fast")
trace2.def_param("local", "core.key", "v")
with trace2.region("c", "l", "message"):
    trace2.data("c", "k", 1)
    trace2.data("c", "j", {"a": [1, None, 2.5]})
trace2.printf("text")
trace2.error("no such 'x'", "no such '%s'")
def work():
    with timer:
        counter.add(2)
thread = threading.Thread(target=work, name="w\\n")
thread.start()
thread.join()
trace2.run(["true"], cwd="/", child_class="hook")
try:
    trace2.execvp("no-such-program-at-all", ["x"])
except FileNotFoundError:
    pass
with trace2.span("c", "s"):
    pass
"""


class Events(TracedTest):
    def test_order_of_members_is_that_of_the_table(self):
        table = os.environ.get("TRACE2_TABLE")
        if not table:
            self.skipTest("TRACE2_TABLE: what test-tool events json prints")
        with open(table, encoding="utf-8") as file:
            table = json.load(file)
        self.run_program(ALL)
        fields = {event["name"]: [field["name"] for field in table["head"] + event["fields"]]
                  for event in table["events"]}
        seen = set()
        for event in self.events():
            known = fields[event["event"]]
            self.assertEqual(list(event), [name for name in known if name in event], event)
            seen.add(event["event"])
        self.assertEqual(set(fields) - seen, {"too_many_files", "signal", "cmd_path", "cmd_ancestry",
                                              "alias", "child_ready", "def_repo"})

    def test_beginning_and_end(self):
        self.run_program("sys.exit(7)", "a b", expect=7)
        self.assertEqual(self.names(), ["version", "start", "cmd_name", "exit", "atexit"])
        self.assertEqual(self.one("start")["argv"][1:], ["a b"])
        self.assertEqual(self.one("cmd_name")["name"], "prog.py")
        self.assertEqual(self.one("exit")["code"], 7)
        self.assertEqual(self.one("atexit")["code"], 7)

    def test_codes(self):
        for program, code in some((("raise SystemExit(trace2.cmd_exit(5))", 5), ("1 / 0", 1),
                                   ("", 0), ("sys.exit()", 0), ("sys.exit('no')", 1),
                                   ("sys.exit(True)", 1), ("sys.exit(256 + 3)", 3))):
            with self.subTest(program):
                if os.path.exists(self.stream):
                    os.unlink(self.stream)
                self.run_program(program, expect=code)
                self.assertEqual(self.one("atexit")["code"], code)

    def test_uncaught_exception(self):
        self.same("open('/no/such/file')", expect=1)
        event = self.one("error")
        self.assertEqual(event["fmt"], "FileNotFoundError")
        self.assertIn("/no/such/file", event["msg"])

    def test_keyboard_interrupt_ends_by_the_signal(self):
        self.run_program("raise KeyboardInterrupt", expect=-2)
        self.assertEqual(self.one("signal")["signo"], 2)
        self.assertEqual(self.names()[-1], "signal")

    def test_regions_and_data(self):
        self.run_program("""
@trace2.region("c", "function")
def f():
    trace2.data("c", "text", "t")
with trace2.region("c", "outer", "message"):
    f()
    with trace2.region("c", "inner"):
        with trace2.region("c", "hidden"):
            trace2.data("c", "hidden", 1)
for value in (1, 2.5, True, None, [1], b"x", "\\udc80"):
    trace2.data("c", "k", value)
""")
        enters = self.events("region_enter")
        self.assertEqual([(e["nesting"], e["label"]) for e in enters],
                         [(1, "outer"), (2, "function"), (2, "inner")])
        self.assertEqual(enters[0]["msg"], "message")
        self.assertEqual([e["label"] for e in self.events("region_leave")],
                         ["function", "inner", "outer"])
        self.assertTrue(enters[0]["file"].endswith("prog.py"))
        self.assertEqual([enters[0]["line"], enters[1]["line"]], [8, 5])
        self.assertEqual([e["value"] for e in self.events("data", "data_json")],
                         ["1", "2.5", "true", None, [1], "x", "\ufffd"])

    def test_a_region_that_is_left_early_takes_the_inner_ones_along(self):
        self.run_program("""
outer = trace2.region("c", "outer").__enter__()
inner = trace2.region("c", "inner").__enter__()
outer.__exit__(None, None, None)
inner.__exit__(None, None, None)
outer.__exit__(None, None, None)
""")
        self.assertEqual([e["label"] for e in self.events("region_leave")], ["inner", "outer"])

    def test_regions_end_by_exceptions(self):
        self.run_program("""
def generate():
    with trace2.region("c", "generator"):
        yield 1
        yield 2
try:
    with trace2.region("c", "raises"):
        raise ValueError
except ValueError:
    pass
next(generate())
""")
        self.assertEqual([e["label"] for e in self.events("region_leave")],
                         ["raises", "generator"])

    def test_threads_and_metrics(self):
        self.run_program("""
import threading
counter = trace2.Counter("c", "count", per_thread=True)
timer = trace2.Timer("c", "time")
unused = trace2.Timer("c", "unused")
@timer
def work(value):
    with timer:
        counter.add(value)
threads = [threading.Thread(target=work, args=(i,), name="w") for i in (1, 2, 3)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
timer.add(10**9)
timer.stop()
counter.add(-1)
counter.add(4)
""")
        self.assertEqual(sorted(e["count"] for e in self.events("th_counter")), [1, 2, 3, 4])
        self.assertEqual(self.one("counter")["count"], 10)
        timer = self.one("timer")
        self.assertEqual((timer["intervals"], timer["t_max"]), (4, 1.0))
        starts = [e["thread"] for e in self.events("thread_start")]
        self.assertEqual(sorted(starts), ["th01:w", "th02:w", "th03:w"])
        self.assertEqual(sorted(e["thread"] for e in self.events("thread_exit")), sorted(starts))
        for name in starts:
            mine = [e["event"] for e in self.events() if e["thread"] == name]
            self.assertEqual(mine, ["thread_start", "th_counter", "thread_exit"])

    def test_children(self):
        out = self.same("""
import os
print(trace2.run(["sh", "-c", "echo $GIT_TRACE2_PARENT_NAME; exit 3"], capture_output=True,
                 child_class="hook").stdout != b"")
print(trace2.run("kill -9 $$", shell=True, cwd="/").returncode)
print(trace2.run(["cat"], input=b"in", stdout=trace2.Popen.__init__ and -1, check=True).stdout)
try:
    trace2.run(["no-such-program-at-all"])
except FileNotFoundError as error:
    print(error)
try:
    trace2.run(["false"], check=True)
except Exception as error:
    print(type(error), error)
child = trace2.Popen(["true"])
os.waitpid(child.pid, 0)
print(child.wait())
with trace2.Popen(["true"]) as child:
    pass
""")
        self.assertIn("in", out)
        starts = self.events("child_start")
        exits = self.events("child_exit")
        self.assertEqual([e["child_id"] for e in starts], list(range(7)))
        self.assertEqual([e["code"] for e in exits], [3, 137, 0, -1, 1, 0, 0])
        self.assertEqual(exits[3]["pid"], -1)
        self.assertEqual(starts[0]["child_class"], "hook")
        self.assertEqual((starts[1]["cd"], starts[1]["use_shell"], starts[1]["argv"]),
                         ("/", True, ["kill -9 $$"]))
        self.assertTrue(starts[0]["file"].endswith("prog.py"))

    def test_a_program_below(self):
        self.run_program("""
trace2.run([sys.executable, "-c", "import trace2; trace2.initialize()"])
""")
        versions = self.events("version")
        self.assertEqual(len(versions), 2)
        self.assertTrue(versions[1]["sid"].startswith(versions[0]["sid"] + "/"))
        self.assertEqual(self.events("cmd_name")[1]["hierarchy"], "prog.py/-c")
        self.assertEqual(int(versions[1]["sid"][-8:], 16), self.one("child_exit")["pid"])

    def test_exec(self):
        self.run_program("""trace2.execvp("sh", ["sh", "-c", "exit 4"])""", expect=4)
        self.assertEqual(self.one("exec")["argv"], ["sh", "-c", "exit 4"])

    def test_secrets(self):
        self.run_program("""
trace2.data("c", "k", "https://u:hunter2@h/")
trace2.def_param("local", "api.token", "hunter2")
trace2.data("c", "j", {"a": "password=hunter2"})
trace2.run(["true", "--key=hunter2"])
""", "--token=hunter2")
        with open(self.stream, encoding="utf-8") as file:
            self.assertNotIn("hunter2", file.read())
        self.run_program("", "--token=hunter2", env={"GIT_TRACE2_REDACT": "0"})
        self.assertEqual(self.events("start")[1]["argv"][1], "--token=hunter2")


class Spans(TracedTest):
    def spans(self):
        return [e["value"] for e in self.events("data_json") if e.get("key") == "span"]

    def test_tree_of_spans(self):
        self.run_program("""
import threading
with trace2.span("http", "request") as outer:
    outer.set("status", 200).set("ok", True).set("ms", 1.5).set("path", "/x").set("status", 404)
    with trace2.span("http", "inner") as inner:
        assert trace2.traceparent() == inner.traceparent()
    other = trace2.span("http", "other", outer)
    thread = threading.Thread(target=lambda: other.fail("late"))
    thread.start()
    thread.join()
    trace2.run([sys.executable, "-c", "import trace2; trace2.initialize()"])
left_open = trace2.span("http", "open")
other.end()
""")
        inner, other, outer, left = self.spans()
        self.assertEqual(outer["attributes"],
                         {"status": 404, "ok": True, "ms": 1.5, "path": "/x"})
        self.assertNotIn("parent_id", outer)
        self.assertEqual({inner["parent_id"], other["parent_id"]}, {outer["span_id"]})
        self.assertEqual({inner["trace_id"], other["trace_id"]}, {outer["trace_id"]})
        self.assertEqual(other["failed"], "late")
        self.assertTrue(left["unfinished"])
        self.assertNotEqual(left["trace_id"], outer["trace_id"])
        self.assertEqual(outer["threads"][0][0], "main")
        self.assertLessEqual(outer["start"], inner["start"])
        self.assertLessEqual(inner["end"], outer["end"])
        trace = [e["value"] for e in self.events("data_json") if e.get("key") == "trace"]
        self.assertEqual(trace[0]["trace_id"], outer["trace_id"])

    def test_exceptions_fail_and_pass(self):
        self.run_program("""
with trace2.span("c", "s"):
    raise ValueError("why")
""", expect=1)
        self.assertEqual(self.spans()[0]["failed"], "ValueError: why")

    def test_tasks_have_their_own_current_spans(self):
        self.run_program("""
import asyncio
@trace2.traced("c", "inner")
async def inner():
    await asyncio.sleep(0)
@trace2.region("c", "by region")
async def region():
    await asyncio.sleep(0)
async def task(name):
    async with trace2.span("c", name):
        await inner()
        await asyncio.gather(inner(), region())
async def main():
    await asyncio.gather(*[task(name) for name in "abc"])
asyncio.run(main())
""")
        spans = self.spans()
        self.assertEqual(len(spans), 12)
        parents = {s["span_id"]: s for s in spans if s["name"] in "abc"}
        self.assertEqual(len(parents), 3)
        below = [s["parent_id"] for s in spans if s["name"] not in "abc"]
        self.assertEqual(sorted(below), sorted(list(parents) * 3))
        self.assertFalse(any("threads" in s for s in spans))

    def test_remote_parent_and_environment(self):
        header = "00-0123456789abcdef0123456789abcdef-0123456789abcdef-01"
        self.run_program("""
with trace2.span("c", "s"):
    pass
with trace2.span("c", "r", traceparent="00-" + "a" * 32 + "-" + "b" * 16 + "-01",
                 tracestate="x=1"):
    pass
for wrong in ("", "00-" + "0" * 32 + "-" + "b" * 16 + "-01", "ff-" + "a" * 32, None, 3):
    trace2.span("c", "w", traceparent=wrong).end()
print(trace2.traceparent())
""", env={"TRACEPARENT": header})
        trace = self.events("data_json")[0]
        self.assertEqual((trace["category"], trace["key"]), ("trace2", "trace"))
        self.assertEqual(trace["value"]["parent_id"], "0123456789abcdef")
        spans = self.spans()
        self.assertEqual(spans[0]["parent_id"], trace["value"]["span_id"])
        self.assertEqual((spans[1]["trace_id"], spans[1]["parent_id"], spans[1]["remote"],
                          spans[1]["tracestate"]), ("a" * 32, "b" * 16, True, "x=1"))
        for span in spans[2:]:
            self.assertEqual(span["parent_id"], trace["value"]["span_id"])
            self.assertNotIn("remote", span)

    def test_ids_of_children(self):
        self.run_program("""
print(trace2.run(["sh", "-c", "echo $TRACEPARENT"], capture_output=True).stdout)
""", env={"TRACEPARENT": "00-0123456789abcdef0123456789abcdef-0123456789abcdef-00"})
        own = self.events("data_json")[0]["value"]["span_id"]
        golden = 0x9e3779b97f4a7c15
        self.assertEqual(f"{_span._mix((int(own, 16) + golden) % 2**64):016x}",
                         self.child_id(own))

    def child_id(self, own):
        """Compute a child's id as lib/event/span.c defines it, step by step."""
        x = (int(own, 16) + 0x9e3779b97f4a7c15) % 2**64
        x ^= x >> 30
        x = x * 0xbf58476d1ce4e5b9 % 2**64
        x ^= x >> 27
        x = x * 0x94d049bb133111eb % 2**64
        return f"{x ^ x >> 31:016x}"

    def test_sampling(self):
        program = """
import time
for i in range(200):
    with trace2.span("c", "s"):
        with trace2.span("c", "inner"):
            pass
trace2.span("c", "f").fail("x")
"""
        def told(setting):
            if os.path.exists(self.stream):
                os.unlink(self.stream)
            self.run_program(program, env={"GIT_TRACE2_SPANS": setting})
            return self.spans()
        self.assertEqual(told("0"), [])
        self.assertEqual(len(told("1")), 401)
        some = told("1/4")
        self.assertTrue(20 < len(some) < 200, len(some))
        self.assertEqual({s["one_in"] for s in some}, {4})
        outer = {s["span_id"] for s in some if s["name"] == "s"}
        self.assertTrue({s["parent_id"] for s in some if s["name"] == "inner"} <= outer)
        self.assertEqual([s["name"] for s in told("slower:10s")], ["f"])
        self.assertEqual(len(told("nonsense")), 401)
        self.assertIn("GIT_TRACE2_SPANS", self.one("error")["msg"])


def hidden(text, shown):
    """Return which characters of a text are hidden in its redacted form."""
    pattern = "(.+?)".join(re.escape(part) for part in shown.split("<REDACTED>"))
    match = re.fullmatch(pattern, text, re.DOTALL)
    return {at for group in range(1, shown.count("<REDACTED>") + 1)
            for at in range(*match.span(group))}


class Redaction(unittest.TestCase):
    PARTS = ["https://", "http://", "ssh://", "x://", ":\\/\\/", "user", "pw", ":", "@", "/",
             "?", "#", "token", "key", "apiKey", "Key", "monkey", "=", "&", ";", " ", "\t",
             "\"", "'", "`", "<", ">", ")", ",", "Authorization", "authorization:", "Bearer ",
             "443", "-", "_", ".", "password=", "\\\"", "\n", "é", "a1", "cookie: ",
             "X-Api-Key: ", "\"secret\": \"", "--token ", "sig", "dbpass", "signing",
             "ghp_" + "aB3" * 12, "sk-" + "aB3-" * 9, "eyJ" + "a" * 12 + ".eyJ" + "b" * 9 + ".c",
             "AKIA" + "A1" * 8, "-----BEGIN RSA PRIVATE KEY-----", "[::1]"]

    def test_what_the_library_hides_is_hidden(self):
        tool = os.environ.get("TRACE2_TEST_TOOL")
        if not tool:
            self.skipTest("TRACE2_TEST_TOOL: test-tool, with the library")
        choose = random.Random(1)
        texts = ["".join(choose.choice(self.PARTS) for _ in range(choose.randint(2, 12)))
                 for _ in range(3000)]
        with tempfile.TemporaryDirectory() as directory:
            stream = os.path.join(directory, "stream")
            args = [tool, "--no-init", "trace2", "call", "initialize"]
            for text in texts:
                args += [",", "printf", text]
            subprocess.run(args, check=True, env=dict(os.environ, GIT_TRACE2_EVENT=stream))
            with open(stream, encoding="utf-8") as file:
                shown = [json.loads(line)["msg"] for line in file if '"event":"printf"' in line]
        self.assertEqual(len(texts), len(shown))
        nr = 0
        for text, expect in zip(texts, shown):
            ours = _text.redact(text)
            nr += expect != text
            self.assertLessEqual(hidden(text, expect), hidden(text, ours), (text, expect, ours))
        self.assertGreater(nr, 500)

    def test_what_is_no_secret_is_shown(self):
        for text in ("git log --format=%H -- file.c", "a: b, c", "https://host:8080/x?y=1#z",
                     "key", "token", "PATH=/usr/bin:/bin", "-c user.name=A", "monkeys=1",
                     "compile: 3 files", "hash-object --stdin --path a", "x" * 50):
            self.assertEqual(_text.redact(text), text)


if __name__ == "__main__":
    unittest.main()
