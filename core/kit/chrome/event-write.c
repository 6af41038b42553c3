/* One event as text; see event.h.
 *
 * A rewritten event keeps the order of its members.  Those that a stage changed
 * get their new value in place, all others are copied, missing ones are added
 * at the end in the order of `fields`. */
/* SPDX-License-Identifier: MIT */
#include "kit/chrome/event.h"

#include "base/json.h"
#include "base/scan.h"
#include "kit/chrome/fields.h"
#include "kit/chrome/rows.h"
#include "kit/chrome/words.h"

#define FIELD_BIT(field) (1u << (field))
#define N_APPENDED F_ID2 /* fields up to here may be added to an event */

static const struct {
  const char *key;
  size_t len;
  unsigned dirty; /* what makes the member stale */
} fields[N_FIELDS] = {
  [F_PH] = { "ph", 2, MILL_DIRTY_KIND },     [F_CAT] = { "cat", 3, MILL_DIRTY_CAT },
  [F_NAME] = { "name", 4, MILL_DIRTY_NAME }, [F_PID] = { "pid", 3, MILL_DIRTY_TRACK },
  [F_TID] = { "tid", 3, MILL_DIRTY_TRACK },  [F_TS] = { "ts", 2, MILL_DIRTY_TS },
  [F_DUR] = { "dur", 3, MILL_DIRTY_DUR },    [F_ID] = { "id", 2, MILL_DIRTY_ID },
  [F_BP] = { "bp", 2, MILL_DIRTY_KIND },     [F_ARGS] = { "args", 4, MILL_DIRTY_ATTRS },
  [F_ID2] = { "id2", 3, MILL_DIRTY_ID },     [F_ATTR] = { "attr", 4, MILL_DIRTY_ATTRS },
  [F_BIND_ID] = { "bind_id", 7, 0 },
};

static const char letters[MILL_N_KINDS] = {
  [MILL_SLICE] = 'X',       [MILL_BEGIN] = 'B',      [MILL_END] = 'E',
  [MILL_INSTANT] = 'i',     [MILL_COUNTER] = 'C',    [MILL_META] = 'M',
  [MILL_ASYNC_BEGIN] = 'b', [MILL_ASYNC_STEP] = 'n', [MILL_ASYNC_END] = 'e',
  [MILL_FLOW_START] = 's',  [MILL_FLOW_STEP] = 't',  [MILL_FLOW_END] = 'f',
  [MILL_SAMPLE] = 'P',      [MILL_OBJECT] = 'N',
};

void event_writer_init(EventWriter *w, const MillHost *common, Text *text, Ranks *ranks)
{
  w->common = common;
  w->text = text;
  w->ranks = ranks;
  w->originals = g_array_new(FALSE, FALSE, sizeof(Original));
  w->changes = g_array_new(FALSE, FALSE, sizeof(Change));
  w->members = g_array_sized_new(FALSE, FALSE, sizeof(Member), MEMBERS_ROOM);
  w->arguments = g_array_sized_new(FALSE, FALSE, sizeof(Member), MEMBERS_ROOM);
  w->key = g_string_new(NULL);
  w->joined = g_string_new(NULL);
  rows_init(w);
}

void event_writer_free(EventWriter *w)
{
  g_array_free(w->changes, TRUE);
  g_array_free(w->members, TRUE);
  g_array_free(w->arguments, TRUE);
  g_array_free(w->originals, TRUE);
  g_string_free(w->key, TRUE);
  g_string_free(w->joined, TRUE);
  text_free(&w->old);
}

/* True when the fields of e hold a value for the member. */
static bool has_value(const EventWriter *w, const MillEvent *e, int field, const MillTrack *track)
{
  switch (field) {
  case F_PH: return letters[e->kind] != 0;
  case F_NAME: return true;
  case F_CAT: return e->cat != 0;
  case F_PID: return w->view.process || track->process.type != MILL_NONE;
  case F_TID: return track->thread.type != MILL_NONE;
  case F_TS: return !(e->flags & MILL_FLAG_NO_TS);
  case F_DUR: return e->dur_ns >= 0;
  case F_ID: return e->id_kind != MILL_ID_NONE;
  case F_BP: return e->kind == MILL_FLOW_END && (e->flags & MILL_FLAG_BIND_END);
  case F_ARGS: return args_any(w);
  default: return false;
  }
}

static void put_symbol(EventWriter *w, MillSym sym)
{
  size_t len;
  const char *bytes = w->common->symbol_text(w->common, sym, &len);
  text_quote(w->text, bytes, len);
}

static void put_track_part(EventWriter *w, const MillValue *v)
{
  if (v->type == MILL_SYM)
    put_symbol(w, v->u.sym);
  else
    text_int(w->text, v->u.i);
}

int64_t event_time(const EventWriter *w, const MillEvent *e)
{
  int64_t sum;
  if (!__builtin_add_overflow(e->ts_ns, w->view.shift_ns, &sum)) return sum;
  return e->ts_ns < 0 ? INT64_MIN : INT64_MAX;
}

static void put_id(EventWriter *w, const MillEvent *e)
{
  if (w->view.rename && e->id_kind != MILL_ID_PAIR)
    ranks_put_id(w->text, w->view.place, e->id);
  else if (e->id_kind == MILL_ID_INT || e->id_kind == MILL_ID_PAIR)
    text_int(w->text, (int64_t)e->id);
  else
    text_hex(w->text, e->id);
}

static void put_value(EventWriter *w, const MillBatch *b, const MillEvent *e, int field,
                      const MillTrack *track)
{
  switch (field) {
  case F_PH:
    text_char(w->text, '"');
    text_char(w->text, letters[e->kind]);
    text_char(w->text, '"');
    break;
  case F_NAME: put_symbol(w, e->name); break;
  case F_CAT: put_symbol(w, e->cat); break;
  case F_PID:
    if (w->view.process)
      text_int(w->text, w->view.process->pid);
    else
      put_track_part(w, &track->process);
    break;
  case F_TID: put_track_part(w, &track->thread); break;
  case F_TS: text_us(w->text, event_time(w, e)); break;
  case F_DUR: text_us(w->text, e->dur_ns); break;
  case F_ID: put_id(w, e); break;
  case F_BP: text_literal(w->text, "\"e\""); break;
  case F_ARGS: args_make(w, b); break;
  default: break;
  }
}

void event_open_member(EventWriter *w, const char *key, size_t len, bool *first)
{
  Text *t = w->text;
  if (t->capacity - t->len < len + 4) text_grow(t, len + 4);
  char *p = t->bytes + t->len;
  if (!*first) *p++ = ',';
  *first = false;
  *p++ = '"';
  memcpy(p, key, len);
  p += len;
  *p++ = '"';
  *p++ = ':';
  t->len = (size_t)(p - t->bytes);
}

static void put_field(EventWriter *w, const MillBatch *b, const MillEvent *e, int field,
                      const MillTrack *track, bool *first)
{
  if (!has_value(w, e, field, track)) return;
  event_open_member(w, fields[field].key, fields[field].len, first);
  put_value(w, b, e, field, track);
}

static unsigned stale_fields(const EventWriter *w, const MillEvent *e)
{
  unsigned stale = 0;
  for (int i = 0; i < N_FIELDS; i++)
    if (fields[i].dirty & e->dirty) stale |= FIELD_BIT(i);
  /* A hashed id's text is only in the bytes that were read, as is a phase without a kind. */
  if (e->id_kind == MILL_ID_HASH) stale &= ~(FIELD_BIT(F_ID) | FIELD_BIT(F_ID2));
  if (!letters[e->kind]) stale &= ~FIELD_BIT(F_PH);
  if (!w->view.process) return stale;
  stale |= FIELD_BIT(F_PID);
  if (w->view.shift_ns && !(e->flags & MILL_FLAG_NO_TS)) stale |= FIELD_BIT(F_TS);
  if (w->view.rename && e->id_kind != MILL_ID_NONE && !w->told_id) stale |= FIELD_BIT(F_ID);
  return stale;
}

const char *event_key_text(EventWriter *w, const Member *m, size_t *out_len)
{
  *out_len = m->key_len;
  if (!m->key_escaped) return m->key;
  JsonToken quoted = { JSON_KEY, m->key - 1, m->key_len + 2 };
  g_string_truncate(w->key, 0);
  json_decode(&quoted, w->key);
  *out_len = w->key->len;
  return w->key->str;
}

void event_copy_member(EventWriter *w, const Member *m, bool *first)
{
  const char *bare = m->key + m->key_len + 2; /* after the quote and a colon */
  if (m->value != bare) {
    event_open_member(w, m->key, m->key_len, first);
    text_put(w->text, m->value, m->value_len);
    return;
  }
  if (!*first) text_char(w->text, ',');
  *first = false;
  text_put(w->text, m->key - 1, m->key_len + 3 + m->value_len);
}

/* Every id within, in the form that it has among several lanes. */
static bool rename_id2(EventWriter *w, const Member *m, bool *first)
{
  MemberWalk walk;
  MemberStep step;
  Member part;
  bool first_part = true;
  size_t mark = w->text->len;
  bool was_first = *first;
  Member value = originals_value(w, m);
  event_open_member(w, m->key, m->key_len, first);
  text_char(w->text, '{');
  if (!member_open(&walk, value.value, value.value_len))
    step = MEMBER_MALFORMED;
  else
    while ((step = member_step(&walk, &part)) == MEMBER_NEXT) {
      event_open_member(w, part.key, part.key_len, &first_part);
      ranks_put_id_value(w->text, w->view.place, part.value, part.value_len);
    }
  text_char(w->text, '}');
  if (step == MEMBER_END) return true;
  w->text->len = mark;
  *first = was_first;
  return false;
}

static void rename_id(EventWriter *w, const Member *m, bool *first)
{
  Member value = originals_value(w, m);
  event_open_member(w, m->key, m->key_len, first);
  ranks_put_id_value(w->text, w->view.place, value.value, value.value_len);
}

/* A member that no stage changed, where ids count within their lane.  False: copy it. */
static bool rename_member(EventWriter *w, const Member *m, bool *first)
{
  if (!w->view.rename) return false;
  switch (m->field) {
  case F_ID2: return rename_id2(w, m, first);
  case F_ARGS:
  case F_ATTR:
    if (*m->value == '{')
      args_rename(w, m, first);
    else
      event_copy_member(w, m, first);
    return true;
  case F_ID:
  case F_BIND_ID: rename_id(w, m, first); return true;
  default: return false;
  }
}

/* A stale args or attr.  What is not an object is replaced when attributes wait to be written. */
static void rewrite_args(EventWriter *w, const MillBatch *b, const Member *m, bool *first)
{
  if (*m->value == '{') {
    event_open_member(w, fields[m->field].key, fields[m->field].len, first);
    args_rebuild(w, b, m, m->field == F_ARGS || !w->has_args);
    return;
  }
  if (m->field == F_ATTR || !args_any(w)) {
    event_copy_member(w, m, first);
    return;
  }
  event_open_member(w, fields[m->field].key, fields[m->field].len, first);
  args_make(w, b);
}

/* The stale member in its new form. */
static void rewrite(EventWriter *w, const MillBatch *b, const MillEvent *e, const Member *m,
                    const MillTrack *track, bool *first)
{
  if (m->field == F_ARGS || m->field == F_ATTR)
    rewrite_args(w, b, m, first);
  else if (m->field == F_BP)
    event_copy_member(w, m, first);
  else
    put_field(w, b, e, m->field, track, first);
}

static void look_at_originals(EventWriter *w, const MillEvent *e)
{
  bool kept = w->view.process && w->view.process->kept;
  w->is_thread_name = e->kind == MILL_META && e->name == w->thread_name && !kept;
  originals_collect(w, e);
  w->told_id = originals_told(w, "id") && !(e->dirty & MILL_DIRTY_ID);
}

static void put_originals(EventWriter *w, bool *first)
{
  bool first_original = true;
  event_open_member(w, fields[F_ARGS].key, fields[F_ARGS].len, first);
  text_char(w->text, '{');
  originals_put(w, &first_original);
  text_char(w->text, '}');
}

/* The event from its old text.  False when that is not well formed. */
static bool walk(EventWriter *w, const MillBatch *b, const MillEvent *e, const char *raw,
                 size_t len, const MillTrack *track)
{
  unsigned seen = 0;
  bool first = true;
  if (!members_read(w, raw, len)) return false;
  if (w->view.rename) look_at_originals(w, e);
  unsigned stale = stale_fields(w, e);
  text_char(w->text, '{');
  for (guint i = 0; i < w->members->len; i++) {
    const Member *m = &g_array_index(w->members, Member, i);
    unsigned bit = m->field < 0 ? 0 : FIELD_BIT(m->field);
    if (!(stale & bit)) {
      if (!rename_member(w, m, &first)) event_copy_member(w, m, &first);
    } else if (!(seen & bit)) {
      rewrite(w, b, e, m, track, &first);
    }
    seen |= bit;
  }
  if (w->bare) seen |= FIELD_BIT(F_NAME);
  for (int i = 0; i < N_APPENDED; i++)
    if (stale & ~seen & FIELD_BIT(i)) put_field(w, b, e, i, track, &first);
  if (!(seen & (FIELD_BIT(F_ARGS) | FIELD_BIT(F_ATTR))) && originals_any(w))
    put_originals(w, &first);
  text_char(w->text, '}');
  return true;
}

static void make(EventWriter *w, const MillBatch *b, const MillEvent *e, const MillTrack *track)
{
  bool first = true;
  args_collect(w, b, e, false);
  g_array_set_size(w->originals, 0);
  text_char(w->text, '{');
  for (int i = 0; i < N_APPENDED; i++) put_field(w, b, e, i, track, &first);
  text_char(w->text, '}');
}

static void collect_changes(EventWriter *w, const MillBatch *b, const MillEvent *e)
{
  if (e->dirty & MILL_DIRTY_ATTRS)
    args_collect(w, b, e, true);
  else
    g_array_set_size(w->changes, 0);
}

/* The event after its text was repaired; made from its fields when that cannot be. */
static void write_repaired(EventWriter *w, const MillBatch *b, const MillEvent *e, const char *raw,
                           const MillTrack *track)
{
  g_autoptr(GString) repaired = g_string_new(NULL);
  size_t mark = w->text->len;
  unsigned fixes;
  collect_changes(w, b, e);
  if (json_repair(raw, e->raw_len, repaired, &fixes) &&
      walk(w, b, e, repaired->str, repaired->len, track))
    return;
  w->text->len = mark;
  make(w, b, e, track);
}

static EventFate write_unsound(EventWriter *w, const MillBatch *b, const MillEvent *e,
                               const char *raw, MillTrack *track)
{
  w->common->track_info(w->common, e->track, track);
  write_repaired(w, b, e, raw, track);
  return EVENT_REPAIRED;
}

static EventFate rewrite_event(EventWriter *w, const MillBatch *b, const MillEvent *e,
                               const char *raw, MillTrack *track)
{
  size_t mark = w->text->len;
  collect_changes(w, b, e);
  if (walk(w, b, e, raw, e->raw_len, track)) return EVENT_WRITTEN;
  w->text->len = mark;
  return write_unsound(w, b, e, raw, track);
}

/* True: it is a row about a process, which waits. */
static bool is_taken(EventWriter *w, const MillBatch *b, const MillEvent *e, const char *raw,
                     size_t len)
{
  if (e->kind != MILL_META) return false;
  if (!raw) return w->ranks->merging && rows_take_made(w, b, e);
  return !(e->dirty & MILL_DIRTY_ATTRS) && members_read(w, raw, len) && rows_take(w, e) &&
         w->ranks->merging;
}

/* The reader passes over what no stage reads; a word like nan must not get into the trace from there. */
static bool is_sound(const char *raw, size_t len, unsigned words)
{
  const char *at, *why;
  return !(words & WORDS_NUMBER) || json_check(raw, len, &at, &why);
}

static bool may_have_attr(const char *raw, size_t len, unsigned words)
{
  return words & WORDS_KEY && memmem(raw, len, "\"attr\"", 6);
}

EventFate event_write(EventWriter *w, const MillBatch *b, const MillEvent *e)
{
  if (e->kind == MILL_RECORD || e->kind >= MILL_N_KINDS) return EVENT_UNFIT;
  size_t len;
  const char *raw = mill_raw(b, e, &len);
  if (!raw && !letters[e->kind]) return EVENT_UNFIT;
  MillTrack track = { .size = sizeof(track) };
  unsigned words = raw ? words_find(raw, len) : 0;
  bool plain = ranks_plain(w->ranks, e->track);
  if (!plain)
    w->view = ranks_view(w->ranks, e);
  else
    w->view.process = NULL;
  plain = !w->view.process;
  if (raw && !is_sound(raw, len, words)) return write_unsound(w, b, e, raw, &track);
  if (!plain && is_taken(w, b, e, raw, len)) return EVENT_WAITS;
  if (raw && !e->dirty && plain && !may_have_attr(raw, len, words)) {
    text_put(w->text, raw, len);
    return EVENT_WRITTEN;
  }
  if (!raw || (e->dirty & MILL_DIRTY_TRACK)) w->common->track_info(w->common, e->track, &track);
  if (raw) return rewrite_event(w, b, e, raw, &track);
  make(w, b, e, &track);
  return EVENT_WRITTEN;
}
