/* Stages, profiles, metrics and rules described in full: for `show` and for man pages. */
/* SPDX-License-Identifier: MIT */
#ifndef CMD_DESCRIBE_H
#define CMD_DESCRIBE_H

#include "base/json-write.h"
#include "cmd/page.h"
#include "plan/profile.h"
#include "plan/rule.h"

void describe_stage(Page *p, const Module *m);
void describe_profile(Page *p, const Profile *profile);
void describe_metric(Page *p, const Descriptor *stage, const MillMetric *metric);
void describe_rule(Page *p, const Rule *rule, const GPtrArray *profiles); /* char *: that list it */
/* Each as an object; errors as items of a list. */
void describe_stage_json(JsonWriter *out, const Module *m);
void describe_profile_json(JsonWriter *out, const Profile *profile);
void describe_profile_figures_json(JsonWriter *out,
                                   const Profile *profile); /* the member "figures" */
void describe_metric_json(JsonWriter *out, const Descriptor *stage, const MillMetric *metric);
void describe_rule_json(JsonWriter *out, const Rule *rule, const GPtrArray *profiles);
void describe_error_json(JsonWriter *out, const Error *e);

/* What the metric is made from: facts, and how many inputs `metric` takes; g_free. */
char *describe_metric_inputs(const Descriptor *stage, const MillMetric *metric);
const char *describe_read(const MillRead *read); /* the name of the attribute */
const char *describe_metric_unit(const MillMetric *metric);
const char *describe_better(const MillMetric *metric); /* "lower", "higher" or NULL */

#endif
