/* The host table, part five: files that sources look for themselves. */
#include <string.h>
#include <sys/stat.h>

#include "base/folder.h"
#include "input/input.h"
#include "sched/run.h"

static char *scratch_copy(const MillHost *h, const char *text)
{
  size_t len = strlen(text) + 1;
  return memcpy(h->scratch(h, len), text, len);
}

/* Stages do no I/O. */
static bool is_source(const MillHost *h) { return instance_of(h)->stage->kind == MILL_KIND_SOURCE; }

/* A name that vanished in between is left out. */
static int64_t host_list(const MillHost *h, const char *folder, const MillEntry **out)
{
  if (!is_source(h)) return -1;
  g_autoptr(GPtrArray) names = folder_names(folder);
  int64_t n = 0;
  if (!names) return -1;
  MillEntry *entries = h->scratch(h, (names->len + 1) * sizeof *entries);
  for (guint i = 0; i < names->len; i++) {
    struct stat st;
    g_autofree char *path = g_build_filename(folder, names->pdata[i], NULL);
    if (stat(path, &st)) continue;
    entries[n].name = scratch_copy(h, names->pdata[i]);
    entries[n].is_folder = S_ISDIR(st.st_mode);
    entries[n++].size_bytes = S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0;
  }
  *out = entries;
  return n;
}

static int64_t load_failed(const MillHost *h, const char *why, const char **out)
{
  *out = scratch_copy(h, why);
  return -1;
}

/* Until one byte more than `max`: most files are far smaller than what a source allows. */
static int64_t read_all(Reader *r, size_t max, GByteArray *out)
{
  char piece[16384];
  int64_t n = 0;
  while (out->len <= max && (n = reader_read(r, piece, MIN(sizeof piece, max + 1 - out->len))) > 0)
    g_byte_array_append(out, (const guint8 *)piece, (guint)n);
  return n;
}

static int64_t host_load(const MillHost *h, const char *path, size_t max, const char **out_bytes)
{
  g_autofree char *why = NULL;
  if (!is_source(h)) return load_failed(h, "only sources read files", out_bytes);
  Reader *r = reader_open(path, &why);
  if (!r) return load_failed(h, why, out_bytes);
  g_autoptr(GByteArray) bytes = g_byte_array_new();
  int64_t n = read_all(r, max, bytes);
  g_autofree char *failure = n < 0 ? g_strdup(reader_why(r)) : NULL;
  reader_close(r);
  if (n < 0) return load_failed(h, failure, out_bytes);
  if (bytes->len > max) return load_failed(h, "it is too large", out_bytes);
  char *copy = h->scratch(h, bytes->len + 1);
  if (bytes->len) memcpy(copy, bytes->data, bytes->len);
  *out_bytes = copy;
  return bytes->len;
}

static GPtrArray *copy_tags(const char *const *pairs)
{
  GPtrArray *tags = pairs ? g_ptr_array_new_with_free_func(g_free) : NULL;
  for (const char *const *p = pairs; p && *p; p++) g_ptr_array_add(tags, g_strdup(*p));
  return tags;
}

static int host_add_input(const MillHost *h, const MillInput *theirs)
{
  Instance *i = instance_of(h);
  MillInput found = { 0 };
  if (!i->found || !theirs->path)
    return mill_fail(h, MILL_STAGE_FAILED, "added an input outside of `expand`", NULL);
  memcpy(&found, theirs, MIN(theirs->size, (uint32_t)sizeof found));
  InputSpec *s = input_spec_new(found.path);
  s->source = g_strdup(found.source);
  s->label = g_strdup(found.label);
  s->card_tags = copy_tags(found.tags);
  s->hints = copy_tags(found.hints);
  s->optional = !found.source;
  g_ptr_array_add(i->found, s);
  return 0;
}

static int host_enter(const MillHost *h, const char *path, const char **out_why)
{
  Instance *i = instance_of(h);
  g_autofree char *why = NULL;
  int status = i->lane ? input_enter(i->lane->input, path, &why) : -1;
  if (status) *out_why = scratch_copy(h, why ? why : "there is no input to read");
  return status;
}

void host_init_files(MillHost *h)
{
  h->list = host_list;
  h->load = host_load;
  h->add_input = host_add_input;
  h->enter = host_enter;
}
