/* Iterations of a lane, and their parts; see parts.h. */
/* SPDX-License-Identifier: MIT */
#include "parts.h"

#include "compute/lib/word.h"
#include "kit/numbers/clip.h"
#include "kit/numbers/interval.h"
#include "kit/state/grow.h"

/* ---- iterations: the word of kernels that comes twice in a row, and where it follows itself */

static bool add_iteration(Parts *p, int64_t from_ns, int64_t to_ns)
{
  if (from_ns >= to_ns) return true;
  if (!array_reserve(p->common, &p->iterations, &p->iteration_capacity, p->n_iterations + 1,
                     sizeof *p->iterations))
    return false;
  p->iterations[p->n_iterations++] = (Iteration){ .from_ns = from_ns, .to_ns = to_ns };
  return true;
}

static bool follow(Parts *p, const Word *word, const uint32_t *borders)
{
  const MillSym *w = p->names + word->prefix;
  const Work *kernels = p->works[DOES_COMPUTE].items;
  size_t last = SIZE_MAX; /* where it began last */
  for (size_t i = word->prefix, same = 0; i < p->n_names; i++) {
    while (same > 0 && p->names[i] != w[same]) same = borders[same];
    same += p->names[i] == w[same];
    if (same < word->length) continue;
    const size_t first = i + 1 - word->length;
    if (last != SIZE_MAX && first == last + word->length &&
        !add_iteration(p, kernels[last].start_ns, kernels[first].start_ns))
      return false;
    last = first;
    same = 0;
  }
  return true;
}

static bool find_iterations(Parts *p)
{
  Word word;
  if (!word_find(p->common, p->names, p->n_names, &word)) return true;
  uint32_t *borders = word_borders(p->common, p->names + word.prefix, word.length);
  const bool fits = borders && follow(p, &word, borders);
  array_free(p->common, borders);
  return fits;
}

/* ---- parts */

typedef struct Sweep {
  Parts *p;
  size_t heads[N_DOES]; /* the first that has not ended */
  int64_t now_ns;
} Sweep;

/* What is done at this time: the work that began first of the first kind; NULL: nothing.  Until *out_end_ns that stays so. */
static const Work *work_now(Sweep *s, int64_t to_ns, Does *out_does, int64_t *out_end_ns)
{
  *out_end_ns = to_ns;
  for (Does does = 0; does < N_DOES; does++) {
    const Works *works = &s->p->works[does];
    size_t *head = &s->heads[does];
    while (*head < works->n && works->items[*head].end_ns <= s->now_ns) ++*head;
    if (*head == works->n) continue;
    const Work *w = &works->items[*head];
    const int64_t change_ns = w->start_ns <= s->now_ns ? w->end_ns : w->start_ns;
    if (change_ns < *out_end_ns) *out_end_ns = change_ns;
    *out_does = does;
    if (w->start_ns <= s->now_ns) return w;
  }
  return NULL;
}

static bool add_piece(Parts *p, uint32_t iteration, uint32_t member, int64_t from_ns, int64_t to_ns)
{
  if (!array_reserve(p->common, &p->pieces, &p->piece_capacity, p->n_pieces + 1, sizeof *p->pieces))
    return false;
  p->pieces[p->n_pieces++] = (Piece){ iteration, member, from_ns, to_ns };
  return true;
}

static bool divide(Sweep *s, uint32_t place)
{
  static const Part parts[N_DOES] = { PART_COMPUTE, PART_TRANSFER, PART_PREP };
  Iteration *it = &s->p->iterations[place];
  bool fits = true;
  int64_t end_ns;
  for (s->now_ns = it->from_ns; fits && s->now_ns < it->to_ns; s->now_ns = end_ns) {
    Does does = N_DOES;
    const Work *w = work_now(s, it->to_ns, &does, &end_ns);
    int64_t *sum = &it->sums_ns[w ? parts[does] : PART_GAP];
    if (w && does == DOES_TRANSFER && w->member != NO_MEMBER)
      fits = add_piece(s->p, place, w->member, s->now_ns, end_ns);
    else
      *sum = add_clipped(*sum, interval_span(s->now_ns, end_ns));
  }
  return fits;
}

bool parts_divide(Parts *p)
{
  Sweep sweep = { .p = p };
  bool fits = find_iterations(p);
  for (size_t i = 0; fits && i < p->n_iterations; i++) fits = divide(&sweep, (uint32_t)i);
  return fits;
}
