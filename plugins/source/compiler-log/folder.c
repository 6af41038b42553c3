/* A folder with ideal cycles by kernel: inductor-spyre/KERNEL/perf/ideal_cycles.json. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/json.h"
#include "base/num.h"
#include "compiler-log.h"

#define KERNELS "inductor-spyre"
#define MAX_FILE ((size_t)16 << 20)

static bool list_kernels(const MillSourceHost *host, const char *folder, MillEntryRows *out)
{
  g_autofree char *path = g_build_filename(folder, KERNELS, NULL);
  return host->list(host, path, out) >= 0;
}

bool clog_is_folder(const MillSourceHost *host, const char *folder)
{
  MillEntryRows entries;
  return list_kernels(host, folder, &entries);
}

/* Traces may lie beside it: only what is labelled as a log is taken for one. */
int clog_expand(const MillSource *self, const MillSourceHost *host, const char *folder)
{
  MillLane lane = { .size = sizeof lane };
  host->common->lane(host->common, MILL_NO_LANE, &lane);
  if (!lane.label || strcmp(lane.label, CLOG_LABEL) || !clog_is_folder(host, folder)) return 0;
  const MillInput input = {
    .size = sizeof input, .path = folder, .source = self->name, .label = CLOG_LABEL
  };
  int status = host->add_input(host, &input);
  return status < 0 ? status : 1;
}

/* ----------------------------------------------------------------- one kernel */

typedef struct Entry { /* of the list in a file */
  int64_t cycles;
  bool has_cycles;
  char *category; /* or NULL */
} Entry;

/* After its opening brace; false: it is no such object. */
static bool read_entry(JsonCursor *r, Entry *out)
{
  JsonToken key, value;
  JsonKind kind;
  while ((kind = json_next(r, &key)) == JSON_KEY) {
    JsonKind of = json_skip(r, &value);
    if (of == JSON_ERROR) return false;
    if (json_is(&key, "ideal_cycles")) {
      out->has_cycles = of == JSON_NUMBER && num_int(value.start, value.len, &out->cycles);
      if (!out->has_cycles || out->cycles < 0) return false;
    } else if (json_is(&key, "op_category") && of == JSON_STRING) {
      GString *text = g_string_new(NULL);
      json_decode(&value, text);
      g_free(out->category);
      out->category = g_string_free(text, FALSE);
    }
  }
  return kind == JSON_OBJECT_END && out->has_cycles;
}

/* Negative: the table is full.  *out_fine: the text is a list of such objects, all of them added. */
static int add_entries(Table *t, const char *name, uint64_t number, JsonCursor *r, bool *out_fine)
{
  JsonToken token;
  JsonKind kind;
  *out_fine = false;
  if (json_next(r, &token) != JSON_ARRAY) return 0;
  while ((kind = json_next(r, &token)) == JSON_OBJECT) {
    Entry entry = { 0 };
    bool fine = read_entry(r, &entry);
    const char *category = entry.category ? entry.category : "NotAvailable";
    int status = fine ? clog_table_add(t, name, category, entry.cycles, number) : 0;
    g_free(entry.category);
    if (status < 0 || !fine) return status;
  }
  *out_fine = kind == JSON_ARRAY_END;
  return 0;
}

static int add_kernel(const MillSourceHost *host, const char *folder, const char *kernel,
                      uint64_t number, Table *t)
{
  const char *bytes;
  g_autofree char *path =
      g_build_filename(folder, KERNELS, kernel, "perf", "ideal_cycles.json", NULL);
  g_autofree char *name = g_strdup_printf("%s Cmpt Exec", kernel);
  int64_t len = host->read_file(host, path, MAX_FILE, &bytes);
  /* Checked first: half a file gives nothing. */
  bool fine = len >= 0 && json_check(bytes, (size_t)len, NULL, NULL);
  int status = 0;
  if (fine) {
    JsonCursor r;
    json_open(&r, bytes, (size_t)len, false);
    status = add_entries(t, name, number, &r, &fine);
  }
  if (!fine) clog_note(host->common, CLOG_FILE, kernel, strlen(kernel));
  return status;
}

int clog_read_folder(const MillSourceHost *host, const char *folder, Table *t)
{
  MillEntryRows entries = { 0 };
  int status = 0;
  clog_table_begin(t, "UNKN", 1);
  if (!list_kernels(host, folder, &entries)) return 0;
  for (uint32_t i = 0; i < entries.n && status >= 0; i++) {
    const MillEntry *e = MILL_AT(MillEntry, entries, i);
    if (e->is_folder) status = add_kernel(host, folder, e->name, i + 1, t);
  }
  return status;
}
