/* The tables that events are made of: one row here for each, and no code of its own.
 *
 * Columns that a database does not have are left out; `start` and `end` are all that a table must have. */
/* SPDX-License-Identifier: MIT */
#include "nsys-sqlite.h"

#define LIST_OF(rows_) .attrs = (rows_), .n_attrs = MILL_COUNT(rows_)

static const TableAttr of_kernels[] = {
  { KEY_CORRELATION, ATTR_INT, "correlationId" },
  { KEY_CONTEXT, ATTR_INT, "contextId" },
  { KEY_GRID, ATTR_LIST, "gridX,gridY,gridZ" },
  { KEY_BLOCK, ATTR_LIST, "blockX,blockY,blockZ" },
  { KEY_REGISTERS, ATTR_INT, "registersPerThread" },
  { KEY_SHARED, ATTR_SUM, "staticSharedMemory,dynamicSharedMemory" },
  { KEY_GRAPH, ATTR_INT, "graphId" },
  { KEY_NODE, ATTR_INT, "graphNodeId" },
  { KEY_SHORT, ATTR_STRING, "shortName" },
  { KEY_MANGLED, ATTR_STRING, "mangledName" },
};
static const TableAttr of_copies[] = {
  { KEY_CORRELATION, ATTR_INT, "correlationId" },
  { KEY_CONTEXT, ATTR_INT, "contextId" },
  { KEY_BYTES, ATTR_BYTES, "bytes" },
  { KEY_GRAPH, ATTR_INT, "graphId" },
  { KEY_NODE, ATTR_INT, "graphNodeId" },
};
static const TableAttr of_calls[] = {
  { KEY_CORRELATION, ATTR_INT, "correlationId" },
  { KEY_RETURNED, ATTR_INT, "returnValue" },
};
static const TableAttr of_waits[] = {
  { KEY_CORRELATION, ATTR_INT, "correlationId" },
  { KEY_CONTEXT, ATTR_INT, "contextId" },
};
static const TableAttr of_ranges[] = {
  { KEY_DOMAIN, ATTR_INT, "domainId" },
  { KEY_CATEGORY, ATTR_INT, "category" },
  { KEY_PAYLOAD, ATTR_ANY,
    "int64Value,uint64Value,int32Value,uint32Value,doubleValue,floatValue,jsonText" },
};
static const TableAttr of_libraries[] = {
  { KEY_RETURNED, ATTR_INT, "returnValue" },
};
static const TableAttr of_messages[] = {
  { KEY_BYTES, ATTR_INT, "size" },
  { KEY_TAG, ATTR_INT, "tag" },
  { KEY_REMOTE, ATTR_INT, "remoteRank" },
};

#define MESSAGES(table_)                                                                           \
  {                                                                                                \
    .table = (table_), .cat = "mpi", .role = ROLE_HOST, .kind = NAME_STRING, .owner = "globalTid", \
    .name = { "textId" }, LIST_OF(of_messages)                                                     \
  }

const TableSpec nsql_tables[] = {
  { .table = "CUPTI_ACTIVITY_KIND_KERNEL",
    .cat = "kernel",
    .role = ROLE_DEVICE,
    .kind = NAME_STRING,
    .owner = "globalPid",
    .name = { "demangledName", "shortName", "mangledName" },
    LIST_OF(of_kernels) },
  { .table = "CUPTI_ACTIVITY_KIND_MEMCPY",
    .cat = "gpu_memcpy",
    .role = ROLE_DEVICE,
    .kind = NAME_COPY,
    .owner = "globalPid",
    .name = { "copyKind", "srcKind", "dstKind" },
    LIST_OF(of_copies) },
  { .table = "CUPTI_ACTIVITY_KIND_MEMSET",
    .cat = "gpu_memset",
    .role = ROLE_DEVICE,
    .kind = NAME_FILL,
    .owner = "globalPid",
    .name = { "memKind" },
    LIST_OF(of_copies) },
  { .table = "CUPTI_ACTIVITY_KIND_RUNTIME",
    .cat = "cuda_runtime",
    .role = ROLE_CALL,
    .kind = NAME_CALL,
    .owner = "globalTid",
    .name = { "nameId" },
    LIST_OF(of_calls) },
  { .table = "NVTX_EVENTS",
    .cat = "user_annotation",
    .role = ROLE_RANGE,
    .kind = NAME_RANGE,
    .owner = "globalTid",
    .name = { "text", "textId", "eventType" },
    LIST_OF(of_ranges) },
  { .table = "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
    .cat = "cuda_sync",
    .role = ROLE_ASIDE,
    .kind = NAME_SYNC,
    .owner = "globalPid",
    .name = { "syncType" },
    .word = "synchronization",
    .labels = "ENUM_CUPTI_SYNC_TYPE",
    LIST_OF(of_waits) },
  { .table = "CUPTI_ACTIVITY_KIND_OVERHEAD",
    .cat = "overhead",
    .role = ROLE_ASIDE,
    .kind = NAME_OVERHEAD,
    .owner = "globalTid",
    .name = { "overheadKind" },
    .word = "overhead",
    .labels = "ENUM_CUPTI_OVERHEAD_TYPE" },
  { .table = "PROFILER_OVERHEAD",
    .cat = "overhead",
    .role = ROLE_ASIDE,
    .kind = NAME_STRING,
    .owner = "globalTid",
    .name = { "nameId" },
    .word = "profiler overhead" },
  { .table = "CUPTI_ACTIVITY_KIND_CUDA_EVENT",
    .cat = "cuda_event",
    .role = ROLE_ASIDE,
    .kind = NAME_EVENT,
    .owner = "globalPid",
    .name = { "eventId" },
    .word = "event",
    .labels = "",
    LIST_OF(of_waits) },
  { .table = "OSRT_API",
    .cat = "osrt",
    .role = ROLE_HOST,
    .kind = NAME_STRING,
    .owner = "globalTid",
    .name = { "nameId" },
    LIST_OF(of_libraries) },
  { .table = "CUBLAS_EVENTS",
    .cat = "cublas",
    .role = ROLE_HOST,
    .kind = NAME_STRING,
    .owner = "globalTid",
    .name = { "nameId" } },
  { .table = "CUDNN_EVENTS",
    .cat = "cudnn",
    .role = ROLE_HOST,
    .kind = NAME_STRING,
    .owner = "globalTid",
    .name = { "nameId" } },
  MESSAGES("MPI_P2P_EVENTS"),
  MESSAGES("MPI_COLLECTIVES_EVENTS"),
  MESSAGES("MPI_START_WAIT_EVENTS"),
  MESSAGES("MPI_OTHER_EVENTS"),
  { .table = "GPU_METRICS",
    .cat = "gpu_metrics",
    .role = ROLE_COUNTER,
    .kind = NAME_METRIC,
    .start = "timestamp",
    .name = { "metricId", "typeId", "value" } },
};

bool table_is_there(const Source *s, const TableSpec *t)
{
  if (t->role == ROLE_COUNTER)
    return schema_has(s, t->table, "timestamp") && schema_has(s, t->table, "value");
  return schema_has(s, t->table, "start") && schema_has(s, t->table, "end");
}

const char *const nsql_keys[N_EVENT_KEYS] = {
  [KEY_CORRELATION] = "correlation",
  [KEY_DEVICE_ID] = "device",
  [KEY_STREAM] = "stream",
  [KEY_CONTEXT] = "context",
  [KEY_GRID] = "grid",
  [KEY_BLOCK] = "block",
  [KEY_REGISTERS] = "registers per thread",
  [KEY_SHARED] = "shared memory",
  [KEY_BYTES] = "bytes",
  [KEY_BANDWIDTH] = "memory bandwidth (GB/s)",
  [KEY_GRAPH] = "graph id",
  [KEY_NODE] = "graph node id",
  [KEY_SHORT] = "short name",
  [KEY_MANGLED] = "mangled name",
  [KEY_RETURNED] = "return value",
  [KEY_DOMAIN] = "domain",
  [KEY_CATEGORY] = "category",
  [KEY_PAYLOAD] = "payload",
  [KEY_TAG] = "tag",
  [KEY_REMOTE] = "remote rank",
  [KEY_VALUE] = "value",
  [KEY_ROW_NAME] = "name",
  [KEY_DIMS] = "Input Dims",
  [KEY_TEXT] = "annotation",
};
