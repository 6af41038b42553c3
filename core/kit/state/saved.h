/* Symbols and rows in saved state: numbers of both are good within one instance only. */
/* SPDX-License-Identifier: MIT */
#ifndef KIT_SAVED_H
#define KIT_SAVED_H

#include <stagemill/stage.h>

static inline void saved_put_sym(const MillStageHost *host, MillSym sym)
{
  size_t len;
  const char *text = host->common->symbol_text(host->common, sym, &len);
  host->put_text(host, text, len);
}

static inline MillSym saved_get_sym(const MillStageHost *host)
{
  size_t len;
  const char *text = host->get_text(host, &len);
  return host->common->intern(host->common, text, len);
}

/* A process or a thread. */
static inline void saved_put_value(const MillStageHost *host, const MillValue *value)
{
  host->put_int(host, value->type);
  if (value->type == MILL_INT) host->put_int(host, value->u.i);
  if (value->type == MILL_SYM) saved_put_sym(host, value->u.sym);
}

static inline MillValue saved_get_value(const MillStageHost *host)
{
  int64_t type = host->get_int(host);
  if (type == MILL_INT) return mill_int(host->get_int(host));
  return type == MILL_SYM ? mill_sym(saved_get_sym(host)) : mill_none();
}

static inline void saved_put_track(const MillStageHost *host, uint32_t track)
{
  MillTrack row = { .size = sizeof row };
  host->common->track_info(host->common, track, &row);
  saved_put_value(host, &row.process);
  saved_put_value(host, &row.thread);
}

/* MILL_FAILED: refused. */
static inline uint32_t saved_get_track(const MillStageHost *host)
{
  MillValue process = saved_get_value(host), thread = saved_get_value(host);
  return host->track(host, process, thread);
}

#endif
