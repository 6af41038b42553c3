/* The rules of modules that --verify looks after, by the ids that its messages end with. */
/* SPDX-License-Identifier: MIT */
#ifndef HOST_VERIFY_IDS_H
#define HOST_VERIFY_IDS_H

#include <stddef.h>

typedef struct VerifyId {
  const char *id;   /* "false-order" */
  const char *what; /* what the module did, after "the stage, source or sink" */
} VerifyId;

const VerifyId *verify_ids(size_t *out_n);

#endif
