/* Inputs: opening, choosing a source, describing the lane, and reading batches in order. */
#include "input/input.h"

#include <string.h>
#include <sys/stat.h>

#include "base/folder.h"
#include "base/num.h"
#include "input/chunks.h"
#include "input/feed.h"
#include "model/tags.h"

#define TAIL_BYTES (64u << 10)
#define SURE 95                 /* no other source is asked */
#define CHUNKED_FROM (8u << 20) /* smaller files are read faster by one thread */

InputSpec *input_spec_new(const char *path)
{
  InputSpec *s = g_new0(InputSpec, 1);
  s->path = g_strdup(path);
  s->rank = -1;
  return s;
}

void input_spec_free(InputSpec *s)
{
  if (!s) return;
  g_free(s->path);
  g_free(s->label);
  g_free(s->source);
  g_clear_pointer(&s->tags, g_ptr_array_unref);
  g_clear_pointer(&s->card_tags, g_ptr_array_unref);
  g_clear_pointer(&s->hints, g_ptr_array_unref);
  g_free(s);
}

/* ------------------------------------------------------------ which source */

static bool magic_matches(const MillStage *s, const char *bytes, size_t len)
{
  for (uint32_t i = 0; i < s->n_magic; i++) {
    const MillMagic *m = &s->magic[i];
    if (m->offset + (size_t)m->len <= len && !memcmp(bytes + m->offset, m->bytes, m->len))
      return true;
  }
  return s->n_magic == 0;
}

static bool may_read(const Module *m)
{
  return !strcmp(m->origin, "installed") || !strchr(m->stage->name, '.');
}

static Error *unknown_format(Run *run, const char *name)
{
  const GPtrArray *all = run->sources;
  g_autoptr(GString) known = g_string_new(NULL);
  for (guint i = 0; i < all->len; i++)
    g_string_append_printf(known, "%s%s", i ? ", " : "",
                           ((const Module *)all->pdata[i])->stage->name);
  Error *e =
      error_new(EXIT_INPUT, "RUN-03", "%s is in no format that a source here can read", name);
  if (all->len)
    error_help(e, "formats: %s", known->str);
  else
    error_help(e, "no source was found at all: stagemill doctor");
  return e;
}

static Error *choose_source(Run *run, Input *in, const char *bytes, size_t len)
{
  int best = 0;
  const char *named = in->spec->source ? in->spec->source : run->options.source;
  if (named) {
    Error *e = NULL;
    const Module *m = modules_find(run->modules, MILL_KIND_SOURCE, named, &e);
    in->source = m ? m->stage : NULL;
    return e;
  }
  const Module *m;
  for (guint i = 0; best < SURE && (m = run_source(run, i)); i++) {
    const MillSourceOps *ops = m->stage->ops;
    if (!may_read(m) || !ops->probe || !magic_matches(m->stage, bytes, len)) continue;
    int sure = ops->probe(m->stage, bytes, len, in->lane->name);
    if (sure <= best) continue;
    best = sure;
    in->source = m->stage;
  }
  return in->source ? NULL : unknown_format(run, in->lane->name);
}

/* ------------------------------------------------------------------- ranks */

static int64_t rank_in(const char *text, const GRegex *regex)
{
  g_autoptr(GMatchInfo) match = NULL;
  int64_t rank = -1;
  if (!g_regex_match(regex, text, 0, &match)) return -1;
  g_autofree char *digits =
      g_match_info_fetch(match, g_match_info_get_match_count(match) > 1 ? 1 : 0);
  return num_int(digits, strlen(digits), &rank) && rank >= 0 ? rank : -1;
}

static void rank_from_name(Input *in, const char *pattern, const char *origin)
{
  g_autoptr(GRegex) regex = g_regex_new(pattern, G_REGEX_RAW, 0, NULL);
  g_autofree char *base = g_path_get_basename(in->spec->path);
  if (!regex) return;
  int64_t rank = rank_in(base, regex);
  if (rank < 0) rank = rank_in(in->spec->path, regex);
  if (rank >= 0) input_set_rank(in, rank, origin);
}

static int rank_weight(const char *origin)
{
  static const char *const weights[] = { "file name", "metadata", "--rank-regex", "pattern" };
  for (int i = 0; origin && i < 4; i++)
    if (!strcmp(origin, weights[i])) return i + 1;
  return 0;
}

void input_set_rank(Input *in, int64_t rank, const char *origin)
{
  if (rank_weight(origin) <= rank_weight(in->lane->rank_origin)) return;
  in->lane->rank = rank;
  g_free(in->lane->rank_origin);
  in->lane->rank_origin = g_strdup(origin);
}

/* ----------------------------------------------------------------- opening */

static void member_free(gpointer data)
{
  LaneMember *m = data;
  g_free(m->key);
  g_bytes_unref(m->json);
  g_free(m);
}

static Lane *make_lane(Input *in, uint32_t index)
{
  Lane *lane = g_new0(Lane, 1);
  lane->index = index;
  lane->input = in;
  lane->rank = -1;
  lane->name = strcmp(in->spec->path, "-") ? g_strdup(in->spec->path) : g_strdup("standard input");
  lane->label = g_strdup(in->spec->label ? in->spec->label : "");
  lane->dialect = g_strdup("");
  lane->tags = tags_new();
  tags_set_all(lane->tags, in->spec->hints, TAG_HINT);
  tags_set_all(lane->tags, in->spec->card_tags, TAG_CARD);
  tags_set_all(lane->tags, in->spec->tags, TAG_GIVEN);
  lane->facts = g_ptr_array_new_with_free_func(g_free);
  lane->members = g_ptr_array_new_with_free_func(member_free);
  lane->tracks = tracks_new();
  return lane;
}

static Error *open_reader(Input *in)
{
  g_autofree char *why = NULL;
  if (in->reader || in->is_folder) return NULL;
  in->reader = reader_open(in->spec->path, &why);
  if (!in->reader)
    return error_new(EXIT_INPUT, "RUN-02", "%s cannot be read: %s", in->lane->name, why);
  bool mapped =
      reader_is_plain_file(in->reader) && reader_size(in->reader) >= FEED_ROOM + FEED_BLOCK;
  if (mapped && reader_identity(in->reader, &in->device, &in->inode))
    in->seen_bytes = reader_size(in->reader);
  return NULL;
}

/* What is no regular file cannot be opened a second time: its first bytes would be lost. */
static void close_reader(Input *in)
{
  uint64_t device, inode;
  bool standard = !strcmp(in->spec->path, "-");
  if (in->reader && !standard && reader_identity(in->reader, &device, &inode))
    g_clear_pointer(&in->reader, reader_close);
}

/* Every call of the source sets instance_current, and what it returns goes through here. */
static int end_call(Input *in, int status)
{
  instance_current = NULL;
  instance_end_call(in->instance);
  return status;
}

static Error *describe(Run *run, Input *in)
{
  const MillSourceOps *ops = in->source->ops;
  Error *e = NULL;
  in->instance = instance_new(run, in->lane, in->source, in->source->name);
  in->options =
      option_values_new(in->source->options, in->source->n_options, in->source->options_size);
  e = option_values_complete(in->options);
  if (e) return e;
  instance_current = in->instance;
  int status = end_call(in, ops->open(in->source, &in->instance->host,
                                      option_values_struct(in->options), &in->instance->self));
  if (status) return instance_error(in->instance, "opening", status);
  instance_current = in->instance;
  status = end_call(in, ops->describe ? ops->describe(in->instance->self) : 0);
  if (status < 0) return instance_error(in->instance, "looking at the input", status);
  for (const char *const *f = in->source->provides; f && *f; f++)
    g_ptr_array_add(in->lane->facts, g_strdup(*f));
  return NULL;
}

static uint64_t bytes_in_folder(const char *path)
{
  g_autoptr(GPtrArray) names = folder_names(path);
  uint64_t sum = 0;
  for (guint i = 0; names && i < names->len; i++) {
    struct stat st;
    g_autofree char *file = g_build_filename(path, names->pdata[i], NULL);
    if (!stat(file, &st) && S_ISREG(st.st_mode)) sum += (uint64_t)st.st_size;
  }
  return sum;
}

/* A folder is an input only of the source that found it. */
static Error *look_at_folder(Run *run, Input *in)
{
  in->size_bytes = bytes_in_folder(in->spec->path);
  Error *e = choose_source(run, in, "", 0);
  return e ? e : describe(run, in);
}

static Error *is_empty(const Input *in)
{
  Error *e = error_new(EXIT_INPUT, "RUN-05", "%s is empty", in->lane->name);
  return error_help(e, "look whether the program that should have written it has ended");
}

static Error *look_at(Run *run, Input *in)
{
  const char *bytes;
  in->is_folder = in->spec->source && g_file_test(in->spec->path, G_FILE_TEST_IS_DIR);
  if (in->is_folder) return look_at_folder(run, in);
  Error *e = open_reader(in);
  if (e) return e;
  size_t len = reader_peek(in->reader, &bytes);
  if (reader_why(in->reader) && !reader_truncated(in->reader))
    return error_new(EXIT_INPUT, "RUN-04", "%s cannot be read: %s", in->lane->name,
                     reader_why(in->reader));
  in->size_bytes = reader_size(in->reader);
  e = len ? choose_source(run, in, bytes, len) : is_empty(in);
  return e ? e : describe(run, in);
}

Error *input_open(Run *run, InputSpec *spec, uint32_t index, Input **out)
{
  Input *in = *out = g_new0(Input, 1);
  in->spec = spec;
  in->threads = 1;
  in->n_lanes = 1;
  in->lane = make_lane(in, index);
  if (spec->rank >= 0) input_set_rank(in, spec->rank, "pattern");
  if (run->options.rank_regex) rank_from_name(in, run->options.rank_regex, "--rank-regex");
  rank_from_name(in, "rank[-_/\\[]?([0-9]+)", "file name");
  Error *e = look_at(run, in);
  close_reader(in);
  g_clear_pointer(&in->tail, g_free);
  return e;
}

void input_free(Input *in)
{
  if (!in) return;
  input_stop(in);
  instance_free(in->instance);
  option_values_free(in->options);
  if (in->reader) reader_close(in->reader);
  g_free(in->tail);
  input_spec_free(in->spec);
  g_free(in);
}

Reader *input_reader(Input *in) { return in->reader; }

int64_t input_peek(Input *in, bool from_end, const char **out_bytes)
{
  if (!in->reader) return 0;
  if (!from_end) return (int64_t)reader_peek(in->reader, out_bytes);
  if (!in->tail) {
    in->tail = g_malloc(TAIL_BYTES);
    in->tail_len = reader_tail(in->reader, in->tail, TAIL_BYTES);
  }
  *out_bytes = in->tail;
  return (int64_t)in->tail_len;
}

/* ----------------------------------------------------------------- reading */

/* Where sequential reading stands; chunks take over in the middle of a big file. */
typedef struct Feed_ {
  Feed *feed;
  FeedView view;
  size_t pos;
  bool loaded, ended, chunked;
  Chunks *chunks;
} InputFeed;

static InputFeed *feed_of(Input *in) { return (InputFeed *)in->feed; }

static Error *load(Input *in)
{
  InputFeed *f = feed_of(in);
  size_t left = f->loaded ? f->view.len - f->pos : 0;
  Error *e = feed_next(f->feed, left, in->lane->name, &f->view);
  f->loaded = true;
  f->pos = 0;
  return e;
}

Error *input_start(Input *in)
{
  const MillSourceOps *ops = in->source->ops;
  Run *run = in->instance->run;
  if (in->follows) { /* the source stands behind the lane before */
    in->follows = false;
    return NULL;
  }
  if (!ops->next && !ops->parse)
    return error_new(EXIT_INPUT, "RUN-03", "%s holds nothing that \"%s\" reads", in->lane->name,
                     in->source->name);
  Error *e = open_reader(in);
  if (e) return e;
  instance_current = in->instance;
  int status = end_call(in, ops->start ? ops->start(in->instance->self) : 0);
  if (status < 0) return instance_error(in->instance, "starting", status);
  if (ops->parse) {
    InputFeed *f = g_new0(InputFeed, 1);
    f->feed = feed_new(in->reader, run->blocks, in->threads > 1, run->options.recover);
    in->feed = (struct Feed *)f;
  }
  return NULL;
}

void input_stop(Input *in)
{
  InputFeed *f = feed_of(in);
  if (in->follows) return;
  if (f) {
    in->text_bytes = feed_bytes(f->feed);
    chunks_free(f->chunks);
    feed_free(f->feed);
    g_free(f);
    in->feed = NULL;
  }
  g_clear_pointer(&in->reader, reader_close);
  if (in->instance) instance_close(in->instance);
}

static Error *source_failed(Input *in, int status)
{
  return instance_error(in->instance, "reading", status);
}

int input_enter(Input *in, const char *path, char **out_why)
{
  Reader *reader = reader_open(path, out_why);
  if (!reader) return -1;
  if (in->reader) in->entered_bytes += reader_bytes_in(in->reader);
  g_clear_pointer(&in->reader, reader_close);
  in->reader = reader;
  return 0;
}

Lane *input_follow(Input *in, uint32_t index)
{
  const Lane *before = in->lane;
  Lane *lane = make_lane(in, index);
  g_autofree char *name = g_steal_pointer(&lane->name);
  in->n_lanes++;
  lane->name = g_strdup_printf("%s (run %u)", name, in->n_lanes);
  lane->rank = before->rank;
  lane->rank_origin = g_strdup(before->rank_origin);
  g_free(lane->dialect);
  lane->dialect = g_strdup(before->dialect);
  for (guint i = 0; i < before->facts->len; i++)
    g_ptr_array_add(lane->facts, g_strdup(before->facts->pdata[i]));
  in->lane = in->instance->lane = lane;
  in->instance->tracks = lane->tracks;
  return lane;
}

/* Sources that read by themselves. */
static Error *next_by_read(Input *in, Batch **out)
{
  const MillSourceOps *ops = in->source->ops;
  if (in->lane_ended) {
    in->lane_ended = false;
    return NULL;
  }
  Batch *b = batch_take(in->instance->run->batches, in->lane->index);
  instance_current = in->instance;
  int status = end_call(in, ops->next(in->instance->self, &b->pub));
  in->follows = status == 2;
  in->lane_ended = status != 1 && b->pub.n_events;
  if (status < 0 || (status != 1 && !b->pub.n_events)) {
    batch_give(in->instance->run->batches, b);
    return status < 0 ? source_failed(in, status) : NULL;
  }
  *out = b;
  return NULL;
}

static void start_chunks(Input *in)
{
  InputFeed *f = feed_of(in);
  const MillSourceOps *ops = in->source->ops;
  uint64_t at = f->view.offset + f->pos;
  if (f->chunked || in->threads < 2 || !ops->fork || !ops->sync || !ops->in_events) return;
  if (!reader_is_plain_file(in->reader) || reader_size(in->reader) < at + CHUNKED_FROM) return;
  if (!ops->in_events(in->instance->self)) return;
  f->chunked = true;
  f->chunks = chunks_new(in, at, in->threads);
}

bool input_has_shrunk(const Input *in)
{
  struct stat st;
  return in->seen_bytes && !stat(in->spec->path, &st) && st.st_dev == in->device &&
         st.st_ino == in->inode && (uint64_t)st.st_size < in->seen_bytes;
}

Error *input_shrank(const Input *in)
{
  Error *e = error_new(EXIT_INPUT, "RUN-04", "%s cannot be read: it shrank while it was read",
                       in->lane->name);
  return error_help(e, "wait until its writer has ended, and run again");
}

/* One call of the parser; *out has the batch if it holds anything. */
static Error *parse_once(Input *in, Batch **out, int *out_status)
{
  InputFeed *f = feed_of(in);
  const MillSourceOps *ops = in->source->ops;
  Batch *b = batch_take(in->instance->run->batches, in->lane->index);
  MillBlock block = { .bytes = f->view.bytes,
                      .len = f->view.len,
                      .pos = f->pos,
                      .stop = f->view.len,
                      .offset = f->view.offset,
                      .n_before = in->lane->n_events,
                      .at_end = f->view.at_end };
  b->block = block_ref(f->view.block);
  b->pub.raw = f->view.bytes;
  instance_current = in->instance;
  *out_status = end_call(in, ops->parse(in->instance->self, &block, &b->pub));
  f->pos = block.pos;
  bool torn = block_take_torn(f->view.block);
  if (b->pub.n_events && *out_status >= 0 && !torn)
    *out = b;
  else
    batch_give(in->instance->run->batches, b);
  if (torn) {
    in->seen_bytes = 0; /* told */
    return input_shrank(in);
  }
  return *out_status < 0 ? source_failed(in, *out_status) : NULL;
}

static Error *next_in_chunks(Input *in, Batch **out)
{
  InputFeed *f = feed_of(in);
  uint64_t offset;
  Error *e = chunks_next(f->chunks, out, &offset);
  if (e || *out) return e;
  g_clear_pointer(&f->chunks, chunks_free);
  feed_seek(f->feed, offset);
  f->loaded = false;
  return NULL;
}

static Error *next_by_parse(Input *in, Batch **out)
{
  InputFeed *f = feed_of(in);
  while (!*out && !f->ended) {
    int status;
    Error *e = NULL;
    if (f->chunks) {
      e = next_in_chunks(in, out);
      if (e || *out) return e;
    }
    if (!f->loaded) e = load(in);
    if (e) return e;
    e = parse_once(in, out, &status);
    if (e) return e;
    if (status == MILL_PARSE_DONE) {
      f->ended = true;
    } else if (status == MILL_PARSE_MORE && f->view.at_end) {
      return error_new(EXIT_INTERNAL, "RUN-70", "source \"%s\" asks for more than there is",
                       in->source->name);
    } else {
      start_chunks(in);
      if (status == MILL_PARSE_MORE && !f->chunks) e = load(in);
    }
    if (e) {
      /* What was parsed before a compressed stream broke off is still good. */
      if (*out) batch_give(in->instance->run->batches, *out);
      *out = NULL;
      return e;
    }
  }
  return NULL;
}

static uint64_t bytes_done(Input *in)
{
  InputFeed *f = feed_of(in);
  if (!in->reader) return in->entered_bytes;
  if (!f || !reader_is_plain_file(in->reader))
    return in->entered_bytes + reader_bytes_in(in->reader);
  return f->chunks ? chunks_bytes(f->chunks) : f->view.offset + f->pos;
}

Error *input_next(Input *in, Batch **out)
{
  const MillSourceOps *ops = in->source->ops;
  *out = NULL;
  Error *e = ops->parse ? next_by_parse(in, out) : next_by_read(in, out);
  if (!*out) return e;
  MillBatch *b = &(*out)->pub;
  for (uint32_t i = 0; i < b->n_events; i++) b->events[i].seq = in->lane->n_events + i;
  in->lane->n_events += b->n_events;
  in->lane->next_seq = in->lane->n_events;
  atomic_store_explicit(&in->done_bytes, bytes_done(in), memory_order_relaxed);
  return e;
}
