/* The host table that every module has: symbols, lanes, notices, failure, memory. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/hash-seed.h"
#include "host/instance.h"
#include "host/memory.h"
#include "host/tables.h"
#include "host/verify-lent.h"
#include "host/verify.h"
#include "model/log.h"
#include "model/option.h"
#include "plan/module.h"

enum { NOT_IN_CLOSE = PHASE_ANY & ~PHASE_CLOSE, MAX_LOGGED = 1000, MAX_FAILURES = 8 };

/* ----------------------------------------------------------------- symbols */

static MillSym host_intern(const MillHost *h, const char *text, size_t len)
{
  Instance *i = instance_of(h);
  if (!phase_allows(i, NOT_IN_CLOSE, "intern")) return 0;
  if (len > MILL_MAX_TEXT) {
    instance_refuse(i, "interned a name of more than 1 GiB", NULL, "report it to the author");
    return 0;
  }
  if (budget_is_overrun(i->env->budget)) {
    memory_refuse(i);
    return 0;
  }
  return i->far ? i->far->intern(i, text, len) : symbols_intern(i->env->symbols, text, len);
}

static const char *host_symbol_text(const MillHost *h, MillSym sym, size_t *out_len)
{
  Instance *i = instance_of(h);
  const char *text = symbols_text(i->env->symbols, sym, out_len);
  if (i->env->verify) lent_text(i, text);
  return text;
}

static bool host_match(const MillHost *h, const MillPattern *pattern, const char *text, size_t len)
{
  return phase_allows(instance_of(h), NOT_IN_CLOSE, "match") && pattern_match(pattern, text, len);
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
  Instance *i = instance_of(h);
  if (!phase_allows(i, NOT_IN_CLOSE, "match_sym")) return false;
  if (sym >= symbols_count(i->env->symbols)) sym = 0; /* as symbol_text has it */
  GByteArray *known = matches_of(i, pattern);
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

static const LaneInfo *lane_at(const Instance *i, uint32_t index)
{
  return index == MILL_NO_LANE ? i->lane : i->env->lane(i->env->run, index);
}

static void host_lane(const MillHost *h, uint32_t index, MillLane *out)
{
  Instance *i = instance_of(h);
  MillLane full = { sizeof full, MILL_NO_LANE, -1, MILL_NO_BASE, "", "", "", NULL };
  uint32_t size = MIN(out->size, (uint32_t)sizeof full);
  bool fine = phase_allows(i, NOT_IN_CLOSE, "lane");
  const LaneInfo *lane = fine && !i->far ? lane_at(i, index) : NULL;
  if (fine && i->far) i->far->lane(i, index, &full);
  if (lane)
    full = (MillLane){ sizeof full, lane->index, lane->rank,    lane->base_ns,
                       lane->name,  lane->label, lane->dialect, lane->path };
  full.size = out->size;
  memcpy(out, &full, size);
  if (!i->env->verify) return;
  lent_text(i, full.name);
  lent_text(i, full.label);
  lent_text(i, full.path);
}

static const char *host_tag(const MillHost *h, uint32_t index, const char *name)
{
  Instance *i = instance_of(h);
  if (!phase_allows(i, NOT_IN_CLOSE, "tag")) return NULL;
  if (i->far) return i->far->tag(i, index, name);
  const LaneInfo *lane = lane_at(i, index);
  if (!lane) return NULL;
  g_autofree char *made = NULL;
  MillSym sym = 0;
  lane_info_lock(lane);
  const char *value = lane_info_tag(lane, name, &made);
  /* A source may give the tag another value while a stage holds this one: symbols stay. */
  if (value) sym = symbols_intern(i->env->symbols, value, strlen(value));
  lane_info_unlock(lane);
  return value ? symbols_text(i->env->symbols, sym, NULL) : NULL;
}

static uint32_t host_n_lanes(const MillHost *h)
{
  Instance *i = instance_of(h);
  return phase_allows(i, NOT_IN_CLOSE, "n_lanes") ? i->env->n_lanes(i->env->run) : 0;
}

static const MillTrack *find_track(const MillHost *h, uint32_t track, const char *call)
{
  static const MillTrack none = { .size = sizeof(MillTrack), .lane = MILL_NO_LANE };
  Instance *i = instance_of(h);
  bool fine = phase_allows(i, NOT_IN_CLOSE, call) && i->tracks;
  return fine ? tracks_get(i->tracks, track) : &none;
}

static void host_track_info(const MillHost *h, uint32_t track, MillTrack *out)
{
  MillTrack full = *find_track(h, track, "track_info");
  uint32_t size = MIN(out->size, (uint32_t)sizeof full);
  full.size = out->size;
  memcpy(out, &full, size);
}

static uint32_t host_track_lane(const MillHost *h, uint32_t track)
{
  return find_track(h, track, "track_lane")->lane;
}

static bool names_track(const MillValue *v)
{
  return v->type == MILL_NONE || v->type == MILL_INT || v->type == MILL_SYM;
}

uint32_t instance_track(Instance *i, uint32_t lane, MillValue process, MillValue thread)
{
  if (names_track(&process) && names_track(&thread)) {
    if (i->env->verify) verify_value(i, &process, NULL);
    if (i->env->verify) verify_value(i, &thread, NULL);
    bool fits = !budget_is_overrun(i->env->budget);
    if (fits && i->far) return i->far->track(i, lane, process, thread);
    if (fits) return tracks_find(i->tracks, lane, process, thread);
    memory_refuse(i);
    return MILL_FAILED;
  }
  instance_refuse(i, "asked for a track that is not named by integers or symbols", NULL, NULL);
  return MILL_FAILED;
}

bool instance_takes(Instance *i, const MillValue *v)
{
  const char *fault = verify_number(v);
  if (!fault) fault = verify_text(v);
  if (fault) instance_refuse(i, fault, NULL, "report it to the author");
  return !fault;
}

/* ------------------------------------------------- notices, log, failure */

static const char *text_of_symbol(void *symbols, MillSym sym)
{
  return symbols_text(symbols, sym, NULL);
}

static void undeclared(Instance *i, const MillEvent *e)
{
  if (i->env->verify)
    verify_broken(i, "undeclared-notice", "counted a notice that it does not declare", e);
  else
    log_text(MILL_LEVEL_ERROR, i->descriptor->tag,
             "counted a notice that its descriptor does not declare");
}

/* Of the merged stream the event's own lane. */
static uint32_t lane_of(const Instance *i, const MillEvent *e)
{
  if (!i->lane) return 0;
  if (!i->lane->merged) return i->lane->index;
  return e ? tracks_get(i->tracks, e->track)->lane : 0;
}

/* Of an event that the stage dropped before, only its number is known. */
static void mark_left_out(Instance *i, const MillBatch *b, uint32_t index)
{
  MillEvent *e =
      b && index != MILL_NO_EVENT ? batch_event((Batch *)batch_of_const(b), index) : NULL;
  if (!e) {
    i->counters.told++;
    return;
  }
  e->flags |= MILL_FLAG_LEFT_OUT;
  i->n_marked++;
  if (i->verify) verify_left_out(i, index);
}

static void host_note(const MillHost *h, uint32_t number, const MillBatch *b, uint32_t index,
                      const MillNamed *values, uint32_t n)
{
  Instance *i = instance_of(h);
  int row = notices_find(i->descriptor, number);
  if (!phase_allows(i, NOT_IN_CLOSE, "note") || i->mute) return;
  bool of_stage =
      i->descriptor->kind == MILL_KIND_STAGE; /* others may note what they made themselves */
  if (i->env->verify && b && of_stage && !verify_batch(i, b)) return;
  const MillEvent *e =
      b && index != MILL_NO_EVENT ? batch_event((Batch *)batch_of_const(b), index) : NULL;
  for (uint32_t k = 0; i->env->verify && k < n; k++) verify_value(i, &values[k].value, e);
  for (uint32_t k = 0; k < n; k++)
    if ((values[k].value.type == MILL_JSON || verify_number(&values[k].value)) &&
        !instance_takes(i, &values[k].value))
      return;
  if (row < 0) {
    undeclared(i, e);
    return;
  }
  if (i->descriptor->notices[row].flags & MILL_NOTICE_LEFT_OUT) mark_left_out(i, b, index);
  i->notices.path = i->lane ? i->lane->path : NULL;
  bool first = notices_add(&i->notices, (uint32_t)row, lane_of(i, e), e, values, n, text_of_symbol,
                           i->env->symbols);
  if (!first || !log_enabled(MILL_LEVEL_INFO, i->descriptor->tag)) return;
  g_autofree char *text = notice_render(&i->notices.counts[row], i->descriptor->notices[row].what,
                                        i->lane ? i->lane->name : "", NULL);
  log_text(MILL_LEVEL_INFO, i->descriptor->tag, text);
}

/* A line per event would be a log that nobody reads, on a disk that is full. */
static void host_log(const MillHost *h, uint32_t level, const char *text)
{
  Instance *i = instance_of(h);
  if (i->mute || i->n_logged > MAX_LOGGED || !log_enabled(level, i->descriptor->tag)) return;
  bool last = i->n_logged++ == MAX_LOGGED;
  log_text(level, i->descriptor->tag,
           last ? "has logged 1,000 lines for this lane; later lines are left out" : text);
}

/* The name of a lane after the first of its input has more than the path. */
static bool names_input(const LaneInfo *lane, const char *where)
{
  return g_str_has_prefix(where, lane->name) || (lane->path && g_str_has_prefix(where, lane->path));
}

static int failure_status(const MillFailure *f)
{
  return f->status >= MILL_BAD_INPUT && f->status <= MILL_LIMIT ? (int)f->status : EXIT_STAGE;
}

static Error *failure(Instance *i, const MillFailure *f)
{
  int status = failure_status(f);
  g_autofree char *code = g_strdup_printf("%s-%02u", i->descriptor->code, f->number);
  Error *e = error_new_at(f->file ? f->file : "?", (int)f->line, status, code, "%s",
                          f->what ? f->what : "failed");
  const LaneInfo *lane = i->lane && i->lane->name ? i->lane : NULL;
  if (lane && !(f->where && names_input(lane, f->where)))
    error_at(e, "in %s%s%s", lane->name, f->where ? ", " : "", f->where ? f->where : "");
  else if (f->where)
    error_at(e, "%s", f->where);
  bool names = i->descriptor->kind == MILL_KIND_STAGE ||
               (i->descriptor->kind == MILL_KIND_SOURCE && status == MILL_STAGE_FAILED);
  if (names) error_at(e, "%s \"%s\"", module_kind_name(i->descriptor->kind), i->id);
  if (f->why) error_why(e, "%s", f->why);
  if (f->help) error_help(e, "%s", f->help);
  return e;
}

static int host_fail(const MillHost *h, const MillFailure *theirs)
{
  Instance *i = instance_of(h);
  MillFailure f = { 0 };
  if (!phase_allows(i, NOT_IN_CLOSE, "fail")) return -MILL_STAGE_FAILED;
  memcpy(&f, theirs, MIN(theirs->size, (uint32_t)sizeof f));
  int status = failure_status(&f);
  if (i->n_failed++ >= MAX_FAILURES) return -status;
  i->error = error_join(i->error, failure(i, &f));
  if (i->env->verify && f.number && notices_find(i->descriptor, f.number) < 0)
    verify_broken(i, "undeclared-notice", "failed with a notice that it does not declare", NULL);
  return -status;
}

int instance_refuse_at(const char *file, uint32_t line, Instance *i, const char *what,
                       const char *why, const char *help)
{
  if (i->error)
    return -MILL_STAGE_FAILED; /* the first one says enough, and there may be millions */
  MillFailure f = { .size = sizeof f,
                    .status = MILL_STAGE_FAILED,
                    .line = line,
                    .file = file,
                    .what = what,
                    .why = why,
                    .help = help };
  i->error = error_join(i->error, error_of_kind(failure(i, &f), ERROR_BROKEN_RULE));
  return -MILL_STAGE_FAILED;
}

static bool host_cancelled(const MillHost *h)
{
  Instance *i = instance_of(h);
  return phase_allows(i, NOT_IN_CLOSE, "cancelled") && i->env->cancelled(i->env->run);
}

/* ------------------------------------------------------------------ memory */

static void *host_scratch(const MillHost *h, size_t bytes)
{
  Instance *i = instance_of(h);
  return phase_allows(i, NOT_IN_CLOSE, "scratch") ? memory_scratch(i, bytes) : NULL;
}

static void *host_resize(const MillHost *h, void *old, size_t bytes)
{
  Instance *i = instance_of(h);
  uint32_t phases = bytes ? NOT_IN_CLOSE : PHASE_ANY;
  return phase_allows(i, phases, "resize") ? memory_resize(i, old, bytes) : NULL;
}

static const void *host_extension(const MillHost *h, const char *id)
{
  static const MillProgram program = { sizeof program, "stagemill", STAGEMILL_VERSION };
  Instance *i = instance_of(h);
  if (!phase_allows(i, NOT_IN_CLOSE, "extension")) return NULL;
  return !strcmp(id, MILL_PROGRAM) ? &program : NULL;
}

bool instance_member(const LaneInfo *lane, uint32_t index, bool *out_after, MillValue *out_key,
                     MillValue *out_json)
{
  gsize len;
  if (!lane) return false;
  lane_info_lock(lane);
  const LaneMember *m = index < lane->members->len ? lane->members->pdata[index] : NULL;
  lane_info_unlock(lane);
  if (!m) return false;
  const char *json = g_bytes_get_data(m->json, &len);
  *out_after = m->after_events;
  *out_key = mill_text(m->key, strlen(m->key));
  *out_json = mill_text(json, len);
  return true;
}

void host_common_init(MillHost *h)
{
  *h = (MillHost){
    .size = sizeof *h,
    .abi = MILL_ABI,
    .seed = &hash_seed,
    .intern = host_intern,
    .symbol_text = host_symbol_text,
    .match = host_match,
    .match_sym = host_match_sym,
    .lane = host_lane,
    .tag = host_tag,
    .n_lanes = host_n_lanes,
    .track_info = host_track_info,
    .track_lane = host_track_lane,
    .note = host_note,
    .log = host_log,
    .fail = host_fail,
    .cancelled = host_cancelled,
    .scratch = host_scratch,
    .resize = host_resize,
    .extension = host_extension,
  };
}
