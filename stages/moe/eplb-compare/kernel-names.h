/* The classes of kernels, found by their names. */
/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_NAMES_H
#define KERNEL_NAMES_H

#include <stddef.h>
#include <stdint.h>

enum { /* a name may be of several */
       KERNEL_MOE = 1 << 0,
       KERNEL_FUSED = 1 << 1, /* of MoE */
       KERNEL_NCCL = 1 << 2,
       KERNEL_ALLTOALL = 1 << 3,  /* of NCCL */
       KERNEL_SENDRECV = 1 << 4,  /* of NCCL */
       KERNEL_ALLREDUCE = 1 << 5, /* of NCCL */
       KERNEL_ATTENTION = 1 << 6,
       KERNEL_CACHE = 1 << 7 /* writes the key-value cache */
};

/* Case does not matter. */
uint32_t kernel_classes(const char *name, size_t len);

#endif
