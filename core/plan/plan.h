/* The plan: which stages run on which lanes, where events are sorted, held, merged and split. */
/* SPDX-License-Identifier: MIT */
#ifndef PLAN_PLAN_H
#define PLAN_PLAN_H

#include <glib.h>

#include "model/error.h"
#include "model/option.h"
#include "plan/profile.h"

typedef struct PlanStage { /* an enabled entry of the profile */
  const char *id;
  const Descriptor *stage;
  const ProfileEntry *entry;
  OptionValues *options;
  bool used;        /* some class of lanes has what it needs */
  GPtrArray *facts; /* char *: hold before it in all classes of traces that have it; or NULL */
  GArray *reads; /* MillRead: the attributes that it looks at, with the names that options give */
} PlanStage;

typedef enum { PASS_OBSERVE, PASS_PROCESS, PASS_STRIP } PassKind;
typedef struct Pass {
  PassKind kind;
  uint32_t stage;   /* in Plan.stages; for PASS_STRIP the owner of the private attributes */
  uint32_t segment; /* of its class or the joint stream */
} Pass;

typedef enum {
  END_SINK,  /* the last segment */
  END_HOLD,  /* events are held as they come */
  END_SORT,  /* held, and put into lane order */
  END_REREAD /* nothing changed: the segment's own input is read once more */
} SegmentEnd;

typedef enum {
  BARRIER_NONE,
  BARRIER_LANE,  /* decide, then on: no other lane matters */
  BARRIER_RUN,   /* all lanes */
  BARRIER_MERGE, /* all lanes become one stream */
  BARRIER_SPLIT  /* and lanes again */
} Barrier;

typedef struct Segment {
  GArray *passes; /* Pass */
  SegmentEnd end;
  Barrier barrier;
  uint32_t barrier_no; /* order of run-wide barriers over all classes */
  int decides;         /* the two-phase stage whose observation ends here, or -1 */
  bool merged;         /* runs on the merged stream */
  char *reason;        /* of the sort or merge, for people */
} Segment;

typedef struct PlanSkip {
  uint32_t stage;
  char *fact;
} PlanSkip;

typedef struct PlanClass { /* lanes of one source and dialect */
  char *source, *dialect;
  GPtrArray *facts;    /* char *, at the start */
  GPtrArray *facts_at; /* by stage: char * that hold before it; NULL where the class passes it by */
  GPtrArray *segments; /* Segment * */
  GArray *skipped;     /* PlanSkip */
  bool side;           /* side inputs: only stages that ask for what these say see them */
  bool ends_in_merge;  /* Plan.joint goes on */
  guint n_reread;      /* of the first segments: their end needs no held events, see reread.h */
  bool thinned;        /* a stage may leave events out before the first of them */
  char *hold_why;      /* why the end of the next one does; NULL: there is none */
  guint n_lanes, n_lanes_reread; /* of a run: all, and those whose input is read again there */
  const char *lanes_why;         /* why the others are held */
} PlanClass;

typedef struct Plan {
  Profile *profile;
  PlanStage *stages;
  uint32_t n_stages;
  GPtrArray *classes;  /* PlanClass * */
  PlanClass *joint;    /* what follows a merge, or NULL */
  GArray *reads;       /* MillRead: the union of all stages, and of the sinks when chosen */
  GPtrArray *hints;    /* char *: facts nobody uses, and the like */
  GPtrArray *cascaded; /* char *: ids that --cascade disabled */
} Plan;

Plan *plan_alloc(Profile *profile); /* takes it; without stages and classes */
void plan_free(Plan *plan);
PlanClass *plan_class_new(const char *source, const char *dialect, const GPtrArray *facts);
void plan_class_free(gpointer class);
Segment *plan_segment_new(GPtrArray *segments, bool merged); /* at their end */
/* The fact that every class lacks for this stage; NULL when it runs on some. */
const char *plan_missing_fact(const Plan *plan, uint32_t index);
/* The same of a stage that the profile calls optional: it is left out. */
const char *plan_left_out(const Plan *plan, uint32_t index);
/* The facts that hold before the stage for lanes of a class; class NULL: for all lanes that it works on. */
const GPtrArray *plan_facts_at(const Plan *plan, const PlanClass *class, uint32_t stage);
/* The stage of an entry that is enabled, or NULL. */
const PlanStage *plan_stage_of(const Plan *plan, const ProfileEntry *entry);
/* The name of a table (joint '-') or metric ('_'): a second use of a stage has its id before it. */
char *plan_result_name(const PlanStage *p, const char *name, char joint);
/* Its figures: those that it declares, or as the profile has them. */
const MillFigure *plan_figures(const PlanStage *p, uint32_t *out_n);
/* The formats to write (borrowed texts): those asked for, or (NULL) the profile's, or the usual ones, where events are
 * only written if some stage changes them. */
GPtrArray *plan_formats(const Plan *plan, Modules *modules, const GPtrArray *asked);
/* What somebody else will look at, too; the name is borrowed. */
void plan_add_read(Plan *plan, MillRead read);
/* The names (borrowed) of what is decoded. */
GPtrArray *plan_decoded(const Plan *plan);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(Plan, plan_free)

#endif
