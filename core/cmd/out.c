/* What people read: standard output and error, colour, and how wide they are. */
/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/num.h"
#include "base/standard.h"
#include "cmd/cli.h"
#include "cmd/fold.h"
#include "model/printable.h"
#include "plan/paths.h"

enum { WIDTH = 80, HEIGHT = 24 };

static bool reader_gone;
static bool out_is_coloured;

/* 0, or what went wrong. */
static int write_all(int fd, const char *text, size_t len)
{
  while (len) {
    ssize_t n = write(fd, text, len);
    if (n < 0 && errno != EINTR) return errno;
    if (n < 0) continue;
    text += n;
    len -= (size_t)n;
  }
  return 0;
}

int cli_print(const char *text, size_t len)
{
  int why = reader_gone ? 0 : write_all(standard_out(), text, len);
  if (why == EPIPE) reader_gone = true;
  if (!why || why == EPIPE) return EXIT_DONE;
  if (standard_is_closed(standard_out()))
    return cli_fail(NULL, error_new(EXIT_OUTPUT, "OUT-10", "standard output is closed"));
  return cli_fail(NULL, error_new(EXIT_OUTPUT, "OUT-10", "standard output cannot be written: %s",
                                  g_strerror(why)));
}

/* Our own colours, and nothing else of what a terminal obeys. */
static void append_for_terminal(GString *out, const char *text)
{
  static const char *const colours[] = { ERROR_COLOUR, ERROR_COLOUR_END };
  while (*text) {
    size_t n = strcspn(text, "\033");
    printable_append(out, text, n, "\n\t");
    text += n;
    if (!*text) return;
    size_t ours = 0;
    for (size_t i = 0; out_is_coloured && i < G_N_ELEMENTS(colours); i++)
      if (g_str_has_prefix(text, colours[i])) ours = strlen(colours[i]);
    if (ours)
      g_string_append_len(out, text, (gssize)ours);
    else
      printable_append(out, text, 1, "");
    text += ours ? ours : 1;
  }
}

char *cli_word(const char *word)
{
  static const char plain[] =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+./,:=@%";
  return *word && !word[strspn(word, plain)] ? g_strdup(word) : g_shell_quote(word);
}

void cli_append_name(GString *out, const char *name)
{
  printable_append(out, name, strlen(name), "");
}

int cli_print_raw(GString *text)
{
  g_autoptr(GString) safe = g_string_new(NULL);
  append_for_terminal(safe, text->str);
  g_string_free(text, TRUE);
  return cli_print(safe->str, safe->len);
}

int cli_print_string(const Cli *cli, GString *text)
{
  if (!cli || !cli_flag(cli, "json")) {
    bool other_form = cli && (cli_flag(cli, "markdown") || cli_flag(cli, "dot"));
    if (!other_form && cli_has_width(standard_out())) fold_lines(text, cli_width(standard_out()));
    return cli_print_raw(text);
  }
  int status = cli_print(text->str, text->len);
  g_string_free(text, TRUE);
  return status;
}

static void append_folders(const Cli *cli, const char *option, GString *out)
{
  const GPtrArray *folders = cli_list(cli, option);
  for (guint i = 0; folders && i < folders->len; i++) {
    g_autofree char *word = cli_word(folders->pdata[i]);
    g_string_append_printf(out, " --%s %s", option, word);
  }
}

char *cli_hint(const Cli *cli, const char *text)
{
  if (!cli || !g_str_has_prefix(text, "stagemill ")) return g_strdup(text);
  const char *gap = strstr(text, "    "); /* then it says what the command does */
  size_t len = gap ? (size_t)(gap - text) : strlen(text);
  if (memchr(text, '|', len)) return g_strdup(text);
  GString *out = g_string_new_len(text, (gssize)len);
  append_folders(cli, "stage-path", out);
  append_folders(cli, "profile-path", out);
  g_string_append(out, text + len);
  return g_string_free(out, FALSE);
}

static void complete_hints(const Cli *cli, Error *e)
{
  for (; e; e = e->next)
    for (guint i = 0; e->help && i < e->help->len; i++) {
      char *hint = e->help->pdata[i];
      e->help->pdata[i] = cli_hint(cli, hint);
      g_free(hint);
    }
}

int cli_fail(const Cli *cli, Error *e)
{
  if (!e) return EXIT_DONE;
  complete_hints(cli, e);
  g_autoptr(GString) text = g_string_new(NULL);
  error_format(e, cli && cli->verbose >= 2, cli && cli->colour_err, text);
  if (cli_has_width(STDERR_FILENO)) fold_lines(text, cli_width(STDERR_FILENO));
  cli_put(text->str);
  int status = e->status;
  error_free(e);
  return status;
}

void cli_put(const char *text) { write_all(STDERR_FILENO, text, strlen(text)); }

void cli_put_name(const char *name)
{
  static const char digits[] = "0123456789abcdef";
  for (const char *p = name; *p; p++) {
    unsigned char c = (unsigned char)*p;
    char escaped[] = { '\\', 'x', digits[c >> 4], digits[c & 15], 0 };
    char plain[] = { *p, 0 };
    cli_put(c < 0x20 || c == 0x7f ? escaped : plain);
  }
}

void cli_say(const char *format, ...)
{
  va_list args;
  va_start(args, format);
  g_autofree char *text = g_strdup_vprintf(format, args);
  va_end(args);
  g_autoptr(GString) line = g_string_new(NULL);
  printable_append(line, text, strlen(text), "\n");
  if (cli_has_width(STDERR_FILENO)) fold_lines(line, cli_width(STDERR_FILENO));
  g_string_append_c(line, '\n');
  cli_put(line->str);
}

static bool wants_colour(int fd, const char *when)
{
  if (when && !strcmp(when, "always")) return true;
  if (when && !strcmp(when, "never")) return false;
  if (paths_env("FORCE_COLOR")) return true;
  if (paths_env("NO_COLOR")) return false;
  const char *term = paths_env("TERM");
  if (!term || !strcmp(term, "dumb")) return false;
  return isatty(fd);
}

bool cli_colour(int fd, const char *when)
{
  bool wanted = wants_colour(fd, when);
  if (fd == standard_out()) out_is_coloured = wanted;
  return wanted;
}

/* 0: nobody said. */
static int columns_given(void)
{
  enum { LEAST = 40, MOST = 10000 };
  const char *text = paths_env("COLUMNS");
  int64_t n;
  if (!text || !num_int(text, strlen(text), &n) || n <= 0) return 0;
  return (int)CLAMP(n, LEAST, MOST);
}

bool cli_has_width(int fd) { return isatty(fd) || columns_given(); }

int cli_width(int fd)
{
  struct winsize size;
  int given = columns_given();
  if (given) return given;
  if (!isatty(fd) || ioctl(fd, TIOCGWINSZ, &size) || size.ws_col < 40) return WIDTH;
  return size.ws_col;
}

int cli_height(int fd)
{
  struct winsize size;
  if (!isatty(fd) || ioctl(fd, TIOCGWINSZ, &size) || size.ws_row < 2) return HEIGHT;
  return size.ws_row - 1; /* one is the shell's */
}

void cli_wrap(GString *out, const char *text, int indent)
{
  fold_words(out, text, MIN(WIDTH, cli_width(standard_out())), indent);
}

void cli_pair(GString *out, const char *left, const char *right, int longest)
{
  int used = (int)fold_width(left, -1);
  if (used > longest)
    g_string_append_printf(out, "  %s\n%*s", left, longest + 4, "");
  else
    g_string_append_printf(out, "  %s%*s", left, longest + 2 - used, "");
  cli_wrap(out, right, longest + 4);
}
