/* Files of finished runs; see load-file.h. */
/* SPDX-License-Identifier: MIT */
#include "results/load-file.h"

#include <string.h>

#include "base/num.h"
#include "base/stream.h"
#include "model/printable.h"

static Error *unreadable(const char *path, const char *why)
{
  g_autofree char *safe = printable(path);
  Error *e = error_new(EXIT_INPUT, "RUN-30", "%s cannot be read: %s", safe, why);
  return error_help(e, "give a folder that stagemill run wrote with json among its formats");
}

static bool is_compressed(const char *text, size_t len)
{
  static const char gzip[] = "\x1f\x8b", zstd[] = "\x28\xb5\x2f\xfd";
  return (len > 2 && !memcmp(text, gzip, 2)) || (len > 4 && !memcmp(text, zstd, 4));
}

static Error *decompress(const char *path, char **out_text, size_t *out_len)
{
  enum { PIECE_BYTES = 256 << 10, MOST_BYTES = 1 << 30 };
  g_autofree char *why = NULL, *piece = g_malloc(PIECE_BYTES);
  GString *text = g_string_new(NULL);
  Reader *r = reader_open(path, &why);
  int64_t n = -1;
  while (r && text->len <= MOST_BYTES && (n = reader_read(r, piece, PIECE_BYTES)) > 0)
    g_string_append_len(text, piece, n);
  Error *e = text->len > MOST_BYTES ? unreadable(path, "it holds more than 1 GiB") : NULL;
  if (!e && n < 0) e = unreadable(path, r ? reader_why(r) : why);
  reader_close(r);
  *out_len = text->len;
  *out_text = g_string_free(text, e != NULL);
  return e;
}

Error *load_file(const char *path, char **out_text, size_t *out_len)
{
  g_autoptr(GError) error = NULL;
  *out_text = NULL;
  if (g_file_test(path, G_FILE_TEST_EXISTS) && !g_file_test(path, G_FILE_TEST_IS_REGULAR))
    return unreadable(path, "it is not a regular file");
  if (g_file_get_contents(path, out_text, out_len, &error)) {
    if (!is_compressed(*out_text, *out_len)) return NULL;
    g_clear_pointer(out_text, g_free);
    return decompress(path, out_text, out_len);
  }
  bool missing = g_error_matches(error, G_FILE_ERROR, G_FILE_ERROR_NOENT) ||
                 g_error_matches(error, G_FILE_ERROR, G_FILE_ERROR_NOTDIR);
  return error_of_read(unreadable(path, missing ? "it is not there" : error->message), error);
}

Error *load_fault(const char *path, const JsonIn *in)
{
  size_t offset = (size_t)(in->at - in->text);
  JsonPlace place = json_place(in->text, offset);
  g_autofree char *safe = printable(path), *why = printable(in->why);
  Error *e = error_new(EXIT_INPUT, "RUN-31", "%s is damaged, or of another version", safe);
  error_at(e, "at %s:%u:%u (byte %" G_GSIZE_FORMAT ")", safe, place.line, place.column, offset);
  error_why(e, "%s", why);
  return error_help(e, "run the profile again, or use the version of this program that wrote it");
}

bool load_version(JsonIn *in, int64_t oldest, int64_t newest)
{
  const char *version;
  int64_t own;
  if (!json_in_text(in, &version)) return false;
  size_t len = strcspn(version, ".");
  if (!version[len] || !num_int(version, len, &own))
    return json_in_fail(in, NULL, "this is not a version of a schema");
  if (own >= oldest && own <= newest) return true;
  g_autofree char *others = oldest < newest ? g_strdup_printf("%d to ", (int)oldest) : g_strdup("");
  return json_in_fail(in, NULL, "its schema_version is %s; this program reads %s%d", version,
                      others, (int)newest);
}
