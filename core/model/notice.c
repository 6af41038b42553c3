/* Counted notices: how often, and the first example of each kind. */
/* SPDX-License-Identifier: MIT */
#include "model/notice.h"

#include <string.h>

#include "base/num.h"
#include "model/printable.h"

enum { MOST_NAMED = 4 }; /* inputs in a text */

void notices_init(Notices *n, const Descriptor *stage)
{
  n->descriptor = stage;
  n->path = NULL;
  n->counts = stage->n_notices ? g_new0(NoticeCount, stage->n_notices) : NULL;
}

static guint n_lanes(const NoticeCount *c) { return c->lanes ? c->lanes->len : 0; }

static NoticeLane *lane_at(const NoticeCount *c, guint index)
{
  return &g_array_index(c->lanes, NoticeLane, index);
}

/* Lanes come in order but on merged streams. */
static void add_lane(NoticeCount *c, uint32_t lane, uint64_t count)
{
  guint low = 0, high = n_lanes(c);
  if (!c->lanes) c->lanes = g_array_new(FALSE, FALSE, sizeof(NoticeLane));
  if (high && lane_at(c, high - 1)->lane < lane) low = high;
  while (low < high) {
    guint middle = low + (high - low) / 2;
    if (lane_at(c, middle)->lane < lane)
      low = middle + 1;
    else
      high = middle;
  }
  const NoticeLane fresh = { .lane = lane };
  if (low == c->lanes->len || lane_at(c, low)->lane != lane)
    g_array_insert_val(c->lanes, low, fresh);
  lane_at(c, low)->count += count;
}

static void drop_example(NoticeCount *c)
{
  g_strfreev(c->names);
  g_strfreev(c->values);
  c->names = c->values = NULL;
}

void notices_clear(Notices *n)
{
  for (uint32_t i = 0; n->counts && i < n->descriptor->n_notices; i++) {
    drop_example(&n->counts[i]);
    g_clear_pointer(&n->counts[i].lanes, g_array_unref);
  }
  g_clear_pointer(&n->counts, g_free);
}

int notices_find(const Descriptor *stage, uint32_t number)
{
  for (uint32_t i = 0; i < stage->n_notices; i++)
    if (stage->notices[i].number == number) return (int)i;
  return -1;
}

/* How much of the text are folders that lead to the input, or to what is in it when it is one itself. */
static size_t folders_in(const char *text, size_t len, const char *path)
{
  size_t path_len = path ? strlen(path) : 0;
  while (path_len > 1 && path[path_len - 1] == '/') path_len--;
  if (!path_len || len < path_len || memcmp(text, path, path_len) != 0) return 0;
  char next = len > path_len ? text[path_len] : ':';
  if (next == '/') return path_len + 1;
  if (next != ':' && next != ',' && next != ' ') return 0;
  while (path_len > 0 && path[path_len - 1] != '/') path_len--;
  return path_len;
}

static char *text_of_value(const char *text, size_t len, const char *path)
{
  size_t cut = len ? folders_in(text, len, path) : 0;
  return g_strndup(len ? text + cut : "", len - cut);
}

/* With nine digits: those after are noise of arithmetic, as in 0.10000000000001588. */
static char *real_text(double v)
{
  char buf[NUM_BUF];
  num_format_real(buf, g_ascii_strtod(g_ascii_formatd(buf, sizeof buf, "%.9g", v), NULL));
  return g_strdup(buf);
}

static char *value_text(const Notices *n, MillValue v, NoticeText text_of, void *context)
{
  char buf[NUM_BUF];
  switch (v.type) {
  case MILL_INT: num_format_count(buf, v.u.i); return g_strdup(buf);
  case MILL_REAL: return real_text(v.u.r);
  case MILL_BOOL: return g_strdup(v.u.i ? "yes" : "no");
  case MILL_SYM: return g_strdup(text_of(context, v.u.sym));
  case MILL_TEXT: return text_of_value(v.u.text, v.len, n->path);
  case MILL_JSON: return text_of_value(v.u.text, v.len, NULL);
  default: return g_strdup("-");
  }
}

/* The example gives way to another, of which names and values are taken. */
static void set_example(NoticeCount *c, NoticeCount by)
{
  drop_example(c);
  by.count = c->count;
  by.lanes = c->lanes;
  *c = by;
}

static bool comes_before(const NoticeCount *c, uint32_t lane, uint64_t seq)
{
  return lane < c->lane || (lane == c->lane && seq < c->seq);
}

bool notices_add(Notices *n, uint32_t row, uint32_t lane, const MillEvent *e,
                 const MillNamed *values, uint32_t n_values, NoticeText text_of, void *context)
{
  NoticeCount *c = &n->counts[row];
  uint64_t seq = e ? e->seq : 0;
  bool first = c->count++ == 0;
  add_lane(c, lane, 1);
  if (!first && !(e && comes_before(c, lane, seq))) return false;
  set_example(c, (NoticeCount){ .lane = lane,
                                .seq = seq,
                                .names = g_new0(char *, n_values + 1),
                                .values = g_new0(char *, n_values + 1) });
  for (uint32_t i = 0; i < n_values; i++) {
    c->names[i] = g_strdup(values[i].name);
    c->values[i] = value_text(n, values[i].value, text_of, context);
  }
  return first;
}

void notices_merge(Notices *into, const Notices *from, uint64_t seq_base)
{
  for (uint32_t i = 0; into->counts && i < into->descriptor->n_notices; i++) {
    NoticeCount *c = &into->counts[i];
    const NoticeCount *f = &from->counts[i];
    if (!f->count) continue;
    if (!c->count || comes_before(c, f->lane, f->seq + seq_base))
      set_example(c, (NoticeCount){ .lane = f->lane,
                                    .seq = f->seq + seq_base,
                                    .names = g_strdupv(f->names),
                                    .values = g_strdupv(f->values) });
    c->count += f->count;
    for (guint k = 0; k < n_lanes(f); k++) add_lane(c, lane_at(f, k)->lane, lane_at(f, k)->count);
  }
}

bool notices_are_empty(const Notices *n)
{
  for (uint32_t i = 0; n->counts && i < n->descriptor->n_notices; i++)
    if (n->counts[i].count) return false;
  return true;
}

void notices_renumber(Notices *n, NoticeNumber number_of, const void *context)
{
  for (uint32_t i = 0; n->counts && i < n->descriptor->n_notices; i++) {
    NoticeCount *c = &n->counts[i];
    if (!c->count) continue;
    c->lane = number_of(context, c->lane);
    for (guint k = 0; k < n_lanes(c); k++)
      lane_at(c, k)->lane = number_of(context, lane_at(c, k)->lane);
  }
}

/* ---------------------------------------------------------------- as bytes */

static void save_strings(Summary *out, char **strings)
{
  guint n = strings ? g_strv_length(strings) : 0;
  summary_put_int(out, n);
  for (guint i = 0; i < n; i++) summary_put_string(out, strings[i]);
}

static char **load_strings(Summary *from)
{
  uint64_t n = summary_get_count(from, 2);
  char **strings = g_new0(char *, n + 1);
  for (uint64_t i = 0; i < n && !from->broken; i++) {
    strings[i] = summary_get_string(from);
    if (!strings[i]) from->broken = true;
  }
  return strings;
}

static void save_count(const NoticeCount *c, Summary *out)
{
  summary_put_int(out, (int64_t)c->count);
  summary_put_int(out, c->lane);
  summary_put_int(out, (int64_t)c->seq);
  save_strings(out, c->names);
  save_strings(out, c->values);
  summary_put_int(out, n_lanes(c));
  for (guint i = 0; i < n_lanes(c); i++) {
    summary_put_int(out, lane_at(c, i)->lane);
    summary_put_int(out, (int64_t)lane_at(c, i)->count);
  }
}

static void load_count(NoticeCount *c, Summary *from)
{
  c->count = (uint64_t)summary_get_int(from);
  if (!c->count) from->broken = true;
  c->lane = (uint32_t)summary_get_int(from);
  c->seq = (uint64_t)summary_get_int(from);
  c->names = load_strings(from);
  c->values = load_strings(from);
  if (g_strv_length(c->names) != g_strv_length(c->values)) from->broken = true;
  uint64_t n = summary_get_count(from, 4);
  for (uint64_t i = 0; i < n && !from->broken; i++) {
    uint32_t lane = (uint32_t)summary_get_int(from);
    add_lane(c, lane, (uint64_t)summary_get_int(from));
  }
}

void notices_save(const Notices *n, Summary *out)
{
  uint32_t n_rows = n->counts ? n->descriptor->n_notices : 0, n_counted = 0;
  for (uint32_t i = 0; i < n_rows; i++) n_counted += n->counts[i].count != 0;
  summary_put_int(out, n_counted);
  for (uint32_t i = 0; i < n_rows; i++) {
    if (!n->counts[i].count) continue;
    summary_put_int(out, i);
    save_count(&n->counts[i], out);
  }
}

void notices_load(Notices *n, Summary *from)
{
  uint64_t n_counted = summary_get_count(from, 2);
  for (uint64_t i = 0; i < n_counted && !from->broken; i++) {
    uint64_t row = (uint64_t)summary_get_int(from);
    if (row >= n->descriptor->n_notices || n->counts[row].count)
      from->broken = true;
    else
      load_count(&n->counts[row], from);
  }
}

/* -------------------------------------------------------------------- texts */

/* What stands for "{name}"; NULL: nothing does. */
static const char *value_of(const NoticeCount *c, const char *name, const char *count,
                            const char *lane_name)
{
  if (!c) return NULL;
  for (guint i = 0; c->names && c->names[i]; i++)
    if (!strcmp(c->names[i], name)) return c->values[i];
  if (!strcmp(name, "count")) return count;
  return strcmp(name, "lane") ? NULL : lane_name;
}

static bool is_number(const char *text) { return *text && text[strspn(text, "0123456789,")] == 0; }

/* "[one|many]": puts its half and returns its end; NULL: it is not a choice. */
static const char *choose(const char *p, bool one, GString *out)
{
  if (*p != '[') return NULL;
  const char *bar = p + strcspn(p, "|]");
  const char *end = *bar == '|' ? strchr(bar, ']') : NULL;
  if (!end) return NULL;
  const char *from = one ? p + 1 : bar + 1;
  g_string_append_len(out, from, (one ? bar : end) - from);
  return end + 1;
}

/* "{count} rows of {lane}" and "{lane}: {count} rows" are about all inputs; "(first in {lane})", or a text without a
 * count, about the example. */
static bool is_of_all(const NoticeCount *c, const char *text)
{
  const char *count = strstr(text, "{count}"), *lane = strstr(text, "{lane}");
  if (n_lanes(c) < 2 || !count || !lane) return false;
  const char *from = lane < count ? text : count;
  return !g_strstr_len(from, lane - from, "first");
}

static char *number_of_inputs(const NoticeCount *c)
{
  char count[NUM_BUF];
  num_format_count(count, (int64_t)n_lanes(c));
  return g_strdup_printf("%s inputs", count);
}

char *notice_inputs(const NoticeCount *c, NoticeLaneName name_of, const void *context)
{
  guint n = n_lanes(c), shown = n > MOST_NAMED ? MOST_NAMED - 1 : n;
  if (n < 2) return NULL;
  g_autofree char *number = number_of_inputs(c);
  GString *out = g_string_new(number);
  for (guint i = 0; i < shown; i++) {
    char count[NUM_BUF];
    num_format_count(count, (int64_t)lane_at(c, i)->count);
    g_string_append_printf(out, "%s%s of %s", i ? ", " : " (", count,
                           name_of(context, lane_at(c, i)->lane));
  }
  if (shown < n) g_string_append(out, ", ...");
  g_string_append_c(out, ')');
  return g_string_free(out, FALSE);
}

char *notice_render(const NoticeCount *c, const char *text, const char *lane_name,
                    const char *inputs)
{
  if (!text) return NULL;
  GString *out = g_string_new(NULL);
  char count[NUM_BUF];
  bool of_all = c && is_of_all(c, text);
  g_autofree char *number = of_all && !inputs ? number_of_inputs(c) : NULL;
  if (of_all) lane_name = inputs ? inputs : number;
  num_format_count(count, c ? (int64_t)c->count : 0);
  bool one = c && c->count == 1;
  for (const char *p = text, *chosen; *p;) {
    const char *end = *p == '{' ? strchr(p, '}') : NULL;
    g_autofree char *name = end ? g_strndup(p + 1, (gsize)(end - p - 1)) : NULL;
    const char *value = name ? value_of(c, name, count, lane_name) : NULL;
    if (value) {
      if (value != lane_name && is_number(value)) one = !strcmp(value, "1");
      printable_append(out, value, strlen(value), strcmp(name, "lines") ? "" : "\n");
      p = end + 1;
    } else if ((chosen = choose(p, one, out))) {
      p = chosen;
    } else {
      g_string_append_c(out, *p++);
    }
  }
  return g_string_free(out, FALSE);
}

char *notice_pattern(const char *text) { return notice_render(NULL, text, NULL, NULL); }

char *notice_example(const char *text)
{
  static const char *const values[][2] = {
    { "period", "7.7" },  { "file", "rank0.json" }, { "place", "rank0.json:7:1" },
    { "pairs", "4,210" }, { "share", "12.5" },      { "mhz", "559.8" },
    { "soc", "560" },     { "gpus", "n/a" },        { "runs", "4" },
    { "failed", "3" },    { "total", "24" },        { "layer", "0" },
  };
  g_autoptr(GString) filled = g_string_new(text);
  const NoticeCount several = { .count = 12 };
  if (!text) return NULL;
  for (size_t i = 0; i < G_N_ELEMENTS(values); i++) {
    g_autofree char *name = g_strdup_printf("{%s}", values[i][0]);
    g_string_replace(filled, name, values[i][1], 0);
  }
  char *example = notice_render(&several, filled->str, "rank0.json", NULL);
  for (char *p = strchr(example, '{'); p; p = strchr(p + 1, '{')) { /* of any other name: NAME */
    char *end = strchr(p, '}');
    if (!end) break;
    if (g_str_has_prefix(p, "{rank}")) continue; /* as it is typed */
    for (char *c = p; c + 1 < end; c++) c[0] = (char)g_ascii_toupper(c[1]);
    memmove(end - 1, end + 1, strlen(end + 1) + 1);
  }
  return example;
}

const char *notice_level(uint32_t level)
{
  static const char *const names[] = { "none", "error", "warning", "info", "debug", "trace" };
  return names[level <= MILL_LEVEL_TRACE ? level : 0];
}

char *notice_code(const Descriptor *stage, uint32_t row)
{
  return g_strdup_printf("%s-%02u", stage->code, stage->notices[row].number);
}
