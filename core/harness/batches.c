/* Lines to batches and back: what a stage gets to see, and what came out of it. */
#include <string.h>

#include "base/num.h"
#include "harness-drive.h"

/* ---- what the stage declared to read */

/* The attribute that a row means: an option's value if it says so. */
static const char *read_name(const HarnessStream *s, const MillRead *read)
{
  const MillStage *stage = s->stage;
  if (read->name[0] != '$') return read->name;
  const MillOption *row = option_find(stage->options, stage->n_options, read->name + 1);
  if (!row || row->type != MILL_OPT_STRING) return "";
  return *(const char *const *)(const void *)((const char *)s->options + row->offset);
}

static const MillRead *read_of(const HarnessStream *s, const char *key, uint8_t kind)
{
  for (uint32_t i = 0; i < s->stage->n_reads; i++) {
    const MillRead *read = &s->stage->reads[i];
    if (read->kinds && !(read->kinds & MILL_KIND(kind))) continue;
    const char *name = read_name(s, read);
    if (g_str_equal(name, "*") || g_str_equal(name, key)) return read;
  }
  return NULL;
}

/* As a source decodes it for `as`; what does not fit stays what it is. */
static HarnessValue decode_as(const HarnessValue *value, uint32_t as, char **out_text)
{
  HarnessValue v = *value;
  size_t len = v.text ? strlen(v.text) : 0;
  *out_text = v.text;
  if (as == MILL_AS_INT && v.type == MILL_TEXT && num_int(v.text, len, &v.i)) v.type = MILL_INT;
  if (as == MILL_AS_REAL && v.type == MILL_INT) {
    v.type = MILL_REAL;
    v.r = (double)v.i;
  }
  if (as == MILL_AS_REAL && v.type == MILL_TEXT && num_real(v.text, len, &v.r)) v.type = MILL_REAL;
  if (as == MILL_AS_TEXT && (v.type == MILL_INT || v.type == MILL_REAL)) {
    *out_text = harness_value_format(&v);
    v.type = MILL_TEXT;
  }
  return v;
}

static void set_bytes(MillAttr *a, GString *raw, const char *text)
{
  a->u.text.off = (uint32_t)raw->len;
  a->u.text.len = (uint32_t)strlen(text);
  g_string_append(raw, text);
}

/* A source would begin another batch; a case says itself how many events its batches have. */
static void grow_attrs(Batch *b)
{
  uint32_t n_events = b->pub.n_events;
  b->pub.n_events = 0;
  batch_grow_attrs(b);
  b->pub.n_events = n_events;
}

static MillAttr *new_attr(HarnessStream *s, Batch *b, MillEvent *e, const char *key, uint32_t type)
{
  if (b->pub.n_attrs == b->pub.max_attrs) grow_attrs(b);
  MillAttr *a = &b->pub.attrs[b->pub.n_attrs++];
  *a = (MillAttr){ .key = symbols_intern(s->symbols, key, strlen(key)), .type = type };
  e->n_attrs++;
  return a;
}

static void add_attr(HarnessStream *s, Batch *b, GString *raw, MillEvent *e,
                     const HarnessAttr *attr, uint32_t as)
{
  char *text;
  HarnessValue v = decode_as(&attr->value, as, &text);
  MillAttr *a = new_attr(s, b, e, attr->key, v.type);
  if (v.type == MILL_REAL)
    a->u.r = v.r;
  else if (v.type == MILL_TEXT || v.type == MILL_JSON)
    set_bytes(a, raw, text);
  else
    a->u.i = v.i;
  if (text != attr->value.text) g_free(text);
}

/* A list of numbers is its key repeated for who reads numbers, else JSON. */
static void add_list(HarnessStream *s, Batch *b, GString *raw, MillEvent *e,
                     const HarnessAttr *attrs, guint n, uint32_t as)
{
  bool flat = as == MILL_AS_INT || as == MILL_AS_REAL;
  for (guint i = 0; flat && i < n; i++)
    flat = attrs[i].value.type == MILL_INT || attrs[i].value.type == MILL_REAL;
  for (guint i = 0; flat && i < n; i++) add_attr(s, b, raw, e, &attrs[i], as);
  if (flat) return;
  g_autofree char *json = harness_list_format(attrs, n);
  set_bytes(new_attr(s, b, e, attrs[0].key, MILL_JSON), raw, json);
}

static MillValue track_value(HarnessStream *s, const HarnessValue *v)
{
  if (v->type == MILL_INT) return mill_int(v->i);
  if (v->type == MILL_NONE) return mill_none();
  return mill_sym(
      symbols_intern(s->symbols, v->text ? v->text : "", v->text ? strlen(v->text) : 0));
}

/* The raw bytes of an event begin with the address of its line, by which it is known when it
 * comes out. */
static void add_event(HarnessStream *s, Batch *b, GString *raw, guint index)
{
  const HarnessLine *line = s->lines->pdata[index];
  uint32_t lane = g_array_index(s->lanes, uint32_t, index);
  MillEvent *e = &b->pub.events[b->pub.n_events++];
  *e = (MillEvent){ .ts_ns = line->ts_ns,
                    .dur_ns = line->dur_ns,
                    .id = line->id,
                    .kind = line->kind,
                    .flags = line->flags,
                    .id_kind = line->id_kind };
  e->seq = g_array_index(s->seqs, uint64_t, index);
  e->name = symbols_intern(s->symbols, line->name, strlen(line->name));
  if (line->cat) e->cat = symbols_intern(s->symbols, line->cat, strlen(line->cat));
  e->track =
      tracks_find(s->tracks, lane, track_value(s, &line->process), track_value(s, &line->thread));
  e->attrs = b->pub.n_attrs;
  e->raw_off = (uint32_t)raw->len;
  g_string_append_len(raw, (const char *)&line, sizeof line);
  for (guint i = 0, n; i < line->attrs->len; i += n) {
    const HarnessAttr *attr = &g_array_index(line->attrs, HarnessAttr, i);
    const MillRead *read = read_of(s, attr->key, line->kind);
    for (n = 1; i + n < line->attrs->len && g_str_equal(attr[n].key, attr->key);) n++;
    if (read && n == 1) add_attr(s, b, raw, e, attr, read->as);
    if (read && n > 1) add_list(s, b, raw, e, attr, n, read->as);
  }
  e->raw_len = (uint32_t)raw->len - e->raw_off;
}

Batch *harness_batch(HarnessStream *s, guint from, guint n)
{
  GString *raw = g_string_new(NULL);
  Batch *b = batch_new(MAX(n, 1));
  batch_reset(b, s->lane == MILL_NO_LANE ? 0 : s->lane);
  for (guint i = 0; i < n; i++) add_event(s, b, raw, from + i);
  b->pub.raw = g_string_free(raw, FALSE);
  return b;
}

void harness_batch_free(Batch *b)
{
  memset(b->pub.events, 0xa5,
         b->pub.max_events * sizeof(MillEvent)); /* whoever still looks shall notice */
  g_free((char *)(uintptr_t)b->pub.raw);
  batch_free(b);
}

/* ---- what came out */

static HarnessValue named_value(const HarnessStream *s, const MillValue *v)
{
  HarnessValue value = { .type = v->type, .i = v->type == MILL_INT ? v->u.i : 0 };
  size_t len;
  if (v->type == MILL_SYM) {
    value.type = MILL_TEXT;
    value.text = g_strdup(symbols_text(s->symbols, v->u.sym, &len));
  }
  return value;
}

static void append_set(const HarnessStream *s, const MillBatch *b, const MillAttr *a, GArray *out)
{
  size_t len;
  HarnessAttr attr = { .key = g_strdup(symbols_text(s->symbols, a->key, &len)) };
  attr.value.type = a->type & MILL_ATTR_TYPE;
  const char *text = mill_attr_text(b, a, &len);
  if (text) {
    attr.value.text = g_strndup(text, len);
  } else if (attr.value.type == MILL_REAL) {
    attr.value.r = a->u.r;
  } else if (attr.value.type == MILL_SYM) {
    attr.value.type = MILL_TEXT;
    attr.value.text = g_strdup(symbols_text(s->symbols, a->u.sym, &len));
  } else {
    attr.value.i = a->u.i;
  }
  g_array_append_val(out, attr);
}

static const MillAttr *set_attr(const HarnessStream *s, const MillBatch *b, const MillEvent *e,
                                const char *key)
{
  size_t len;
  for (uint32_t i = 0; i < e->n_attrs; i++) {
    const MillAttr *a = &b->attrs[e->attrs + i];
    if ((a->type & MILL_ATTR_SET) && g_str_equal(symbols_text(s->symbols, a->key, &len), key))
      return a;
  }
  return NULL;
}

static bool has_key(const GArray *attrs, const char *key)
{
  for (guint i = 0; i < attrs->len; i++)
    if (g_str_equal(g_array_index(attrs, HarnessAttr, i).key, key)) return true;
  return false;
}

/* Members of the source first, changed or not, then new ones: as a sink writes them. */
static void collect_attrs(const HarnessStream *s, const MillBatch *b, const MillEvent *e,
                          const HarnessLine *source, GArray *out)
{
  size_t len;
  for (guint i = 0; source && i < source->attrs->len; i++) {
    HarnessAttr attr = g_array_index(source->attrs, HarnessAttr, i);
    const MillAttr *a = set_attr(s, b, e, attr.key);
    if (a && has_key(out, attr.key)) continue;
    if (a && (a->type & MILL_ATTR_TYPE) != MILL_NONE) append_set(s, b, a, out);
    if (a) continue;
    attr.key = g_strdup(attr.key);
    attr.value.text = g_strdup(attr.value.text);
    g_array_append_val(out, attr);
  }
  for (uint32_t i = 0; i < e->n_attrs; i++) {
    const MillAttr *a = &b->attrs[e->attrs + i];
    if ((a->type & MILL_ATTR_TYPE) == MILL_NONE || !(a->type & MILL_ATTR_SET)) continue;
    if (!has_key(out, symbols_text(s->symbols, a->key, &len))) append_set(s, b, a, out);
  }
}

static bool same_value(const HarnessValue *a, const HarnessValue *b)
{
  return a->type == b->type && a->i == b->i && g_strcmp0(a->text, b->text) == 0;
}

/* Whether an event that says it is unchanged (a sink copies its bytes) still is what it came as. */
static void check_marks(HarnessResult *r, const MillEvent *e, const HarnessLine *line,
                        const HarnessLine *source)
{
  uint8_t changed = 0;
  if (line->kind != source->kind) changed |= MILL_DIRTY_KIND;
  if (line->ts_ns != source->ts_ns) changed |= MILL_DIRTY_TS;
  if (line->dur_ns != source->dur_ns) changed |= MILL_DIRTY_DUR;
  if (line->id != source->id || line->id_kind != source->id_kind) changed |= MILL_DIRTY_ID;
  if (strcmp(line->name, source->name) != 0) changed |= MILL_DIRTY_NAME;
  if (g_strcmp0(line->cat, source->cat) != 0) changed |= MILL_DIRTY_CAT;
  if (!same_value(&line->process, &source->process) || !same_value(&line->thread, &source->thread))
    changed |= MILL_DIRTY_TRACK;
  if (changed & (uint8_t)~e->dirty)
    harness_break(r, "\"%s\" was changed without mill_set_*", source->source);
}

HarnessLine *harness_line_of(const HarnessStream *s, const MillBatch *b, const MillEvent *e,
                             HarnessResult *r)
{
  size_t len;
  char *why = NULL;
  const HarnessLine *source = NULL;
  const MillTrack *track = tracks_get(s->tracks, e->track);
  HarnessLine *line = harness_line_parse("C x 0", &why);
  if (e->raw_len) memcpy(&source, batch_raw(b, e), sizeof source);
  g_free(line->name);
  line->name = g_strdup(symbols_text(s->symbols, e->name, &len));
  if (e->cat) line->cat = g_strdup(symbols_text(s->symbols, e->cat, &len));
  line->kind = e->kind;
  line->flags = e->flags;
  line->ts_ns = e->ts_ns;
  line->dur_ns = e->dur_ns;
  line->id = e->id;
  line->id_kind = e->id_kind;
  line->process = named_value(s, &track->process);
  line->thread = named_value(s, &track->thread);
  collect_attrs(s, b, e, source, line->attrs);
  if (source) check_marks(r, e, line, source);
  return line;
}
