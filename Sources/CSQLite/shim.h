#include <sqlite3.h>
#include <stddef.h>

// sqlite3_config is variadic, which Swift can't call. Without memory statistics every allocation saves a mutex.
static inline int kibo_sqlite_without_statistics(void) { return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }

// The tokenizer that the index uses, as an object of our own; NULL if there is none. The name of the pointer's type must
// be a static string.
static inline Fts5Tokenizer *kibo_sqlite_tokenizer(sqlite3 *database, fts5_tokenizer *functions) {
    static const char *options[] = {"remove_diacritics", "2"};
    fts5_api *api = NULL;
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(database, "SELECT fts5(?1)", -1, &statement, NULL) == SQLITE_OK) {
        sqlite3_bind_pointer(statement, 1, &api, "fts5_api_ptr", NULL);
        sqlite3_step(statement);
    }
    sqlite3_finalize(statement);
    void *context = NULL;
    Fts5Tokenizer *made = NULL;
    if (api == NULL || api->xFindTokenizer(api, "unicode61", &context, functions) != SQLITE_OK) return NULL;
    return functions->xCreate(context, options, 2, &made) == SQLITE_OK ? made : NULL;
}
