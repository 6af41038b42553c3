/* A shared object that exports something else. */
/* SPDX-License-Identifier: MIT */
int mill_module_v0;
