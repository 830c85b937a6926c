#include <sqlite3.h>

// sqlite3_config is variadic, which Swift can't call. Without memory statistics every allocation saves a mutex.
static inline int kibo_sqlite_without_statistics(void) { return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }
