/* Lines to batches and back: what a stage gets to see, and what came out of it. */
#include <string.h>

#include "base/num.h"
#include "harness-internal.h"

/* ---- what the stage declared to read */

/* The attribute that a row means: an option's value if it says so. */
static const char *read_name(const HarnessStream *s, const MillRead *read)
{
  const MillStage *stage = s->instance->stage;
  if (read->name[0] != '$') return read->name;
  const MillOption *row = option_find(stage->options, stage->n_options, read->name + 1);
  if (!row || row->type != MILL_OPT_STRING) return "";
  return *(const char *const *)(const void *)((const char *)s->options + row->offset);
}

static const MillRead *read_of(const HarnessStream *s, const char *key, uint8_t kind)
{
  const MillStage *stage = s->instance->stage;
  for (uint32_t i = 0; i < stage->n_reads; i++) {
    const MillRead *read = &stage->reads[i];
    if (read->kinds && !(read->kinds & MILL_KIND(kind))) continue;
    const char *name = read_name(s, read);
    if (g_str_equal(name, "*") || g_str_equal(name, key)) return read;
  }
  return NULL;
}

/* As a source decodes it for `as`; what does not fit stays what it is. */
static MillValue decode_as(MillValue v, uint32_t as, char **out_text)
{
  int64_t i;
  double r;
  bool text = v.type == MILL_TEXT, number = v.type == MILL_INT || v.type == MILL_REAL;
  if (as == MILL_AS_INT && text && num_int(v.u.text, v.len, &i)) return mill_int(i);
  if (as == MILL_AS_REAL && v.type == MILL_INT) return mill_real((double)v.u.i);
  if (as == MILL_AS_REAL && text && num_real(v.u.text, v.len, &r)) return mill_real(r);
  if (as != MILL_AS_TEXT || !number) return v;
  *out_text = harness_value_format(&v);
  return mill_text(*out_text, strlen(*out_text));
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

static MillSym intern(const HarnessStream *s, const char *text)
{
  return symbols_intern(s->instance->run->symbols, text, strlen(text));
}

static MillAttr *new_attr(HarnessStream *s, Batch *b, MillEvent *e, const char *key, uint32_t type)
{
  if (b->pub.n_attrs == b->pub.max_attrs) grow_attrs(b);
  MillAttr *a = &b->pub.attrs[b->pub.n_attrs++];
  *a = (MillAttr){ .key = intern(s, key), .type = type };
  e->n_attrs++;
  return a;
}

static void add_attr(HarnessStream *s, Batch *b, GString *raw, MillEvent *e,
                     const HarnessAttr *attr, uint32_t as)
{
  g_autofree char *text = NULL;
  MillValue v = decode_as(attr->value, as, &text);
  MillAttr *a = new_attr(s, b, e, attr->key, v.type);
  if (v.type == MILL_REAL)
    a->u.r = v.u.r;
  else if (v.type == MILL_TEXT || v.type == MILL_JSON)
    set_bytes(a, raw, v.u.text);
  else
    a->u.i = v.u.i;
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

static MillValue track_value(HarnessStream *s, const MillValue *v)
{
  if (v->type == MILL_INT || v->type == MILL_NONE) return *v;
  return mill_sym(v->type == MILL_TEXT || v->type == MILL_JSON ? intern(s, v->u.text) : 0);
}

/* The raw bytes of an event begin with the address of its line, by which it is known when it
 * comes out. */
static void add_event(HarnessStream *s, Batch *b, GString *raw, const HarnessItem *item)
{
  const HarnessLine *line = item->line;
  MillEvent *e = &b->pub.events[b->pub.n_events++];
  *e = (MillEvent){ .ts_ns = line->ts_ns,
                    .dur_ns = line->dur_ns,
                    .id = line->id,
                    .seq = item->seq,
                    .name = intern(s, line->name),
                    .kind = line->kind,
                    .flags = line->flags,
                    .id_kind = line->id_kind };
  if (line->cat) e->cat = intern(s, line->cat);
  e->track = tracks_find(s->instance->tracks, item->lane, track_value(s, &line->process),
                         track_value(s, &line->thread));
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
  batch_reset(b, s->instance->lane->index);
  for (guint i = 0; i < n; i++)
    add_event(s, b, raw, &g_array_index(s->items, HarnessItem, from + i));
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

static const char *text_of(const HarnessStream *s, MillSym sym)
{
  return symbols_text(s->instance->run->symbols, sym, NULL);
}

static void append_set(const HarnessStream *s, const MillBatch *b, const MillAttr *a, GArray *out)
{
  size_t len = 0;
  const char *text = mill_attr_text(b, a, &len);
  MillValue v = { .type = a->type & MILL_ATTR_TYPE, .len = (uint32_t)len };
  if (text)
    v.u.text = text;
  else if (v.type == MILL_REAL)
    v.u.r = a->u.r;
  else if (v.type == MILL_SYM)
    v.u.sym = a->u.sym;
  else
    v.u.i = a->u.i;
  HarnessAttr attr = { g_strdup(text_of(s, a->key)),
                       harness_value_copy(s->instance->run->symbols, v) };
  g_array_append_val(out, attr);
}

static const MillAttr *set_attr(const HarnessStream *s, const MillBatch *b, const MillEvent *e,
                                const char *key)
{
  for (uint32_t i = 0; i < e->n_attrs; i++) {
    const MillAttr *a = &b->attrs[e->attrs + i];
    if ((a->type & MILL_ATTR_SET) && g_str_equal(text_of(s, a->key), key)) return a;
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
  for (guint i = 0; source && i < source->attrs->len; i++) {
    HarnessAttr attr = g_array_index(source->attrs, HarnessAttr, i);
    const MillAttr *a = set_attr(s, b, e, attr.key);
    if (a && has_key(out, attr.key)) continue;
    if (a && (a->type & MILL_ATTR_TYPE) != MILL_NONE) append_set(s, b, a, out);
    if (a) continue;
    attr.key = g_strdup(attr.key);
    attr.value = harness_value_copy(NULL, attr.value);
    g_array_append_val(out, attr);
  }
  for (uint32_t i = 0; i < e->n_attrs; i++) {
    const MillAttr *a = &b->attrs[e->attrs + i];
    if ((a->type & MILL_ATTR_TYPE) == MILL_NONE || !(a->type & MILL_ATTR_SET)) continue;
    if (!has_key(out, text_of(s, a->key))) append_set(s, b, a, out);
  }
}

HarnessLine *harness_line_of(const HarnessStream *s, const MillBatch *b, const MillEvent *e)
{
  const Instance *i = s->instance;
  const HarnessLine *source = NULL;
  const MillTrack *track = tracks_get(i->tracks, e->track);
  HarnessLine *line = harness_line_new();
  if (e->raw_len) memcpy(&source, batch_raw(b, e), sizeof source);
  line->name = g_strdup(text_of(s, e->name));
  if (e->cat) line->cat = g_strdup(text_of(s, e->cat));
  line->kind = e->kind;
  line->flags = e->flags;
  line->ts_ns = e->ts_ns;
  line->dur_ns = e->dur_ns;
  line->id = e->id;
  line->id_kind = e->id_kind;
  line->process = harness_value_copy(i->run->symbols, track->process);
  line->thread = harness_value_copy(i->run->symbols, track->thread);
  collect_attrs(s, b, e, source, line->attrs);
  return line;
}
