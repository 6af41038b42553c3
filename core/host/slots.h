/* Which instance each thread is inside of, for whoever ends a run that does not end: readable at any time,
 * by any thread, without locks. */
/* SPDX-License-Identifier: MIT */
#ifndef HOST_SLOTS_H
#define HOST_SLOTS_H

typedef struct Instance Instance;

enum { SLOTS = 512 }; /* threads beyond share slots: only a name is lost */

void slot_set(const Instance *i); /* of this thread; NULL: it is in none */
const Instance *slot_at(unsigned index);

#endif
