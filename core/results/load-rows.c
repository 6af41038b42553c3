/* Files of rows; see load-rows.h. */
/* SPDX-License-Identifier: MIT */
#include "results/load-rows.h"

#include <string.h>

#include "input/file-sum.h"
#include "results/load-file.h"
#include "results/load-parts.h"

/* In the folder "rows", and nowhere else. */
static bool is_allowed(const char *name)
{
  static const char folder[] = "rows/";
  if (!g_str_has_prefix(name, folder)) return false;
  for (const char *p = name + strlen(folder); *p; p++)
    if (!g_ascii_isalnum(*p) && !strchr("._-", *p)) return false;
  return name[strlen(folder)] != '.' && name[strlen(folder)];
}

static bool has_sum(const char *text, size_t len, const char *sha256)
{
  FileSum *sum = file_sum_new();
  file_sum_see(sum, text, len);
  g_autofree char *found = file_sum_end(sum);
  file_sum_free(sum);
  return !g_strcmp0(found, sha256);
}

static bool take_all(JsonIn *in, void *file)
{
  return json_in_array(in, ((const RowsFile *)file)->take, ((const RowsFile *)file)->table);
}

static bool take_document(JsonIn *in, void *file)
{
  static const JsonMember members[] = { JSON_TAKE("rows", true, take_all) };
  return json_in_object(in, members, G_N_ELEMENTS(members), file);
}

static Error *read_text(const Load *load, const char *path, const char *text, size_t len,
                        const RowsFile *file)
{
  JsonIn rows;
  json_in_open(&rows, text, len, results_texts(load->results));
  rows.context = (void *)load;
  bool good = json_in_document(&rows, take_document, (void *)file);
  Error *e = good ? NULL : load_fault(path, &rows);
  json_in_close(&rows);
  return e;
}

bool load_rows_file(JsonIn *in, const char *at, const RowsFile *file)
{
  Load *load = load_of(in);
  size_t len;
  if (!is_allowed(file->name))
    return json_in_fail(in, at, "\"rows_file\" leads out of the results");
  if (!load->folder) return json_in_fail(in, at, "the file of its rows is not at hand");
  g_autofree char *path = g_build_filename(load->folder, file->name, NULL), *text = NULL;
  load->fault = load_file(path, &text, &len);
  if (load->fault) return json_in_fail(in, at, "its rows cannot be read");
  if (!has_sum(text, len, file->sha256))
    return json_in_fail(in, at, "%s is not the file that the run wrote", file->name);
  load->fault = read_text(load, path, text, len, file);
  return !load->fault || json_in_fail(in, at, "its rows are damaged");
}
