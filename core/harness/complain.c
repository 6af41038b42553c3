/* What is wrong, as text. */
/* SPDX-License-Identifier: MIT */
#include <stdio.h>

#include "harness-internal.h"

GString *harness_said;
static unsigned complaints;

static void say_list(const char *format, va_list args)
{
  g_autofree char *text = g_strdup_vprintf(format, args);
  if (harness_said)
    g_string_append(harness_said, text);
  else
    fputs(text, stdout);
}

void harness_say(const char *format, ...)
{
  va_list args;
  va_start(args, format);
  say_list(format, args);
  va_end(args);
}

void harness_complain(const char *file, int line, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  g_autofree char *text = g_strdup_vprintf(format, args);
  va_end(args);
  complaints++;
  if (file)
    harness_say("  %s:%d: %s\n", file, line, text);
  else
    harness_say("  %s\n", text);
}

unsigned harness_complaints(void) { return complaints; }
