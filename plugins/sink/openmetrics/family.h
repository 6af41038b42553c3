/* Metrics as OpenMetrics has them: families of one unit, whose samples differ in labels. */
/* SPDX-License-Identifier: MIT */
#ifndef SINK_OPENMETRICS_FAMILY_H
#define SINK_OPENMETRICS_FAMILY_H

#include <glib.h>
#include <stdbool.h>

/* What values are multiplied with and divided by, and the base unit that they are in then. */
typedef struct BaseUnit {
  double times, over;
  char *name; /* "seconds"; "" for none */
} BaseUnit;

/* "ns" becomes seconds, "tok/s" tokens_per_second.  The caller frees the name. */
BaseUnit base_unit_of(const char *unit);

typedef struct Family {
  char *name; /* "stagemill_ttft_seconds" */
  char *unit;
  char *help; /* or NULL */
  GString *samples;
} Family;

typedef struct Families {
  GPtrArray *list; /* Family *, in order of first appearance */
  GTree *by_key;
  GTree *names;  /* a set: of all families */
  GTree *series; /* a set: names with labels that were written */
} Families;

void families_init(Families *f);
void families_clear(Families *f);
/* The family of that metric and unit, made when it is new. */
Family *families_find(Families *f, const char *metric, const char *unit, const char *help);
/* One sample; labels is `a="b",c="d"`.  False: there is one with these labels. */
bool families_add(Families *f, Family *family, const char *labels, const char *value);

/* Text in quotes, or after # HELP: a backslash before what would end it. */
void family_escape(GString *out, const char *text, bool in_quotes);
/* Letters, digits and _, not beginning with a digit; g_free. */
char *family_word(const char *text);

#endif
