/* What the source of an input counts while its lanes are read; see found.h. */
/* SPDX-License-Identifier: MIT */
#include "input/found.h"

void found_take(Input *in, const Notices *counted)
{
  sources_add_notices(in->env->sources, counted);
  if (notices_are_empty(counted)) return;
  if (!in->found.counts) notices_init(&in->found, in->source);
  notices_merge(&in->found, counted, 0);
}

void found_forget(Input *in)
{
  if (in->found.counts) notices_clear(&in->found);
  for (guint i = 0; in->files && i < in->files->len; i++) found_forget(in->files->pdata[i]);
}
