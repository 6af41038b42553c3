/* Inputs: opening, choosing a source, describing the lane, and reading batches in order. */
/* SPDX-License-Identifier: MIT */
#include "input/input.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/folder.h"
#include "base/num.h"
#include "base/scan.h"
#include "host/verify.h"
#include "input/attach.h"
#include "input/chunks.h"
#include "input/feed.h"
#include "input/found.h"
#include "input/job.h"
#include "input/parsed.h"
#include "model/printable.h"

#define PIECE_BYTES (256u << 10)
#define PROBE_MORE (1u << 20) /* bytes shown to sources if none knows the first ones */
#define PROBE_MAX (16u << 20)
#define CHUNKED_FROM (8u << 20) /* smaller files are read faster by one thread */

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
  if (rank >= 0) lane_info_set_rank(in->lane, rank, origin);
}

/* ----------------------------------------------------------------- opening */

static LaneInfo *make_lane(const Input *in, uint32_t index)
{
  const InputSpec *spec = in->spec;
  bool standard = !strcmp(spec->path, "-");
  LaneInfo *lane = g_new(LaneInfo, 1);
  lane_info_init(lane, index, standard ? NULL : spec->path);
  tracks_charge_to(lane->tracks, in->env->host->budget);
  lane->name = g_strdup(standard ? "standard input" : spec->path);
  if (spec->label) {
    g_free(lane->label);
    lane->label = g_strdup(spec->label);
  }
  tags_set_all(lane->tags, spec->hints, TAG_HINT);
  tags_set_all(lane->tags, spec->card_tags, TAG_CARD);
  tags_set_all(lane->tags, spec->tags, TAG_GIVEN);
  return lane;
}

Error *input_unseen(const char *path)
{
  int why = errno;
  g_autofree char *safe = printable(path);
  Error *e = error_new(EXIT_INPUT, "RUN-91", "\"%s\" cannot be read: %s", safe, g_strerror(why));
  return error_of_errno(e, why);
}

static Error *bytes_in_folder(const char *path, uint64_t *out)
{
  g_autoptr(GPtrArray) names = folder_names(path);
  Error *e = NULL;
  if (!names) return input_unseen(path);
  for (guint i = 0; !e && i < names->len; i++) {
    struct stat st;
    g_autofree char *file = g_build_filename(path, names->pdata[i], NULL);
    int seen = folder_look(file, &st);
    if (seen < 0) e = input_unseen(file);
    if (seen > 0 && S_ISREG(st.st_mode)) *out += (uint64_t)st.st_size;
  }
  return e;
}

static Error *choose_source(Input *in, const char *bytes, size_t len)
{
  Error *e = NULL;
  in->source = sources_choose(in->env->sources, in->spec->source, in->lane->name, bytes, len, &e);
  return e;
}

/* For a folder, which only the source that found it may read, and for an input without a file. */
static Error *probe_without_bytes(Input *in)
{
  Error *e = in->is_folder ? bytes_in_folder(in->spec->path, &in->size_bytes) : NULL;
  if (!e) e = choose_source(in, "", 0);
  return e ? e : attach_first(in);
}

/* An input that is no trace has nothing to report. An empty log beside a trace does not matter,
 * and its source has a notice for it. */
static Error *take_empty(Input *in)
{
  Error *e = in->spec->source ? choose_source(in, "", 0) : NULL;
  if (e || (in->source && source_side(in->source))) return e;
  e = error_new(EXIT_INPUT, "RUN-05", "%s is empty", in->lane->name);
  error_of_kind(e, ERROR_EMPTY_INPUT);
  return error_help(e, "check whether the program that writes it has ended");
}

/* The members of a JSON object may come in any order, so the member that tells its kind may come
 * late. */
static bool begins_object(const char *bytes, size_t len)
{
  const char *p = bytes, *end = bytes + len;
  if (len >= 3 && !memcmp(p, "\xef\xbb\xbf", 3)) p += 3;
  while (p < end && scan_is_space(*p)) p++;
  return p < end && *p == '{';
}

static Error *choose_by_bytes(Input *in, const char *bytes, size_t len)
{
  Error *e = choose_source(in, bytes, len);
  for (size_t max = PROBE_MORE; max <= PROBE_MAX; max *= 4) {
    if (!e || e->kind != ERROR_UNKNOWN_FORMAT || !begins_object(bytes, len)) break;
    size_t more = reader_peek_more(in->reader, max, &bytes);
    if (more == len) break;
    len = more;
    error_free(e);
    e = choose_source(in, bytes, len);
  }
  return e;
}

static Error *probe(Input *in)
{
  const char *bytes;
  in->is_folder =
      in->spec->source && !in->spec->no_file && g_file_test(in->spec->path, G_FILE_TEST_IS_DIR);
  if (in->is_folder || in->spec->no_file) return probe_without_bytes(in);
  Error *e = attach_reader(in);
  if (e) return e;
  size_t len = reader_peek(in->reader, &bytes);
  if (reader_why(in->reader) && !(len && reader_truncated(in->reader)))
    return error_new(EXIT_INPUT, "RUN-04", "%s cannot be read: %s", in->lane->name,
                     reader_why(in->reader));
  in->size_bytes = reader_size(in->reader);
  in->compressed = reader_codec(in->reader) != STREAM_PLAIN;
  e = len ? choose_by_bytes(in, bytes, len) : take_empty(in);
  return e ? e : attach_first(in);
}

Error *input_open(const InputEnv *env, InputSpec *spec, uint32_t index, Input **out)
{
  Input *in = *out = g_new0(Input, 1);
  in->env = env;
  in->spec = spec;
  in->threads = 1;
  in->n_lanes = in->readings = 1;
  in->lane = make_lane(in, index);
  if (spec->rank >= 0) lane_info_set_rank(in->lane, spec->rank, "pattern");
  if (spec->folder_rank >= 0) lane_info_set_rank(in->lane, spec->folder_rank, "folder");
  const Descriptor *side = spec->source ? NULL : sources_of_side(env->sources, spec->label);
  if (side) spec->source = g_strdup(side->name);
  if (env->rank_regex) rank_from_name(in, env->rank_regex, "--rank-regex");
  if (!side) rank_from_name(in, "rank[-_/\\[]?([0-9]+)", "file name");
  Error *e = probe(in);
  in->lane->side = in->lane->skipped = in->source && source_side(in->source);
  if (!e && in->n_parts > 1) {
    g_free(in->lane->name);
    in->lane->name = g_strdup_printf("%s (part %u)", spec->path, spec->part + 1);
  }
  return error_join(e, attach_rest(in));
}

/* ------------------------------------------------------------ looking again */

bool input_may_have_base(const Input *in)
{
  return !lane_info_has_base(in->lane) && strcmp(in->spec->path, "-") != 0 && !in->spec->no_file &&
         in->source->source_ops->describe && g_file_test(in->spec->path, G_FILE_TEST_IS_REGULAR);
}

/* The last bytes of r. Two pieces are used in turn, so the end of the one before is still there. */
static char *last_bytes(const HostEnv *env, Reader *r, size_t *out_len)
{
  g_autofree char *now = g_malloc(PIECE_BYTES), *before = g_malloc(PIECE_BYTES);
  int64_t n, had = 0;
  while ((n = reader_read(r, now, PIECE_BYTES)) == PIECE_BYTES && !env->cancelled(env->run)) {
    char *swap = before;
    before = now;
    now = swap;
    had = n;
  }
  n = MAX(n, 0);
  char *all = g_malloc((size_t)(had + n) + 1);
  memcpy(all, before, (size_t)had);
  memcpy(all + had, now, (size_t)n);
  *out_len = (size_t)(had + n);
  return all;
}

/* Plain files showed their end before. A file that fails here also fails when it is read, and
 * the error is reported there. */
void input_describe_again(Input *in)
{
  g_autofree char *why = NULL;
  const HostEnv *env = in->env->host;
  Reader *r = reader_open(in->spec->path, &why);
  if (r && reader_codec(r) != STREAM_PLAIN) in->tail = last_bytes(env, r, &in->tail_len);
  g_clear_pointer(&r, reader_close);
  if (!in->tail) return;
  if (!env->cancelled(env->run)) error_free(attach_again(in));
  error_free(attach_rest(in));
}

void input_free(Input *in)
{
  if (!in) return;
  in->follows = false;
  error_free(input_stop(in));
  origin_free(in->origin);
  found_forget(in);
  g_free(in->tail);
  g_free(in->known_hash);
  input_spec_free(in->spec);
  g_free(in);
}

/* ----------------------------------------------------------------- reading */

/* The position of sequential reading; chunks take over in the middle of a big file. */
struct InputFeed {
  Feed *feed;
  FeedView view;
  size_t pos;
  bool loaded, ended, chunked;
  Chunks *chunks;
};

static Error *load(Input *in)
{
  InputFeed *f = in->feed;
  size_t left = f->loaded ? f->view.len - f->pos : 0;
  Error *e = feed_next(f->feed, left, in->lane->name, &f->view);
  f->loaded = true;
  f->pos = 0;
  return e;
}

static void start_feed(Input *in)
{
  InputFeed *f = in->feed = g_new0(InputFeed, 1);
  bool plain = reader_is_plain_file(in->reader);
  if (!in->origin) in->origin = origin_new(in->reader, in->spec->path);
  f->feed = feed_new(in->reader, plain ? in->origin : NULL, in->env->blocks, in->threads > 1,
                     in->env->host->recover, feed_max_event(in->env->host->budget->limit_bytes));
}

Error *input_start(Input *in)
{
  const MillSourceOps *ops = in->source->source_ops;
  if (in->files) return in->ops->start(in);
  in->started = true;
  if (in->follows) { /* the source has read the lane before */
    in->follows = false;
    return NULL;
  }
  if (!ops->next && !ops->parse)
    return error_new(EXIT_INPUT, "RUN-03", "%s holds no data that \"%s\" reads", in->lane->name,
                     in->source->name);
  Error *e = in->instance ? attach_reader(in) : attach_again(in);
  if (!e && atomic_load(&in->reading)) e = origin_again(in->origin, in->reader);
  if (!e) e = instance_call(in->instance, PHASE_START, "starting", ops->start);
  if (!e && ops->parse) start_feed(in);
  return e;
}

bool input_can_be_read_again(const Input *in)
{
  return !in->files && in->source->source_ops->parse && !in->reader && !in->is_folder &&
         !in->spec->no_file;
}

void input_read_again(Input *in)
{
  in->lane->n_events = in->lane->next_seq = 0;
  atomic_store(&in->done_bytes, 0);
  atomic_fetch_add(&in->reading, 1);
}

Error *input_stop(Input *in)
{
  InputFeed *f = in->feed;
  if (in->files) return in->ops->stop(in);
  if (in->follows) return NULL;
  if (f) {
    chunks_free(f->chunks);
    feed_free(f->feed);
    g_free(f);
    in->feed = NULL;
  }
  return attach_end(in);
}

LaneInfo *input_follow(Input *in, uint32_t index)
{
  const LaneInfo *before = in->lane;
  LaneInfo *lane = make_lane(in, index);
  g_autofree char *name = g_steal_pointer(&lane->name);
  in->n_lanes++;
  lane->name = g_strdup_printf("%s (run %u)", name, in->n_lanes);
  lane->rank = before->rank;
  lane->rank_origin = g_strdup(before->rank_origin);
  g_free(lane->dialect);
  lane->dialect = g_strdup(before->dialect);
  for (guint i = 0; i < before->facts->len; i++)
    g_ptr_array_add(lane->facts, g_strdup(before->facts->pdata[i]));
  in->lane = lane;
  if (!in->instance) return lane; /* another process has read it */
  in->instance->lane = lane;
  in->instance->tracks = lane->tracks;
  return lane;
}

static uint64_t bytes_done(Input *in)
{
  InputFeed *f = in->feed;
  if (!in->reader) return in->entered_bytes;
  if (!f || !reader_is_plain_file(in->reader))
    return in->entered_bytes + reader_bytes_in(in->reader);
  return f->chunks ? chunks_bytes(f->chunks) : f->view.offset + f->pos;
}

/* How often it came to nothing, one after the other. */
static uint32_t count_idle(Input *in, uint32_t n_events)
{
  uint64_t bytes = bytes_done(in);
  bool idle = !n_events && bytes == in->idle_bytes;
  in->idle_bytes = bytes;
  in->n_idle = idle ? in->n_idle + 1 : 0;
  return in->n_idle;
}

/* For sources that read by themselves. */
static Error *next_by_read(Input *in, Batch **out)
{
  const MillSourceOps *ops = in->source->source_ops;
  if (in->lane_ended) {
    in->lane_ended = false;
    return NULL;
  }
  Batch *b = batch_take(in->env->batches, in->lane->index);
  const MillBatch before = b->pub;
  instance_enter(in->instance, PHASE_READ);
  int status = ops->next(in->instance->self, &b->pub);
  Error *e = instance_leave(in->instance, "reading", status);
  e = error_join(e, parsed_check_batch(in->source, &before, b));
  if (!e) e = parsed_check_next(in->source, status, count_idle(in, b->pub.n_events));
  in->follows = status == MILL_NEXT_LANE;
  in->lane_ended = status != MILL_NEXT_MORE && b->pub.n_events;
  if (e || (status != MILL_NEXT_MORE && !b->pub.n_events)) {
    batch_give(in->env->batches, b);
    return e;
  }
  *out = b;
  return NULL;
}

static void start_chunks(Input *in)
{
  InputFeed *f = in->feed;
  const MillSourceOps *ops = in->source->source_ops;
  uint64_t at = f->view.offset + f->pos;
  uint32_t wanted = in->env->chunk_bytes;
  uint64_t least = wanted ? 1 : CHUNKED_FROM;
  if (f->chunked || in->threads < 2 || !ops->fork || !ops->sync || !ops->in_events) return;
  if (!reader_is_plain_file(in->reader) || reader_size(in->reader) < at + least) return;
  if (!ops->in_events(in->instance->self)) return;
  f->chunked = true;
  ChunkSource from = { in->reader,
                       in->origin,
                       in->instance,
                       in->env->batches,
                       in->env->chunk_blocks,
                       wanted ? wanted : CHUNK_BYTES };
  f->chunks = chunks_new(&from, at, in->threads);
}

bool input_has_shrunk(const Input *in)
{
  struct stat st;
  return in->seen_bytes && !stat(in->spec->path, &st) && st.st_dev == in->stamp.device &&
         st.st_ino == in->stamp.inode && (uint64_t)st.st_size < in->seen_bytes;
}

Error *input_shrank(const Input *in) { return origin_changed(in->lane->name, "shrank"); }

Error *input_check_unchanged(const Input *in)
{
  Error *errors = input_has_shrunk(in) ? input_shrank(in) : origin_check(in->origin);
  for (guint i = 0; in->files && i < in->files->len; i++)
    errors = error_join(errors, input_check_unchanged(in->files->pdata[i]));
  return errors;
}

/* One call of the parser; *out has the batch if it has any events. */
static Error *parse_once(Input *in, Batch **out, int *out_status)
{
  InputFeed *f = in->feed;
  const MillSourceOps *ops = in->source->source_ops;
  Batch *b = batch_take(in->env->batches, in->lane->index);
  MillBlock block = { .bytes = f->view.bytes,
                      .len = f->view.len,
                      .pos = f->pos,
                      .stop = f->view.len,
                      .offset = f->view.offset,
                      .n_before = in->lane->n_events,
                      .at_end = f->view.at_end };
  b->block = block_ref(f->view.block);
  b->pub.raw_ = f->view.bytes;
  const MillBatch before = b->pub;
  instance_enter(in->instance, PHASE_READ);
  *out_status = ops->parse(in->instance->self, &block, &b->pub);
  Error *e = instance_leave(in->instance, "reading", *out_status);
  e = error_join(e, parsed_check_batch(in->source, &before, b));
  if (!e) e = parsed_check(in->source, &block, f->pos, *out_status, b->pub.n_events);
  f->pos = block.pos;
  bool torn = block_take_torn(f->view.block);
  if (b->pub.n_events && !e && !torn)
    *out = b;
  else
    batch_give(in->env->batches, b);
  if (torn) {
    in->seen_bytes = 0; /* reported */
    error_free(e);
    return input_shrank(in);
  }
  return e;
}

/* Nothing is left of the block that it could begin an event with. */
static bool needs_more(const InputFeed *f, int status)
{
  return status == MILL_PARSE_MORE || (status == MILL_PARSE_STOP && f->pos == f->view.len);
}

static Error *next_in_chunks(Input *in, Batch **out)
{
  InputFeed *f = in->feed;
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
  InputFeed *f = in->feed;
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
    } else {
      start_chunks(in);
      if (needs_more(f, status) && !f->chunks && !f->view.at_end) e = load(in);
    }
    if (e) {
      /* Events before the damage in a compressed stream are still good. */
      if (*out) batch_give(in->env->batches, *out);
      *out = NULL;
      return e;
    }
  }
  return NULL;
}

Error *input_next(Input *in, Batch **out)
{
  const MillSourceOps *ops = in->source->source_ops;
  *out = NULL;
  if (in->files) return in->ops->next(in, out);
  Error *e = ops->parse ? next_by_parse(in, out) : next_by_read(in, out);
  if (!*out) return e;
  MillBatch *b = &(*out)->pub;
  for (uint32_t i = 0; i < b->n_events; i++) mill_events(b)[i].seq = in->lane->n_events + i;
  if (in->env->host->verify) e = error_join(e, verify_read(in->instance, *out));
  if (e) {
    batch_give(in->env->batches, *out);
    *out = NULL;
    return e;
  }
  if (in->job) job_mark(in, *out);
  in->lane->n_events += b->n_events;
  in->lane->next_seq = in->lane->n_events;
  atomic_store_explicit(&in->done_bytes, bytes_done(in), memory_order_relaxed);
  return e;
}
