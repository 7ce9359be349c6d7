/* What cmake makes of lace_config.h.in: nothing is counted. */
#define LACE_PIE_TIMES 0
#define LACE_COUNT_TASKS 0
#define LACE_COUNT_STEALS 0
#define LACE_COUNT_SPLITS 0
