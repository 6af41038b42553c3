/* Late bases; see late.h. */
#include "sched/late.h"

#include <string.h>

#include "input/input.h"

#define PIECE_BYTES (256u << 10)

/* ------------------------------------------------------------ who needs them */

/* Its events reach the sinks before it has met the other lanes. */
static bool streams(const Lane *lane)
{
  if (lane->class->joins) return false;
  for (guint s = 0; s < lane->segments->len; s++)
    if (((const Segment *)lane->segments->pdata[s])->barrier > BARRIER_LANE) return false;
  return true;
}

static bool has_rank(const char *name) { return name && strstr(name, "{rank}"); }

static bool writes_one_file(const Run *run)
{
  bool writes = false;
  for (guint i = 0; i < run->sinks->len; i++) {
    const Sink *sink = run->sinks->pdata[i];
    writes = writes || ((const MillSinkOps *)sink->stage->ops)->write;
  }
  for (guint i = 0; run->options.sink_set && i < run->options.sink_set->len; i++)
    if (has_rank(run->options.sink_set->pdata[i])) return false;
  return writes && !has_rank(run->options.output_file);
}

static bool needs_bases(const Run *run)
{
  if (run->lanes->len < 2 || !writes_one_file(run)) return false;
  for (guint i = 0; i < run->lanes->len; i++)
    if (streams(run->lanes->pdata[i])) return true;
  return false;
}

/* ---------------------------------------------------------------- searching */

/* The last bytes that r gives: two pieces take turns, so that the end of the one before is still there. */
static char *last_bytes(Run *run, Reader *r, size_t *out_len)
{
  g_autofree char *now = g_malloc(PIECE_BYTES), *before = g_malloc(PIECE_BYTES);
  int64_t n, had = 0;
  while ((n = reader_read(r, now, PIECE_BYTES)) == PIECE_BYTES && !run_cancelled(run)) {
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

/* With the last bytes of a compressed file; those of others were seen before.  A file that fails
 * here fails again when it is read, and is reported there. */
static void describe_again(Run *run, Input *in)
{
  const MillSourceOps *ops = in->source->ops;
  g_autofree char *why = NULL;
  Reader *r = reader_open(in->spec->path, &why);
  if (r && reader_codec(r) != STREAM_PLAIN) in->tail = last_bytes(run, r, &in->tail_len);
  g_clear_pointer(&r, reader_close);
  if (!in->tail) return;
  g_clear_pointer(&why, g_free);
  in->reader = reader_open(in->spec->path, &why);
  instance_current = in->instance;
  if (in->reader && !run_cancelled(run)) ops->describe(in->instance->self);
  instance_current = NULL;
  instance_end_call(in->instance);
  g_clear_pointer(&in->reader, reader_close);
  g_clear_pointer(&in->tail, g_free);
}

static bool can_search(const Lane *lane)
{
  const Input *in = lane->input;
  return !lane->base_known && strcmp(in->spec->path, "-") &&
         ((const MillSourceOps *)in->source->ops)->describe &&
         g_file_test(in->spec->path, G_FILE_TEST_IS_REGULAR);
}

static void search(Run *run, Lane *lane)
{
  if (can_search(lane)) describe_again(run, lane->input);
  lane->base_fixed = true;
}

void late_find_bases(Run *run)
{
  if (needs_bases(run)) run_each_lane(run, run->lanes, search);
}

/* ----------------------------------------------------------------- checking */

void late_set_base(Lane *lane, int64_t base_ns)
{
  if (lane->base_fixed)
    lane->late_base_ns = base_ns;
  else
    lane->base_ns = base_ns;
  lane->base_late = lane->base_fixed;
  lane->base_known = true;
}

/* By how much the base that was used differs from the true one. */
static int64_t miss_ns(const Lane *lane)
{
  int64_t miss = 0;
  if (lane->base_late && __builtin_sub_overflow(lane->late_base_ns, lane->base_ns, &miss))
    return INT64_MAX;
  return miss;
}

static Error *wrong_base(const Lane *lane)
{
  Error *e = error_new(EXIT_INPUT, "RUN-11",
                       "the times of %s cannot be put on one base with those of the other inputs",
                       lane->name);
  error_why(e, "where its time starts stands behind its events, and it cannot be read twice");
  return error_help(e, "save it to a file first, or write one file a rank: -o 'NAME-{rank}.json'");
}

Error *late_check_bases(Run *run)
{
  if (!run->lanes->len) return NULL;
  int64_t first = miss_ns(run->lanes->pdata[0]);
  for (guint i = 1; i < run->lanes->len; i++) {
    const Lane *lane = run->lanes->pdata[i];
    if (miss_ns(lane) != first) return wrong_base(miss_ns(lane) ? lane : run->lanes->pdata[0]);
  }
  for (guint i = 0; i < run->lanes->len; i++) {
    Lane *lane = run->lanes->pdata[i];
    if (lane->base_late) lane->base_ns = lane->late_base_ns;
  }
  return NULL;
}
