/* What the source of an input counts while its lanes are read; see found.h. */
/* SPDX-License-Identifier: MIT */
#include "input/found.h"

#include <pthread.h>

/* Lanes of one input are read one after the other, but behind a barrier they end on several threads. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void found_take(Input *in, const Notices *counted)
{
  sources_add_notices(in->env->sources, counted);
  if (notices_are_empty(counted)) return;
  pthread_mutex_lock(&lock);
  if (!in->found.counts) notices_init(&in->found, in->source);
  notices_merge(&in->found, counted, 0);
  pthread_mutex_unlock(&lock);
}

void found_forget(Input *in)
{
  pthread_mutex_lock(&lock);
  Notices found = in->found;
  in->found.counts = NULL;
  pthread_mutex_unlock(&lock);
  if (found.counts) notices_clear(&found);
  for (guint i = 0; in->files && i < in->files->len; i++) found_forget(in->files->pdata[i]);
}
