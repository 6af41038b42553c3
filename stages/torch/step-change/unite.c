/* Operators that one side alone has, but in one place of the program: attention by one kernel there, by several operators here.
 *
 * The place is the path of modules, and the outermost operator within it.  Where both sides have such operators in a place, they
 * are one row, named for the outermost operator. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "kit/devices/op-category.h"
#include "why.h"

typedef struct Presence {
  bool on[N_SIDES];
} Presence;

static bool add_presence(Keyed *all, MillText key, const Node *leaf)
{
  Presence *p = keyed_get(all, key.text, key.len);
  for (int side = 0; p && side < N_SIDES; side++) p->on[side] |= leaf->calls[side] > 0;
  return p != NULL;
}

static bool is_on_both(const Keyed *all, MillText key)
{
  const Presence *p = keyed_find(all, key.text, key.len);
  return p && p->on[BASE] && p->on[NEW];
}

/* Where its operator says what it is for, all of it is. */
static void rename_leaf(const Why *w, Node *leaf)
{
  char *name = w->common->scratch(w->common, leaf->outer.len + 1);
  leaf->names[LEVEL_OP] = leaf->outer;
  if (!name) return;
  memcpy(name, leaf->outer.text, leaf->outer.len);
  name[leaf->outer.len] = 0;
  const char *class = class_names[class_of_operator(name)];
  if (class != class_names[CLASS_OTHER])
    leaf->names[LEVEL_CLASS] = (MillText){ class, strlen(class) };
}

bool unite_operators(const Why *w, Tree *t)
{
  Keyed *ops = keyed_new(w->common, sizeof(Presence));
  Keyed *places = keyed_new(w->common, sizeof(Presence));
  bool fits = ops && places;
  for (size_t i = 0; fits && i < t->n_leaves; i++)
    if (node_computes(&t->leaves[i]))
      fits = add_presence(ops, t->leaves[i].names[LEVEL_OP], &t->leaves[i]);
  for (size_t i = 0; fits && i < t->n_leaves; i++) {
    const Node *leaf = &t->leaves[i];
    if (leaf->outer.len && !is_on_both(ops, leaf->names[LEVEL_OP]))
      fits = add_presence(places, leaf->above, leaf);
  }
  for (size_t i = 0; fits && i < t->n_leaves; i++) {
    Node *leaf = &t->leaves[i];
    if (leaf->outer.len && !is_on_both(ops, leaf->names[LEVEL_OP]) &&
        is_on_both(places, leaf->above))
      rename_leaf(w, leaf);
  }
  return fits;
}
