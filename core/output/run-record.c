/* The record of an earlier run in its run.json; see run-record.h. */
/* SPDX-License-Identifier: MIT */
#include "output/run-record.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/folder.h"
#include "base/json.h"
#include "base/trees.h"

#define PIECE_BYTES (64u << 10)
#define MOST_BYTES (16u << 20) /* of one token: a text of a command line, or of a profile */

typedef struct Record {
  int fd;
  char *bytes; /* of the file, from the cursor to the end of what was read */
  size_t size;
  bool at_end;
  JsonCursor cursor;
  GString *text;
} Record;

/* ------------------------------------------------------------------ tokens */

/* Moves the bytes that are not parsed yet to the front, and reads more after them. False: one
 * token is too long. */
static bool read_more(Record *r)
{
  JsonCursor *c = &r->cursor;
  size_t left = (size_t)(c->end - c->pos);
  if (left) memmove(r->bytes, c->pos, left);
  if (left == r->size) {
    if (r->size >= MOST_BYTES) return false;
    r->size = r->size ? r->size * 2 : PIECE_BYTES;
    r->bytes = g_realloc(r->bytes, r->size);
  }
  ssize_t n = read(r->fd, r->bytes + left, r->size - left);
  r->at_end = n <= 0;
  c->pos = r->bytes;
  c->end = r->bytes + left + MAX(n, 0);
  return n >= 0;
}

/* The token is valid until the next call. A token that the end of a piece may have cut is parsed
 * once more. */
static JsonKind next(Record *r, JsonToken *out)
{
  for (;;) {
    JsonCursor before = r->cursor;
    JsonKind kind = json_next(&r->cursor, out);
    bool whole = kind != JSON_ERROR && kind != JSON_END && r->cursor.pos < r->cursor.end;
    if (whole || r->at_end) return kind;
    r->cursor = before;
    if (!read_more(r)) return JSON_ERROR;
  }
}

/* Skips the rest of a value, given its first token. */
static bool pass(Record *r, JsonKind first)
{
  JsonToken token;
  if (first != JSON_OBJECT && first != JSON_ARRAY) return first != JSON_ERROR;
  for (uint32_t outer = r->cursor.depth - 1; r->cursor.depth > outer;)
    if (next(r, &token) == JSON_ERROR) return false;
  return true;
}

/* NULL: no run writes such a text. */
static const char *text_of(Record *r, const JsonToken *token)
{
  g_string_truncate(r->text, 0);
  bool whole = !(json_decode(token, r->text) & JSON_FIX_SURROGATE);
  return whole && strlen(r->text->str) == r->text->len ? r->text->str : NULL;
}

/* ----------------------------------------------------------------- members */

/* The text "name" of an object, given its first token, into *out; it must be there once, and all
 * else is skipped. */
static bool take_name(Record *r, JsonKind kind, char **out)
{
  JsonToken token;
  if (kind != JSON_OBJECT) return pass(r, kind);
  while ((kind = next(r, &token)) == JSON_KEY) {
    bool wanted = !g_strcmp0(text_of(r, &token), "name");
    kind = next(r, &token);
    if (!wanted || kind != JSON_STRING) {
      if (!pass(r, kind)) return false;
      continue;
    }
    if (*out || !text_of(r, &token)) return false;
    *out = g_strdup(r->text->str);
  }
  return kind == JSON_OBJECT_END;
}

static bool take_files(Record *r, JsonKind kind, GTree *files)
{
  JsonToken token;
  if (kind != JSON_ARRAY) return pass(r, kind);
  while ((kind = next(r, &token)) != JSON_ARRAY_END) {
    char *name = NULL;
    bool good = take_name(r, kind, &name);
    if (name) text_set_add(files, name);
    if (!good) return false;
  }
  return true;
}

/* Reads to the end, because half a record does not count. */
static bool take_record(Record *r, GTree *files, char **out_profile)
{
  JsonToken token;
  JsonKind kind = next(r, &token);
  if (kind != JSON_OBJECT) return false;
  while ((kind = next(r, &token)) == JSON_KEY) {
    const char *key = text_of(r, &token);
    bool is_profile = !g_strcmp0(key, "profile"), is_files = !g_strcmp0(key, "outputs");
    kind = next(r, &token);
    bool good = is_profile ? take_name(r, kind, out_profile)
                : is_files ? take_files(r, kind, files)
                           : pass(r, kind);
    if (!good) return false;
  }
  return kind == JSON_OBJECT_END && next(r, &token) == JSON_END;
}

static bool read_record(const char *folder, GTree *files, char **out_profile)
{
  g_autofree char *path = g_build_filename(folder, "run.json", NULL);
  struct stat st;
  Record r = { .fd = folder_open_regular(path, &st) };
  if (r.fd < 0) return false;
  r.text = g_string_new(NULL);
  json_open(&r.cursor, "", 0, true);
  bool good = take_record(&r, files, out_profile);
  close(r.fd);
  g_string_free(r.text, TRUE);
  g_free(r.bytes);
  return good;
}

char *run_record_profile(const char *folder)
{
  g_autoptr(GTree) files = text_set_new();
  char *profile = NULL;
  if (!read_record(folder, files, &profile)) g_clear_pointer(&profile, g_free);
  return profile;
}

GTree *run_record_files(const char *folder)
{
  GTree *files = text_set_new();
  g_autofree char *profile = NULL;
  if (read_record(folder, files, &profile)) return files;
  g_tree_unref(files);
  return text_set_new();
}
