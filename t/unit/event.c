/* SPDX-License-Identifier: MIT */
/* The event table itself, its templates, and redaction. */
#include "event/redact.h"
#include "event/render.h"
#include "event/template.h"
#include "tap.h"

static unsigned int count_bad_ops(const struct tr2_op *op, unsigned int nr)
{
	unsigned int bad = 0;

	for (; op && op->kind != TR2_OP_END; op++)
		if (op->kind != TR2_OP_TEXT)
			bad += op->field >= nr;
	return bad;
}

static void test_table(void)
{
	unsigned int i, nr, bad = 0, texts = 0;

	tr2_render_prepare();
	for (i = 0; i < TR2_EVENT_NR; i++) {
		const struct tr2_templates *t = &tr2_templates[i];

		for (nr = 0; tr2_event_rows[i].field[nr].name; nr++)
			;
		bad += count_bad_ops(t->normal, nr);
		bad += count_bad_ops(t->perf_category, nr);
		bad += count_bad_ops(t->perf_message, nr);
		texts += (t->normal != NULL) + (t->perf_message != NULL);
	}
	is_u64(bad, 0, "every {field} of a template is a field of its event");
	/* The last template is complete, so the operations had room. */
	ok(tr2_templates[TR2_EVENT_NR - 1].perf_message[0].kind ==
			   TR2_OP_TEXT,
	   "the operations fit");
	ok(texts > 40, "templates were read");
}

static void redacts(const char *text, const char *want)
{
	struct tr2_buf scratch = TR2_BUF_INIT;
	size_t len = strlen(text);
	const char *got = tr2_redact(&scratch, text, &len);

	is_text(got, len, want, want);
	tr2_buf_release(&scratch);
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
	/* One secret begins inside the other. */
	redacts("token='a PASSWORD='b' c", "token='<REDACTED>'<REDACTED>' c");
	redacts("Authorization: x PASSWORD='b' c",
		"Authorization: <REDACTED>'<REDACTED>' c");
	redacts("x token=a&b https://token=c:d@h",
		"x token=<REDACTED>&b https://token=<REDACTED>");
	redacts("token=x://key=1&u:pw@h",
		"token=<REDACTED>");
	redacts("a token=x://key=1&u:pw@h",
		"a token=<REDACTED>&u:<REDACTED>@h");
	KEEPS("https://host/path");
	KEEPS("https://host:8080/path@v2");
	KEEPS("ssh://git@github.com/x");
	KEEPS("git@github.com:owner/repo.git");
	KEEPS("monkey=banana");
	KEEPS("keyboard=us");
	KEEPS("a=b");
	KEEPS("time: 12:30");
	KEEPS("C://");
	KEEPS("://");
	KEEPS("http://");
	KEEPS("token=");
	KEEPS("Authorization:");
	ok(tr2_redact_is_secret_name("GITHUB_TOKEN"), "GITHUB_TOKEN");
	ok(tr2_redact_is_secret_name("http.sslKey"), "http.sslKey");
	ok(!tr2_redact_is_secret_name("core.keyboard"), "core.keyboard");
	ok(!tr2_redact_is_secret_name(NULL), "NULL");
}

int main(void)
{
	test_table();
	test_redact();
	return done_testing();
}
