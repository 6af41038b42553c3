/* Tests of categorise/class.c: the class of names, in both dialects. */
/* SPDX-License-Identifier: MIT */
#include "class.h"

#include <stagemill/harness.h>
#include <string.h>

#include "check.h"

static const char *of(ClassFacts facts, const char *name)
{
  return class_names[class_of(facts, name, strlen(name))];
}

static const ClassFacts plain = { 0 }, kernel = { .computes = true },
                        group = { .is_collective = true }, torch = { .is_torch = true },
                        torch_group = { .is_torch = true, .is_collective = true };

static void every_class_has_a_name(void)
{
  for (int i = CLASS_OTHER; i < N_CLASSES; i++) CHECK(class_names[i] != NULL);
}

static void work_of_the_device(void)
{
  CHECK_STR(of(plain, "x Cmpt Prep"), "COMPUTE_PREP");
  CHECK_STR(of(kernel, "x Cmpt Exec"), "COMPUTE_EXEC");
  CHECK_STR(of(kernel, "x Cmpt Prep"), "COMPUTE_PREP");
  CHECK_STR(of(plain, "x DmaI"), "DATA_IN");
  CHECK_STR(of(plain, "x DmaO"), "DATA_OUT");
  CHECK_STR(of(plain, "Memcpy (HtoD)"), "OTHER");
  CHECK_STR(of(plain, "x"), "OTHER");
  CHECK_STR(of(plain, ""), "OTHER");
}

static void later_rules_go_before_earlier_ones(void)
{
  CHECK_STR(of(plain, "Compute of foo"), "SEN_DATA_CONVERT");
  CHECK_STR(of(plain, "Compute of SenFusedDeviceNode_0"), "OTHER");
  CHECK_STR(of(plain, "SenFusedDeviceNode Compute of x"), "SEN_DATA_CONVERT");
  CHECK_STR(of(kernel, "Compute of a Cmpt Exec"), "SEN_DATA_CONVERT");
  CHECK_STR(of(plain, "PrepareAndSyncRdma"), "MAIU_WIREUP");
  CHECK_STR(of(plain, "aiuPrepareAndSyncRdma"), "OTHER");
  CHECK_STR(of(plain, "Barrier: x"), "MAIU_BARRIER");
  CHECK_STR(of(plain, "Compute of barrier: x"), "MAIU_BARRIER");
  CHECK_STR(of(plain, "Flex RoundTrip"), "ROUNDTRIP_FLEX");
  CHECK_STR(of(plain, "Flex RoundTrip 2"), "OTHER");
  CHECK_STR(of(plain, "Barrier: AIU Roundtrip 2"), "ROUNDTRIP_AIU");
}

static void torch_has_words_of_its_own(void)
{
  CHECK_STR(of(torch, "Memcpy (HtoD)"), "DATA_IN");
  CHECK_STR(of(torch, "my memcpy (DtoH) (Device -> Pageable)"), "DATA_OUT");
  CHECK_STR(of(torch, "x DmaI"), "OTHER");
  CHECK_STR(of(torch, "aiuDataConvert"), "SEN_DATA_CONVERT");
  CHECK_STR(of(torch, "Compute of foo"), "OTHER");
  CHECK_STR(of(torch, "aiuPrepareAndSyncRdma"), "MAIU_WIREUP");
  CHECK_STR(of(torch, "aiuLaunchSuperNode"), "ROUNDTRIP_FLEX");
  CHECK_STR(of(torch, "aiuSuperNodeExecution"), "ROUNDTRIP_FLEX");
  CHECK_STR(of(torch_group, "HCOLL Signal"), "MAIU_HDMA_PROTOCOL_SIGNAL_DATA");
}

static void steps_of_collectives_through_the_host(void)
{
  CHECK_STR(of(group, "Host DMA Wdone DmaI"), "MAIU_HDMA_PROTOCOL_WAIT_DATA");
  CHECK_STR(of(group, "Host DMA Wait for Notice (gather notifications)"),
            "MAIU_HDMA_PROTOCOL_WAIT_DATA");
  CHECK_STR(of(group, "HCOLL Wait for ACK"), "MAIU_HDMA_PROTOCOL_WAIT_ACK");
  CHECK_STR(of(group, "Host DMA Send ACK Instruction"), "MAIU_HDMA_PROTOCOL_SIGNAL_ACK");
  CHECK_STR(of(group, "Host DMA Send Instruction DmaO"), "MAIU_HDMA_PROTOCOL_SIGNAL_DATA");
  CHECK_STR(of(group, "Host DMA Wait for Notice"), "MAIU_HDMA_PROTOCOL_MONITOR_NOTICE");
  CHECK_STR(of(group, "Host DMA DmaO"), "MAIU_HDMA_PROTOCOL_SEND_DATA");
  CHECK_STR(of(group, "HCOLL x DmaI"), "MAIU_HDMA_PROTOCOL_RECV_DATA");
  CHECK_STR(of(group, "HCOLL x"), "OTHER");
  CHECK_STR(of(plain, "Host DMA Wait for ACK"), "OTHER");
}

static void steps_of_collectives_between_devices(void)
{
  CHECK_STR(of(group, "DLM Wait DmaI"), "MAIU_HDMA_PROTOCOL_WAIT_DATA");
  CHECK_STR(of(group, "Set BcList DmaO"), "MAIU_PROTOCOL_SERIAL");
  CHECK_STR(of(group, "Xseg to rank 3"), "MAIU_PROTOCOL_SERIAL");
  CHECK_STR(of(group, "SenRdmaSend_1 DmaO"), "MAIU_P2PRDMA_PROTOCOL_SEND_DATA");
  CHECK_STR(of(group, "SenRdmaRecv_1 DmaI"), "MAIU_P2PRDMA_PROTOCOL_RECV_DATA");
  CHECK_STR(of(group, "Barrier: x"), "MAIU_BARRIER");
  CHECK_STR(of((ClassFacts){ .computes = true, .is_collective = true }, "AllReduce Cmpt Exec"),
            "COMPUTE_EXEC");
}

TEST_MAIN({ "every class has a name", every_class_has_a_name },
          { "work of the device", work_of_the_device },
          { "later rules go before earlier ones", later_rules_go_before_earlier_ones },
          { "torch has words of its own", torch_has_words_of_its_own },
          { "steps of collectives through the host", steps_of_collectives_through_the_host },
          { "steps of collectives between devices", steps_of_collectives_between_devices })
