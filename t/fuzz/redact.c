/* SPDX-License-Identifier: MIT */
/* Secrets in the forms that the product promises to hide, in any text. */
#include "event/redact.h"

#include "fuzz.h"

#define MOST_PASSES 4

/* A secret that occurs nowhere else. */
#define SECRET "zQzSeCrEtzQz"

/* The text before and after the secret. */
static const struct {
	const char *before, *after;
} shapes[] = {
	{ "https://user:", "@host/path" },
	{ "https://", "@host/path" },
	{ "http://u:a@", "@host" },
	{ "http://u:a/", "@host" },
	{ "HTTPS://u:", "@h" },
	{ "ftp://u:", "@h/x" },
	{ "ssh://git:", "@h:22/x" },
	{ "https://h/p?access_token=", "&user=me" },
	{ "https://h/?X-Amz-Signature=", "#frag" },
	{ "Authorization: Basic ", "" },
	{ "-H 'authorization:Bearer ", "' z" },
	{ "-c url.https://u:", "@h/.insteadOf=x" },
	{ "-c http.extraHeader=AUTHORIZATION: bearer ", "" },
	{ "alias.x=!git fetch https://u:", "@h" },
	{ "GITHUB_TOKEN=", "" },
	{ "DB_PASSWORD='", "'" },
	{ "--password=", " --other" },
	{ "fatal: unable to access 'https://u:", "@h/x.git/'" },
	{ "remote.apiKey=\"a ", "\" b" },
	{ "PGPASSWORD=", "" },
	{ "smtp.smtppass=", "" },
	{ "-H 'X-Api-Key: ", "'" },
	{ "http.extraHeader=PRIVATE-TOKEN: ", "" },
	{ "{\"access_token\" : \"", "\"}" },
	{ "https://h/?sv=1&sig=", "&x" },
	{ "--secret-key 1", " -v" },
};

static char *redacted(struct tr2_buf *scratch, const char *s, size_t *len)
{
	bool may_find = memchr(s, ':', *len) || memchr(s, '=', *len) ||
			tr2_redact_may_find(s, *len);
	const char *got = tr2_redact(scratch, s, len);
	char *copy = malloc(*len + 1);

	fuzz_check(got == s || may_find, "it was found, but not expected");

	if (!copy)
		abort();
	memcpy(copy, got, *len);
	copy[*len] = '\0';
	return copy;
}

/*
 * Redact and return the text. Redacted again, as export does with text that the
 * library redacted, it mostly stays unchanged. If a secret contained a blank,
 * the text around it is now one word, and more of it may look like a secret: a
 * few repetitions suffice.
 */
static char *check_again(const char *s, size_t len)
{
	struct tr2_buf scratch = TR2_BUF_INIT;
	char *once = redacted(&scratch, s, &len);
	char *last = once, *next;
	size_t next_len;
	bool same = false;
	int i;

	for (i = 0; i < MOST_PASSES && !same; i++) {
		next_len = len;
		next = redacted(&scratch, last, &next_len);
		same = next_len == len && !memcmp(last, next, len);
		if (last != once)
			free(last);
		last = next;
		len = next_len;
	}
	fuzz_check(same, "'%s', and at last '%s'", once, last);
	free(last);
	tr2_buf_release(&scratch);
	return once;
}

void fuzz_redact(struct fuzz_input *in)
{
	unsigned int shape = fuzz_byte(in) % (sizeof(shapes) / sizeof(*shapes));
	char *before = fuzz_string(in), *inside = fuzz_string(in);
	char *after = fuzz_string(in), *once;
	struct tr2_buf b = TR2_BUF_INIT;
	size_t i;

	free(check_again(before, strlen(before)));
	tr2_redact_is_secret_name(before);
	/* A secret contains no blank, quote, or other character that ends
	 * it. */
	for (i = 0; inside[i]; i++)
		if ((unsigned char)inside[i] <= ' ' ||
		    strchr("\"'`<>@&;#?/:", inside[i]))
			inside[i] = 'x';
	tr2_buf_addstr(&b, before);
	tr2_buf_addch(&b, ' ');
	tr2_buf_addstr(&b, shapes[shape].before);
	tr2_buf_addlit(&b, SECRET);
	tr2_buf_addstr(&b, inside);
	tr2_buf_addstr(&b, shapes[shape].after);
	tr2_buf_addch(&b, ' ');
	tr2_buf_addstr(&b, after);
	once = check_again(tr2_buf_str(&b), b.len);
	fuzz_check(strstr(before, SECRET) || strstr(after, SECRET) ||
			   !strstr(once, SECRET),
		   "left: %s\n# of:   %s", once, tr2_buf_str(&b));
	free(once);
	free(before);
	free(inside);
	free(after);
	tr2_buf_release(&b);
}
