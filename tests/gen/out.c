/* Output buffer and option numbers of the trace generators; see out.h. */
/* SPDX-License-Identifier: MIT */
#include "out.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

_Noreturn void die(const char *format, ...)
{
  va_list args;
  va_start(args, format);
  vfprintf(stderr, format, args);
  va_end(args);
  fputc('\n', stderr);
  exit(2);
}

void out_open(Out *out, const char *path)
{
  *out = (Out){ .fd = -1, .name = path };
  out->text = malloc(OUT_FLUSH + OUT_ROOM);
  if (!out->text) die("no memory for the output buffer");
  if (!path) return;
  out->fd = strcmp(path, "-") ? open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666) : 1;
  if (out->fd < 0) die("%s: %s", path, strerror(errno));
}

void out_flush(Out *out)
{
  size_t done = 0;
  while (out->fd >= 0 && done < out->used) {
    ssize_t n = write(out->fd, out->text + done, out->used - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) die("%s: %s", out->name, strerror(errno));
    done += (size_t)n;
  }
  out->flushed_bytes += out->used;
  out->used = 0;
}

uint64_t out_close(Out *out)
{
  out_flush(out);
  if (out->fd > 1 && close(out->fd)) die("%s: %s", out->name, strerror(errno));
  free(out->text);
  out->text = NULL;
  return out->flushed_bytes;
}

char *numbered_path(const char *pattern, const char *mark, int number, int n)
{
  const char *at = strstr(pattern, mark);
  char *path = NULL;
  if (!at && n > 1) die("-o %s: several files need %s in the name", pattern, mark);
  int failed =
      at ? asprintf(&path, "%.*s%d%s", (int)(at - pattern), pattern, number, at + strlen(mark))
         : asprintf(&path, "%s", pattern);
  if (failed < 0) die("no memory for a file name");
  return path;
}

char *rank_path(const char *pattern, int rank, int n_ranks)
{
  return numbered_path(pattern, "{rank}", rank, n_ranks);
}

int64_t option_count(const char *option, const char *text, int64_t least, int64_t most)
{
  char *end;
  errno = 0;
  long long value = strtoll(text, &end, 10);
  if (errno || end == text || *end || value < least || value > most)
    die("%s %s: expected a whole number from %lld to %lld", option, text, (long long)least,
        (long long)most);
  return value;
}

int64_t option_size(const char *option, const char *text)
{
  static const char units[] = "KMGT";
  char *end;
  errno = 0;
  long long value = strtoll(text, &end, 10);
  const char *unit = *end ? strchr(units, *end) : NULL;
  int shift = unit ? 10 * (int)(unit - units + 1) : 0;
  if (errno || end == text || value < 1 || value > (1LL << 20) * 1024 * 1024 >> shift ||
      end[unit ? 1 : 0])
    die("%s %s: expected a size such as 600000, 100M or 6G", option, text);
  return value << shift;
}

int64_t option_milli(const char *option, const char *text)
{
  const char *p = text + (*text == '-');
  int64_t value = 0;
  int decimals = -1;
  for (; *p && value < INT64_C(1000000000000); p++) {
    if (*p == '.' && decimals < 0)
      decimals = 0;
    else if (*p >= '0' && *p <= '9' && decimals < 3) {
      value = value * 10 + (*p - '0');
      if (decimals >= 0) decimals++;
    } else
      break;
  }
  if (*p || p == text) die("%s %s: expected a number with up to 3 decimals", option, text);
  for (int i = decimals < 0 ? 0 : decimals; i < 3; i++) value *= 10;
  return *text == '-' ? -value : value;
}

int option_word(const char *option, const char *text, const char *const *words)
{
  for (int i = 0; words[i]; i++)
    if (!strcmp(text, words[i])) return i;
  fprintf(stderr, "%s %s: expected one of", option, text);
  for (int i = 0; words[i]; i++) fprintf(stderr, " %s", words[i]);
  die("%s", "");
}
