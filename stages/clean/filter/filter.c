/* Keeps or drops events by pattern: an event stays when every keep pattern that was given
 * matches it and no drop pattern does.  Name, category and attribute patterns pass over
 * metadata, which only the kinds can drop; they see one event at a time, so a begin and an end
 * without a name part company (pair them first). */
/* SPDX-License-Identifier: MIT */
#include <stagemill/stage.h>
#include <string.h>

#include "base/num-digits.h"
#include "filter-path.h"
#include "kit/declare/rows.h"
#include "kit/state/symclass.h"

enum { PASSES = 1, FAILS = 2 }; /* classes of symbols */

typedef struct Options {
  const MillPattern *keep_name, *drop_name, *keep_cat, *drop_cat, *keep_attr, *drop_attr;
  MillList keep_kinds, drop_kinds;
  const char *attr;
} Options;

typedef struct Filter {
  const MillHost *common;
  Options options;
  uint32_t kinds; /* mask of those that stay */
  FilterPath path;
  SymClass names, cats;
} Filter;

/* The letters of each kind, as in the Chrome format; - is a record. */
static const char *const letters[MILL_N_KINDS] = { "?",   "X",  "B", "E", "iIR", "C", "M",   "bS",
                                                   "nTp", "eF", "s", "t", "f",   "P", "NOD", "-" };

static uint32_t kind_of(const char *text)
{
  for (uint32_t kind = 0; kind < MILL_N_KINDS; kind++)
    if (text[0] && !text[1] && strchr(letters[kind], text[0])) return MILL_KIND(kind);
  return 0;
}

static int read_kinds(Filter *f, const MillList *list, uint32_t *out_mask)
{
  *out_mask = 0;
  for (uint32_t i = 0; i < list->n; i++) {
    uint32_t kind = kind_of(list->items[i]);
    if (!kind)
      return mill_fail(f->common, MILL_STAGE_FAILED, "a kind is one letter of the Chrome format",
                       "for example keep-kinds=X,C,M (- stands for records)");
    *out_mask |= kind;
  }
  return 0;
}

static int filter_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                       const void *options, void **out_instance)
{
  (void)self, (void)level;
  const MillHost *common = host->common;
  Filter *f = mill_new(common, sizeof *f);
  if (!f) return -MILL_LIMIT;
  uint32_t keep, drop;
  f->common = common;
  f->options = *(const Options *)options;
  *out_instance = f;
  int status = read_kinds(f, &f->options.keep_kinds, &keep);
  if (status == 0) status = read_kinds(f, &f->options.drop_kinds, &drop);
  if (status < 0) return status;
  f->kinds = (f->options.keep_kinds.n ? keep : UINT32_MAX) & ~drop;
  path_open(&f->path, common, f->options.attr);
  return 0;
}

static bool passes_sym(const Filter *f, SymClass *known, const MillPattern *keep,
                       const MillPattern *drop, MillSym sym)
{
  if (!keep && !drop) return true;
  uint8_t class = symclass_get(known, sym);
  if (!class) {
    bool kept = !keep || f->common->match_sym(f->common, keep, sym);
    class = kept && !(drop && f->common->match_sym(f->common, drop, sym)) ? PASSES : FAILS;
    symclass_put(f->common, known, sym, class);
  }
  return class == PASSES;
}

/* What is missing matches nothing. */
static bool matches_sym(const Filter *f, const MillPattern *pattern, MillSym sym)
{
  return sym != 0 && f->common->match_sym(f->common, pattern, sym);
}

static bool matches_value(const Filter *f, const MillPattern *pattern, const MillValue *v)
{
  char digits[DIGITS_MAX];
  if (v->type == MILL_SYM) return matches_sym(f, pattern, v->u.sym);
  if (v->type != MILL_INT) return false;
  return f->common->match(f->common, pattern, digits, digits_write(digits, v->u.i));
}

static bool field_matches(const Filter *f, const MillPattern *pattern, const MillEvent *e)
{
  MillTrack row = { .size = sizeof row };
  switch (f->path.field) {
  case FIELD_NAME: return matches_sym(f, pattern, e->name);
  case FIELD_CAT: return matches_sym(f, pattern, e->cat);
  case FIELD_PHASE: return f->common->match(f->common, pattern, letters[e->kind], 1);
  default: break;
  }
  f->common->track_info(f->common, e->track, &row);
  return matches_value(f, pattern, f->path.field == FIELD_PROCESS ? &row.process : &row.thread);
}

static bool text_matches(const Filter *f, const MillPattern *pattern, const char *text, size_t len)
{
  return text && f->common->match(f->common, pattern, text, len);
}

static bool attr_matches(const Filter *f, const MillPattern *pattern, const MillBatch *b,
                         const MillEvent *e)
{
  size_t len;
  const MillAttr *a = mill_attr(b, e, f->path.attr);
  if (!a) return false;
  const char *text = mill_attr_text(b, a, &len);
  if (*f->path.inner) {
    bool found = text && path_walk(f->path.inner, &text, &len);
    return found && text_matches(f, pattern, text, len);
  }
  uint32_t type = a->type & MILL_ATTR_TYPE;
  if (type == MILL_SYM) return f->common->match_sym(f->common, pattern, a->u.sym);
  if (type == MILL_BOOL) return text_matches(f, pattern, a->u.i ? "true" : "false", a->u.i ? 4 : 5);
  return text_matches(f, pattern, text, len);
}

static bool path_matches(const Filter *f, const MillPattern *pattern, const MillBatch *b,
                         const MillEvent *e)
{
  return f->path.field ? field_matches(f, pattern, e) : attr_matches(f, pattern, b, e);
}

static bool passes(Filter *f, const MillBatch *b, const MillEvent *e)
{
  const Options *o = &f->options;
  if (!(f->kinds & MILL_KIND(e->kind))) return false;
  if (e->kind == MILL_META) return true;
  if (!passes_sym(f, &f->names, o->keep_name, o->drop_name, e->name)) return false;
  if (!passes_sym(f, &f->cats, o->keep_cat, o->drop_cat, e->cat)) return false;
  if (!*o->attr) return true;
  if (o->keep_attr && !path_matches(f, o->keep_attr, b, e)) return false;
  return !o->drop_attr || !path_matches(f, o->drop_attr, b, e);
}

static int filter_process(void *instance, MillBatch *b)
{
  Filter *f = instance;
  for (uint32_t i = 0; i < b->n_events; i++)
    if (!passes(f, b, &mill_events(b)[i])) mill_drop(&mill_events(b)[i]);
  return 0;
}

static const MillOption options[] = {
  MILL_REGEX_OPTION(Options, keep_name, "keep-name", "", "Keep only events whose name matches"),
  MILL_REGEX_OPTION(Options, drop_name, "drop-name", "", "Drop events whose name matches"),
  MILL_REGEX_OPTION(Options, keep_cat, "keep-cat", "", "Keep only events whose category matches"),
  MILL_REGEX_OPTION(Options, drop_cat, "drop-cat", "", "Drop events whose category matches"),
  MILL_LIST_OPTION(Options, keep_kinds, "keep-kinds", "",
                   "Keep only these kinds: letters of the Chrome format, X,C,M"),
  MILL_LIST_OPTION(Options, drop_kinds, "drop-kinds", "", "Drop these kinds"),
  MILL_STRING_OPTION(Options, attr, "attr", "",
                     "Attribute for keep-attr and drop-attr: a name, or a path such as "
                     "args.meta.kind, name or pid"),
  MILL_REGEX_OPTION(Options, keep_attr, "keep-attr", "",
                    "Keep only events whose attribute matches"),
  MILL_REGEX_OPTION(Options, drop_attr, "drop-attr", "", "Drop events whose attribute matches"),
};

static const MillRead reads[] = { { "$.attr", MILL_AS_TEXT, 0 } };

static const MillStageOps ops = { .size = sizeof ops,
                                  .open = filter_open,
                                  .process = filter_process };

static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_EVENT,
  .flags = MILL_MAY_DROP,
  .options_size = sizeof(Options),
  .name = "filter",
  .family = "clean",
  .version = "1.0.0",
  .tag = "FLTR",
  .title = "Keep or drop events by name, category, kind or attribute",
  .help = "Keeps an event if all given keep patterns match and no drop pattern matches. Patterns "
          "are regular expressions that may match anywhere in the text. Metadata is dropped only "
          "by kind.",
  OWN_ROWS(options, reads),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "stagemill", "MIT");
