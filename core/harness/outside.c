/* What a stage touches outside of the run: standard output goes to a file meanwhile, and `getenv` of whatever program
 * has this file in it is the one below, which a module calls, too. */
#include "outside.h"

#include <glib.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "host/instance.h"
#include "model/printable.h"

enum { SHOWN = 60 }; /* bytes of what was written */

static FILE *written;
static int real_output = -1;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool watching;
static char asked_for[64];

MILL_EXPORT char *getenv(const char *name);

/* Sources and sinks may look for files there. */
static void remember(const char *name)
{
  const Instance *at = instance_current;
  if (!at || at->descriptor->kind != MILL_KIND_STAGE) return;
  pthread_mutex_lock(&lock);
  if (watching && !*asked_for) g_strlcpy(asked_for, name, sizeof asked_for);
  pthread_mutex_unlock(&lock);
}

char *getenv(const char *name)
{
  size_t len = strlen(name);
  remember(name);
  for (char **entry = environ; entry && *entry && len; entry++)
    if (!strncmp(*entry, name, len) && (*entry)[len] == '=') return *entry + len + 1;
  return NULL;
}

void outside_watch(void)
{
  fflush(stdout);
  *asked_for = 0;
  watching = true;
  written = tmpfile();
  if (!written) return;
  real_output = dup(STDOUT_FILENO);
  dup2(fileno(written), STDOUT_FILENO);
}

/* NULL: nothing was. */
static char *take_written(void)
{
  char text[SHOWN + 1];
  if (!written) return NULL;
  fflush(stdout);
  dup2(real_output, STDOUT_FILENO);
  close(real_output);
  rewind(written);
  size_t n = fread(text, 1, SHOWN, written);
  fclose(written);
  written = NULL;
  text[n] = 0;
  return n ? printable(text) : NULL;
}

char *outside_seen(void)
{
  g_autofree char *text = take_written();
  watching = false;
  if (text) return g_strdup_printf("wrote to standard output: %s", text);
  if (!*asked_for) return NULL;
  g_autofree char *name = printable(asked_for);
  return g_strdup_printf("asked for %s of the environment, which may be another elsewhere", name);
}
