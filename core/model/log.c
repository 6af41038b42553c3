/* Log lines: time with milliseconds and offset, level, tag, text.  One write a line, so threads do not mix. */
/* SPDX-License-Identifier: MIT */
#include "model/log.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "model/notice.h"
#include "model/printable.h"

static LogConfig config = { .level = MILL_LEVEL_WARNING };

static atomic_int file_why; /* errno */

int log_file_why(void) { return atomic_load(&file_why); }

static LogInstead *instead;
void log_redirect(LogInstead *to) { instead = to; }

void log_configure(const LogConfig *c) { config = *c; }

bool log_level_parse(const char *text, uint32_t *out_level)
{
  for (uint32_t i = 1; i <= MILL_LEVEL_TRACE; i++)
    if (!g_ascii_strcasecmp(text, notice_level(i))) {
      *out_level = i;
      return true;
    }
  return false;
}

/* The level set for this tag in "OVC=debug,JSN=info", else the general one. */
static uint32_t level_of(const char *tag)
{
  size_t len = strlen(tag);
  for (const char *p = config.levels; p && *p; p += strcspn(p, ","), p += *p == ',') {
    g_autofree char *level = NULL;
    uint32_t value;
    if (strncmp(p, tag, len) || p[len] != '=') continue;
    level = g_strndup(p + len + 1, strcspn(p + len + 1, ","));
    if (log_level_parse(level, &value)) return value;
  }
  return config.level;
}

bool log_enabled(uint32_t level, const char *tag)
{
  return level <= level_of(tag) || (config.file && level <= MILL_LEVEL_INFO);
}

/* JSON lets some pass as they are that steer a terminal. */
static void quote(GString *line, const char *text)
{
  g_autoptr(GString) quoted = g_string_new(NULL);
  json_quote(quoted, text, strlen(text));
  for (const char *p = quoted->str; *p; p = g_utf8_next_char(p)) {
    gunichar c = g_utf8_get_char(p);
    if (!printable_escapes(c))
      g_string_append_unichar(line, c);
    else if (c < 0x10000)
      g_string_append_printf(line, "\\u%04x", c);
    else
      g_string_append_printf(line, "\\u%04x\\u%04x", 0xd7c0 + (c >> 10), 0xdc00 + (c & 0x3ff));
  }
}

static void format_line(GString *line, uint32_t level, const char *tag, const char *text,
                        bool colour)
{
  g_autoptr(GDateTime) now = g_date_time_new_now_local();
  g_autofree char *day = g_date_time_format(now, "%Y-%m-%dT%H:%M:%S");
  g_autofree char *zone = g_date_time_format(now, "%:z");
  g_autofree char *upper = g_ascii_strup(notice_level(level), -1);
  int ms = g_date_time_get_microsecond(now) / 1000;
  if (config.json) {
    g_string_append_printf(line,
                           "{\"time\":\"%s.%03d%s\",\"level\":\"%s\",\"tag\":\"%s\",\"text\":", day,
                           ms, zone, notice_level(level), tag);
    quote(line, text);
    g_string_append(line, "}\n");
    return;
  }
  const char *paint = !colour                       ? ""
                      : level == MILL_LEVEL_ERROR   ? "\033[31m"
                      : level == MILL_LEVEL_WARNING ? "\033[33m"
                                                    : "";
  g_string_append_printf(line, "%s.%03d%s  %s%-7s%s  %s: ", day, ms, zone, paint, upper,
                         *paint ? "\033[0m" : "", tag);
  printable_append(line, text, strlen(text), "");
  g_string_append_c(line, '\n');
}

static void put_line(uint32_t level, const char *tag, const char *text)
{
  g_autoptr(GString) line = g_string_new(NULL);
  if (level > level_of(tag)) return;
  format_line(line, level, tag, text, config.colour);
  if (config.before) config.before();
  if (write(STDERR_FILENO, line->str, line->len) < 0) return;
}

/* The first failure is said at once, and is the last line that the file is tried with. */
static void put_file_line(uint32_t level, const char *tag, const char *text)
{
  g_autoptr(GString) line = g_string_new(NULL);
  int none = 0;
  format_line(line, level, tag, text, false);
  if (fwrite(line->str, 1, line->len, config.file) == line->len && !fflush(config.file)) return;
  int why = errno ? errno : EIO;
  if (!atomic_compare_exchange_strong(&file_why, &none, why)) return;
  g_autofree char *said = g_strdup_printf("the log file takes no more lines: %s", g_strerror(why));
  put_line(MILL_LEVEL_WARNING, "OUT", said);
}

void log_text(uint32_t level, const char *tag, const char *text)
{
  if (level < 1 || level > MILL_LEVEL_TRACE) level = MILL_LEVEL_ERROR;
  if (instead) {
    instead(level, tag, text);
    return;
  }
  put_line(level, tag, text);
  if (config.file && level <= MILL_LEVEL_INFO && !log_file_why()) put_file_line(level, tag, text);
}

void log_format(uint32_t level, const char *tag, const char *format, ...)
{
  va_list args;
  if (!log_enabled(level, tag)) return;
  va_start(args, format);
  g_autofree char *text = g_strdup_vprintf(format, args);
  va_end(args);
  log_text(level, tag, text);
}
