/* SPDX-License-Identifier: MIT */
/*
 * report_coverage - how much of the CPU time the samples of record --profile
 * stand for. A process begins with a whole period, on each CPU, so that one
 * which is shorter has no sample at all.
 */
#include "base/text.h"
#include "cmd/report.h"

/* Samples that stand for more are taken as the whole. */
#define ENOUGH 0.75

/* The processes of recordings with samples; false: their CPU time is unknown. */
static bool sum_cpu(const struct tr2_report *r, struct tr2_coverage *c)
{
	const struct tr2_model *m = r->m;
	uint32_t i;

	for (i = m->first_root; i; i = tr2_node_after(m, i)) {
		const struct tr2_model_input *in =
			&m->inputs[tr2_input_of_node(m, i)];

		if (!in->period_ns || !tr2_filter_node(r->filter, m, i))
			continue;
		if (m->nodes[i].cpu_ns == TR2_NO_TIME)
			return false;
		tr2_ns_add(&c->cpu_ns, m->nodes[i].cpu_ns);
	}
	return c->cpu_ns > 0;
}

bool tr2_report_coverage(const struct tr2_report *r, struct tr2_coverage *c)
{
	const struct tr2_filter *filter = r->filter;
	const struct tr2_model *m = r->m;
	uint32_t i;

	*c = (struct tr2_coverage){ 0 };
	for (i = 1; i < m->nr_inputs; i++) {
		if (m->inputs[i].period_ns > c->period_ns)
			c->period_ns = m->inputs[i].period_ns;
		c->without_kernel |= m->inputs[i].samples_without_kernel;
	}
	/* Of a part of a process's time nobody knows how much is on CPUs. */
	if (!c->period_ns || filter->region || filter->since_ns > INT64_MIN ||
	    filter->until_ns < INT64_MAX || !sum_cpu(r, c))
		return false;
	for (i = 1; i < m->nr_samples; i++)
		if (m->samples[i].task_thread &&
		    tr2_filter_node(filter, m, m->samples[i].node))
			tr2_ns_add(&c->sampled_ns,
				   (int64_t)m->samples[i].count);
	return true;
}

bool tr2_report_add_coverage(const struct tr2_report *r, struct tr2_buf *b)
{
	struct tr2_coverage c;
	double share;

	if (r->m->nr_samples == 1 || !tr2_report_coverage(r, &c))
		return false;
	share = tr2_report_share(c.sampled_ns, c.cpu_ns);
	if (share >= ENOUGH)
		return false;
	tr2_buf_addlit(b, "(samples stand for ");
	tr2_fmt_ns(b, c.sampled_ns);
	tr2_buf_addlit(b, " of ");
	tr2_fmt_ns(b, c.cpu_ns);
	tr2_buf_addlit(b, " CPU, ");
	tr2_fmt_share(b, share);
	tr2_buf_addstr(b, c.without_kernel ? ": none is in the kernel, and\na "
					     "process has none in its first " :
					     ": a process has none in its\n"
					     "first ");
	tr2_fmt_ns(b, c.period_ns);
	tr2_buf_addlit(b, "; a higher --profile=HZ has more)");
	return true;
}
