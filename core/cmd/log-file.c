/* The file of --log-file; see log-file.h. */
/* SPDX-License-Identifier: MIT */
#include "cmd/log-file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/folder.h"
#include "input/input-words.h"
#include "input/input.h"
#include "model/log.h"

typedef struct Log {
  const char *path;
  struct stat st;
  bool is_log; /* it begins as earlier logs do, or with nothing */
} Log;

/* ------------------------------------------------------------------- finding */

/* "2026-01-31T", or {"time":"2026-01-31T with --log-format=json. */
static bool begins_like_log(const char *path)
{
  static const char json[] = "{\"time\":\"";
  char text[64] = "";
  int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
  if (fd >= 0) close(fd);
  const char *day = g_str_has_prefix(text, json) ? text + strlen(json) : text;
  return n == 0 || g_regex_match_simple("^\\d{4}-\\d\\d-\\d\\dT\\d\\d:", day, 0, 0);
}

static bool is_log(const Log *log, const char *path)
{
  struct stat st;
  return strcmp(path, "-") && !stat(path, &st) && st.st_dev == log->st.st_dev &&
         st.st_ino == log->st.st_ino;
}

/* It would be read with the others of the folder, however deep they are; an earlier log is no trace. */
static bool is_in_folder(const Log *log, const char *folder)
{
  if (log->is_log) return false;
  g_autofree char *file = realpath(log->path, NULL), *real = realpath(folder, NULL);
  g_autofree char *start = g_build_filename(real ? real : folder, "/", NULL);
  if (file && g_str_has_prefix(file, start)) return true;
  g_autoptr(GPtrArray) names = folder_names(folder);
  bool found = false;
  for (guint i = 0; names && i < names->len && !found; i++) {
    g_autofree char *inside = g_build_filename(folder, names->pdata[i], NULL);
    found = is_log(log, inside);
  }
  return found;
}

/* What the word means is looked at again when the command runs: errors are said then. */
static bool is_input(const Log *log, char *word)
{
  g_autoptr(GPtrArray) words = g_ptr_array_new(), specs = NULL;
  g_ptr_array_add(words, word);
  if (is_log(log, word) || (*word == '@' && is_log(log, word + 1))) return true;
  g_autoptr(Error) e = inputs_expand(words, &specs);
  bool found = false;
  for (guint i = 0; !e && i < specs->len && !found; i++) {
    const InputSpec *s = specs->pdata[i];
    found = s->folder ? is_in_folder(log, s->path) : is_log(log, s->path);
  }
  return found;
}

/* ------------------------------------------------------------------ refusing */

static Error *refuse(const char *path, const char *what)
{
  Error *e = error_new(EXIT_OUTPUT, "OUT-11", "the log file is %s", what);
  error_at(e, "--log-file %s", path);
  return error_help(e, "log to another file");
}

/* Also when neither is there yet. */
static Error *check_output(const Log *log, bool is_there, const char *output)
{
  if (!output || !strcmp(output, "-")) return NULL;
  g_autofree char *a = g_canonicalize_filename(log->path, NULL);
  g_autofree char *b = g_canonicalize_filename(output, NULL);
  bool same = !strcmp(a, b) || (is_there && S_ISREG(log->st.st_mode) && is_log(log, output));
  return same ? refuse(log->path, "the output") : NULL;
}

static Error *check(const Cli *cli, const char *path)
{
  Log log = { .path = path };
  bool is_there = stat(path, &log.st) == 0;
  const char *profile = cli_text(cli, "profile");
  Error *e = check_output(&log, is_there, cli_text(cli, "output"));
  if (e || !is_there || !S_ISREG(log.st.st_mode)) return e;
  log.is_log = begins_like_log(path);
  if (profile && is_log(&log, profile)) return refuse(path, "the profile");
  for (guint i = 0; i < cli->words->len; i++)
    if (is_input(&log, cli->words->pdata[i])) return refuse(path, "one of the inputs");
  return NULL;
}

static Error *not_written(const char *path, int why)
{
  Error *e = error_new(EXIT_OUTPUT, "OUT-12", "the log file \"%s\" cannot be written: %s", path,
                       g_strerror(why));
  return error_of_errno(e, why);
}

Error *log_file_open(const Cli *cli, const char *path, FILE **out)
{
  Error *e = check(cli, path);
  if (e) return e;
  *out = fopen(path, "ae");
  return *out ? NULL : not_written(path, errno);
}

int log_file_end(const Cli *cli, FILE *file, int status)
{
  int why = log_file_why();
  log_configure(&(LogConfig){ .level = MILL_LEVEL_ERROR }); /* nothing goes there any more */
  if (file && fclose(file) && !why) why = errno;
  if (!why) return status;
  int failed = cli_fail(cli, not_written(cli_text(cli, "log-file"), why));
  return status == EXIT_DONE ? failed : status;
}
