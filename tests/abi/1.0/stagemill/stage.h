/* The plug-in interface of a stage: a module that changes or studies events.
 * Read types.h first; then docs/write-a-stage.md takes you to a working stage.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef STAGEMILL_STAGE_H
#define STAGEMILL_STAGE_H

#include <stagemill/types.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { /* how far a stage must see */
  MILL_SCOPE_EVENT = 1, /* no state between events */
  MILL_SCOPE_LANE = 2,  /* one lane */
  MILL_SCOPE_RUN = 3,   /* something small from all lanes, then on within each */
  MILL_SCOPE_WHOLE = 4  /* one merged stream */
};
enum {                        /* MillStage.flags: claims, enforced by --verify */
  MILL_READ_ONLY = 1 << 0,    /* changes no event */
  MILL_MAY_DROP = 1 << 1,
  MILL_MAY_EMIT = 1 << 2,
  MILL_MERGES = 1 << 3,       /* save_result and merge_result give per-run results */
  MILL_ANY_ORDER = 1 << 4,    /* merging in any order gives the same state; then the save_ calls
                                 may come on the run level, too, and save what was merged */
  MILL_MOVES_BASE = 1 << 5    /* calls move_base */
};

/* ------------------------------------------------- which call comes on which level
 * `open` is given the level of the instance.  A stage with `observe` has two phases: it sees its whole
 * scope before the first `process`.  Calls that you do not need are left out (NULL).  In this order:
 *
 *   scope          level    calls
 *   event          lane     open  process..  flush  save_result  report  close
 *   lane           lane     open  [observe..  decide]  process..  flush  save_result  report  close
 *   run            lane     open  observe..  save_observed | load_decision  process..  flush
 *                           save_result  report  close
 *   event, lane,   run      open  [merge_observed..  decide_run  save_decision]  merge_result..
 *   run                     report_run  close
 *   whole          merged   open  [observe..  decide]  process..  flush  report  close
 *
 * Event and lane scope have a run level when they claim MILL_MERGES; in brackets:
 * scope run, and before it two phases.  Lanes are always merged in their order.
 *
 * Replay: a stage of lane scope with two phases that has save_decision and load_decision may be continued
 * in a fresh instance.  The program then calls save_decision (level lane) after decide, and on the other one
 * load_decision before process.  What the first counted by `note` stays; while the second loads, nothing counts.
 *
 * What a call may ask of MillStageHost (MillHost and has_fact: always; in `close` only log,
 * symbol_text, has_fact and freeing by resize).  Anything else is refused, and the instance
 * has failed:
 *   open                            track, track_beside (not on the run level)
 *   observe                         track, track_beside, keep, drop_kept
 *   decide, load_decision           track, track_beside, move_base
 *   process, flush                  event, set, emit, keep, emit_kept, drop_kept, track, track_beside
 *   save_observed, _decision, _result    put_int, put_real, put_text, lane_member
 *   merge_observed, _result, load_decision    get_int ... get_count, shared_count
 *   report, report_run              row, cells, metric, no_metric, lane_member
 *   close                           drop_kept */
typedef struct MillStageHost MillStageHost;
struct MillStageHost {
  uint32_t size;
  const MillHost *common;

  /* Changing events.  Indices are of events in the batch or from emit; `event` gives NULL for others, and its
   * pointer is good until the next emit.  `set` replaces all values.
   *
   * emit gives the index of the new event, or MILL_FAILED.  `after` is the event that it stands behind, or:
   *   MILL_AT_START, MILL_AT_END   before and behind all events of the batch
   *   MILL_IN_PLACE                before the first event that comes after it in the order of events, see types.h.
   *                                That may be in a later batch: the program holds it until then, or until `flush`. */
  MillEvent *(*event)(const MillStageHost *, MillBatch *, uint32_t index);
  int (*set)(const MillStageHost *, MillBatch *, uint32_t index, MillSym key, MillValue);
  uint32_t (*emit)(const MillStageHost *, MillBatch *, uint32_t after, const MillEvent *);
  /* Attributes and bytes die with the batch; keep makes a copy that lasts. */
  uint64_t (*keep)(const MillStageHost *, const MillBatch *, uint32_t index); /* 0: refused, as MILL_FAILED */
  uint32_t (*emit_kept)(const MillStageHost *, MillBatch *, uint32_t after, uint64_t kept);
  void (*drop_kept)(const MillStageHost *, uint64_t kept);
  uint32_t (*track)(const MillStageHost *, MillValue process, MillValue thread); /* finds or makes the row */
  /* From here on the lane's times count from base_ns.  Events stay as they are: for them to keep their absolute
   * time, `process` adds the old base minus the new one to each ts_ns.  Needs MILL_MOVES_BASE. */
  int (*move_base)(const MillStageHost *, int64_t base_ns);

  /* Summaries, read in the order written; texts end in NUL and live until the call returns.  After a fault
   * get_* give 0, 0.0, "" and false, and the program ends the run.  get_count gives an int that is safe to
   * allocate by: so many items of min_bytes (an int takes 2 or more, a real 9, a text 3 and its length) can follow. */
  void (*put_int)(const MillStageHost *, int64_t);
  void (*put_real)(const MillStageHost *, double);
  void (*put_text)(const MillStageHost *, const char *, size_t len);
  int64_t (*get_int)(const MillStageHost *);
  double (*get_real)(const MillStageHost *);
  const char *(*get_text)(const MillStageHost *, size_t *out_len);
  bool (*get_more)(const MillStageHost *); /* false at the end */
  uint64_t (*get_count)(const MillStageHost *, size_t min_bytes);
  /* One number, from 0, of all run-level instances of the stage: where it groups by tags, what concerns its groups
   * alike is decided by what they hold together.  Add to it in merge_result; NULL where nothing is merged. */
  uint64_t *(*shared_count)(const MillStageHost *);

  /* Results; INT64_MAX for a larger sum, of which the program warns.  Tables and metrics per lane are reported by
   * `report` on the level of a lane, those per run by report_run; merged, both. */
  int (*row)(const MillStageHost *, uint32_t table, const void *row, size_t size); /* use mill_row */
  /* A row of a table whose columns depend on the input: its cells in their order. */
  int (*cells)(const MillStageHost *, uint32_t table, const MillValue *cells, uint32_t n_cells);
  int (*metric)(const MillStageHost *, uint32_t metric, const char *stat, MillValue, uint64_t n);
  int (*no_metric)(const MillStageHost *, uint32_t metric, const char *stat, const char *reason);
  /* track, in the lane of a row that there is: which one matters on the merged stream */
  uint32_t (*track_beside)(const MillStageHost *, uint32_t row, MillValue process, MillValue thread);
  /* A member of the document around the lane's events; false: no more, or no lane */
  bool (*lane_member)(const MillStageHost *, uint32_t index, bool *out_after, MillValue *out_key,
                      MillValue *out_json);
  /* Whether a fact of `wants` or `needs` holds for the events that come; on the run level: for those of all lanes that
   * the stage works on.  Any other fact is refused. */
  bool (*has_fact)(const MillStageHost *, const char *fact);
};
/* mill_row(host, TABLE_KERNELS, &row): the struct of which the columns of that table are fields, see MILL_COLUMN. */
#define mill_row(host, table, row_) ((host)->row((host), (table), (row_), sizeof *(row_)))

typedef struct MillStage MillStage;
typedef struct MillStageOps {
  uint32_t size;
  /* options: your struct, checked and filled; lives as long as the instance */
  int (*open)(const MillStage *self, const MillStageHost *host, uint32_t level, const void *options,
              void **out_instance);
  int (*observe)(void *instance, const MillBatch *batch);
  int (*decide)(void *instance); /* all was observed */
  int (*process)(void *instance, MillBatch *batch);
  int (*flush)(void *instance, MillBatch *batch); /* end of the lane: emit what was held */
  int (*report)(void *instance);

  int (*save_observed)(void *instance);
  int (*merge_observed)(void *run_instance);
  int (*decide_run)(void *run_instance); /* all lanes were merged */
  int (*save_decision)(void *run_instance);
  int (*load_decision)(void *instance);
  int (*save_result)(void *instance);
  int (*merge_result)(void *run_instance);
  int (*report_run)(void *run_instance);

  void (*close)(void *instance); /* also after an `open` that failed, if it gave an instance; memory
                                    from `resize` needs none */
} MillStageOps;

struct MillStage {
  uint32_t size;
  uint32_t scope;
  uint32_t flags;
  uint32_t options_size; /* sizeof your options struct */
  const char *name;      /* kebab-case; from outside of stagemill with the vendor: "acme.heat" */
  const char *family;    /* "clock", "comm", ... */
  const char *version;
  const char *tag;   /* 2 to 6 capitals: in logs and in notice codes */
  const char *title; /* one line */
  const char *help;  /* a paragraph */
  /* Facts, each list ending in NULL (or NULL): `stagemill list facts`.  The planner inserts what
   * order.* needs; any other missing fact is an error it explains. */
  const char *const *needs;
  const char *const *wants; /* used when present: see has_fact */
  const char *const *provides;
  const char *const *spoils;
  const char *const *private_attrs; /* removed after the last stage that reads them */
  MillOptionRows options;
  MillNoticeRows notices;
  MillReadRows reads;
  MillTableRows tables; /* names of tables, metrics, aliases and figures: bare; the program adds the vendor */
  MillMetricRows metrics;
  MillFigureRows figures;
  const MillStageOps *ops;
  const void *user; /* yours: for descriptors that are made at run time; `open` gets the descriptor */
  const void *(*extension)(const char *id); /* MILL_EXAMPLES; NULL for what you do not know */
};

/* Once per module: MILL_STAGE_MODULE(stage, "vendor", "MIT"); */
#define MILL_STAGE_MODULE(stage_, vendor_, licence_) \
  MILL_MODULE_OF(MILL_KIND_STAGE, MillStage, stage_, vendor_, licence_)

#ifdef __cplusplus
}
#endif
#endif
