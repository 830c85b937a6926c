// The least that a backup by rows costs: every row of every table of a database through zstd and secretstream into a file
// that is on the disk at the end. It doesn't read the file back.
//
//     cc -O2 rows.c -o rows -lsodium -lsqlite3 -lzstd
//     ./rows DATABASE FILE
#include <fcntl.h>
#include <sodium.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

enum { PIECE = 1 << 16, LEVEL = 3 };
#define EXTRA crypto_secretstream_xchacha20poly1305_ABYTES

static crypto_secretstream_xchacha20poly1305_state stream;
static ZSTD_CCtx *zstd;
static unsigned char rows[PIECE], packed[PIECE], sealed[PIECE + EXTRA];
static size_t filled, waiting;
static int file;

static void die(const char *what) {
    fprintf(stderr, "rows: %s\n", what);
    exit(1);
}

static void seal(unsigned char tag) {
    crypto_secretstream_xchacha20poly1305_push(&stream, sealed, NULL, packed, waiting, NULL, 0, tag);
    if (write(file, sealed, waiting + EXTRA) != (ssize_t)(waiting + EXTRA)) die("can't write");
    waiting = 0;
}

static void pack(const void *bytes, size_t count, ZSTD_EndDirective end) {
    ZSTD_inBuffer in = {bytes, count, 0};
    size_t left;
    do {
        ZSTD_outBuffer out = {packed, PIECE, waiting};
        left = ZSTD_compressStream2(zstd, &out, &in, end);
        if (ZSTD_isError(left)) die("can't compress");
        waiting = out.pos;
        if (waiting == PIECE) seal(0);
    } while (in.pos < in.size || (end == ZSTD_e_end && left));
}

static void put(const void *bytes, size_t count) {
    if (filled + count > PIECE) {
        pack(rows, filled, ZSTD_e_continue);
        filled = 0;
    }
    if (count > PIECE) return pack(bytes, count, ZSTD_e_continue);
    memcpy(rows + filled, bytes, count);
    filled += count;
}

static void walk(sqlite3 *base, const char *table) {
    char sql[512];
    sqlite3_stmt *statement;
    snprintf(sql, sizeof sql, "SELECT * FROM \"%s\"", table);
    if (sqlite3_prepare_v2(base, sql, -1, &statement, NULL) != SQLITE_OK) die(sqlite3_errmsg(base));
    while (sqlite3_step(statement) == SQLITE_ROW) {
        for (int column = 0; column < sqlite3_column_count(statement); column++) {
            int type = sqlite3_column_type(statement, column);
            put(&type, 1);
            if (type == SQLITE_INTEGER) {
                sqlite3_int64 number = sqlite3_column_int64(statement, column);
                put(&number, sizeof number);
            } else if (type != SQLITE_NULL) {
                const void *bytes = sqlite3_column_blob(statement, column);
                int count = sqlite3_column_bytes(statement, column);
                put(&count, sizeof count);
                if (count) put(bytes, (size_t)count);
            }
        }
    }
    sqlite3_finalize(statement);
}

int main(int count, char **words) {
    unsigned char key[crypto_secretstream_xchacha20poly1305_KEYBYTES];
    unsigned char header[crypto_secretstream_xchacha20poly1305_HEADERBYTES];
    sqlite3 *base;
    sqlite3_stmt *tables;
    if (count != 3 || sodium_init() < 0) die("DATABASE FILE");
    if (sqlite3_open_v2(words[1], &base, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK) die("can't open the database");
    file = open(words[2], O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (file < 0) die("can't open the file");
    crypto_secretstream_xchacha20poly1305_keygen(key);
    crypto_secretstream_xchacha20poly1305_init_push(&stream, header, key);
    if (write(file, header, sizeof header) != sizeof header) die("can't write");
    zstd = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(zstd, ZSTD_c_compressionLevel, LEVEL);
    sqlite3_exec(base, "BEGIN", NULL, NULL, NULL);
    // What a backup leaves out: the log of events, and the index of words with the tables behind it.
    const char *sql =
        "SELECT name FROM sqlite_schema t WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' AND name NOT LIKE 'event%' "
        "AND NOT EXISTS (SELECT 1 FROM sqlite_schema v WHERE v.sql LIKE 'CREATE VIRTUAL%' "
        "AND substr(t.name, 1, length(v.name) + 1) = v.name || '_')";
    if (sqlite3_prepare_v2(base, sql, -1, &tables, NULL) != SQLITE_OK) die(sqlite3_errmsg(base));
    while (sqlite3_step(tables) == SQLITE_ROW) walk(base, (const char *)sqlite3_column_text(tables, 0));
    sqlite3_finalize(tables);
    pack(rows, filled, ZSTD_e_end);
    seal(crypto_secretstream_xchacha20poly1305_TAG_FINAL);
    if (fsync(file)) die("can't sync");
    return 0;
}
