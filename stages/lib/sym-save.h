/* Symbols in summaries: as their texts, for symbols hold within one run only. */
#ifndef STAGE_LIB_SYM_SAVE_H
#define STAGE_LIB_SYM_SAVE_H

#include <stagemill/stage.h>

static inline void sym_save(const MillStageHost *host, MillSym sym)
{
  size_t len;
  const char *text = host->common->symbol_text(host->common, sym, &len);
  host->put_text(host, text, len);
}

static inline MillSym sym_load(const MillStageHost *host)
{
  size_t len;
  const char *text = host->get_text(host, &len);
  return host->common->intern(host->common, text, len);
}

#endif
