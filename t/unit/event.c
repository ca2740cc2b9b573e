/* SPDX-License-Identifier: MIT */
/* The event table itself, its templates, and redaction. */
#include "event/redact.h"
#include "event/render.h"
#include "event/template.h"
#include "tap.h"

static unsigned int count_bad_ops(const struct tr2_op *op, unsigned int nr)
{
	unsigned int bad = 0;

	for (; op->kind != TR2_OP_END; op++)
		if (op->kind != TR2_OP_TEXT)
			bad += op->field >= nr;
	return bad;
}

static void test_table(void)
{
	unsigned int i, nr, bad = 0, texts = 0;

	tr2_render_prepare(true, true);
	for (i = 0; i < TR2_EVENT_NR; i++) {
		const struct tr2_templates *t = &tr2_templates[i];

		for (nr = 0; *tr2_event_rows[i].field[nr].name; nr++)
			;
		bad += count_bad_ops(t->normal, nr);
		bad += count_bad_ops(t->perf_category, nr);
		bad += count_bad_ops(t->perf_message, nr);
		texts += t->normal->kind != TR2_OP_END;
		texts += t->perf_message->kind != TR2_OP_END;
	}
	is_u64(bad, 0, "every {field} of a template is a field of its event");
	/* The last template is complete, so that the operations had enough
	 * room. */
	ok(tr2_templates[TR2_EVENT_NR - 1].perf_message[0].kind ==
			   TR2_OP_TEXT,
	   "the operations fit");
	ok(texts > 40, "templates were read");
}

#define NR_WORDS 400

/* Render into memory of each size: a sanitizer or valgrind detects
 * overflows. */
static void test_little_memory(void)
{
	static const tr2_render_fn renderers[] = {
		tr2_render_normal, tr2_render_perf, tr2_render_event
	};
	static char name[600];
	const char *words[NR_WORDS + 1];
	struct tr2_v_child_start v = { .child_class.s = name,
				       .cd.s = "a\"b", .argv.argv = words };
	static const char perf_head[12 + TR2_PUT_BLOCK] = "d0 | main | ";
	static const char json_head[9 + TR2_PUT_BLOCK] = ",\"sid\":\"\"";
	struct tr2_emitter emitter = { "main", perf_head, 12, json_head, 9 };
	struct tr2_event ev = { .kind = TR2_EV_child_start,
				.v = (const struct tr2_value *)&v,
				.emitter = &emitter,
				.file = name, .line = 1, .nesting = 300,
				.wall_us = UINT64_C(1700000000000000) };
	unsigned int i, complete = 0, wrong = 0;
	size_t size;

	memset(name, 'n', sizeof(name) - 1);
	for (i = 0; i < NR_WORDS; i++)
		words[i] = i % 3 ? "" : "w\x01=";
	words[NR_WORDS] = NULL;
	for (size = 64; size < 8192; size += 61)
		for (i = 0; i < 3; i++) {
			char *memory = malloc(size);
			struct tr2_render r = { .redact = true };

			tr2_buf_init_fixed(&r.line, memory, size);
			renderers[i](&r, &ev, false);
			wrong += !r.line.failed &&
				 (r.line.len >= size ||
				  memory[r.line.len - 1] != '\n');
			complete += !r.line.failed;
			tr2_buf_release(&r.redacted);
			free(memory);
		}
	is_u64(wrong, 0, "a line is whole, or says that it failed");
	ok(complete > 10 && complete < 300, "both came about");
}

/* Redact the first len bytes of a text. */
static void redacts_part(const char *text, size_t len, const char *want)
{
	struct tr2_buf scratch = TR2_BUF_INIT;
	const char *got = tr2_redact(&scratch, text, &len);

	is_text(got, len, want, want);
	tr2_buf_release(&scratch);
}

static void redacts(const char *text, const char *want)
{
	redacts_part(text, strlen(text), want);
}

#define KEEPS(text) redacts(text, text)

static void test_redact(void)
{
	redacts("https://user:pw@host/x", "https://user:<REDACTED>@host/x");
	redacts("HTTPS://u:p@h", "HTTPS://u:<REDACTED>@h");
	redacts("ssh://git:pw@host:22/x", "ssh://git:<REDACTED>@host:22/x");
	redacts("ftp://a:b@c", "ftp://a:<REDACTED>@c");
	redacts("https://ghp_abc@github.com/x",
		"https://<REDACTED>@github.com/x");
	redacts("http://u:p@ss@host/x", "http://u:<REDACTED>@host/x");
	redacts("http://u:p/ss@host/x", "http://u:<REDACTED>@host/x");
	redacts("http://u:p?s#s@host", "http://u:<REDACTED>@host");
	redacts("http://:pw@host", "http://:<REDACTED>@host");
	redacts("see http://a:b@c and http://d:e@f.",
		"see http://a:<REDACTED>@c and http://d:<REDACTED>@f.");
	redacts("Authorization: Basic abc=",
		"Authorization: <REDACTED>");
	redacts("http.extraHeader=AUTHORIZATION: bearer xyz",
		"http.extraHeader=AUTHORIZATION: <REDACTED>");
	redacts("curl -H 'authorization:x y' z",
		"curl -H 'authorization:<REDACTED>' z");
	redacts("{\"Authorization\": \"Bearer x\",\"a\":1}",
		"{\"Authorization\": \"<REDACTED>\",\"a\":1}");
	redacts("https://h/x?access_token=abc&user=me",
		"https://h/x?access_token=<REDACTED>&user=me");
	redacts("https://h/?X-Amz-Signature=abc#frag",
		"https://h/?X-Amz-Signature=<REDACTED>#frag");
	redacts("remote.token=abc def", "remote.token=<REDACTED>");
	redacts("--password=abc", "--password=<REDACTED>");
	redacts("set apiKey=abc now", "set apiKey=<REDACTED> now");
	redacts("x token=\"a b\" y", "x token=\"<REDACTED>\" y");
	redacts("GITHUB_TOKEN=abc", "GITHUB_TOKEN=<REDACTED>");
	redacts("url.https://u:p@h/.insteadOf=x",
		"url.https://u:<REDACTED>@h/.insteadOf=x");
	/* One secret begins inside another. */
	redacts("token='a PASSWORD='b' c", "token='<REDACTED>'<REDACTED>' c");
	redacts("Authorization: x PASSWORD='b' c",
		"Authorization: <REDACTED>' c");
	redacts("x token=a&b https://token=c:d@h",
		"x token=<REDACTED>&b https://token=<REDACTED>");
	/* The second URL is parsed with its own query. */
	redacts("http://u:p@h?http://v:q@i?x@y",
		"http://u:<REDACTED>@h?http://v:<REDACTED>@i?x@y");
	redacts("token=x://key=1&u:pw@h",
		"token=<REDACTED>");
	redacts("a token=x://key=1&u:pw@h",
		"a token=<REDACTED>&u:<REDACTED>@h");
	redacts("https://u:a\"b@h/", "https://u:<REDACTED>@h/");
	redacts("https://u:a'b`c<d>e@h/", "https://u:<REDACTED>@h/");
	redacts("https://u:ab\"@h/", "https://u:<REDACTED>@h/");
	redacts("https://u\"ser:pw@h/", "https://u\"ser:<REDACTED>@h/");
	redacts("https://to\"ken@h/", "https://<REDACTED>@h/");
	redacts("got 'https://u:a'b@h/', then",
		"got 'https://u:<REDACTED>@h/', then");
	redacts("{\"u\":\"https://u:a\\\"b@h/\",\"m\":\"x@y\"}",
		"{\"u\":\"https://u:<REDACTED>@h/\",\"m\":\"x@y\"}");
	redacts("Authorization: Bearer a\"b c", "Authorization: <REDACTED>");
	redacts("x token=a\"b c", "x token=<REDACTED> c");
	redacts("token=\"a\\\"b\" c", "token=\"<REDACTED>\" c");
	/* Text that is already redacted stays unchanged. */
	KEEPS("Authorization: <REDACTED>");
	KEEPS("x token=<REDACTED> c");
	KEEPS("x token='<REDACTED> c");
	KEEPS("\"https://u:<REDACTED>@h/\", y");
	KEEPS("[\"http://x:y\",\"b@c\"]");
	KEEPS("<http://x:y> b@c");
	KEEPS("\"https://h:80\"a@b");
	KEEPS("https://host/path");
	KEEPS("https://host:8080/path@v2");
	KEEPS("ssh://git@github.com/x");
	KEEPS("git@github.com:owner/repo.git");
	KEEPS("monkey=banana");
	KEEPS("keyboard=us");
	KEEPS("a=b");
	KEEPS("time: 12:30");
	/* Text after the first len bytes does not count. */
	redacts_part("token=<REDACTED>", 12, "token=<REDACTED>");
	KEEPS("C://");
	KEEPS("://");
	KEEPS("http://");
	KEEPS("token=");
	KEEPS("Authorization:");
	ok(tr2_redact_is_secret_name("GITHUB_TOKEN"), "GITHUB_TOKEN");
	ok(tr2_redact_is_secret_name("sendemail.smtpPass"),
	   "sendemail.smtpPass");
	ok(!tr2_redact_is_secret_name("http.sslKey"), "the name of a file");
	ok(!tr2_redact_is_secret_name("core.keyboard"), "core.keyboard");
	ok(!tr2_redact_is_secret_name(NULL), "NULL");
}

static void test_redact_without_memory(void)
{
	const char *got, *text = "a rather long text with token=abc in it";
	size_t len = strlen(text);
	struct tr2_buf scratch;
	char memory[16];

	tr2_buf_init_fixed(&scratch, memory, sizeof(memory));
	got = tr2_redact(&scratch, text, &len);
	is_text(got, len, TR2_REDACTED, "all is hidden when memory is short");
}

/* Check the perf target's line for this file, up to the separator after it. */
static void shows_place(const char *file, const char *want)
{
	static const char head[12 + TR2_PUT_BLOCK] = "d0 | main | ";
	struct tr2_emitter emitter = { "main", head, 12, head, 0 };
	struct tr2_v_error v = { .msg.s = "" };
	struct tr2_event ev = { .kind = TR2_EV_error,
				.v = (const struct tr2_value *)&v,
				.emitter = &emitter,
				.file = file, .line = 12, .nesting = 1 };
	struct tr2_render r = { .redact = false };

	tr2_render_perf(&r, &ev, false);
	is_text(r.line.p + 16, 28 + 3, want, file);
	tr2_render_release(&r);
}

static void test_place(void)
{
	shows_place("short.c", "short.c:12                   | ");
	shows_place("a/very/long/directory/of/file.c",
		    "...ng/directory/of/file.c:12 | ");
	/* Neither a character nor an escape sequence is cut in two. */
	shows_place("a/very/l\xc3\xb6ng/dir/of/files/xyz.c",
		    "...ng/dir/of/files/xyz.c:12  | ");
	shows_place("a/very/\xe2\x82\xac/ng/dir/of/files/x.c",
		    ".../ng/dir/of/files/x.c:12   | ");
	shows_place("a/very/\xf0\x9f\x98\x80/dir/of/files/xyz.c",
		    ".../dir/of/files/xyz.c:12    | ");
	shows_place("a/very/l\xc3\xb6ng/\tdir/of/files/x.c",
		    "...ng/\\tdir/of/files/x.c:12  | ");
	/* Bytes that are not characters may be cut anywhere. */
	shows_place("a/very/l\xb6\xb6ng/dir/of/files/xyz.c",
		    "...\xb6ng/dir/of/files/xyz.c:12 | ");
}

/* Check the column of t_abs in the perf target, which is 9 wide. */
static void shows_t_abs(uint64_t ns, const char *want)
{
	static const char head[12 + TR2_PUT_BLOCK] = "d0 | main | ";
	struct tr2_emitter emitter = { "main", head, 12, head, 0 };
	struct tr2_v_exit v = { .code.i = 0 };
	struct tr2_event ev = { .kind = TR2_EV_exit, .t_abs_ns = ns,
				.v = (const struct tr2_value *)&v,
				.emitter = &emitter };
	struct tr2_render r = { .redact = false };

	tr2_render_perf(&r, &ev, true);
	ok(strstr(tr2_buf_str(&r.line), want) != NULL, want);
	tr2_render_release(&r);
}

int main(void)
{
	test_table();
	test_little_memory();
	test_redact();
	test_redact_without_memory();
	test_place();
	shows_t_abs(UINT64_C(9999999499), "|  9.999999 |");
	shows_t_abs(UINT64_C(9999999500), "| 10.000000 |");
	return done_testing();
}
