/* Rows of metadata of several ranks; see rows.h.
 *
 * Viewers know a process by the first or the last row that names it, and by nothing else: so there is one, which
 * waits until all is known that goes into the name. */
/* SPDX-License-Identifier: MIT */
#include "kit/chrome/rows.h"

#include "base/json.h"
#include "base/num.h"
#include "kit/text/symbol.h"

#define MAX_RANK ((int64_t)1 << 20)

void rows_init(EventWriter *w)
{
  const MillHost *common = w->common;
  w->process_name = symbol_of(common, "process_name");
  w->process_labels = symbol_of(common, "process_labels");
  w->process_sort_index = symbol_of(common, "process_sort_index");
  w->thread_name = symbol_of(common, "thread_name");
}

/* ------------------------------------------------------------------- reading */

static char *decoded(const Member *m)
{
  JsonToken token = { JSON_STRING, m->value, m->value_len };
  if (*m->value != '"') return NULL;
  GString *text = g_string_new(NULL);
  json_decode(&token, text);
  return g_string_free(text, FALSE);
}

/* A text of the row's arguments; NULL: there is none. */
static char *argument(EventWriter *w, const char *key)
{
  const Member *m = args_member(w, key);
  return m ? decoded(m) : NULL;
}

static bool take_text(char **slot, char *text)
{
  if (!text) return false;
  if (*slot)
    g_free(text);
  else
    *slot = text;
  return true;
}

/* Of what we wrote ourselves: as it was before, which may be no name at all. */
static bool take_name(EventWriter *w, char **slot)
{
  char *before = argument(w, ORIGINAL "name");
  if (before) return take_text(slot, before);
  return args_member(w, ORIGINAL "pid") || take_text(slot, argument(w, "name"));
}

static bool take_sort_index(EventWriter *w, Process *p)
{
  const Member *m = args_member(w, "sort_index");
  int64_t index;
  if (!m || !num_int(m->value, m->value_len, &index)) return false;
  if (!p->has_sort_index) p->sort_index = index;
  return p->has_sort_index = true;
}

bool rows_take(EventWriter *w, const MillEvent *e)
{
  Process *p = w->view.process;
  if (e->name == w->process_name) return take_name(w, &p->name);
  if (e->name == w->process_labels) return take_text(&p->labels, argument(w, "labels"));
  return e->name == w->process_sort_index && take_sort_index(w, p);
}

static char *text_attr(const EventWriter *w, const MillBatch *b, const MillEvent *e,
                       const char *key)
{
  const MillHost *common = w->common;
  const MillAttr *a = mill_attr(b, e, symbol_of(common, key));
  size_t len;
  if (!a) return NULL;
  const char *text = mill_attr_text(b, a, &len);
  if ((a->type & MILL_ATTR_TYPE) == MILL_SYM) text = common->symbol_text(common, a->u.sym, &len);
  return text ? g_strndup(text, len) : NULL;
}

static bool replace_text(char **slot, char *text)
{
  if (!text) return false;
  g_free(*slot);
  *slot = text;
  return true;
}

bool rows_take_made(EventWriter *w, const MillBatch *b, const MillEvent *e)
{
  Process *p = w->view.process;
  const MillHost *common = w->common;
  int64_t index;
  if (e->name == w->process_name) return replace_text(&p->name, text_attr(w, b, e, "name"));
  if (e->name == w->process_labels) return replace_text(&p->labels, text_attr(w, b, e, "labels"));
  if (e->name != w->process_sort_index) return false;
  if (!mill_attr_int(b, e, symbol_of(common, "sort_index"), &index)) return false;
  p->sort_index = index;
  return p->has_sort_index = true;
}

/* -------------------------------------------------------------------- naming */

static const char *file_of(const char *path)
{
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

/* "Rank 3: ", or what tells the lane from the others. */
static void put_lane(const Ranks *r, uint32_t index, GString *out)
{
  const MillHost *common = r->common;
  MillLane lane = { .size = sizeof(lane) };
  char number[NUM_BUF];
  common->lane(common, index, &lane);
  const char *name = *lane.label ? lane.label : file_of(lane.name);
  num_format_int(number, lane.rank);
  if (lane.rank < 0)
    g_string_append(out, name);
  else if (ranks_shares(r, index, lane.rank))
    g_string_append_printf(out, "Rank %s, %s", number, name);
  else
    g_string_append_printf(out, "Rank %s", number);
  g_string_append(out, ": ");
}

void rows_put_thread(EventWriter *w, const Member *name)
{
  g_autofree char *own = decoded(name);
  g_autoptr(GString) text = g_string_new(NULL);
  put_lane(w->ranks, w->view.process->lane, text);
  if (own && g_str_has_prefix(own, "stream ")) g_string_append(text, "GPU ");
  if (own) g_string_append(text, g_strchomp(own));
  text_quote(w->text, text->str, text->len);
}

static void put_old_pid(const Ranks *r, const Process *p, GString *out)
{
  char number[NUM_BUF];
  if (p->value.type == MILL_SYM) {
    size_t len;
    const char *text = r->common->symbol_text(r->common, p->value.u.sym, &len);
    g_string_append_len(out, text, (gssize)len);
    return;
  }
  num_format_int(number, p->value.u.i);
  g_string_append(out, number);
}

/* "Rank 0: python3", "Rank 0: GPU 3 (python3)", "Rank 0: pid 4711". */
static void put_name(const Ranks *r, const Process *p, GString *out)
{
  bool has_name = p->name && *p->name;
  if (p->kept && has_name) {
    g_string_append(out, p->name);
    return;
  }
  bool is_device = p->labels && *p->labels && !g_str_has_prefix(p->labels, "CPU");
  if (r->merging) put_lane(r, p->lane, out);
  if (is_device)
    g_string_append_printf(out, has_name ? "%s (%s)" : "%s", p->labels, p->name);
  else if (has_name)
    g_string_append(out, p->name);
  else {
    if (p->value.type == MILL_INT) g_string_append(out, "pid ");
    put_old_pid(r, p, out);
  }
}

/* ------------------------------------------------------------------- writing */

typedef struct RowWriter {
  const Ranks *ranks;
  Text *text;
  const char *join;
  bool any;
} RowWriter;

static void open_row(RowWriter *w, const char *name, const Process *p)
{
  if (w->any) text_put(w->text, w->join, strlen(w->join));
  w->any = true;
  text_literal(w->text, "{\"ph\":\"M\",\"name\":\"");
  text_put(w->text, name, strlen(name));
  text_literal(w->text, "\",\"pid\":");
  text_int(w->text, p->pid);
  text_literal(w->text, ",\"args\":{");
}

static void put_name_row(RowWriter *w, const Process *p)
{
  g_autoptr(GString) name = g_string_new(NULL), pid = g_string_new(NULL);
  put_name(w->ranks, p, name);
  put_old_pid(w->ranks, p, pid);
  open_row(w, "process_name", p);
  text_literal(w->text, "\"name\":");
  text_quote(w->text, name->str, name->len);
  if (p->kept && p->name && *p->name) { /* nothing was changed */
    text_literal(w->text, "}}");
    return;
  }
  if (w->ranks->merging && p->name) {
    text_literal(w->text, ",\"" ORIGINAL "name\":");
    text_quote(w->text, p->name, strlen(p->name));
  }
  text_literal(w->text, ",\"" ORIGINAL "pid\":");
  if (p->value.type == MILL_SYM)
    text_quote(w->text, pid->str, pid->len);
  else
    text_put(w->text, pid->str, pid->len);
  text_literal(w->text, "}}");
}

/* By rank; lanes without one come last, as they were given. */
static int64_t sort_index(const MillLane *lane, uint32_t index)
{
  int64_t rank = lane->rank >= 0 ? MIN(lane->rank, MAX_RANK - 1) : MAX_RANK - 1;
  return rank * 1000 + MIN(index, 999);
}

static void put_rows(RowWriter *w, const Process *p, uint32_t index)
{
  MillLane lane = { .size = sizeof(lane) };
  w->ranks->common->lane(w->ranks->common, p->lane, &lane);
  put_name_row(w, p);
  if (p->labels) {
    open_row(w, "process_labels", p);
    text_literal(w->text, "\"labels\":");
    text_quote(w->text, p->labels, strlen(p->labels));
    text_literal(w->text, "}}");
  }
  open_row(w, "process_sort_index", p);
  text_literal(w->text, "\"sort_index\":");
  text_int(w->text, p->kept && p->has_sort_index ? p->sort_index : sort_index(&lane, index));
  text_literal(w->text, "}}");
}

static gint by_lane(gconstpointer p, gconstpointer q)
{
  const Process *a = *(const Process *const *)p, *b = *(const Process *const *)q;
  if (a->lane != b->lane) return a->lane < b->lane ? -1 : 1;
  if (a->sort_index != b->sort_index) return a->sort_index < b->sort_index ? -1 : 1;
  return a->order < b->order ? -1 : a->order > b->order;
}

static void write_merged(RowWriter *w)
{
  g_autoptr(GPtrArray) sorted = g_ptr_array_new();
  uint32_t index = 0;
  g_ptr_array_extend(sorted, w->ranks->processes, NULL, NULL);
  g_ptr_array_sort(sorted, by_lane);
  for (guint i = 0; i < sorted->len; i++) {
    const Process *p = sorted->pdata[i], *before = i ? sorted->pdata[i - 1] : NULL;
    index = before && before->lane == p->lane ? index + 1 : 0;
    put_rows(w, p, index);
  }
}

void rows_write(const Ranks *r, Text *text, const char *join, bool any)
{
  RowWriter w = { r, text, join, any };
  if (r->merging) write_merged(&w);
  for (guint i = 0; !r->merging && i < r->processes->len; i++) {
    const Process *p = r->processes->pdata[i];
    if (!p->name) put_name_row(&w, p);
  }
}
