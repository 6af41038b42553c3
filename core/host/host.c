/* The host table, part one: symbols, lanes, telling, summaries.  Events, results and edges have files of their own. */
#include <string.h>

#include "base/num.h"
#include "model/option.h"
#include "host/guard.h"
#include "sched/lane.h"
#include "model/log.h"
#include "sched/run.h"

/* ----------------------------------------------------------------- symbols */

static MillSym host_intern(const MillHost *h, const char *text, size_t len)
{
  return symbols_intern(instance_of(h)->run->symbols, text, len);
}

static const char *host_symbol_text(const MillHost *h, MillSym sym, size_t *out_len)
{
  return symbols_text(instance_of(h)->run->symbols, sym, out_len);
}

static bool host_match(const MillHost *h, const MillPattern *pattern, const char *text, size_t len)
{
  (void)h;
  return pattern_match(pattern, text, len);
}

enum { MATCH_UNKNOWN, MATCH_NO, MATCH_YES };

static GByteArray *matches_of(Instance *i, const MillPattern *pattern)
{
  if (i->last_pattern == pattern && i->last_matches) return i->last_matches;
  if (!i->matches)
    i->matches = g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)g_byte_array_unref);
  GByteArray *known = g_hash_table_lookup(i->matches, pattern);
  if (!known) g_hash_table_insert(i->matches, (gpointer)pattern, known = g_byte_array_new());
  i->last_pattern = pattern;
  i->last_matches = known;
  return known;
}

static bool host_match_sym(const MillHost *h, const MillPattern *pattern, MillSym sym)
{
  GByteArray *known = matches_of(instance_of(h), pattern);
  if (sym >= known->len) {
    guint from = known->len;
    g_byte_array_set_size(known, MAX(sym + 1, from * 2));
    memset(known->data + from, MATCH_UNKNOWN, known->len - from);
  }
  if (known->data[sym] == MATCH_UNKNOWN) {
    size_t len;
    const char *text = host_symbol_text(h, sym, &len);
    known->data[sym] = pattern_match(pattern, text, len) ? MATCH_YES : MATCH_NO;
  }
  return known->data[sym] == MATCH_YES;
}

/* --------------------------------------------------------- lanes and tracks */

static Lane *lane_at(const Instance *i, uint32_t index)
{
  if (index == MILL_NO_LANE) return i->lane;
  return index < i->run->lanes->len ? i->run->lanes->pdata[index] : NULL;
}

static void host_lane(const MillHost *h, uint32_t index, MillLane *out)
{
  const Lane *lane = lane_at(instance_of(h), index);
  MillLane full = { sizeof full, MILL_NO_LANE, -1, 0, "", "", "", NULL };
  uint32_t size = MIN(out->size, (uint32_t)sizeof full);
  if (lane)
    full = (MillLane){ sizeof full, lane->index, lane->rank,    lane->base_ns,
                       lane->name,  lane->label, lane->dialect, lane_path(lane) };
  else if (instance_of(h)->folder_label)
    full.label = instance_of(h)->folder_label;
  full.size = out->size;
  memcpy(out, &full, size);
}

static void *host_scratch(const MillHost *h, size_t bytes);

static const char *host_tag(const MillHost *h, uint32_t index, const char *name)
{
  const Lane *lane = lane_at(instance_of(h), index);
  g_autofree char *made = NULL;
  const char *value = lane ? lane_tag(lane, name, &made) : NULL;
  return value && value == made ? strcpy(host_scratch(h, strlen(made) + 1), made) : value;
}

static uint32_t host_n_lanes(const MillHost *h) { return instance_of(h)->run->lanes->len; }

static uint32_t host_track(const MillHost *h, MillValue process, MillValue thread)
{
  Instance *i = instance_of(h);
  return tracks_find(i->tracks, i->lane ? i->lane->index : 0, process, thread);
}

static void host_track_info(const MillHost *h, uint32_t track, MillTrack *out)
{
  MillTrack full = *tracks_get(instance_of(h)->tracks, track);
  uint32_t size = MIN(out->size, (uint32_t)sizeof full);
  full.size = out->size;
  memcpy(out, &full, size);
}

static uint32_t host_track_lane(const MillHost *h, uint32_t track)
{
  return tracks_get(instance_of(h)->tracks, track)->lane;
}

/* ----------------------------------------------------------------- telling */

static const char *text_of_symbol(void *run, MillSym sym)
{
  return symbols_text(((Run *)run)->symbols, sym, NULL);
}

static void host_note(const MillHost *h, uint32_t number, const MillBatch *b, uint32_t index,
                      const MillNamed *values, uint32_t n)
{
  Instance *i = instance_of(h);
  int row = notices_find(i->stage, number);
  const MillEvent *e =
      b && index != MILL_NO_EVENT ? batch_event((Batch *)batch_of_const(b), index) : NULL;
  uint32_t lane = i->lane && i->lane != i->run->merged ? i->lane->index : 0;
  if (row < 0) {
    if (i->run->options.verify)
      guard_broken(i, "undeclared-notice", "counted a notice that it does not declare", e);
    log_text(MILL_LEVEL_ERROR, i->stage->tag,
             "counted a notice that its descriptor does not declare");
    return;
  }
  if (e && i->lane && i->lane == i->run->merged) lane = tracks_get(i->tracks, e->track)->lane;
  bool first = notices_add(&i->notices, (uint32_t)row, lane, e, values, n, text_of_symbol, i->run);
  if (!first || !log_enabled(MILL_LEVEL_INFO, i->stage->tag)) return;
  g_autofree char *text = notice_render(&i->notices.counts[row], i->stage->notices[row].what,
                                        i->lane ? i->lane->name : "");
  log_text(MILL_LEVEL_INFO, i->stage->tag, text);
}

static void host_log(const MillHost *h, uint32_t level, const char *text)
{
  log_text(level, instance_of(h)->stage->tag, text);
}

/* The name of a lane behind the first of its input has more than the path. */
static bool names_input(const Lane *lane, const char *where)
{
  const char *path = lane_path(lane);
  return g_str_has_prefix(where, lane->name) || (path && g_str_has_prefix(where, path));
}

static int host_fail(const MillHost *h, const MillFailure *f)
{
  Instance *i = instance_of(h);
  int status = f->status >= MILL_BAD_INPUT && f->status <= MILL_LIMIT ? (int)f->status : EXIT_STAGE;
  g_autofree char *code = g_strdup_printf("%s-%02u", i->stage->tag, f->number);
  Error *e = error_new_at(f->file ? f->file : "?", (int)f->line, status, code, "%s",
                          f->what ? f->what : "failed");
  bool named = i->lane && i->lane->name && f->where && names_input(i->lane, f->where);
  if (i->lane && i->lane->name && !named)
    error_at(e, "in %s%s%s", i->lane->name, f->where ? ", " : "", f->where ? f->where : "");
  else if (f->where)
    error_at(e, "%s", f->where);
  if (i->stage->kind == MILL_KIND_STAGE) error_at(e, "stage \"%s\"", i->id);
  if (f->why) error_why(e, "%s", f->why);
  if (f->help) error_help(e, "%s", f->help);
  i->error = error_join(i->error, e);
  return -status;
}

static bool host_cancelled(const MillHost *h) { return run_cancelled(instance_of(h)->run); }

/* --------------------------------------------------------------- summaries */

static void host_put_int(const MillHost *h, int64_t v)
{
  summary_put_int(instance_of(h)->summary, v);
}

static void host_put_real(const MillHost *h, double v)
{
  summary_put_real(instance_of(h)->summary, v);
}

static void host_put_text(const MillHost *h, const char *text, size_t len)
{
  summary_put_text(instance_of(h)->summary, text, len);
}

static int64_t host_get_int(const MillHost *h) { return summary_get_int(instance_of(h)->summary); }

static double host_get_real(const MillHost *h) { return summary_get_real(instance_of(h)->summary); }

static const char *host_get_text(const MillHost *h, size_t *out_len)
{
  return summary_get_text(instance_of(h)->summary, out_len);
}

static bool host_get_more(const MillHost *h) { return summary_more(instance_of(h)->summary); }

static void *host_scratch(const MillHost *h, size_t bytes)
{
  Instance *i = instance_of(h);
  void *memory = g_malloc0(bytes ? bytes : 1);
  i->scratch = g_slist_prepend(i->scratch, memory);
  return memory;
}

static const void *host_extension(const MillHost *h, const char *id)
{
  (void)h;
  (void)id;
  return NULL;
}

void host_init(MillHost *h)
{
  *h = (MillHost){ .size = sizeof *h, .abi = MILL_ABI };
  h->intern = host_intern;
  h->symbol_text = host_symbol_text;
  h->match = host_match;
  h->match_sym = host_match_sym;
  h->lane = host_lane;
  h->tag = host_tag;
  h->n_lanes = host_n_lanes;
  h->track = host_track;
  h->track_info = host_track_info;
  h->track_lane = host_track_lane;
  h->note = host_note;
  h->log = host_log;
  h->fail = host_fail;
  h->cancelled = host_cancelled;
  h->put_int = host_put_int;
  h->put_real = host_put_real;
  h->put_text = host_put_text;
  h->get_int = host_get_int;
  h->get_real = host_get_real;
  h->get_text = host_get_text;
  h->get_more = host_get_more;
  h->scratch = host_scratch;
  h->extension = host_extension;
  host_init_events(h);
  host_init_results(h);
  host_init_edges(h);
  host_init_files(h);
}
