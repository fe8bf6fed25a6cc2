#include "link/proxy_filter.h"

#include <stdlib.h>

#include "base/buf.h"

/* Bytes are gathered until the header is whole; a header in one piece, the usual case, is never
 * copied. */
struct proxy_filter {
	struct filter filter;
	proxy_source_fn on_source;
	struct buf head;
};

static enum progress finish(struct proxy_filter *pf, struct link *l, const struct proxy_header *h)
{
	pf->filter.spent = true;
	pf->on_source(l, &h->source);
	return DONE;
}

/* The header began in an earlier piece: `in` is added to it, and what is too much stays in `in`. */
static enum progress go_on(struct proxy_filter *pf, struct link *l, struct slice *in)
{
	size_t before = pf->head.len;
	struct proxy_header h;
	enum progress got;

	if (!buf_append(&pf->head, *in))
		return BAD;
	got = proxy_header_parse(&h, buf_slice(&pf->head));
	if (got != DONE) {
		slice_cut(in, in->len);
		return got;
	}
	slice_cut(in, h.bytes - before);
	return finish(pf, l, &h);
}

static enum progress proxy_in(struct filter *f, struct link *l, struct slice *io_in,
			      struct slice *ret_piece, const char **ret_why)
{
	struct proxy_filter *pf = CONTAINER_OF(f, struct proxy_filter, filter);
	struct proxy_header h;
	enum progress got = MORE;

	(void)ret_piece;
	*ret_why = "not a PROXY header";
	if (pf->head.len > 0)
		return go_on(pf, l, io_in);
	got = proxy_header_parse(&h, *io_in);
	if (got == DONE) {
		slice_cut(io_in, h.bytes);
		return finish(pf, l, &h);
	}
	if (got == MORE && !buf_append(&pf->head, *io_in))
		return BAD;
	slice_cut(io_in, io_in->len);
	return got;
}

static void proxy_free(struct filter *f)
{
	struct proxy_filter *pf = CONTAINER_OF(f, struct proxy_filter, filter);

	buf_fini(&pf->head);
	free(pf);
}

static const struct filter_ops ops = {.in = proxy_in, .free = proxy_free};

struct filter *proxy_filter_new(proxy_source_fn on_source)
{
	struct proxy_filter *pf = calloc(1, sizeof(*pf));

	if (pf == NULL)
		return NULL;
	pf->filter.ops = &ops;
	pf->on_source = on_source;
	return &pf->filter;
}
