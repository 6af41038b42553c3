/* One lane's trace in several documents; see parts.h.
 *
 * Nothing here depends on how events come in batches: text is handed over, and files change, by
 * what was added only. */
/* SPDX-License-Identifier: MIT */
#include "parts.h"

#include "base/folder.h"
#include "base/trees.h"

#define PIECE_BYTES (32u << 10) /* a thousand parts may hold as much each */

struct Parts {
  const Frame *frame;
  char *file;
  PartsLimit limit;
  GPtrArray *documents; /* Document *, in the order in which they began */
  GTree *windows;       /* to Document * */
  Document *current;    /* of the event before, or NULL */
  Document *open;       /* whose file is open, or NULL */
  Text rows;            /* metadata, one after the other */
  GArray *row_ends;     /* size_t */
  uint64_t n_lone_rows;
};

Parts *parts_new(const Frame *frame, const char *file, PartsLimit limit)
{
  Parts *p = g_new0(Parts, 1);
  p->frame = frame;
  p->file = g_strdup(file);
  p->limit = limit;
  p->documents = g_ptr_array_new_with_free_func((GDestroyNotify)document_free);
  p->windows = g_tree_new_full(trees_by_int64, NULL, NULL, NULL);
  p->row_ends = g_array_new(FALSE, FALSE, sizeof(size_t));
  return p;
}

void parts_free(Parts *p)
{
  if (!p) return;
  g_tree_destroy(p->windows);
  g_ptr_array_free(p->documents, TRUE);
  g_array_free(p->row_ends, TRUE);
  text_free(&p->rows);
  g_free(p->file);
  g_free(p);
}

uint64_t parts_lone_rows(const Parts *p) { return p->n_lone_rows; }

/* ------------------------------------------------------------------ writing */

static int put_aside(Parts *p, const Document *d)
{
  if (p->open != d) return 0;
  p->open = NULL;
  return p->frame->host->output(p->frame->host, d->file, NULL, NULL, 0);
}

static int hand_over(Parts *p, Document *d)
{
  int status = p->open && p->open != d ? put_aside(p, p->open) : 0;
  if (status) return status;
  p->open = d;
  status = document_flush(p->frame, d);
  if (d->text.capacity > 2 * PIECE_BYTES) text_free(&d->text);
  return status;
}

static int hand_over_pieces(Parts *p, Document *d)
{
  return d->text.len < PIECE_BYTES ? 0 : hand_over(p, d);
}

static void put(Document *d, const char *bytes, size_t len)
{
  document_join(d);
  text_put(&d->text, bytes, len);
}

/* The rows that it has not. */
static void give_rows(const Parts *p, Document *d)
{
  for (; d->n_rows < p->row_ends->len; d->n_rows++) {
    const size_t *ends = (const size_t *)p->row_ends->data;
    size_t start = d->n_rows ? ends[d->n_rows - 1] : 0;
    put(d, p->rows.bytes + start, ends[d->n_rows] - start);
  }
}

/* ----------------------------------------------------------------- choosing */

static int too_many(const Parts *p)
{
  MillFailure f = { .size = sizeof(f),
                    .status = MILL_LIMIT,
                    .line = __LINE__,
                    .file = __FILE__,
                    .what = "the trace would be split into more than 1000 parts",
                    .help =
                        p->limit.bytes ? "give a larger split-size" : "give a longer split-time" };
  return p->frame->common->fail(p->frame->common, &f);
}

static int begin(Parts *p)
{
  if (p->documents->len >= PARTS_MAX) return too_many(p);
  Document *d = document_new(name_of_part(p->file, p->documents->len + 1));
  g_ptr_array_add(p->documents, d);
  document_head(p->frame, d, p->frame->members);
  give_rows(p, d);
  p->current = d;
  return hand_over_pieces(p, d);
}

static bool is_full(const Parts *p, const Document *d)
{
  return d->any_event && d->handed_over + d->text.len >= (uint64_t)p->limit.bytes;
}

static int choose_by_size(Parts *p)
{
  Document *before = p->current;
  if (before && !is_full(p, before)) return 0;
  int status = before ? hand_over(p, before) : 0;
  if (before) text_free(&before->text);
  return status ? status : begin(p);
}

static int64_t window_of(const Parts *p, int64_t ts_ns)
{
  int64_t window = ts_ns / p->limit.window_ns;
  return ts_ns % p->limit.window_ns < 0 ? window - 1 : window;
}

/* What has no time stays with what came before it. */
static int choose_by_time(Parts *p, const PartEvent *e)
{
  if (!e->timed) return p->current ? 0 : begin(p);
  int64_t window = window_of(p, e->ts_ns);
  if (p->current && p->current->timed && p->current->window == window) return 0;
  Document *known = g_tree_lookup(p->windows, &window);
  if (known) {
    p->current = known;
    return 0;
  }
  int status = p->current && !p->current->timed ? 0 : begin(p);
  if (status) return status;
  p->current->timed = true;
  p->current->window = window;
  g_tree_insert(p->windows, &p->current->window, p->current);
  return 0;
}

static int choose(Parts *p, const PartEvent *e)
{
  return p->limit.window_ns ? choose_by_time(p, e) : choose_by_size(p);
}

/* ------------------------------------------------------------------- events */

static int add_lone_row(Parts *p, const char *bytes, size_t len)
{
  int status = p->current ? 0 : begin(p);
  if (status) return status;
  p->n_lone_rows++;
  put(p->current, bytes, len);
  return hand_over_pieces(p, p->current);
}

/* The part at hand gets it where it is, all others before their ends. */
static int add_row(Parts *p, const char *bytes, size_t len)
{
  if (len > PARTS_ROW_BYTES - p->rows.len) return add_lone_row(p, bytes, len);
  text_put(&p->rows, bytes, len);
  g_array_append_val(p->row_ends, p->rows.len);
  if (!p->current) return 0;
  give_rows(p, p->current);
  return hand_over_pieces(p, p->current);
}

int parts_add(Parts *p, const PartEvent *e, const char *bytes, size_t len)
{
  if (e->is_row) return add_row(p, bytes, len);
  int status = choose(p, e);
  if (status) return status;
  put(p->current, bytes, len);
  p->current->any_event = true;
  return hand_over_pieces(p, p->current);
}

static int finish_part(Parts *p, Document *d)
{
  give_rows(p, d);
  document_ranks(p->frame, d);
  document_tail(p->frame, d);
  int status = hand_over(p, d);
  text_free(&d->text);
  return status ? status : put_aside(p, d);
}

int parts_finish(Parts *p)
{
  int status = p->documents->len ? 0 : begin(p);
  for (guint i = 0; i < p->documents->len && !status; i++)
    status = finish_part(p, p->documents->pdata[i]);
  return status;
}
