/* One event as text; see event.h.
 *
 * A rewritten event keeps the order of its members.  Those that a stage changed
 * get their new value in place, all others are copied, missing ones are added
 * at the end in the order of `fields`. */
#include "event.h"

enum { F_PH, F_CAT, F_NAME, F_PID, F_TID, F_TS, F_DUR, F_ID, F_BP, F_ARGS, F_ID2, F_ATTR, N_FIELDS };
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
};

static const char letters[MILL_N_KINDS] = {
  [MILL_SLICE] = 'X',     [MILL_BEGIN] = 'B',      [MILL_END] = 'E',        [MILL_INSTANT] = 'i',
  [MILL_COUNTER] = 'C',   [MILL_META] = 'M',       [MILL_ASYNC_BEGIN] = 'b', [MILL_ASYNC_STEP] = 'n',
  [MILL_ASYNC_END] = 'e', [MILL_FLOW_START] = 's', [MILL_FLOW_STEP] = 't',  [MILL_FLOW_END] = 'f',
  [MILL_SAMPLE] = 'P',    [MILL_OBJECT] = 'N',
};

void event_writer_init(EventWriter *w, const MillHost *host, Text *text)
{
  w->host = host;
  w->text = text;
  w->changes = g_array_new(FALSE, FALSE, sizeof(Change));
  w->scratch = g_string_new(NULL);
  w->mended = g_string_new(NULL);
}

void event_writer_free(EventWriter *w)
{
  g_array_free(w->changes, TRUE);
  g_string_free(w->scratch, TRUE);
  g_string_free(w->mended, TRUE);
}

/* True when the fields of e hold a value for the member. */
static bool has_value(const EventWriter *w, const MillEvent *e, int field, const MillTrack *track)
{
  switch (field) {
  case F_PH:
    return letters[e->kind] != 0;
  case F_NAME:
    return true;
  case F_CAT:
    return e->cat != 0;
  case F_PID:
    return track->process.type != MILL_NONE;
  case F_TID:
    return track->thread.type != MILL_NONE;
  case F_TS:
    return !(e->flags & MILL_FLAG_NO_TS);
  case F_DUR:
    return e->dur_ns >= 0;
  case F_ID:
    return e->id_kind != MILL_ID_NONE;
  case F_BP:
    return e->kind == MILL_FLOW_END && (e->flags & MILL_FLAG_BIND_END);
  case F_ARGS:
    return args_any(w);
  default:
    return false;
  }
}

static void put_symbol(EventWriter *w, MillSym sym)
{
  size_t len;
  const char *bytes = w->host->symbol_text(w->host, sym, &len);
  text_quote(w->text, bytes, len);
}

static void put_track_part(EventWriter *w, const MillValue *v)
{
  if (v->type == MILL_SYM) put_symbol(w, v->u.sym);
  else text_int(w->text, v->u.i);
}

static void put_value(EventWriter *w, const MillBatch *b, const MillEvent *e, int field, const MillTrack *track)
{
  switch (field) {
  case F_PH:
    text_char(w->text, '"');
    text_char(w->text, letters[e->kind]);
    text_char(w->text, '"');
    break;
  case F_NAME:
    put_symbol(w, e->name);
    break;
  case F_CAT:
    put_symbol(w, e->cat);
    break;
  case F_PID:
    put_track_part(w, &track->process);
    break;
  case F_TID:
    put_track_part(w, &track->thread);
    break;
  case F_TS:
    text_us(w->text, e->ts_ns);
    break;
  case F_DUR:
    text_us(w->text, e->dur_ns);
    break;
  case F_ID:
    if (e->id_kind == MILL_ID_INT) text_int(w->text, (int64_t)e->id);
    else text_hex(w->text, e->id);
    break;
  case F_BP:
    text_literal(w->text, "\"e\"");
    break;
  case F_ARGS:
    args_make(w, b);
    break;
  default:
    break;
  }
}

static void open_member(EventWriter *w, const char *key, size_t len, bool *first)
{
  if (!*first) text_char(w->text, ',');
  *first = false;
  text_char(w->text, '"');
  text_put(w->text, key, len);
  text_literal(w->text, "\":");
}

static void put_field(EventWriter *w, const MillBatch *b, const MillEvent *e, int field, const MillTrack *track,
                      bool *first)
{
  if (!has_value(w, e, field, track)) return;
  open_member(w, fields[field].key, fields[field].len, first);
  put_value(w, b, e, field, track);
}

static int field_of(const char *key, size_t len)
{
  if (len < 2 || len > 4) return -1;
  for (int i = 0; i < N_FIELDS; i++)
    if (fields[i].len == len && !memcmp(fields[i].key, key, len)) return i;
  return -1;
}

static unsigned stale_fields(const MillEvent *e)
{
  unsigned stale = 0;
  for (int i = 0; i < N_FIELDS; i++)
    if (fields[i].dirty & e->dirty) stale |= FIELD_BIT(i);
  /* A hashed id's text is only in the bytes that were read, as is a phase without a kind. */
  if (e->id_kind == MILL_ID_HASH) stale &= ~(FIELD_BIT(F_ID) | FIELD_BIT(F_ID2));
  if (!letters[e->kind]) stale &= ~FIELD_BIT(F_PH);
  return stale;
}

static void copy_member(EventWriter *w, const JsonToken *key, const JsonToken *value, bool *first)
{
  if (!*first) text_char(w->text, ',');
  *first = false;
  text_put(w->text, key->start, key->len);
  text_char(w->text, ':');
  text_put(w->text, value->start, value->len);
}

/* A stale args or attr.  What is no object is replaced when attributes wait to be written. */
static bool rewrite_args(EventWriter *w, const MillBatch *b, int field, const JsonToken *key,
                         const JsonToken *value, bool append, bool *first)
{
  if (*value->start == '{') {
    open_member(w, fields[field].key, fields[field].len, first);
    return args_rebuild(w, b, value, append);
  }
  if (field == F_ATTR || !args_any(w)) {
    copy_member(w, key, value, first);
    return true;
  }
  open_member(w, fields[field].key, fields[field].len, first);
  args_make(w, b);
  return true;
}

/* New attributes go to `args` where the event has it, to `attr` where it has only that. */
static bool has_args(EventWriter *w, const char *raw, size_t len)
{
  JsonCursor r;
  JsonToken key, value;
  json_open(&r, raw, len, false);
  if (json_next(&r, &key) != JSON_OBJECT) return false;
  while (json_next(&r, &key) == JSON_KEY) {
    size_t key_len;
    const char *bytes = event_key(w, &key, &key_len);
    if (field_of(bytes, key_len) == F_ARGS) return true;
    if (json_skip(&r, &value) == JSON_ERROR) return false;
  }
  return false;
}

/* The member in its new form.  False when the old one is not well formed. */
static bool rewrite(EventWriter *w, const MillBatch *b, const MillEvent *e, int field, const MillTrack *track,
                    const JsonToken *key, const JsonToken *value, bool *first)
{
  if (field == F_ARGS || field == F_ATTR)
    return rewrite_args(w, b, field, key, value, field == F_ARGS || !w->has_args, first);
  if (field == F_BP) copy_member(w, key, value, first);
  else put_field(w, b, e, field, track, first);
  return true;
}

static bool walk(EventWriter *w, const MillBatch *b, const MillEvent *e, const char *raw, size_t len,
                 const MillTrack *track)
{
  unsigned stale = stale_fields(e), seen = 0;
  bool first = true;
  JsonCursor r;
  JsonToken key, value;
  JsonKind kind;
  w->has_args = (e->dirty & MILL_DIRTY_ATTRS) && has_args(w, raw, len);
  json_open(&r, raw, len, false);
  if (json_next(&r, &key) != JSON_OBJECT) return false;
  text_char(w->text, '{');
  while ((kind = json_next(&r, &key)) == JSON_KEY) {
    if (json_skip(&r, &value) == JSON_ERROR) return false;
    size_t key_len;
    const char *bytes = event_key(w, &key, &key_len);
    int field = field_of(bytes, key_len);
    if (field >= 0 && (stale & FIELD_BIT(field))) {
      if (seen & FIELD_BIT(field)) continue;
      seen |= FIELD_BIT(field);
      if (!rewrite(w, b, e, field, track, &key, &value, &first)) return false;
    } else {
      copy_member(w, &key, &value, &first);
    }
  }
  if (kind != JSON_OBJECT_END) return false;
  for (int i = 0; i < N_APPENDED; i++)
    if (stale & ~seen & FIELD_BIT(i)) put_field(w, b, e, i, track, &first);
  text_char(w->text, '}');
  return true;
}

static void make(EventWriter *w, const MillBatch *b, const MillEvent *e, const MillTrack *track)
{
  bool first = true;
  args_collect(w, b, e, false);
  text_char(w->text, '{');
  for (int i = 0; i < N_APPENDED; i++) put_field(w, b, e, i, track, &first);
  text_char(w->text, '}');
}

static void collect_changes(EventWriter *w, const MillBatch *b, const MillEvent *e)
{
  if (e->dirty & MILL_DIRTY_ATTRS) args_collect(w, b, e, true);
  else g_array_set_size(w->changes, 0);
}

static EventFate rewrite_event(EventWriter *w, const MillBatch *b, const MillEvent *e, const char *raw,
                               const MillTrack *track)
{
  size_t mark = w->text->len;
  unsigned fixes;
  collect_changes(w, b, e);
  if (walk(w, b, e, raw, e->raw_len, track)) return EVENT_WRITTEN;
  w->text->len = mark;
  g_string_truncate(w->mended, 0);
  collect_changes(w, b, e);
  if (json_mend(raw, e->raw_len, w->mended, &fixes) && walk(w, b, e, w->mended->str, w->mended->len, track))
    return EVENT_MENDED;
  w->text->len = mark;
  make(w, b, e, track);
  return EVENT_MENDED;
}

EventFate event_write(EventWriter *w, const MillBatch *b, const MillEvent *e)
{
  if (e->kind == MILL_RECORD || e->kind >= MILL_N_KINDS) return EVENT_UNFIT;
  const char *raw = (e->flags & MILL_FLAG_REPAIRED ? b->own : b->raw) + e->raw_off;
  if (e->raw_len && !e->dirty) {
    text_put(w->text, raw, e->raw_len);
    return EVENT_WRITTEN;
  }
  if (!e->raw_len && !letters[e->kind]) return EVENT_UNFIT;
  MillTrack track = { .size = sizeof(track) };
  if (!e->raw_len || (e->dirty & MILL_DIRTY_TRACK)) w->host->track_info(w->host, e->track, &track);
  if (e->raw_len) return rewrite_event(w, b, e, raw, &track);
  make(w, b, e, &track);
  return EVENT_WRITTEN;
}
