/* The kernel summary of an exported database: two passes over the kernels, then rows as nsys orders them. */
/* SPDX-License-Identifier: MIT */
#include "nsys-sqlite.h"

#include <string.h>

/* ----------------------------------------------------------------- passes */
typedef struct Kernel {
  int64_t name, device, duration_ns; /* device ALL_DEVICES: of none that is known */
} Kernel;

/* False when the row has no duration. */
static bool read_kernel(sqlite3_stmt *query, Kernel *out)
{
  bool named = sqlite3_column_type(query, 0) == SQLITE_INTEGER;
  out->name = named ? sqlite3_column_int64(query, 0) : NO_NAME;
  bool placed = sqlite3_column_type(query, 1) == SQLITE_INTEGER;
  out->device = placed ? sqlite3_column_int64(query, 1) : ALL_DEVICES;
  out->duration_ns = sqlite3_column_int64(query, 2);
  return sqlite3_column_type(query, 2) == SQLITE_INTEGER && out->duration_ns >= 0;
}

/* Of the kernel, and of its name on all devices. */
static int on_group(Source *s, const Kernel *k, int64_t device, void (*put)(Group *, int64_t))
{
  Group *g = groups_get(&s->groups, k->name, device);
  if (!g) return database_fail(s, NSQL_TOO_MANY, "the profile has too many kernels", NULL);
  put(g, k->duration_ns);
  return 0;
}

static void put_first(Group *g, int64_t duration_ns) { moments_add(&g->durations, duration_ns); }

static void put_second(Group *g, int64_t duration_ns)
{
  if (g->durations.n) group_pass(g, duration_ns);
}

typedef struct Pass {
  const char *order;
  void (*put)(Group *, int64_t);
  bool notes;
} Pass;

static void note(Source *s, const Pass *pass, uint32_t number)
{
  if (pass->notes) s->common->note(s->common, number, NULL, MILL_NO_EVENT, NULL, 0);
}

static int take_row(Source *s, const Pass *pass, sqlite3_stmt *query)
{
  Kernel k;
  if (!read_kernel(query, &k)) {
    note(s, pass, NSQL_BAD_TIME);
    return 0;
  }
  int status = on_group(s, &k, ALL_DEVICES, pass->put);
  if (status || k.device != ALL_DEVICES)
    return status ? status : on_group(s, &k, k.device, pass->put);
  note(s, pass, NSQL_NO_DEVICE);
  return 0;
}

static int run_pass(Source *s, const Pass *pass)
{
  g_autofree char *sql = g_strconcat(s->kernels, pass->order, NULL);
  sqlite3_stmt *query = NULL;
  int code = sqlite3_prepare_v2(s->db, sql, -1, &query, NULL), status = 0;
  while (code == SQLITE_OK && status == 0 && (code = sqlite3_step(query)) == SQLITE_ROW) {
    status = take_row(s, pass, query);
    code = SQLITE_OK;
  }
  if (status == 0 && code != SQLITE_DONE) status = database_broken(s);
  sqlite3_finalize(query);
  return status;
}

/* ------------------------------------------------------------------ order */
static char *copy_name(Source *s, const Group *g)
{
  const char *text;
  size_t len;
  int found = s->failed ? 0 : database_string(s, g->name, &text, &len);
  if (found < 0) s->failed = found;
  return found > 0 ? g_strndup(text, len) : g_strdup("");
}

/* All devices first, then one by one; long times first, then by name. */
static gint by_time(gconstpointer a, gconstpointer b, gpointer source)
{
  const Group *x = a, *y = b;
  if (x->device != y->device) return x->device < y->device ? -1 : 1;
  if (x->durations.sum != y->durations.sum) return x->durations.sum > y->durations.sum ? -1 : 1;
  g_autofree char *name_x = copy_name(source, x);
  g_autofree char *name_y = copy_name(source, y);
  int order = strcmp(name_x, name_y);
  return order ? order : (x->name > y->name) - (x->name < y->name);
}

/* With one device, its groups are those of all devices. */
static void drop_single_device(Source *s)
{
  GArray *all = s->groups.all;
  guint n_all = 0;
  while (n_all < all->len && g_array_index(all, Group, n_all).device == ALL_DEVICES) n_all++;
  if (n_all == all->len) return;
  int64_t first = g_array_index(all, Group, n_all).device;
  int64_t last = g_array_index(all, Group, all->len - 1).device;
  if (first == last) g_array_set_size(all, n_all);
}

int summary_make(Source *s)
{
  static const Pass first = { "", put_first, true };
  static const Pass second = { " ORDER BY duration", put_second, false };
  int status = run_pass(s, &first);
  if (!status && s->writer.wanted[KEY_MED]) status = run_pass(s, &second);
  if (status) return status;
  g_array_sort_with_data(s->groups.all, by_time, s);
  if (s->failed) return s->failed;
  drop_single_device(s);
  s->summed = true;
  return 0;
}

/* ------------------------------------------------------------------- rows */
/* At the first group of a device: the time of all its groups. */
static void begin_device(Source *s, guint from)
{
  const GArray *all = s->groups.all;
  s->device = g_array_index(all, Group, from).device;
  s->device_ns = 0;
  for (guint i = from; i < all->len; i++) {
    const Group *g = &g_array_index(all, Group, i);
    if (g->device != s->device) break;
    s->device_ns += g->durations.sum;
  }
}

static void give_text(Source *s, MillBatch *b, const char *text, size_t len)
{
  if (g_utf8_validate(text, (gssize)len, NULL)) {
    record_text(&s->writer, b, KEY_NAME, text, len);
    return;
  }
  g_autofree char *mended = g_utf8_make_valid(text, (gssize)len);
  record_text(&s->writer, b, KEY_NAME, mended, strlen(mended));
  s->common->note(s->common, NSQL_BAD_NAME, b, b->n_events - 1, NULL, 0);
}

static int give_name(Source *s, MillBatch *b, const Group *g)
{
  const char *text;
  size_t len;
  int found = database_string(s, g->name, &text, &len);
  if (found > 0) give_text(s, b, text, len);
  if (found) return MIN(found, 0);
  g_autofree char *made = g->name == NO_NAME
                              ? g_strdup("(no name)")
                              : g_strdup_printf("(string %" G_GINT64_FORMAT ")", g->name);
  record_text(&s->writer, b, KEY_NAME, made, strlen(made));
  s->common->note(s->common, NSQL_NO_NAME, b, b->n_events - 1, NULL, 0);
  return 0;
}

/* MILL_NEXT_MORE when the batch is full. */
static int give_group(Source *s, MillBatch *b, const Group *g)
{
  RecordWriter *w = &s->writer;
  const Moments *m = &g->durations;
  double mean, std;
  if (!record_begin(w, b, s->record, N_KEYS)) return MILL_NEXT_MORE;
  int status = give_name(s, b, g);
  if (status) return status;
  record_int(w, b, KEY_TOTAL, (int64_t)m->sum);
  record_int(w, b, KEY_COUNT, (int64_t)m->n);
  if (moments_mean(m, &mean)) record_real(w, b, KEY_AVG, mean);
  record_real(w, b, KEY_MED, group_median(g));
  record_int(w, b, KEY_MIN, m->min);
  record_int(w, b, KEY_MAX, m->max);
  if (moments_std_population(m, &std)) record_real(w, b, KEY_STD, std);
  if (s->device_ns) record_real(w, b, KEY_PCT, 100.0 * (double)m->sum / (double)s->device_ns);
  if (g->device != ALL_DEVICES) record_int(w, b, KEY_DEVICE, g->device);
  return 0;
}

int summary_next(Source *s, MillBatch *b)
{
  const GArray *all = s->groups.all;
  int status = s->summed ? 0 : summary_make(s);
  if (status) return status;
  for (; s->n_given < all->len; s->n_given++) {
    const Group *g = &g_array_index(all, Group, s->n_given);
    if (g->durations.sum > INT64_MAX)
      return database_fail(s, NSQL_ABSURD, "the kernels of one name take more than 292 years",
                           NULL);
    if (s->n_given == 0 || g->device != s->device) begin_device(s, s->n_given);
    status = give_group(s, b, g);
    if (status) return status;
  }
  return MILL_NEXT_END;
}
