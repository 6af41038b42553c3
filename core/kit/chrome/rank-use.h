/* How many lanes have each rank: found once a run, because each of very many lanes asks. */
#ifndef KIT_CHROME_RANK_USE_H
#define KIT_CHROME_RANK_USE_H

#include <stagemill/types.h>

typedef struct RankUse RankUse;

/* owns: of a lane that counts among the owners, too. */
RankUse *rank_use_new(const MillHost *common, bool (*owns)(const MillLane *lane));
void rank_use_free(RankUse *u); /* NULL is fine */
uint32_t rank_use_count(const RankUse *u, int64_t rank);
uint32_t rank_use_owners(const RankUse *u, int64_t rank);

#endif
