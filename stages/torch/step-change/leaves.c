/* What a lane does in its steps after warm-up, by cause, class, operator and kernel; see why.h. */
/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/short-name.h"
#include "kit/numbers/clip.h"
#include "kit/state/grow.h"
#include "kit/trace/tree-attrs.h"
#include "why.h"

typedef struct LeafKey {
  uint32_t cause, class;
  MillSym row, kernel, module, outer;
} LeafKey;

typedef struct LeafSum {
  int64_t time_ns, calls;
} LeafSum;

bool leaves_open(Why *w)
{
  work_classes_open(&w->lane.classes, w->common);
  w->lane.row = tree_key(w->common, TREE_ROW);
  w->lane.module = tree_key(w->common, TREE_OUTER_MODULE);
  w->lane.outer = tree_key(w->common, TREE_OUTER);
  w->lane.sums = keyed_new(w->common, sizeof(LeafSum));
  return w->lane.sums != NULL;
}

/* ---- pieces */

static bool add(Why *w, LeafKey key, int64_t time_ns, bool is_call)
{
  LeafSum *sum = keyed_get(w->lane.sums, (const char *)&key, sizeof key);
  if (!sum) return false;
  sum->time_ns = add_clipped(sum->time_ns, time_ns);
  sum->calls += is_call;
  return true;
}

static bool see_work(Facts *f, const MillBatch *b, const MillEvent *e)
{
  Why *w = f->watcher;
  Lane *l = &w->lane;
  const TorchWork does = (TorchWork)f->works.items[f->works.n - 1].does;
  if (!array_reserve(f->common, &l->labels, &l->label_capacity, f->n_infos, sizeof *l->labels))
    return false;
  l->labels[f->n_infos - 1] = (WorkLabel){ .row = tree_sym(f->common, b, e, l->row),
                                           .kernel = e->name,
                                           .module = tree_sym(f->common, b, e, l->module),
                                           .outer = tree_sym(f->common, b, e, l->outer),
                                           .class = (uint8_t)work_class(&l->classes, b, e, does) };
  return true;
}

/* What communicates is divided when all ranks are there. */
static bool see_busy(Facts *f, const DeviceWork *work, size_t step, int64_t time_ns)
{
  Why *w = f->watcher;
  const WorkLabel *label = &w->lane.labels[work->data];
  WorkInfo *info = &f->infos[work->data];
  if (f->steps[step].is_warmup || work->does == WORK_COMMUNICATION) return true;
  const LeafKey key = work->does == WORK_COMPUTATION
                          ? (LeafKey){ CAUSE_COMPUTE, label->class,  label->row,
                                       label->kernel, label->module, label->outer }
                          : (LeafKey){ CAUSE_COPY, CLASS_COPIES, .kernel = label->kernel };
  const bool is_call = !info->counted;
  info->counted = true;
  return add(w, key, time_ns, is_call);
}

static bool see_idle(Facts *f, const IdlePart *part, size_t step, int64_t time_ns)
{
  const LeafKey key = { part->cause, CLASS_IDLE, .kernel = part->name };
  return f->steps[step].is_warmup || add(f->watcher, key, time_ns, true);
}

const StepWatch leaf_watch = { see_work, see_busy, see_idle };

/* ---- texts */

bool leaf_key(Buffer *out, Cause cause, const char *class, MillText op, MillText kernel)
{
  char number[16];
  const int len = snprintf(number, sizeof number, "%02d", (int)cause);
  out->len = 0;
  return fields_put(out, number, (size_t)len) && fields_put(out, class, strlen(class)) &&
         fields_put(out, op.text, op.len) && fields_put(out, kernel.text, kernel.len);
}

/* The operator and its shapes; without an operator the kernel, less its template arguments. */
static bool op_text(Why *w, const LeafKey *key, MillText kernel, Buffer *out)
{
  enum { ANY_LENGTH = 4096 };
  size_t len;
  out->len = 0;
  const char *text = w->common->symbol_text(w->common, key->row, &len);
  const TreeRow row = tree_row(text, len);
  const Field name = row.at[ROW_NAME], dims = row.at[ROW_DIMS];
  if (key->row && name.len)
    return buffer_add(out, name.text, name.len) && (!dims.len || buffer_add(out, " ", 1)) &&
           buffer_add(out, dims.text, dims.len);
  char *brief = w->common->scratch(w->common, kernel.len + ANY_LENGTH + 1);
  if (!brief) return false;
  return buffer_add(out, brief, short_name(brief, ANY_LENGTH, kernel.text, kernel.len));
}

static bool put_symbol(Why *w, MillSym symbol)
{
  size_t len;
  const char *text = w->common->symbol_text(w->common, symbol, &len);
  return fields_put(&w->text, text, len);
}

static bool put_leaf(Why *w, const LeafKey *key, const LeafSum *sum, Buffer *op)
{
  Lane *l = &w->lane;
  const Cause cause = (Cause)key->cause;
  size_t len;
  const char *name = w->common->symbol_text(w->common, key->kernel, &len);
  const MillText kernel = { name, len }, none = { "", 0 };
  bool fits;
  if (cause == CAUSE_COMPUTE)
    fits = op_text(w, key, kernel, op) &&
           leaf_key(&w->text, cause, class_names[key->class], (MillText){ op->text, op->len },
                    kernel) &&
           put_symbol(w, key->module) && put_symbol(w, key->outer);
  else
    fits = leaf_key(&w->text, cause,
                    cause == CAUSE_COPY ? class_names[CLASS_COPIES] : cause_names[cause], kernel,
                    none);
  char *copy = fits ? mill_new(w->common, w->text.len + 1) : NULL;
  if (!copy) return false;
  memcpy(copy, w->text.text, w->text.len);
  l->leaves[l->n_leaves++] = (Leaf){ { copy, w->text.len }, sum->time_ns, sum->calls };
  return true;
}

static int compare_keys(const void *a, const void *b)
{
  const MillText x = ((const Leaf *)a)->key, y = ((const Leaf *)b)->key;
  const int order = memcmp(x.text, y.text, x.len < y.len ? x.len : y.len);
  return order ? order : (x.len > y.len) - (x.len < y.len);
}

bool leaves_close(Why *w)
{
  Lane *l = &w->lane;
  Buffer op = { .common = w->common };
  const KeyedEntry *const *entries = keyed_sorted(l->sums);
  l->leaves = mill_new(w->common, (keyed_count(l->sums) + 1) * sizeof *l->leaves);
  bool fits = entries && l->leaves;
  for (uint32_t i = 0; fits && i < keyed_count(l->sums); i++) {
    LeafKey key;
    memcpy(&key, entries[i]->key, sizeof key);
    fits = put_leaf(w, &key, entries[i]->state, &op);
  }
  if (fits) qsort(l->leaves, l->n_leaves, sizeof *l->leaves, compare_keys);
  return fits;
}
