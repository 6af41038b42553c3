/* The tensorboard sink: each rank's events as a trace of its own, where TensorBoard's profiler looks for them. */
/* SPDX-License-Identifier: MIT */
#include <glib.h>
#include <stagemill/sink.h>

#include "kit/chrome/trace.h"

typedef struct Options {
  const char *name;
} Options;

/* What is written of one lane. */
typedef struct Worker {
  Frame frame;
  Document *document;
  EventWriter writer;
  FrameMember more[3];
  char *info, *device; /* what `more` refers to */
} Worker;

typedef struct Sink {
  const MillSinkHost *host;
  const MillHost *common;
  const char *name;
  uint32_t level;
  GPtrArray *
      workers; /* Worker *: of a merged stream by lane, NULL until something is written of it; else one */
  Worker *open; /* whose file was written last */
} Sink;

static void worker_free(gpointer p)
{
  Worker *w = p;
  if (!w) return;
  event_writer_free(&w->writer);
  document_free(w->document);
  ranks_free(w->frame.ranks);
  g_free(w->info);
  g_free(w->device);
  g_free(w);
}

/* Of a rank whose input says nothing of itself. */
static void describe_rank(Worker *w, const MillLane *lane)
{
  uint32_t n = 0;
  if (lane->rank < 0) return;
  w->info = g_strdup_printf("{\"rank\": %" G_GINT64_FORMAT ", \"world_size\": %u}", lane->rank,
                            w->frame.common->n_lanes(w->frame.common));
  w->more[n++] = (FrameMember){ "distributedInfo", w->info };
  if (strcmp(lane->dialect, "aiu") != 0) return;
  w->device = g_strdup_printf("[{\"id\": %" G_GINT64_FORMAT
                              ", \"type\": \"AIU\", \"name\": \"AIU\", \"core\": \"PT Array\"}]",
                              lane->rank);
  w->more[n] = (FrameMember){ "deviceProperties", w->device };
}

static Worker *worker_new(Sink *s, uint32_t index)
{
  MillLane lane = { .size = sizeof lane };
  Worker *w = g_new0(Worker, 1);
  s->common->lane(s->common, index, &lane);
  w->frame =
      (Frame){ .host = s->host,
               .common = s->common,
               .members = index,
               .of_merged = s->level == MILL_MERGED,
               .ranks = ranks_new(s->common, (TraceLanes){ NULL, 0 }, s->level, false, false),
               .more = w->more };
  describe_rank(w, &lane);
  g_autofree char *worker = document_worker(&w->frame, "");
  w->document =
      document_new(g_strdup_printf("tensorboard/%s_worker_%s.pt.trace.json.gz", s->name, worker));
  event_writer_init(&w->writer, s->common, &w->document->text, w->frame.ranks);
  document_head(&w->frame, w->document, index);
  return w;
}

static Worker *worker_of(Sink *s, uint32_t lane)
{
  guint at = s->level == MILL_MERGED ? lane : 0;
  if (at >= s->workers->len) g_ptr_array_set_size(s->workers, (gint)at + 1);
  if (!s->workers->pdata[at]) s->workers->pdata[at] = worker_new(s, lane);
  return s->workers->pdata[at];
}

/* The file that was written just now is the only one that stays open: there may be many ranks. */
static int put_aside(Sink *s, Worker *w)
{
  Worker *before = s->open;
  s->open = w;
  if (!before || before == w) return 0;
  return s->host->output(s->host, before->document->file, NULL, NULL, 0);
}

static int open_sink(const MillSink *self, const MillSinkHost *host, uint32_t level,
                     const void *options, void **out_instance)
{
  (void)self;
  Sink *s = mill_new(host->common, sizeof *s);
  if (!s) return -MILL_LIMIT;
  s->host = host;
  s->common = host->common;
  s->name = ((const Options *)options)->name;
  s->level = level;
  s->workers = g_ptr_array_new_with_free_func(worker_free);
  *out_instance = s;
  return 0;
}

static void close_sink(void *instance) { g_ptr_array_free(((Sink *)instance)->workers, TRUE); }

static uint32_t own_lane(const Sink *s)
{
  MillLane own = { .size = sizeof own };
  s->common->lane(s->common, MILL_NO_LANE, &own);
  return own.index;
}

/* An event of no lane is of the first. */
static uint32_t lane_of(const Sink *s, const MillEvent *e)
{
  if (s->level != MILL_MERGED) return own_lane(s);
  uint32_t lane = s->common->track_lane(s->common, e->track);
  return lane < s->common->n_lanes(s->common) ? lane : 0;
}

static int write_event(Sink *s, const MillBatch *b, uint32_t i)
{
  uint32_t lane = lane_of(s, &b->events[i]);
  Worker *w = worker_of(s, lane);
  uint64_t before = w->document->handed_over;
  int status = trace_write(&w->frame, w->document, &w->writer, b, i);
  if (!status && w->document->handed_over != before) status = put_aside(s, w);
  return status;
}

static int write_batch(void *instance, const MillBatch *b)
{
  int status = 0;
  for (uint32_t i = 0; i < b->n_events && !status; i++)
    if (!(b->events[i].flags & MILL_FLAG_DROPPED)) status = write_event(instance, b, i);
  return status;
}

static int finish_lane(Sink *s, uint32_t lane)
{
  Worker *w = worker_of(s, lane);
  document_ranks(&w->frame, w->document);
  document_tail(&w->frame, w->document);
  int status = trace_flush(&w->frame, w->document, &w->writer);
  return status ? status : put_aside(s, w);
}

/* Every rank has a file, be it without events. */
static int finish(void *instance)
{
  Sink *s = instance;
  if (s->level != MILL_MERGED) return finish_lane(s, own_lane(s));
  int status = 0;
  for (uint32_t i = 0; i < s->common->n_lanes(s->common) && !status; i++)
    status = finish_lane(s, i);
  return status;
}

static const MillOption options[] = {
  MILL_STRING_OPTION(Options, name, "name", "trace", "Beginning of the file names"),
};

static const MillNotice notices[] = { TRACE_NOTICES };

static const MillSinkOps ops = {
  .size = sizeof(MillSinkOps),
  .open = open_sink,
  .write = write_batch,
  .finish = finish,
  .close = close_sink,
};

static const MillSink sink = {
  .size = sizeof(MillSink),
  .flags = MILL_READS_RAW,
  .options_size = sizeof(Options),
  .name = "tensorboard",
  .format = "tensorboard",
  .version = "1.0.0",
  .tag = "TSB",
  .title = "Write a trace of each rank for TensorBoard",
  .help = "Writes tensorboard/NAME_worker_RANK.pt.trace.json.gz for each rank, with all of its "
          "events and the properties of its input, so that TensorBoard's profiler shows the ranks "
          "as workers of one run.",
  .options = MILL_ROWS(options),
  .notices = MILL_ROWS(notices),
  .ops = &ops,
};

MILL_SINK_MODULE(sink, "stagemill", "MIT");
