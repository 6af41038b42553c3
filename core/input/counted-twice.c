/* Inputs whose events would count twice; see counted-twice.h. */
/* SPDX-License-Identifier: MIT */
#include "input/counted-twice.h"

#include <string.h>
#include <sys/stat.h>

#include "base/hash-seed.h"
#include "input/file-sum.h"
#include "model/engine.h"

static void add_tags(GString *key, const GPtrArray *tags)
{
  for (guint i = 0; tags && i < tags->len; i++)
    g_string_append_printf(key, "\n%s", (const char *)tags->pdata[i]);
}

/* What the user said of an input. Tags that a source finds may be made of the name of the file,
 * which differs for a link. */
static GString *experiment_key(const Input *in)
{
  GString *key = g_string_new(NULL);
  g_string_append_printf(key, "%" G_GINT64_FORMAT "\n%s", in->lane->rank, in->lane->label);
  add_tags(key, in->spec->tags);
  return key;
}

/* False: nothing on disk is read for that lane, or it describes others. */
static bool look(const Input *in, struct stat *out)
{
  if (!in->lane->path || in->spec->no_file || in->lane->side) return false;
  return stat(in->lane->path, out) == 0;
}

/* ------------------------------------------------------------ the same file */

/* Its device and inode; NULL: it is no file or folder. Several lanes may read parts of one. */
static char *place_key(const Input *in)
{
  struct stat st;
  if (!look(in, &st) || !(S_ISREG(st.st_mode) || S_ISDIR(st.st_mode))) return NULL;
  GString *key = experiment_key(in);
  g_string_append_printf(key, "\n%ju:%ju:%u", (uintmax_t)st.st_dev, (uintmax_t)st.st_ino,
                         in->spec->part);
  return g_string_free(key, FALSE);
}

static Error *named_twice(const Input *in)
{
  Error *e = error_new(EXIT_INPUT, "RUN-34", "%s is named twice", in->lane->name);
  error_why(e, "its events would count twice");
  return error_help(e, "name it once; to compare it with itself, give each a label: a=%s b=%s",
                    in->lane->name, in->lane->name);
}

Error *counted_twice_refuse(const Inputs *in)
{
  g_autoptr(GHashTable) keys = g_hash_table_new_full(hash_text, g_str_equal, g_free, NULL);
  for (guint i = 0; i < in->lanes->len; i++) {
    const Input *reader = inputs_reader(in, i);
    char *key = place_key(reader);
    if (key && !g_hash_table_add(keys, key)) return named_twice(reader);
  }
  return NULL;
}

/* ------------------------------------------------------------------- copies */

#define WHOLE_BYTES (1u << 20) /* of larger files size and ends are compared first */

/* Only files of one size are read. NULL: it is none. Equal files in folders of two configurations
 * are two measurements: a probe may print the same, a generated trace take the same time. */
static char *size_key(const Input *in, uint64_t *out_size)
{
  struct stat st;
  if (in->spec->part || !look(in, &st) || !S_ISREG(st.st_mode) || st.st_size == 0) return NULL;
  GString *key = experiment_key(in);
  add_tags(key, in->spec->card_tags);
  *out_size = (uint64_t)st.st_size;
  g_string_append_printf(key, "\n%ju", (uintmax_t)st.st_size);
  return g_string_free(key, FALSE);
}

static GHashTable *count_sizes(const Inputs *in)
{
  GHashTable *sizes = g_hash_table_new_full(hash_text, g_str_equal, g_free, NULL);
  for (guint i = 0; i < in->lanes->len; i++) {
    uint64_t size;
    char *key = size_key(inputs_reader(in, i), &size);
    if (!key) continue;
    guint n = GPOINTER_TO_UINT(g_hash_table_lookup(sizes, key));
    g_hash_table_insert(sizes, key, GUINT_TO_POINTER(n + 1));
  }
  return sizes;
}

static bool same_bytes(const char *a, const char *b, uint64_t size)
{
  if (size <= WHOLE_BYTES) return true; /* they were compared */
  g_autofree char *one = file_sum_of(a, UINT64_MAX), *other = file_sum_of(b, UINT64_MAX);
  return one && other && !strcmp(one, other);
}

/* The first of these bytes, or NULL. Remembers this one if it is that. */
static const Input *original(GHashTable *firsts, const Input *in, const char *key, uint64_t size)
{
  g_autofree char *sum = file_sum_of(in->lane->path, WHOLE_BYTES);
  if (!sum) return NULL;
  char *content = g_strconcat(sum, "\n", key, NULL);
  const Input *first = g_hash_table_lookup(firsts, content);
  if (!first) g_hash_table_insert(firsts, content, (void *)in);
  if (!first) return NULL;
  g_free(content);
  return same_bytes(first->lane->path, in->lane->path, size) ? first : NULL;
}

void counted_twice_note_copies(Inputs *in)
{
  g_autoptr(GHashTable) sizes = count_sizes(in),
                        firsts = g_hash_table_new_full(hash_text, g_str_equal, g_free, NULL);
  for (guint i = 0; i < in->lanes->len; i++) {
    uint64_t size;
    const Input *reader = inputs_reader(in, i);
    g_autofree char *key = size_key(reader, &size);
    if (!key || GPOINTER_TO_UINT(g_hash_table_lookup(sizes, key)) < 2) continue;
    const Input *first = original(firsts, reader, key, size);
    if (first)
      engine_note(&in->aside->notices, ENGINE_COPY, reader->lane->index, "copy", reader->lane->name,
                  "original", first->lane->name, NULL);
  }
}
