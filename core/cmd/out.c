/* What people read: standard output and error, colour, columns, and pieces of JSON. */
#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/standard.h"
#include "cmd/cli.h"
#include "model/printable.h"
#include "plan/paths.h"

enum { WIDTH = 80 };

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
  int why = reader_gone ? 0 : write_all(STDOUT_FILENO, text, len);
  if (why == EPIPE) reader_gone = true;
  if (!why || why == EPIPE) return EXIT_DONE;
  if (standard_is_closed(STDOUT_FILENO))
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

void cli_append_name(GString *out, const char *name)
{
  printable_append(out, name, strlen(name), "");
}

int cli_print_string(const Cli *cli, GString *text)
{
  g_autoptr(GString) safe = g_string_new(NULL);
  bool json = cli && cli_flag(cli, "json");
  if (!json) append_for_terminal(safe, text->str);
  int status = json ? cli_print(text->str, text->len) : cli_print(safe->str, safe->len);
  g_string_free(text, TRUE);
  return status;
}

int cli_fail(const Cli *cli, Error *e)
{
  if (!e) return EXIT_DONE;
  g_autoptr(GString) text = g_string_new(NULL);
  error_format(e, cli && cli->verbose >= 2, cli && cli->colour_err, text);
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
  if (fd == STDOUT_FILENO) out_is_coloured = wanted;
  return wanted;
}

int cli_width(int fd)
{
  struct winsize size;
  if (!isatty(fd) || ioctl(fd, TIOCGWINSZ, &size) || size.ws_col < 40) return WIDTH;
  return size.ws_col;
}

/* -------------------------------------------------------------------- grids */

struct CliGrid {
  unsigned n_columns;
  GPtrArray *cells;
};

CliGrid *cli_grid_new(unsigned n_columns)
{
  CliGrid *g = g_new0(CliGrid, 1);
  g->n_columns = n_columns;
  g->cells = g_ptr_array_new_with_free_func(g_free);
  return g;
}

void cli_grid_add(CliGrid *g, ...)
{
  va_list args;
  va_start(args, g);
  for (const char *cell; (cell = va_arg(args, const char *));) {
    GString *text = g_string_new(NULL);
    cli_append_name(text, cell);
    g_ptr_array_add(g->cells, g_string_free(text, FALSE));
  }
  va_end(args);
  g_assert(g->cells->len % g->n_columns == 0);
}

static glong width_of(const char *text)
{
  return g_utf8_validate(text, -1, NULL) ? g_utf8_strlen(text, -1) : (glong)strlen(text);
}

void cli_grid_write(CliGrid *g, const char *indent, GString *out)
{
  g_autofree glong *widths = g_new0(glong, g->n_columns);
  for (guint i = 0; i < g->cells->len; i++)
    widths[i % g->n_columns] = MAX(widths[i % g->n_columns], width_of(g->cells->pdata[i]));
  for (guint i = 0; out && i < g->cells->len; i++) {
    guint column = i % g->n_columns;
    const char *cell = g->cells->pdata[i];
    if (!column) g_string_append(out, indent);
    g_string_append(out, cell);
    if (column + 1 < g->n_columns) {
      for (glong pad = widths[column] - width_of(cell) + 2; pad > 0; pad--)
        g_string_append_c(out, ' ');
      continue;
    }
    while (out->len && out->str[out->len - 1] == ' ') g_string_truncate(out, out->len - 1);
    g_string_append_c(out, '\n');
  }
  g_ptr_array_unref(g->cells);
  g_free(g);
}

void cli_wrap(GString *out, const char *text, int indent)
{
  int column = indent;
  bool first = true;
  while (*text) {
    size_t n = strcspn(text, " \n");
    int word = (int)g_utf8_strlen(text, (gssize)n);
    if (!first && column + 1 + word > WIDTH) {
      g_string_append_printf(out, "\n%*s", indent, "");
      column = indent;
    } else if (!first && column > indent) {
      g_string_append_c(out, ' ');
      column++;
    }
    g_string_append_len(out, text, (gssize)n);
    column += word;
    text += n;
    first = false;
    if (*text == '\n') {
      g_string_append_printf(out, "\n%*s", indent, "");
      column = indent;
    }
    if (*text) text++;
  }
  g_string_append_c(out, '\n');
}

void cli_pair(GString *out, const char *left, const char *right, int longest)
{
  int used = (int)g_utf8_strlen(left, -1);
  if (used > longest)
    g_string_append_printf(out, "  %s\n%*s", left, longest + 4, "");
  else
    g_string_append_printf(out, "  %s%*s", left, longest + 2 - used, "");
  cli_wrap(out, right, longest + 4);
}
