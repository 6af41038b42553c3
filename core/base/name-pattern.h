/* Names of files with {TAG} in them: which lanes go into one, by the values of their tags. */
/* SPDX-License-Identifier: MIT */
#ifndef BASE_NAME_PATTERN_H
#define BASE_NAME_PATTERN_H

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* It may differ within what is otherwise one file; lanes that share it, or have none, get their number. */
#define NAME_RANK "rank"

/* Why a pattern cannot be filled; texts are for messages. */
typedef struct NameFault {
  char *what, *where, *help; /* where: NULL, or an input */
} NameFault;
void name_fault_clear(NameFault *f);

typedef struct NamePattern {
  GPtrArray *texts; /* char *: around the tags, one more than these */
  GPtrArray *tags;  /* char * */
} NamePattern;

/* NULL with *out filled: a brace that does not stand around the name of a tag. */
NamePattern *name_pattern_read(const char *text, NameFault *out);
void name_pattern_free(NamePattern *p);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NamePattern, name_pattern_free)

bool name_pattern_has(const NamePattern *p, const char *tag);
/* Those that make files of their own, NAME_RANK apart: with commas between, each once.  g_free. */
char *name_pattern_groups(const NamePattern *p);

/* The lanes, as whoever asks knows them.  Texts that it gives live until the call returns. */
typedef struct NameLanes {
  const void *context;
  uint32_t n;
  const char *(*name)(const void *context, uint32_t lane);                   /* for messages */
  const char *(*tag)(const void *context, uint32_t lane, const char *which); /* or NULL */
  int64_t (*rank)(const void *context, uint32_t lane);                       /* -1: none */
  bool merged; /* what all of them became one stream of */
} NameLanes;

/* The lanes with the same values of all tags but the rank. */
bool name_same_group(const NamePattern *p, const NameLanes *lanes, uint32_t a, uint32_t b);
/* Of the file that a lane is in: it must have all tags. */
char *name_of_lane(const NamePattern *p, const NameLanes *lanes, uint32_t lane);
/* That of every lane (char *), all checked: each has all tags, each value can be in a name, and two groups do not
 * have one name.  NULL with *out filled. */
GPtrArray *name_of_lanes(const NamePattern *p, const NameLanes *lanes, NameFault *out);

#endif
