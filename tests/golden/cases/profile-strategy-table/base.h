#pragma once
// TP:[2] Fusion:['NONE']
inline AllReduceBestStrategyTableType AllReduceBestStrategyTableSM90 = { { {
    { 4, 4, 5 }, // hidden_size=128
    { 4, 5, 0 }  // hidden_size=256
} } };
