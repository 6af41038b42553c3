/* A minimal host for one source instance; see source-host.h. */
/* SPDX-License-Identifier: MIT */
#include "source-host.h"

#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/scan.h"

typedef struct Name {
  uint32_t len;
  char text[];
} Name;

static SourceHost *self_of(const MillHost *common) { return (SourceHost *)common; }
static SourceHost *self(const MillSourceHost *host) { return self_of(host->common); }

/* ---------------------------------------------------------------- symbols */
static guint name_hash(gconstpointer p)
{
  const Name *n = p;
  guint h = 5381;
  for (uint32_t i = 0; i < n->len; i++) h = h * 33 + (unsigned char)n->text[i];
  return h;
}

static gboolean name_equal(gconstpointer a, gconstpointer b)
{
  const Name *x = a, *y = b;
  return x->len == y->len && memcmp(x->text, y->text, x->len) == 0;
}

static MillSym intern(const MillHost *host, const char *text, size_t len)
{
  SourceHost *h = self_of(host);
  Name *n = g_malloc(sizeof *n + len + 1);
  gpointer found;
  n->len = (uint32_t)len;
  memcpy(n->text, text, len);
  n->text[len] = 0;
  if (g_hash_table_lookup_extended(h->symbols, n, NULL, &found)) {
    g_free(n);
    return GPOINTER_TO_UINT(found);
  }
  g_ptr_array_add(h->names, n);
  g_hash_table_insert(h->symbols, n, GUINT_TO_POINTER(h->names->len - 1));
  return h->names->len - 1;
}

static const char *symbol_text(const MillHost *host, MillSym sym, size_t *out_len)
{
  const Name *n = self_of(host)->names->pdata[sym];
  *out_len = n->len;
  return n->text;
}

const char *source_symbol(const SourceHost *h, MillSym sym)
{
  size_t len;
  return sym < h->names->len ? symbol_text(&h->common, sym, &len) : "(bad)";
}

/* ------------------------------------------------------- tracks and lanes */
static bool same_row(const MillValue *a, const MillValue *b)
{
  if (a->type != b->type) return false;
  if (a->type == MILL_INT) return a->u.i == b->u.i;
  return a->type == MILL_NONE || a->u.sym == b->u.sym;
}

static uint32_t track(const MillSourceHost *host, MillValue process, MillValue thread)
{
  SourceHost *h = self(host);
  for (guint i = 0; i < h->tracks->len; i++) {
    const MillTrack *t = &g_array_index(h->tracks, MillTrack, i);
    if (same_row(&t->process, &process) && same_row(&t->thread, &thread)) return i;
  }
  MillTrack t = { sizeof t, 0, process, thread };
  g_array_append_val(h->tracks, t);
  return h->tracks->len - 1;
}

/* Nobody gave any. */
static const char *tag(const MillHost *host, uint32_t lane, const char *name)
{
  (void)host, (void)lane, (void)name;
  return NULL;
}

static void lane(const MillHost *host, uint32_t index, MillLane *out)
{
  (void)host;
  (void)index;
  out->name = "trace.json";
}

/* ---------------------------------------------------------------- telling */
static void note(const MillHost *host, uint32_t number, const MillBatch *batch, uint32_t index,
                 const MillNamed *named, uint32_t n)
{
  (void)batch;
  (void)index;
  (void)named;
  (void)n;
  self_of(host)->notes[number % 64]++;
}

static int fail(const MillHost *host, const MillFailure *f)
{
  SourceHost *h = self_of(host);
  g_free(h->failure);
  h->failure = g_strdup_printf("%u: %s | %s | %s", f->number, f->what, f->where ? f->where : "",
                               f->why ? f->why : "");
  return -(int)f->status;
}

static void describe(const MillSourceHost *host, const char *key, MillValue v)
{
  GString *out = self(host)->described;
  if (strcmp(key, "fact") == 0)
    g_string_append_printf(self(host)->facts, "%.*s;", (int)v.len, v.u.text);
  else if (v.type == MILL_INT || v.type == MILL_BOOL)
    g_string_append_printf(out, "%s=%lld;", key, (long long)v.u.i);
  else
    g_string_append_printf(out, "%s=%.*s;", key, (int)v.len, v.u.text);
}

static void member(const MillSourceHost *host, bool after, const char *key, size_t key_len,
                   const char *json, size_t len)
{
  GString *out = self(host)->members;
  g_string_append_c(out, after ? '>' : '<');
  g_string_append_len(out, key, (gssize)key_len);
  g_string_append_c(out, '=');
  g_string_append_len(out, json, (gssize)len);
  g_string_append_c(out, '\n');
}

/* ------------------------------------------------------------------ input */
static int64_t peek(const MillSourceHost *host, bool from_end, const char **out_bytes)
{
  const SourceHost *h = self(host);
  size_t len = MIN(h->len, from_end ? 256u * 1024 : 64u * 1024);
  *out_bytes = from_end ? h->text + h->len - len : h->text;
  return (int64_t)len;
}

static int64_t size_bytes(const MillSourceHost *host) { return (int64_t)self(host)->len; }

/* How much is read next. */
static size_t next_piece(const SourceHost *h)
{
  const SourceRun *run = h->run;
  size_t end = h->len;
  for (uint32_t i = run->n_cuts; i-- > 0;)
    if (run->cuts[i] > h->pos) end = MIN(end, run->cuts[i]);
  return MIN(end - h->pos, run->block_size);
}

static int64_t read_bytes(const MillSourceHost *host, void *buffer, size_t max)
{
  SourceHost *h = self(host);
  size_t n = MIN(max, next_piece(h));
  if (n) memcpy(buffer, h->text + h->pos, n);
  h->pos += n;
  return (int64_t)n;
}

static bool grow_attrs(const MillSourceHost *host, MillBatch *b)
{
  (void)host;
  if (b->size == 0) return false; /* source_run: a fixed number */
  b->max_attrs *= 2;
  b->attrs = g_renew(MillAttr, b->attrs, b->max_attrs);
  return true;
}

static uint32_t own_text(const MillSourceHost *host, MillBatch *b, const char *text, size_t len)
{
  SourceHost *h = self(host);
  uint32_t off = (uint32_t)h->own->len;
  g_string_append_len(h->own, text, (gssize)len);
  b->own_ = h->own->str;
  return off;
}

static MillReadRows wanted(const MillSourceHost *host)
{
  return (MillReadRows){ self(host)->reads, self(host)->n_reads, sizeof(MillRead) };
}

/* An input that can be read once only. */
static int64_t no_part(const MillSourceHost *host)
{
  (void)host;
  return -1;
}

static bool strict(const MillSourceHost *host) { return self(host)->is_strict; }

static bool recover(const MillSourceHost *host) { return self(host)->is_recover; }

static void *resize(const MillHost *host, void *old, size_t bytes)
{
  return fake_memory_resize(&self_of(host)->memory, old, bytes);
}

static const void *extension(const MillHost *host, const char *id)
{
  (void)host;
  (void)id;
  return NULL;
}

SourceHost *source_host_new(const char *text, size_t len)
{
  SourceHost *h = g_new0(SourceHost, 1);
  h->common = (MillHost){ .size = sizeof(MillHost),
                          .abi = MILL_ABI,
                          .seed = hash_seed_fixed(), /* tables are the same in every run */
                          .intern = intern,
                          .symbol_text = symbol_text,
                          .lane = lane,
                          .tag = tag,
                          .note = note,
                          .fail = fail,
                          .resize = resize,
                          .extension = extension };
  h->source = (MillSourceHost){ .size = sizeof(MillSourceHost),
                                .common = &h->common,
                                .read = read_bytes,
                                .peek = peek,
                                .part = no_part,
                                .size_bytes = size_bytes,
                                .describe = describe,
                                .track = track,
                                .wanted = wanted,
                                .grow_attrs = grow_attrs,
                                .own_text = own_text,
                                .member = member,
                                .strict = strict,
                                .recover = recover };
  h->text = text;
  h->len = len;
  h->symbols = g_hash_table_new(name_hash, name_equal);
  h->names = g_ptr_array_new_with_free_func(g_free);
  h->tracks = g_array_new(FALSE, FALSE, sizeof(MillTrack));
  h->own = g_string_new(NULL);
  h->members = g_string_new(NULL);
  h->described = g_string_new(NULL);
  h->facts = g_string_new(NULL);
  fake_memory_init(&h->memory);
  intern(&h->common, "", 0);
  return h;
}

void source_host_free(SourceHost *h)
{
  g_hash_table_destroy(h->symbols);
  g_ptr_array_free(h->names, TRUE);
  g_array_free(h->tracks, TRUE);
  g_string_free(h->own, TRUE);
  g_string_free(h->members, TRUE);
  g_string_free(h->described, TRUE);
  g_string_free(h->facts, TRUE);
  fake_memory_clear(&h->memory);
  g_free(h->failure);
  g_free(h);
}

char *source_block(const char *text, size_t len)
{
  char *block = g_malloc(len + SCAN_PAD);
  memcpy(block, text, len);
  memset(block + len, 0xff, SCAN_PAD);
  return block;
}

/* -------------------------------------------------------------------- run */
typedef struct Feed {
  char *bytes;
  size_t len, max; /* without the padding */
} Feed;

/* Moves what was not consumed to the front and reads more behind it. */
static void refill(Feed *f, SourceHost *h, size_t pos)
{
  f->len -= pos;
  memmove(f->bytes, f->bytes + pos, f->len);
  size_t n = next_piece(h);
  if (f->len + n > f->max) {
    f->max = (f->len + n) * 2;
    f->bytes = g_realloc(f->bytes, f->max + SCAN_PAD);
  }
  memcpy(f->bytes + f->len, h->text + h->pos, n);
  f->len += n;
  h->pos += n;
  memset(f->bytes + f->len, 0xff, SCAN_PAD);
}

static int parse_block(SourceHost *h, const SourceRun *run, void *instance, MillBlock *block,
                       MillBatch *batch)
{
  const MillSourceOps *ops = source_under_test()->ops;
  for (;;) {
    block->n_before = h->n_events;
    batch->n_events = batch->n_attrs = 0;
    batch->raw_ = block->bytes;
    g_string_truncate(h->own, 0);
    int result = ops->parse(instance, block, batch);
    h->n_events += batch->n_events;
    if (result >= 0 && batch->n_events && run->on_batch) run->on_batch(run->user, batch);
    if (result != MILL_PARSE_FULL) return result;
  }
}

static int parse_all(SourceHost *h, const SourceRun *run, void *instance, MillBatch *batch)
{
  size_t first = MIN(run->block_size, h->len);
  Feed f = { g_malloc(first + SCAN_PAD), 0, first };
  uint64_t offset = 0;
  size_t pos = 0;
  int result = MILL_PARSE_MORE;
  while (result == MILL_PARSE_MORE) {
    refill(&f, h, pos);
    offset += pos;
    MillBlock block = {
      .bytes = f.bytes, .len = f.len, .stop = f.len, .offset = offset, .at_end = h->pos == h->len
    };
    result = parse_block(h, run, instance, &block, batch);
    pos = block.pos;
    if (block.at_end && result == MILL_PARSE_MORE) result = -99; /* the source must decide */
  }
  g_free(f.bytes);
  return result < 0 ? result : 0;
}

/* Sources that read by themselves. */
static int next_all(SourceHost *h, const SourceRun *run, void *instance, MillBatch *batch)
{
  const MillSourceOps *ops = source_under_test()->ops;
  int status;
  do {
    batch->n_events = batch->n_attrs = 0;
    g_string_truncate(h->own, 0);
    status = ops->next(instance, batch);
    h->n_events += batch->n_events;
    if (status >= 0 && batch->n_events && run->on_batch) run->on_batch(run->user, batch);
    bool lane_ends = status == MILL_NEXT_END || status == MILL_NEXT_LANE;
    if (lane_ends && h->on_lane) h->on_lane(run->user);
  } while (status > 0);
  return status;
}

int source_run(SourceHost *h, const SourceRun *run)
{
  const MillSource *source = source_under_test();
  const MillSourceOps *ops = source->ops;
  static const int64_t no_options[8] = { 0 };
  void *instance = NULL;
  h->run = run;
  uint32_t max_attrs = run->max_attrs ? run->max_attrs : 256;
  MillBatch batch = { .size = run->max_attrs ? 0 : sizeof batch,
                      .max_events = run->max_events,
                      .max_attrs = max_attrs,
                      .events = g_new(MillEvent, run->max_events),
                      .attrs = g_new(MillAttr, max_attrs) };
  int status = ops->open(source, &h->source, no_options, &instance);
  if (!status && run->describe) status = ops->describe(instance);
  if (!status) status = ops->start(instance);
  if (!status)
    status = ops->parse ? parse_all(h, run, instance, &batch) : next_all(h, run, instance, &batch);
  if (instance) ops->close(instance);
  g_free(batch.events_);
  g_free(batch.attrs_);
  return status;
}
