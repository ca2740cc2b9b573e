/* SPDX-License-Identifier: MIT */
/* Render the normal and perf targets: a prefix or columns, then a template. */
#include "base/macros.h"
#include "base/text_scan.h"
#include "event/render_internal.h"
#include "event/template.h"

#define NORMAL_COLUMN 50
#define TIME_BYTES (sizeof("HH:MM:SS.uuuuuu ") - 1)
#define PERF_FILE_WIDTH (TR2_PERF_PLACE_BYTES - TR2_PERF_SEPARATOR_BYTES)
#define PERF_FILE_TAIL 25
#define PERF_THREAD_WIDTH 24
#define PERF_CATEGORY_WIDTH 12
#define PERF_TIME_WIDTH 9
#define SEPARATOR " | "
_Static_assert(sizeof(SEPARATOR) - 1 == TR2_PERF_SEPARATOR_BYTES, "");

enum role {
	PLACE, /* a file name, which contains no secrets */
	STRING,
	LAST_STRING /* the last text: its final newline ends the line */
};

/* Append a string that is redacted, escaped or does not fit. */
static __attribute__((noinline)) char *
add_str_slow(struct tr2_render *r, char *p, const char *s, size_t len,
	     enum role role)
{
	size_t before = tr2_render_leave(r, p);

	if (role != PLACE)
		s = tr2_render_shown(r, s, &len);
	if (role == LAST_STRING && len && s[len - 1] == '\n')
		len--;
	/* Text that is not ASCII is in TR2_TEXT_JSON: it may contain C1
	 * controls, which take two bytes. */
	if (tr2_text_classify(s, len) & (TR2_TEXT_CONTROL | TR2_TEXT_JSON))
		tr2_text_add(&r->line, s, len);
	else
		tr2_buf_add(&r->line, s, len);
	return tr2_render_back(r, before);
}

static char *add_text(struct tr2_render *r, char *p, const char *s, size_t len,
		      enum role role)
{
	if (likely(tr2_render_has_room(r, p, len)) &&
	    likely(tr2_text_copy(p, s, len)))
		return p + len;
	return add_str_slow(r, p, s, len, role);
}

static char *add_str(struct tr2_render *r, char *p, const char *s)
{
	return s ? add_text(r, p, s, strlen(s), STRING) : p;
}

static char *add_last_str(struct tr2_render *r, char *p, const char *s)
{
	return s ? add_text(r, p, s, strlen(s), LAST_STRING) : p;
}

/* Append a free text at the end of the line. */
static char *add_free_str(struct tr2_render *r, char *p, const char *s)
{
	size_t len = s ? strlen(s) : 0;

	if (!s)
		return p;
	if (r->redact && tr2_redact_may_find(s, len))
		return add_str_slow(r, p, s, len, LAST_STRING);
	return add_text(r, p, s, len, LAST_STRING);
}

static char *add_word(struct tr2_render *r, char *p, const char *const *argv,
		      const char *const *word)
{
	size_t before = tr2_render_leave(r, p), len;
	const char *s = tr2_render_word(r, argv, word, &len);

	if (s == r->redacted.p)
		s = tr2_buf_str(&r->redacted);
	tr2_quote_add_word(&r->line, s);
	return tr2_render_back(r, before);
}

static char *add_only_word(struct tr2_render *r, char *p, const char *s)
{
	const char *word = s ? s : "";

	return add_word(r, p, &word, &word);
}

static char *add_words(struct tr2_render *r, char *p, const char *const *argv)
{
	const char *const *word;

	for (word = argv; word && *word && !r->line.failed; word++) {
		if (word != argv)
			*p++ = ' ';
		p = add_word(r, p, argv, word);
	}
	return p;
}

static char *add_arrows(struct tr2_render *r, char *p, const char *const *argv)
{
	const char *const *word;

	for (word = argv; word && *word && !r->line.failed; word++) {
		if (word != argv)
			p = tr2_put_lit(p, " <- ");
		p = add_str(r, p, *word);
	}
	return p;
}

static char *put_wide(char *p, uint64_t ns)
{
	char text[TR2_KEY_MAX];
	size_t len = (size_t)(tr2_put_seconds(text, ns) - text);

	memcpy(p, "        ", 8);
	if (len < 8)
		p += 8 - len;
	return tr2_put(p, text, len);
}

static char *add_template(struct tr2_render *r, char *p,
			  const struct tr2_event *ev, const struct tr2_op *op)
{
	const struct tr2_value *v = ev->v;

	for (;; op++) {
		switch ((enum tr2_op_kind)op->kind) {
		case TR2_OP_END:
			return p;
		case TR2_OP_TEXT:
			p = tr2_put(p, op->text, op->len);
			break;
		case TR2_OP_IF:
			if (!tr2_event_has(ev, op->field))
				op += op->len;
			break;
		case TR2_OP_STR:
			p = add_str(r, p, v[op->field].s);
			break;
		case TR2_OP_LAST_STR:
			p = add_last_str(r, p, v[op->field].s);
			break;
		case TR2_OP_FREE_STR:
			p = add_free_str(r, p, v[op->field].s);
			break;
		case TR2_OP_WORD:
			p = add_only_word(r, p, v[op->field].s);
			break;
		case TR2_OP_WORDS:
			p = add_words(r, p, v[op->field].argv);
			break;
		case TR2_OP_ARROWS:
			p = add_arrows(r, p, v[op->field].argv);
			break;
		case TR2_OP_INT:
			p = tr2_put_i64(p, v[op->field].i);
			break;
		case TR2_OP_UINT:
			p = tr2_put_u64(p, v[op->field].u);
			break;
		case TR2_OP_SECONDS:
			p = tr2_put_seconds(p, v[op->field].u);
			break;
		case TR2_OP_WIDE:
			p = put_wide(p, v[op->field].u);
			break;
		case TR2_OP_T_ABS:
			p = tr2_put_seconds(p, ev->t_abs_ns);
			break;
		case TR2_OP_T_REL:
			p = tr2_put_seconds(p, ev->t_rel_ns);
			break;
		case TR2_OP_NESTING:
			p = tr2_put_u64(p, ev->nesting);
			break;
		}
	}
}

static char *put_time(char *p, struct tr2_render *r, const struct tr2_event *ev)
{
	p = tr2_render_put_local(p, r, ev->wall_us);
	*p++ = ' ';
	return p;
}

/* Put :LINE. */
static char *put_line(char *p, int line)
{
	*p++ = ':';
	return tr2_put_i64(p, line);
}

static char *add_place(struct tr2_render *r, char *p,
		       const struct tr2_event *ev)
{
	const char *file = ev->file ? ev->file : "";

	p = add_text(r, p, file, strlen(file), PLACE);
	return put_line(p, ev->line);
}

/* Pad with spaces up to a column, counted from the byte at offset start. */
static char *put_pad(const struct tr2_render *r, char *p, size_t start,
		     size_t width)
{
	size_t len = (size_t)(p - r->line.p) - start;

	return len < width ? tr2_put_chars(p, ' ', width - len) : p;
}

/* Append file:line after the time, and pad to the column of the text. */
static char *add_normal_place(struct tr2_render *r, char *p,
			      const struct tr2_event *ev)
{
	size_t line_start = tr2_render_leave(r, p) - TIME_BYTES;

	p = add_place(r, p, ev);
	*p++ = ' ';
	return put_pad(r, p, line_start, NORMAL_COLUMN);
}

void tr2_render_normal(struct tr2_render *r, const struct tr2_event *ev,
		       bool brief)
{
	const struct tr2_pieces *pieces = ev->pieces;
	char *p = tr2_render_begin(r, pieces ? pieces->text_bytes : 0);

	if (!p)
		return;
	if (!brief) {
		p = put_time(p, r, ev);
		p = likely(pieces != NULL) ?
			    tr2_pieces_put(p, pieces, pieces->normal_place) :
			    add_normal_place(r, p, ev);
	}
	p = add_template(r, p, ev, tr2_templates[ev->kind].normal);
	*p++ = '\n';
	tr2_render_end(r, p);
}

/* Return how many bytes from `at` on belong to a character that begins before
 * `at`; 0: no character crosses `at`. */
static size_t rest_of_character(const char *start, const char *at,
				const char *end)
{
	size_t back, n;

	for (back = 1; back < 4 && back <= (size_t)(at - start); back++) {
		n = tr2_utf8_sequence(at - back, (size_t)(end - at) + back);
		if (n > back)
			return n - back;
	}
	return 0;
}

/* The file's name needs escapes: cut the escaped text. */
static char *add_perf_place_slow(struct tr2_render *r, char *p,
				const struct tr2_event *ev)
{
	size_t start = tr2_render_leave(r, p), len;
	char *place, *tail, kept[PERF_FILE_TAIL];

	p = add_place(r, p, ev);
	place = r->line.p + start;
	len = (size_t)(p - place);
	if (len > PERF_FILE_WIDTH) {
		tail = p - PERF_FILE_TAIL;
		tail += rest_of_character(place, tail, p);
		len = (size_t)(p - tail);
		/* Copy by memcpy(): the loader would look up memmove() for this
		 * copy alone. */
		memcpy(kept, tail, len);
		memcpy(place, "...", 3);
		memcpy(place + 3, kept, len);
		p = place + 3 + len;
	}
	p = put_pad(r, p, start, PERF_FILE_WIDTH);
	return tr2_put_lit(p, SEPARATOR);
}

/* Append the column with file:line. If the text is too long, append "..." and
 * the end of the text, cut between characters. */
static char *add_perf_place(struct tr2_render *r, char *p,
			    const struct tr2_event *ev)
{
	const char *file = ev->file ? ev->file : "";
	size_t len = strlen(file), line_len;
	const char *tail;
	char line[24], *start = p;

	line_len = (size_t)(put_line(line, ev->line) - line);
	memset(p, ' ', PERF_FILE_WIDTH);
	if (len + line_len > PERF_FILE_WIDTH) {
		p = tr2_put_lit(p, "...");
		tail = file + len + line_len - PERF_FILE_TAIL;
		tail += rest_of_character(file, tail, file + len);
		len = (size_t)(file + len - tail);
		file = tail;
	}
	if (!tr2_text_copy(p, file, len))
		return add_perf_place_slow(r, start, ev);
	tr2_put(p + len, line, line_len);
	return tr2_put_lit(start + PERF_FILE_WIDTH, SEPARATOR);
}

void tr2_render_perf_head(struct tr2_buf *b, unsigned int depth,
			  const char *thread_name)
{
	size_t start;

	tr2_buf_addch(b, 'd');
	tr2_buf_add_u64(b, depth);
	tr2_buf_addlit(b, SEPARATOR);
	start = b->len;
	tr2_text_add(b, thread_name, strlen(thread_name));
	if (b->len - start < PERF_THREAD_WIDTH)
		tr2_buf_addchars(b, ' ', PERF_THREAD_WIDTH - (b->len - start));
	tr2_buf_addlit(b, SEPARATOR);
	tr2_buf_room(b, TR2_PUT_BLOCK);
}

#define NO_REPO "   " SEPARATOR
#define NO_TIME "         " SEPARATOR

static char *put_repo_column(char *p, const struct tr2_event *ev)
{
	if (!ev->repo_id)
		return tr2_put_lit(p, NO_REPO);
	*p++ = 'r';
	p = tr2_put_i64(p, tr2_event_shown_repo(ev));
	return tr2_put_lit(p, " " SEPARATOR);
}

static char *put_time_column(char *p, bool wanted, uint64_t ns)
{
	char text[TR2_KEY_MAX];
	size_t len;

	if (!wanted)
		return tr2_put_lit(p, NO_TIME);
	if (ns < UINT64_C(9999999500)) { /* after rounding, the seconds have one
					  * digit */
		*p = ' ';
		p = tr2_put_seconds(p + 1, ns);
		return tr2_put_lit(p, SEPARATOR);
	}
	len = (size_t)(tr2_put_seconds(text, ns) - text);
	memset(p, ' ', PERF_TIME_WIDTH);
	if (len < PERF_TIME_WIDTH)
		p += PERF_TIME_WIDTH - len;
	p = tr2_put(p, text, len);
	return tr2_put_lit(p, SEPARATOR);
}

/* Put the column with the event's name. */
static char *put_name(char *p, const struct tr2_event *ev)
{
	p = tr2_put_key(p, &tr2_event_rows[ev->kind].padded);
	return tr2_put_lit(p, SEPARATOR);
}


/* Append the column of the category, cut or padded to its width. */
static char *add_category(struct tr2_render *r, char *p,
			  const struct tr2_event *ev)
{
	size_t start = tr2_render_leave(r, p), len;

	p = add_template(r, p, ev, tr2_templates[ev->kind].perf_category);
	len = (size_t)(p - r->line.p) - start;
	if (len > PERF_CATEGORY_WIDTH)
		p = r->line.p + start +
		    tr2_utf8_cut(r->line.p + start, len, PERF_CATEGORY_WIDTH);
	p = put_pad(r, p, start, PERF_CATEGORY_WIDTH);
	return tr2_put_lit(p, SEPARATOR);
}

/* Append two dots for each open region except the outermost, up to the
 * limit. */
static char *add_dots(struct tr2_render *r, char *p, unsigned int nesting)
{
	size_t n = nesting > 1 ? 2 * ((size_t)nesting - 1) : 0, before;

	if (n > TR2_PERF_MAX_DOTS)
		n = TR2_PERF_MAX_DOTS;
	if (tr2_render_has_room(r, p, n))
		return tr2_put_chars(p, '.', n);
	before = tr2_render_leave(r, p);
	tr2_buf_addchars(&r->line, '.', n);
	return tr2_render_back(r, before);
}

static char *add_message(struct tr2_render *r, char *p,
			 const struct tr2_event *ev)
{
	if (ev->nesting > 1)
		p = add_dots(r, p, ev->nesting);
	return add_template(r, p, ev, tr2_templates[ev->kind].perf_message);
}

/* Append the text of a template up to the first operation that depends on more
 * than the site, and set *op to that operation. */
static char *add_site_template(struct tr2_render *r, char *p,
			       const struct tr2_event *ev,
			       const struct tr2_op **op)
{
	const struct tr2_field *field = tr2_event_rows[ev->kind].field;

	for (;; ++*op) {
		if ((*op)->kind == TR2_OP_TEXT)
			p = tr2_put(p, (*op)->text, (*op)->len);
		else if (!(field[(*op)->field].flags & TR2_F_SITE))
			return p;
		else if ((*op)->kind == TR2_OP_STR)
			p = add_str(r, p, ev->v[(*op)->field].s);
		else if ((*op)->kind != TR2_OP_IF)
			return p;
		else if (!tr2_event_has(ev, (*op)->field))
			*op += (*op)->len;
	}
}

/* Set the tail if the rest of a template is empty, {field}, or
 * {?field:TEXT{field}}. */
static bool set_tail(struct tr2_render *r, char **p, const struct tr2_op *op,
		     struct tr2_pieces *pieces)
{
	size_t start = tr2_render_leave(r, *p);

	pieces->tail_field = TR2_NO_TAIL;
	if (op->kind == TR2_OP_END)
		return true;
	pieces->tail_field = op->field;
	if (op->kind == TR2_OP_IF && op->len == 2 &&
	    op[1].kind == TR2_OP_TEXT) {
		op += 2;
		*p = tr2_put(*p, op[-1].text, op[-1].len);
	}
	pieces->perf_tail = tr2_render_piece(r, start, *p);
	pieces->tail_is_free = op->kind == TR2_OP_FREE_STR;
	return (op->kind == TR2_OP_LAST_STR || op->kind == TR2_OP_FREE_STR) &&
	       op->field == pieces->tail_field && op[1].kind == TR2_OP_END;
}

char *tr2_render_text_pieces(struct tr2_render *r, char *p,
			     const struct tr2_event *ev,
			     struct tr2_pieces *pieces)
{
	const struct tr2_op *op = tr2_templates[ev->kind].perf_message;
	size_t start = tr2_render_leave(r, p);

	p = add_normal_place(r, p, ev);
	pieces->normal_place = tr2_render_piece(r, start, p);
	if (!op)
		return p; /* the settings have no perf target */
	start = tr2_render_leave(r, p);
	p = add_perf_place(r, p, ev);
	pieces->perf_place = tr2_render_piece(r, start, p);
	start = tr2_render_leave(r, p);
	p = put_name(p, ev);
	p = tr2_put_lit(p, NO_REPO NO_TIME NO_TIME);
	p = add_category(r, p, ev);
	pieces->perf_columns = tr2_render_piece(r, start, p);
	start = tr2_render_leave(r, p);
	p = add_site_template(r, p, ev, &op);
	pieces->perf_message = tr2_render_piece(r, start, p);
	return set_tail(r, &p, op, pieces) ? p : NULL;
}

void tr2_render_perf_message(struct tr2_render *r, const struct tr2_event *ev)
{
	char *p = tr2_render_begin(r, 0);

	if (p)
		tr2_render_end(r, add_message(r, p, ev));
}

void tr2_render_perf(struct tr2_render *r, const struct tr2_event *ev,
		     bool brief)
{
	unsigned int flags = tr2_event_flags(ev->kind);
	size_t head_len = ev->emitter->perf_head_len;
	char *p = tr2_render_begin(r, head_len);

	if (!p)
		return;
	if (!brief) {
		p = put_time(p, r, ev);
		p = add_perf_place(r, p, ev);
	}
	p = tr2_put_blocks(p, ev->emitter->perf_head, head_len);
	p = put_name(p, ev);
	p = put_repo_column(p, ev);
	p = put_time_column(p, flags & TR2_E_T_ABS, ev->t_abs_ns);
	p = put_time_column(p, flags & TR2_E_T_REL, ev->t_rel_ns);
	p = add_category(r, p, ev);
	p = add_message(r, p, ev);
	*p++ = '\n';
	tr2_render_end(r, p);
}

bool tr2_kept_perf_prepare(struct tr2_kept *kept, struct tr2_render *r,
			   const struct tr2_event *ev, bool brief)
{
	size_t len = ev->emitter->perf_head_len;
	char *p = kept->p;

	tr2_kept_forget(kept);
	if (len > TR2_KEPT_HEAD_BYTES)
		return false;
	if (!brief)
		p = put_time(p, r, ev) + TR2_PERF_PLACE_BYTES;
	p = tr2_put(p, ev->emitter->perf_head, len);
	kept->at = (size_t)(p - kept->p);
	tr2_kept_remember(kept, ev->wall_us);
	return true;
}

char *tr2_kept_text_slow(const struct tr2_kept *kept, struct tr2_render *r,
			 char *p, const char *s)
{
	char *end = tr2_render_begin(r, 0);

	return end ? tr2_kept_copy(kept, r, p, add_free_str(r, end, s)) : NULL;
}
