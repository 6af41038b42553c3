BEGIN TRANSACTION;
CREATE TABLE "_column" ("table" TEXT, "column" TEXT, unit TEXT, type TEXT, key INTEGER, better TEXT, help TEXT);
INSERT INTO "_column" VALUES('eplb-insights','insight',NULL,'text',1,NULL,'Name of the insight');
INSERT INTO "_column" VALUES('eplb-insights','unit',NULL,'text',0,NULL,'Unit of off and on');
INSERT INTO "_column" VALUES('eplb-insights','off',NULL,'real',0,NULL,'Value without EPLB');
INSERT INTO "_column" VALUES('eplb-insights','on',NULL,'real',0,NULL,'Value with EPLB');
INSERT INTO "_column" VALUES('eplb-insights','change_pct','pct','real',0,NULL,'(on - off) / off; empty from 0 to something else');
INSERT INTO "_column" VALUES('eplb-insights','text',NULL,'text',0,NULL,'The insight in words');
INSERT INTO "_column" VALUES('eplb-insights','position',NULL,'int',0,NULL,'Order of the rows');
INSERT INTO "_column" VALUES('eplb-compare','row',NULL,'text',1,NULL,'Name of the compared value');
INSERT INTO "_column" VALUES('eplb-compare','unit',NULL,'text',0,NULL,'Unit of off and on');
INSERT INTO "_column" VALUES('eplb-compare','off',NULL,'real',0,NULL,'Value without EPLB');
INSERT INTO "_column" VALUES('eplb-compare','on',NULL,'real',0,NULL,'Value with EPLB');
INSERT INTO "_column" VALUES('eplb-compare','change_pct','pct','real',0,NULL,'(on - off) / off; empty from 0 to something else');
INSERT INTO "_column" VALUES('eplb-compare','verdict',NULL,'text',0,NULL,'better: on is lower; worse: on is higher; same: equal; neutral: neither direction is better');
INSERT INTO "_column" VALUES('eplb-compare','position',NULL,'int',0,NULL,'Order of the rows');
INSERT INTO "_column" VALUES('kernel-class','label',NULL,'text',1,NULL,'off or on');
INSERT INTO "_column" VALUES('kernel-class','position',NULL,'int',0,NULL,'Order of the classes');
INSERT INTO "_column" VALUES('kernel-class','class',NULL,'text',1,NULL,'Class by the kernel''s name; a kernel may have several');
INSERT INTO "_column" VALUES('kernel-class','kernels','count','int',0,NULL,'Rows of the kernel table');
INSERT INTO "_column" VALUES('kernel-class','total_ns','ns','int',0,'lower','Sum of their times');
INSERT INTO "_column" VALUES('kernel-class','share_percent','percent','real',0,NULL,'Share of the time of all kernels of the side');
INSERT INTO "_column" VALUES('kernel-class','count','count','int',0,NULL,'Number of calls');
INSERT INTO "_column" VALUES('kernel-class','avg_ns','ns','real',0,'lower','Time of a call: total / count');
INSERT INTO "_column" VALUES('kernel-class','med_ns','ns','real',0,'lower','Median time of a call; empty for more than one kernel');
INSERT INTO "_column" VALUES('kernel-class','min_ns','ns','int',0,NULL,'Shortest call');
INSERT INTO "_column" VALUES('kernel-class','max_ns','ns','int',0,'lower','Longest call');
INSERT INTO "_column" VALUES('kernel-class','std_ns','ns','real',0,NULL,'Standard deviation of all calls, merged from the rows');
INSERT INTO "_column" VALUES('eplb-top','label',NULL,'text',1,NULL,'off or on');
INSERT INTO "_column" VALUES('eplb-top','place',NULL,'int',1,NULL,'Position by time; 1 is the longest');
INSERT INTO "_column" VALUES('eplb-top','kernel',NULL,'text',0,NULL,'Name of the kernel');
INSERT INTO "_column" VALUES('eplb-top','total_ns','ns','int',0,'lower','Time of all calls');
INSERT INTO "_column" VALUES('eplb-top','count','count','int',0,NULL,'Number of calls');
INSERT INTO "_column" VALUES('eplb-top','share_percent','percent','real',0,NULL,'Share of the time of all kernels of the side');
CREATE TABLE "_metric" (name TEXT, stat TEXT, lane INTEGER, rank INTEGER, label TEXT, input TEXT, "group" TEXT, value, unit TEXT, n INTEGER, better TEXT, reason TEXT, help TEXT);
INSERT INTO "_metric" VALUES('eplb_change',NULL,NULL,NULL,NULL,NULL,NULL,-7.98397207048962531672e+00,'percent',24,'lower',NULL,'Change of the time of all kernels by EPLB: (on - off) / off');
INSERT INTO "_metric" VALUES('eplb_improved',NULL,NULL,NULL,NULL,NULL,NULL,8,'count',8,'higher',NULL,'Number of counted rows of the table eplb-compare that are better with EPLB; totals of other rows do not count');
INSERT INTO "_metric" VALUES('eplb_compared',NULL,NULL,NULL,NULL,NULL,NULL,8,'count',8,NULL,NULL,'Number of counted rows of the table eplb-compare that are better or worse with EPLB; equal rows do not count');
INSERT INTO "_metric" VALUES('eplb_comparison',NULL,NULL,NULL,NULL,NULL,NULL,'{
  "schema_version": "1.0",
  "baseline": {
    "label": "EPLB OFF (Baseline)",
    "moe_kernels": [
      "void vllm::moe::topkGating<(int)8, (int)128, (int)4, (int)16, (int)32, int>(const float *, const bool *, float *, int, T6 *, int *, int, int, int)",
      "void vllm::moe::moe_align_block_size_kernel<int>(T1 *, int *, int *, int *, int, int, int, unsigned long)",
      "fused_moe_kernel"
    ],
    "moe_total_time_ms": 10099.232,
    "moe_time_pct": 30.349999999999998,
    "moe_instances": 149760,
    "fused_moe_total_ms": 9308.0,
    "fused_moe_avg_us": 186.45,
    "fused_moe_min_us": 21.504,
    "fused_moe_max_us": 1893.0,
    "fused_moe_std_us": 121.53,
    "fused_moe_instances": 49920,
    "fused_moe_max_min_ratio": 88.03013392857143,
    "fused_moe_cv": 0.651810136765889,
    "fused_moe_med_us": 171.264,
    "fused_moe_med_mean_ratio": 0.9185518905872888,
    "nccl_kernels": [
      "ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<(unsigned long)4096>)",
      "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<(unsigned long)4096>)",
      "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<(unsigned long)4096>)"
    ],
    "nccl_total_time_ms": 17496.358,
    "nccl_time_pct": 52.58,
    "nccl_instances": 75920,
    "allreduce_total_ms": 10293.0,
    "allreduce_instances": 24960,
    "attention_total_ms": 1947.325,
    "attention_time_pct": 5.85,
    "top5_kernels": [
      {
        "name": "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<(unsigned long)4096>)",
        "total_ms": 10293.0,
        "pct": 30.93,
        "instances": 24960
      },
      {
        "name": "fused_moe_kernel",
        "total_ms": 9308.0,
        "pct": 27.97,
        "instances": 49920
      },
      {
        "name": "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<(unsigned long)4096>)",
        "total_ms": 6575.0,
        "pct": 19.76,
        "instances": 49920
      },
      {
        "name": "void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_128x128_32x5_tn_align8>(T1::Params)",
        "total_ms": 3610.0,
        "pct": 10.85,
        "instances": 74880
      },
      {
        "name": "void flash::flash_fwd_splitkv_kernel<Flash_fwd_kernel_traits<(int)128, (int)64, (int)128, (int)4, (bool)0, (bool)0, cutlass::bfloat16_t, Flash_kernel_traits<(int)128, (int)64, (int)128, (int)4, cutlass::bfloat16_t>>, (bool)1>(flash::Flash_fwd_params)",
        "total_ms": 1838.0,
        "pct": 5.52,
        "instances": 24960
      }
    ],
    "total_kernel_time_ms": 33280.088464,
    "total_kernel_instances": 408721
  },
  "eplb": {
    "label": "EPLB ON",
    "moe_kernels": [
      "void vllm::moe::topkGating<(int)8, (int)128, (int)4, (int)16, (int)32, int>(const float *, const bool *, float *, int, T6 *, int *, int, int, int)",
      "void vllm::moe::moe_align_block_size_kernel<int>(T1 *, int *, int *, int *, int, int, int, unsigned long)",
      "fused_moe_kernel"
    ],
    "moe_total_time_ms": 8730.224,
    "moe_time_pct": 28.51,
    "moe_instances": 149760,
    "fused_moe_total_ms": 7934.0,
    "fused_moe_avg_us": 158.93,
    "fused_moe_min_us": 21.248,
    "fused_moe_max_us": 1171.0,
    "fused_moe_std_us": 79.31,
    "fused_moe_instances": 49920,
    "fused_moe_max_min_ratio": 55.111069277108435,
    "fused_moe_cv": 0.49902472786761465,
    "fused_moe_med_us": 152.576,
    "fused_moe_med_mean_ratio": 0.9600201346504751,
    "nccl_kernels": [
      "ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<(unsigned long)4096>)",
      "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<(unsigned long)4096>)",
      "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<(unsigned long)4096>)"
    ],
    "nccl_total_time_ms": 16206.234,
    "nccl_time_pct": 52.92,
    "nccl_instances": 78000,
    "allreduce_total_ms": 10132.0,
    "allreduce_instances": 24960,
    "attention_total_ms": 1949.2,
    "attention_time_pct": 6.37,
    "top5_kernels": [
      {
        "name": "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<(unsigned long)4096>)",
        "total_ms": 10132.0,
        "pct": 33.09,
        "instances": 24960
      },
      {
        "name": "fused_moe_kernel",
        "total_ms": 7934.0,
        "pct": 25.91,
        "instances": 49920
      },
      {
        "name": "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<(unsigned long)4096>)",
        "total_ms": 5440.0,
        "pct": 17.76,
        "instances": 52000
      },
      {
        "name": "void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_128x128_32x5_tn_align8>(T1::Params)",
        "total_ms": 3608.0,
        "pct": 11.78,
        "instances": 74880
      },
      {
        "name": "void flash::flash_fwd_splitkv_kernel<Flash_fwd_kernel_traits<(int)128, (int)64, (int)128, (int)4, (bool)0, (bool)0, cutlass::bfloat16_t, Flash_kernel_traits<(int)128, (int)64, (int)128, (int)4, cutlass::bfloat16_t>>, (bool)1>(flash::Flash_fwd_params)",
        "total_ms": 1840.0,
        "pct": 6.01,
        "instances": 24960
      }
    ],
    "total_kernel_time_ms": 30623.015496,
    "total_kernel_instances": 411841
  },
  "comparison": {
    "improved_count": 8,
    "total_count": 8
  }
}',NULL,24,NULL,NULL,'Both kernel tables by class, and the number of improved values: an object with the definitions of CCL-Bench, null if a table lacks a column');
INSERT INTO "_metric" VALUES('communication_overhead',NULL,NULL,NULL,NULL,NULL,NULL,'{
  "schema_version": "1.0",
  "baseline": {
    "label": "EPLB OFF (Baseline)",
    "moe_kernels": [
      "void vllm::moe::topkGating<(int)8, (int)128, (int)4, (int)16, (int)32, int>(const float *, const bool *, float *, int, T6 *, int *, int, int, int)",
      "void vllm::moe::moe_align_block_size_kernel<int>(T1 *, int *, int *, int *, int, int, int, unsigned long)",
      "fused_moe_kernel"
    ],
    "moe_total_time_ms": 10099.232,
    "moe_time_pct": 30.349999999999998,
    "moe_instances": 149760,
    "fused_moe_total_ms": 9308.0,
    "fused_moe_avg_us": 186.45,
    "fused_moe_min_us": 21.504,
    "fused_moe_max_us": 1893.0,
    "fused_moe_std_us": 121.53,
    "fused_moe_instances": 49920,
    "fused_moe_max_min_ratio": 88.03013392857143,
    "fused_moe_cv": 0.651810136765889,
    "fused_moe_med_us": 171.264,
    "fused_moe_med_mean_ratio": 0.9185518905872888,
    "nccl_kernels": [
      "ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<(unsigned long)4096>)",
      "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<(unsigned long)4096>)",
      "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<(unsigned long)4096>)"
    ],
    "nccl_total_time_ms": 17496.358,
    "nccl_time_pct": 52.58,
    "nccl_instances": 75920,
    "allreduce_total_ms": 10293.0,
    "allreduce_instances": 24960,
    "attention_total_ms": 1947.325,
    "attention_time_pct": 5.85,
    "top5_kernels": [
      {
        "name": "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<(unsigned long)4096>)",
        "total_ms": 10293.0,
        "pct": 30.93,
        "instances": 24960
      },
      {
        "name": "fused_moe_kernel",
        "total_ms": 9308.0,
        "pct": 27.97,
        "instances": 49920
      },
      {
        "name": "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<(unsigned long)4096>)",
        "total_ms": 6575.0,
        "pct": 19.76,
        "instances": 49920
      },
      {
        "name": "void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_128x128_32x5_tn_align8>(T1::Params)",
        "total_ms": 3610.0,
        "pct": 10.85,
        "instances": 74880
      },
      {
        "name": "void flash::flash_fwd_splitkv_kernel<Flash_fwd_kernel_traits<(int)128, (int)64, (int)128, (int)4, (bool)0, (bool)0, cutlass::bfloat16_t, Flash_kernel_traits<(int)128, (int)64, (int)128, (int)4, cutlass::bfloat16_t>>, (bool)1>(flash::Flash_fwd_params)",
        "total_ms": 1838.0,
        "pct": 5.52,
        "instances": 24960
      }
    ],
    "total_kernel_time_ms": 33280.088464,
    "total_kernel_instances": 408721
  },
  "eplb": {
    "label": "EPLB ON",
    "moe_kernels": [
      "void vllm::moe::topkGating<(int)8, (int)128, (int)4, (int)16, (int)32, int>(const float *, const bool *, float *, int, T6 *, int *, int, int, int)",
      "void vllm::moe::moe_align_block_size_kernel<int>(T1 *, int *, int *, int *, int, int, int, unsigned long)",
      "fused_moe_kernel"
    ],
    "moe_total_time_ms": 8730.224,
    "moe_time_pct": 28.51,
    "moe_instances": 149760,
    "fused_moe_total_ms": 7934.0,
    "fused_moe_avg_us": 158.93,
    "fused_moe_min_us": 21.248,
    "fused_moe_max_us": 1171.0,
    "fused_moe_std_us": 79.31,
    "fused_moe_instances": 49920,
    "fused_moe_max_min_ratio": 55.111069277108435,
    "fused_moe_cv": 0.49902472786761465,
    "fused_moe_med_us": 152.576,
    "fused_moe_med_mean_ratio": 0.9600201346504751,
    "nccl_kernels": [
      "ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<(unsigned long)4096>)",
      "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<(unsigned long)4096>)",
      "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<(unsigned long)4096>)"
    ],
    "nccl_total_time_ms": 16206.234,
    "nccl_time_pct": 52.92,
    "nccl_instances": 78000,
    "allreduce_total_ms": 10132.0,
    "allreduce_instances": 24960,
    "attention_total_ms": 1949.2,
    "attention_time_pct": 6.37,
    "top5_kernels": [
      {
        "name": "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<(unsigned long)4096>)",
        "total_ms": 10132.0,
        "pct": 33.09,
        "instances": 24960
      },
      {
        "name": "fused_moe_kernel",
        "total_ms": 7934.0,
        "pct": 25.91,
        "instances": 49920
      },
      {
        "name": "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<(unsigned long)4096>)",
        "total_ms": 5440.0,
        "pct": 17.76,
        "instances": 52000
      },
      {
        "name": "void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_128x128_32x5_tn_align8>(T1::Params)",
        "total_ms": 3608.0,
        "pct": 11.78,
        "instances": 74880
      },
      {
        "name": "void flash::flash_fwd_splitkv_kernel<Flash_fwd_kernel_traits<(int)128, (int)64, (int)128, (int)4, (bool)0, (bool)0, cutlass::bfloat16_t, Flash_kernel_traits<(int)128, (int)64, (int)128, (int)4, cutlass::bfloat16_t>>, (bool)1>(flash::Flash_fwd_params)",
        "total_ms": 1840.0,
        "pct": 6.01,
        "instances": 24960
      }
    ],
    "total_kernel_time_ms": 30623.015496,
    "total_kernel_instances": 411841
  },
  "comparison": {
    "improved_count": 8,
    "total_count": 8
  }
}',NULL,24,NULL,NULL,'The object eplb_comparison, for tables that have all columns that it needs');
CREATE TABLE "_notice" (code TEXT, level TEXT, count INTEGER, what TEXT, effect TEXT, help TEXT);
CREATE TABLE "_run" (key TEXT, value TEXT);
INSERT INTO "_run" VALUES('program','stagemill');
INSERT INTO "_run" VALUES('version','VERSION');
INSERT INTO "_run" VALUES('profile','eplb');
INSERT INTO "_run" VALUES('title','Compares two kernel tables, off=A.csv on=B.csv: the effect of expert load balancing on MoE, communication and attention.');
INSERT INTO "_run" VALUES('tags','file');
INSERT INTO "_run" VALUES('inputs','2');
INSERT INTO "_run" VALUES('lanes','2');
INSERT INTO "_run" VALUES('events','24');
CREATE TABLE "eplb-compare" ("row" TEXT, "unit" TEXT, "off" REAL, "on" REAL, "change_pct" REAL, "verdict" TEXT, "position" INTEGER);
INSERT INTO "eplb-compare" VALUES('kernel_total','ms',33280.088464,30623.015496,-7.98397207048962709308e+00,'better',1);
INSERT INTO "eplb-compare" VALUES('fused_moe_total','ms',9308.0,7934.0,-1.47614954877524713334e+01,'better',2);
INSERT INTO "eplb-compare" VALUES('fused_moe_avg','us',1.86458333333333342802e+02,1.58934294871794861599e+02,-1.47614954877524802152e+01,'better',3);
INSERT INTO "eplb-compare" VALUES('fused_moe_max','us',1893.0,1171.0,-3.81405176967776071705e+01,'better',4);
INSERT INTO "eplb-compare" VALUES('fused_moe_std','us',121.53,79.31,-3.47403933185221731601e+01,'better',5);
INSERT INTO "eplb-compare" VALUES('fused_moe_cv','ratio',6.51781005586592132594e-01,4.99011242752709860415e-01,-2.34388178735573937672e+01,'better',6);
INSERT INTO "eplb-compare" VALUES('fused_moe_max_min','ratio',8.80301339285714305998e+01,5.51110692771084345045e+01,-37.3952227292689,'better',7);
INSERT INTO "eplb-compare" VALUES('nccl_total','ms',17496.358,16206.234,-7.37367170927800952284e+00,'better',8);
INSERT INTO "eplb-compare" VALUES('allreduce_total','ms',10293.0,10132.0,-1.56416982415233674075e+00,'better',9);
INSERT INTO "eplb-compare" VALUES('moe_total','ms',10099.232,8730.224,-1.35555654132908287579e+01,'better',10);
INSERT INTO "eplb-compare" VALUES('attention_total','ms',1838.0,1840.0,1.08813928182807398425e-01,'worse',11);
INSERT INTO "eplb-compare" VALUES('kernel_instances','count',408721.0,411841.0,7.63356910949033684588e-01,'neutral',12);
INSERT INTO "eplb-compare" VALUES('moe_share','percent',3.03461693346296854665e+01,2.85087012451152865821e+01,-6.05502483444446770732e+00,'neutral',13);
INSERT INTO "eplb-compare" VALUES('nccl_share','percent',5.25730513574995441663e+01,5.29217444379926220659e+01,6.63254407894163122705e-01,'neutral',14);
INSERT INTO "eplb-compare" VALUES('attention_share','percent',5.52282185784516688187e+00,6.0085526203007084689e+00,8.79497428955745164103e+00,'neutral',15);
CREATE TABLE "eplb-insights" ("insight" TEXT, "unit" TEXT, "off" REAL, "on" REAL, "change_pct" REAL, "text" TEXT, "position" INTEGER);
INSERT INTO "eplb-insights" VALUES('kernel_time','ms',33280.088464,30623.015496,-7.98397207048962709308e+00,'with EPLB kernel time is 8.0 % shorter (faster)',1);
INSERT INTO "eplb-insights" VALUES('moe_time','ms',10099.232,8730.224,-1.35555654132908287579e+01,'1369.0 ms shorter',2);
INSERT INTO "eplb-insights" VALUES('nccl_time','ms',17496.358,16206.234,-7.37367170927800952284e+00,'1290.1 ms shorter',3);
INSERT INTO "eplb-insights" VALUES('fused_moe_max_min','ratio',8.80301339285714305998e+01,5.51110692771084345045e+01,-37.3952227292689,'milder stragglers',4);
INSERT INTO "eplb-insights" VALUES('fused_moe_cv','ratio',6.51781005586592132594e-01,4.99011242752709860415e-01,-2.34388178735573937672e+01,'calls of the fused MoE kernels vary less',5);
INSERT INTO "eplb-insights" VALUES('judged',NULL,NULL,NULL,NULL,'better in 8 of 8 values',6);
CREATE TABLE "eplb-top" ("label" TEXT, "place" INTEGER, "kernel" TEXT, "total_ns" INTEGER, "count" INTEGER, "share_percent" REAL);
INSERT INTO "eplb-top" VALUES('off',1,'ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<(unsigned long)4096>)',10293000000,24960,3.09284033638739401799e+01);
INSERT INTO "eplb-top" VALUES('off',2,'fused_moe_kernel',9308000000,49920,2.79686756544193784171e+01);
INSERT INTO "eplb-top" VALUES('off',3,'ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<(unsigned long)4096>)',6575000000,49920,1.97565580605723489782e+01);
INSERT INTO "eplb-top" VALUES('off',4,'void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_128x128_32x5_tn_align8>(T1::Params)',3610000000,74880,1.08473269351583532225e+01);
INSERT INTO "eplb-top" VALUES('off',5,'void flash::flash_fwd_splitkv_kernel<Flash_fwd_kernel_traits<(int)128, (int)64, (int)128, (int)4, (bool)0, (bool)0, cutlass::bfloat16_t, Flash_kernel_traits<(int)128, (int)64, (int)128, (int)4, cutlass::bfloat16_t>>, (bool)1>(flash::Flash_fwd_params)',1838000000,24960,5.52282185784516688187e+00);
INSERT INTO "eplb-top" VALUES('on',1,'ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<(unsigned long)4096>)',10132000000,24960,3.30862256243949914846e+01);
INSERT INTO "eplb-top" VALUES('on',2,'fused_moe_kernel',7934000000,49920,2.59086176573183841749e+01);
INSERT INTO "eplb-top" VALUES('on',3,'ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<(unsigned long)4096>)',5440000000,52000,1.77644164426281818696e+01);
INSERT INTO "eplb-top" VALUES('on',4,'void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_128x128_32x5_tn_align8>(T1::Params)',3608000000,74880,1.1781987964154867043e+01);
INSERT INTO "eplb-top" VALUES('on',5,'void flash::flash_fwd_splitkv_kernel<Flash_fwd_kernel_traits<(int)128, (int)64, (int)128, (int)4, (bool)0, (bool)0, cutlass::bfloat16_t, Flash_kernel_traits<(int)128, (int)64, (int)128, (int)4, cutlass::bfloat16_t>>, (bool)1>(flash::Flash_fwd_params)',1840000000,24960,6.0085526203007084689e+00);
CREATE TABLE "kernel-class" ("label" TEXT, "position" INTEGER, "class" TEXT, "kernels" INTEGER, "total_ns" INTEGER, "share_percent" REAL, "count" INTEGER, "avg_ns" REAL, "med_ns" REAL, "min_ns" INTEGER, "max_ns" INTEGER, "std_ns" REAL);
INSERT INTO "kernel-class" VALUES('off',0,'all',12,33280088464,100.0,408721,8.14249536089410685252e+04,NULL,1024,9217000,1.68049009567658387824e+05);
INSERT INTO "kernel-class" VALUES('off',1,'moe',3,10099232000,3.03461693346296854665e+01,149760,6.7436111111111109494e+04,NULL,4096,1893000,1.09585094215554694528e+05);
INSERT INTO "kernel-class" VALUES('off',2,'fused-moe',1,9308000000,2.79686756544193784171e+01,49920,1.86458333333333343027e+05,171264.0,21504,1893000,121530.0);
INSERT INTO "kernel-class" VALUES('off',3,'nccl',3,17496358000,5.25730513574995441663e+01,75920,2.3045782402528976673e+05,NULL,6656,9217000,3.11148466873252531523e+05);
INSERT INTO "kernel-class" VALUES('off',5,'all-reduce',1,10293000000,3.09284033638739401799e+01,24960,4.12379807692307687834e+05,371200.0,18432,9217000,388120.0);
INSERT INTO "kernel-class" VALUES('off',6,'attention',1,1838000000,5.52282185784516688187e+00,24960,7.36378205128205154308e+04,70400.0,8704,388096,31275.0);
INSERT INTO "kernel-class" VALUES('off',7,'cache',1,109325000,3.28499727752406378566e-01,24960,4.38000801282051270384e+03,4256.0,2304,9984,812.0);
INSERT INTO "kernel-class" VALUES('off',8,'other',4,3737173464,11.2294577222732,133121,2.80735080415561787953e+04,NULL,1024,214016,3.06899632367326921666e+04);
INSERT INTO "kernel-class" VALUES('on',0,'all',12,30623015496,100.0,411841,7.43564033109865267761e+04,NULL,1024,8913000,1.48931282095038593975e+05);
INSERT INTO "kernel-class" VALUES('on',1,'moe',3,8730224000,2.85087012451152865821e+01,149760,5.82947649572649606846e+04,NULL,4096,1171000,8.4637443884682172215e+04);
INSERT INTO "kernel-class" VALUES('on',2,'fused-moe',1,7934000000,2.59086176573183841749e+01,49920,1.58934294871794874783e+05,152576.0,21248,1171000,79310.0);
INSERT INTO "kernel-class" VALUES('on',3,'nccl',3,16206234000,5.29217444379926220659e+01,78000,2.0777223076923078042e+05,NULL,6400,8913000,2.79017303346121800142e+05);
INSERT INTO "kernel-class" VALUES('on',5,'all-reduce',1,10132000000,3.30862256243949914846e+01,24960,4.05929487179487186957e+05,369664.0,18176,8913000,379440.0);
INSERT INTO "kernel-class" VALUES('on',6,'attention',1,1840000000,6.0085526203007084689e+00,24960,7.37179487179487186957e+04,70432.0,8672,389120,31302.0);
INSERT INTO "kernel-class" VALUES('on',7,'cache',1,109200000,3.56594535943933310662e-01,24960,4375.0,4256.0,2304,9952,809.0);
INSERT INTO "kernel-class" VALUES('on',8,'other',4,3737357496,1.22044071606474435753e+01,134161,2.78572572953391827473e+04,NULL,1024,213504,3.06307522690203913942e+04);
COMMIT;
