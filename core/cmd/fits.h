/* Which profiles fit the inputs at hand, and which of them are made for these. */
/* SPDX-License-Identifier: MIT */
#ifndef CMD_FITS_H
#define CMD_FITS_H

#include "cmd/setup.h"

/* What a profile says of the inputs that it is made for, held against those at hand. */
typedef struct Suits {
  guint n_lanes;      /* lanes that the profile is made for */
  guint how_well;     /* as profile_suits counts */
  bool is_for_others; /* made for none of the lanes; it may run on them in spite of that */
} Suits;

typedef struct Fit {
  char *name, *description;
  Suits suits;
  char *made_for; /* "inputs of dialect aiu"; or NULL */
  bool fits;      /* every stage finds what it needs */
  char *why;      /* it does not; or NULL */
  Error *refused; /* what the command line asks of it and it has not; or NULL */
} Fit;

Suits fits_suits(const Run *run, const Profile *p);
/* Below 0: a profile of which a is true comes before one of which b is. */
int fits_compare(const Suits *a, const Suits *b);
/* Every profile found (Fit): those made for the inputs first, best first; then others that fit; then the rest.
 * Without `explain`, what they are made for and why they do not fit is not asked, which takes most of the time.
 * What could not be looked at is added to *io_unseen. */
GPtrArray *fits_rank(const Cli *cli, const Run *run, bool explain, Error **io_unseen);
/* How many share the first place; 0: none is made for these inputs. */
guint fits_best(const GPtrArray *ranked);
/* "timeline, kernels": those that fit, without `except` (or NULL). */
char *fits_names(const GPtrArray *ranked, const char *except);
/* The line that says what to type to go on, and what that does; FILE... for words of a longer line than that. */
void fits_put_next(const char *profile, const GPtrArray *words, const char *does, unsigned width,
                   GString *out);
/* "chrome-json, dialect kineto": what the inputs are. */
char *fits_inputs(const Run *run);
/* Instead of what a stage lacks: what the inputs are, and what fits them.  Takes the error, and gives others back. */
Error *fits_explain(const Cli *cli, const Run *run, const char *profile, Error *e);
/* The one that fits best; when there is none, or a tie, an error of usage that lists them. */
Error *fits_choose(const Cli *cli, const Run *run, const GPtrArray *ranked, const char **out);

#endif
