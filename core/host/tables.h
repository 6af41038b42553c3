/* The host tables of an instance: what a module calls. */
/* SPDX-License-Identifier: MIT */
#ifndef HOST_TABLES_H
#define HOST_TABLES_H

#include "host/state.h"

/* By the kind of its module. */
void host_tables_init(Instance *i);
/* Whether the module wrote into them.  They are put right, so that the run ends with this error. */
bool host_tables_changed(Instance *i);

/* ---- one file each */
void host_common_init(MillHost *host);
void host_stage_init(MillStageHost *host, const MillHost *common);
void host_source_init(MillSourceHost *host, const MillHost *common);
void host_sink_init(MillSinkHost *host, const MillHost *common);

#endif
