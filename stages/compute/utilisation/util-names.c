/* Numbering texts, and spelling names of kernels; see util-names.h. */
#include "util-names.h"

#include "kit/state/grow.h"
#include "kit/trace/transfer.h"
#include "kit/text/words.h"

enum { SPELLED_MAX = 1 << 16 }; /* a longer name stays as it is */
enum { TEXT_BYTES = 3 };        /* of an empty text in a summary */
enum { UNKNOWN, BY_EVENT, FIRST };

typedef struct Number {
  uint32_t next; /* the number, plus 1 */
} Number;

bool util_texts_open(UtilTexts *t, const MillHost *common)
{
  *t = (UtilTexts){ .common = common, .numbers = keyed_new(common, sizeof(Number)) };
  return t->numbers != NULL;
}

uint32_t util_texts_number(UtilTexts *t, const char *text, size_t len)
{
  const KeyedEntry *entry = keyed_entry(t->numbers, text, len);
  if (!entry) return UTIL_NO_NAME;
  Number *number = entry->state;
  if (number->next) return number->next - 1;
  if (!array_reserve_at(t->common, &t->entries, &t->max_entries, t->n, sizeof *t->entries))
    return UTIL_NO_NAME;
  t->entries[t->n] = entry;
  number->next = ++t->n;
  return t->n - 1;
}

void util_texts_save(const UtilTexts *t, const MillStageHost *host)
{
  host->put_int(host, t->n);
  for (uint32_t i = 0; i < t->n; i++) host->put_text(host, t->entries[i]->key, t->entries[i]->len);
}

uint32_t *util_texts_load(UtilTexts *t, const MillStageHost *host, uint32_t *out_n)
{
  uint64_t n = host->get_count(host, TEXT_BYTES);
  *out_n = n < UTIL_NO_NAME ? (uint32_t)n : UTIL_NO_NAME - 1;
  uint32_t *here = t->common->scratch(t->common, (*out_n + (size_t)1) * sizeof *here);
  for (uint32_t i = 0; here && i < *out_n; i++) {
    size_t len;
    const char *text = host->get_text(host, &len);
    here[i] = util_texts_number(t, text, len);
    if (here[i] == UTIL_NO_NAME) return NULL;
  }
  return here;
}

/* ------------------------------------------------------------ names of kernels */

static const char mark[] = "[N]", end[] = " Cmpt Exec";

bool util_kernels_open(UtilKernels *k, const MillHost *common)
{
  *k = (UtilKernels){ .index_key = common->intern(common, "fn_idx", 6) };
  return util_texts_open(&k->texts, common);
}

/* The name with each mark replaced; its length.  `to` NULL: only the length. */
static size_t spell(char *to, const char *name, size_t len, const char *index, size_t index_len)
{
  const size_t mark_len = sizeof mark - 1;
  size_t out = 0;
  for (size_t i = 0; i < len;) {
    bool is_mark = index && len - i >= mark_len && memcmp(name + i, mark, mark_len) == 0;
    if (to && is_mark)
      memcpy(to + out, index, index_len);
    else if (to)
      to[out] = name[i];
    out += is_mark ? index_len : 1;
    i += is_mark ? mark_len : 1;
  }
  return out;
}

static uint32_t number_of(UtilKernels *k, const char *name, size_t len, const char *index,
                          size_t index_len)
{
  const MillHost *common = k->texts.common;
  size_t spelled = spell(NULL, name, len, index, index_len);
  if (spelled > SPELLED_MAX) index = NULL;
  if (!index) spelled = len;
  char *text = common->scratch(common, spelled + sizeof end);
  if (!text) return UTIL_NO_NAME;
  spell(text, name, len, index, index_len);
  if (!words_end_with(text, spelled, end)) {
    memcpy(text + spelled, end, sizeof end - 1);
    spelled += sizeof end - 1;
  }
  return util_texts_number(&k->texts, text, spelled);
}

uint32_t util_kernels_number(UtilKernels *k, const MillBatch *batch, const MillEvent *e)
{
  const MillHost *common = k->texts.common;
  char digits[DIGITS_MAX];
  size_t len, index_len = 0;
  uint32_t known = e->name < k->n_by_name ? k->by_name[e->name] : UNKNOWN;
  if (known >= FIRST) return known - FIRST;
  const char *name = common->symbol_text(common, e->name, &len), *index = NULL;
  if (known == UNKNOWN) known = words_have(name, len, mark) ? BY_EVENT : FIRST;
  if (known == BY_EVENT)
    index = transfer_text(common, batch, mill_attr(batch, e, k->index_key), digits, &index_len);
  uint32_t number = number_of(k, name, len, index, index_len);
  if (number == UTIL_NO_NAME) return number;
  if (!array_reserve_at(common, &k->by_name, &k->n_by_name, e->name, sizeof *k->by_name))
    return UTIL_NO_NAME;
  k->by_name[e->name] = known == BY_EVENT ? BY_EVENT : number + FIRST;
  return number;
}
