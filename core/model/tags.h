/* The tags of a lane: named texts, each with the weight of its origin. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_TAGS_H
#define MODEL_TAGS_H

#include <glib.h>

typedef enum {               /* the heavier wins; between equals the later */
               TAG_HINT = 1, /* the name of a folder */
               TAG_FILE = 2, /* the input itself */
               TAG_CARD = 3, /* a card that lies beside it */
               TAG_GIVEN = 4 /* the command line */
} TagWeight;

typedef struct Tag {
  char *name, *value;
  TagWeight weight;
} Tag;

GPtrArray *tags_new(void);                                          /* of Tag */
void tags_set(GPtrArray *tags, const char *pair, TagWeight weight); /* "name=value" */
void tags_set_all(GPtrArray *tags, const GPtrArray *pairs,
                  TagWeight weight);                           /* pairs may be NULL */
const char *tags_get(const GPtrArray *tags, const char *name); /* or NULL */

#endif
