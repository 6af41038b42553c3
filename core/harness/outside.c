/* What a stage asks of the environment: `getenv` of whatever program has this file in it is the one below, which a
 * module calls, too. */
/* SPDX-License-Identifier: MIT */
#include "outside.h"

#include <glib.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "host/instance.h"
#include "model/printable.h"

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
  *asked_for = 0;
  watching = true;
}

char *outside_seen(void)
{
  watching = false;
  if (!*asked_for) return NULL;
  g_autofree char *name = printable(asked_for);
  return g_strdup_printf("asked for %s of the environment, which may be another elsewhere", name);
}
