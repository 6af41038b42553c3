/* One file parsed by several threads gives what one thread gives, however often a guess is
 * wrong. */
/* SPDX-License-Identifier: MIT */
#include "input/chunks.h"

#include "check.h"
#include "scratch.h"

/* An event is "E", seven digits of length, ":", as many bytes, "\n"; the file ends in "END".
 * Its bytes begin
 * with a number, and may well look like further events. */
enum { HEAD = 9 };

static bool is_head(const char *p)
{
  bool good = p[0] == 'E' && p[8] == ':';
  for (int i = 1; i < 8; i++) good = good && g_ascii_isdigit(p[i]);
  return good;
}

static int64_t text_sync(const char *bytes, size_t len)
{
  for (size_t i = 0; i + HEAD < len; i++)
    if (bytes[i] == '\n' && is_head(bytes + i + 1)) return (int64_t)i + 1;
  return -1;
}

typedef struct Source {
  const MillSourceHost *host;
} Source;

static _Atomic unsigned unnamed; /* calls of which a crash would not say whose they are */

static int text_fork(void *instance, const MillSourceHost *host, void **out)
{
  if (instance && (!instance_current || host != &instance_current->host.source)) unnamed++;
  Source *s = g_new0(Source, 1);
  s->host = host;
  *out = s;
  return 0;
}

static int text_parse(void *instance, MillBlock *block, MillBatch *batch)
{
  Source *s = instance;
  if (!instance_current || s->host != &instance_current->host.source) unnamed++;
  for (;;) {
    const char *p = block->bytes + block->pos;
    size_t left = block->len - block->pos;
    if (block->pos >= block->stop) return MILL_PARSE_STOP;
    if (left >= 3 && !memcmp(p, "END", 3)) return MILL_PARSE_DONE;
    if (left < HEAD || !is_head(p)) return MILL_PARSE_MORE;
    size_t len = HEAD + strtoul(p + 1, NULL, 10) + 1;
    if (left < len) return MILL_PARSE_MORE;
    if (batch->n_events == batch->max_events) return MILL_PARSE_FULL;
    int64_t number = strtol(p + HEAD, NULL, 10);
    mill_events(batch)[batch->n_events++] =
        (MillEvent){ .ts_ns = number,
                     .kind = MILL_SLICE,
                     .raw_off = (uint32_t)(p - batch->raw_),
                     .raw_len = (uint32_t)len,
                     .track = s->host->track(s->host, mill_int(number % 5), mill_none()) };
    if (number % 100 == 0)
      s->host->common->note(s->host->common, 1, batch, batch->n_events - 1, NULL, 0);
    block->pos += len;
  }
}

static bool text_in_events(void *instance) { return instance != NULL; }

static const MillSourceOps ops = { .size = sizeof(MillSourceOps),
                                   .parse = text_parse,
                                   .sync = text_sync,
                                   .fork = text_fork,
                                   .in_events = text_in_events,
                                   .close = g_free };
static const MillNotice notices[] = { MILL_INFO(1, "x", NULL, NULL, NULL) };
static const Descriptor source = { .kind = MILL_KIND_SOURCE,
                                   .name = "text",
                                   .tag = "TXT",
                                   .notices = notices,
                                   .n_notices = 1,
                                   .source_ops = &ops };

/* liars: one event of so many is full of false heads; huge: one is longer than two chunks. */
static GString *make_text(unsigned count, unsigned liars, bool huge)
{
  GString *text = g_string_new(NULL);
  for (unsigned i = 0; i < count; i++) {
    g_autoptr(GString) body = g_string_new(NULL);
    g_string_append_printf(body, "%u ", i);
    for (unsigned k = 0; liars && i % liars == 0 && k < 2000; k++)
      g_string_append(body, "\nE0000004:123\n");
    for (unsigned k = 0; huge && i == count / 2 && k < 2500000; k++) g_string_append_c(body, 'x');
    for (unsigned k = 0; k < i % 200; k++) g_string_append_c(body, 'y');
    g_string_append_printf(text, "E%07u:%s\n", (unsigned)body->len, body->str);
  }
  return text;
}

/* Reads from `begin`; returns the number of events, and where it ended. */
static unsigned read_chunks(const char *path, uint32_t threads, uint64_t *out_end,
                            uint64_t *out_reparsed, uint64_t *out_notes)
{
  char *why = NULL;
  BatchPool *batches = batch_pool_new(100);
  Budget budget = { .limit_bytes = UINT64_MAX };
  HostEnv host = { .batches = batches, .budget = &budget };
  LaneInfo lane;
  unsigned count = 0;
  lane_info_init(&lane, 0, path);
  ChunkSource from = { .chunk_bytes = CHUNK_BYTES,
                       .reader = reader_open(path, &why),
                       .instance = instance_new(&host, &lane, &source, "text"),
                       .batches = batches,
                       .blocks = block_pool_new(CHUNK_BYTES + CHUNK_OVERLAP) };
  CHECK_INT(text_fork(NULL, &from.instance->host.source, &from.instance->self), 0);
  Chunks *c = chunks_new(&from, 4, threads);
  for (;;) {
    Batch *b;
    if (!CHECK(chunks_next(c, &b, out_end) == NULL) || !b) break;
    for (uint32_t i = 0; i < b->pub.n_events; i++, count++) {
      const MillEvent *e = &b->pub.events[i];
      if (!CHECK_INT(e->ts_ns, count)) break;
      CHECK_INT(tracks_get(lane.tracks, e->track)->process.u.i, count % 5);
      CHECK(!memcmp(batch_raw(&b->pub, e), "E", 1));
    }
    lane.n_events = count;
    batch_give(batches, b);
  }
  *out_reparsed = chunks_reparsed(c);
  chunks_free(c);
  CHECK_INT(unnamed, 0);
  CHECK(instance_current == NULL);
  *out_notes = from.instance->notices.counts[0].count;
  CHECK(tracks_count(lane.tracks) <= 5);
  instance_free(from.instance);
  reader_close(from.reader);
  lane_info_clear(&lane);
  batch_pool_free(batches);
  block_pool_free(from.blocks);
  return count;
}

static void test_files(void)
{
  static const struct {
    const char *name;
    unsigned count, liars;
    bool huge, guesses_fail;
  } rows[] = {
    { "honest", 60000, 0, false, false },
    { "false heads", 20000, 40, false, true },
    { "an event longer than chunks", 30000, 0, true, true },
    { "both", 20000, 20, true, true },
    { "smaller than a chunk", 50, 0, false, false },
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    unsigned before = CU_get_number_of_failures();
    char *folder = scratch_folder();
    GString *text = make_text(rows[i].count, rows[i].liars, rows[i].huge);
    g_string_prepend(text, "Top\n");
    uint64_t events_end = text->len, end, reparsed, notes;
    g_string_append(text, "END\n");
    scratch_write(folder, "text", text->str, (gssize)text->len);
    g_autofree char *path = g_build_filename(folder, "text", NULL);
    for (uint32_t threads = 1; threads <= 4; threads++) {
      CHECK_INT(read_chunks(path, threads, &end, &reparsed, &notes), rows[i].count);
      CHECK_INT(end, events_end);
      CHECK_INT(notes, (rows[i].count + 99) / 100);
      CHECK_INT(reparsed > 0, rows[i].guesses_fail);
    }
    g_string_free(text, TRUE);
    scratch_remove(folder);
    if (CU_get_number_of_failures() > before) CHECK_ROW(rows[i].name);
  }
}

/* What cannot be parsed is left to the sequential parser, from the place where it begins. */
static void test_damage(void)
{
  char *folder = scratch_folder();
  GString *text = make_text(40000, 0, false);
  g_string_prepend(text, "Top\n");
  const char *damaged = strstr(text->str, ":30000 ");
  if (CHECK(damaged != NULL)) {
    uint64_t at = (uint64_t)(damaged - text->str) - 8, end, reparsed, notes;
    text->str[at] = '?';
    scratch_write(folder, "text", text->str, (gssize)text->len);
    g_autofree char *path = g_build_filename(folder, "text", NULL);
    unsigned count = read_chunks(path, 4, &end, &reparsed, &notes);
    CHECK(count <= 30000);
    CHECK(end <= at && at - end <= CHUNK_BYTES);
    CHECK(!memcmp(text->str + end, "E", 1) || end == at);
  }
  g_string_free(text, TRUE);
  scratch_remove(folder);
}

TEST_MAIN({ "honest files and liars", test_files }, { "damage", test_damage })
