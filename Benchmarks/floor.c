// The least that a durable, encrypted message costs: what Kibo does for one message with all of its features left out.
// A client writes a JSON line to a daemon's socket; the daemon stores the message, seals it with ChaCha20-Poly1305 and
// sends it over TCP on loopback; the other daemon opens it, stores it, acknowledges it and writes a JSON line to its client.
//
//     cc -O2 floor.c -o floor -lsodium -lsqlite3
//     ./floor DIRECTORY [LATENCIES] [THROUGHPUT] [WINDOW]
//
// Both daemons are processes of one thread with an SQLite database in DIRECTORY: synchronous=FULL in WAL mode, one
// transaction for all that has come in a turn (group commit). A message is told of, here and there, only once it is on disk.
// What has been delivered is one row, written with the next messages, or 40 ms later.
// Prints "p50=MILLISECONDS p99=MILLISECONDS rate=PER_SECOND" as brokers.c does: the time from writing the line until the
// other client has read its line, one at a time; and the rate for THROUGHPUT messages with up to WINDOW unanswered
// requests. A lost, repeated, changed or reordered message is an error.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <sodium.h>
#include <sqlite3.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define PROGRAM "floor"
#include "link.h"

enum { WARM_UP = 100, TEXT = 64, LINE = 512, PATIENCE = 60000, PUT_OFF = 40 };
enum { TAG = crypto_aead_chacha20poly1305_ietf_ABYTES, NONCE = crypto_aead_chacha20poly1305_ietf_NPUBBYTES };

static const unsigned char key[crypto_aead_chacha20poly1305_ietf_KEYBYTES] = {1, 2, 3};

// Connections

static struct link *new_link(int fd) {
    struct link *link = calloc(1, sizeof *link);
    if (!link) die("no memory");
    link->fd = fd;
    fcntl(fd, F_SETFL, O_NONBLOCK);
    return link;
}

// A whole line without its end; nil if there is none yet.
static char *take_line(struct link *link) {
    char *begin = link->in + link->taken, *end = memchr(begin, '\n', link->filled - link->taken);
    if (!end) return NULL;
    *end = 0;
    link->taken += (size_t)(end - begin) + 1;
    return begin;
}

static void nonce(unsigned char out[NONCE], uint64_t number) {
    memset(out, 0, NONCE);
    memcpy(out, &number, sizeof number);
}

static void put_record(struct link *link, const void *bytes, size_t count) {
    unsigned char record[2 + LINE + TAG], once[NONCE];
    uint16_t length = (uint16_t)(count + TAG);
    memcpy(record, &length, 2);
    nonce(once, link->sealed++);
    crypto_aead_chacha20poly1305_ietf_encrypt(record + 2, NULL, bytes, count, record, 2, NULL, once, key);
    put(link, record, 2u + length);
}

// Opens a whole record; returns its length, or -1 if there is none yet.
static int take_record(struct link *link, unsigned char out[LINE]) {
    uint16_t length;
    unsigned char once[NONCE], *begin = (unsigned char *)link->in + link->taken;
    if (link->filled - link->taken < 2) return -1;
    memcpy(&length, begin, 2);
    if (link->filled - link->taken < 2u + length) return -1;
    if (length < TAG || length > LINE + TAG) die("a record has %u bytes", length);
    nonce(once, link->opened++);
    if (crypto_aead_chacha20poly1305_ietf_decrypt(out, NULL, NULL, begin + 2, length, begin, 2, once, key))
        die("a record is not what was sealed");
    link->taken += 2u + length;
    return length - TAG;
}

// The database

static sqlite3 *database;
static sqlite3_stmt *begin, *commit, *insert, *mark;

static void run(const char *sql) {
    if (sqlite3_exec(database, sql, NULL, NULL, NULL)) die("%s: %s", sql, sqlite3_errmsg(database));
}

static void step_statement(sqlite3_stmt *statement) {
    if (sqlite3_step(statement) != SQLITE_DONE) die("%s", sqlite3_errmsg(database));
    sqlite3_reset(statement);
}

static sqlite3_stmt *prepare(const char *sql) {
    sqlite3_stmt *statement;
    if (sqlite3_prepare_v3(database, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL))
        die("%s: %s", sql, sqlite3_errmsg(database));
    return statement;
}

static void open_database(const char *directory, const char *name) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.db", directory, name);
    if (sqlite3_open(path, &database)) die("%s: %s", path, sqlite3_errmsg(database));
    run("PRAGMA journal_mode=WAL");
    run("PRAGMA synchronous=FULL");
    run("CREATE TABLE message(number INTEGER PRIMARY KEY, time INTEGER NOT NULL, text TEXT NOT NULL)");
    run("CREATE TABLE delivered(number INTEGER NOT NULL)");
    run("INSERT INTO delivered VALUES(0)");
    begin = prepare("BEGIN IMMEDIATE");
    commit = prepare("COMMIT");
    insert = prepare("INSERT INTO message VALUES(?, ?, ?)");
    mark = prepare("UPDATE delivered SET number = ?");
}

static void store(uint64_t number, uint64_t time, const char *text, size_t length) {
    sqlite3_bind_int64(insert, 1, (sqlite3_int64)number);
    sqlite3_bind_int64(insert, 2, (sqlite3_int64)time);
    sqlite3_bind_text(insert, 3, text, (int)length, SQLITE_STATIC);
    step_statement(insert);
}

// The daemons

struct message {
    uint64_t number, time;
    long id;
    char text[TEXT];
};

// The value of a key in a line; what is not a JSON string or number of a sound client is an error.
static const char *value(const char *line, const char *name) {
    const char *found = strstr(line, name);
    if (!found) die("a line without %s: %s", name, line);
    return found + strlen(name);
}

// Stores what its client writes, and sends it to the other daemon.
static void sender(struct link *client, struct link *peer, const char *directory) {
    static struct message batch[1 << 14];
    struct link *links[2] = {client, peer};
    uint64_t number = 0, delivered = 0, marked = 0;
    double since = 0;
    open_database(directory, "sender");
    for (;;) {
        int wait = PATIENCE;
        if (delivered > marked) wait = (int)((since + PUT_OFF * 1e-3 - seconds()) * 1e3) + 1;
        if (turn(links, wait < 0 ? 0 : wait) < 0) return;
        unsigned char record[LINE];
        while (take_record(peer, record) >= 0) {
            if (delivered == marked) since = seconds();
            memcpy(&delivered, record, sizeof delivered);
        }
        size_t count = 0;
        char *line;
        while (count < sizeof batch / sizeof *batch && (line = take_line(client))) {
            struct message *message = &batch[count++];
            message->id = strtol(value(line, "\"id\":"), NULL, 10);
            const char *text = value(line, "\"text\":\"");
            size_t length = strcspn(text, "\"");
            if (length >= TEXT) die("a text is too long");
            *(char *)mempcpy(message->text, text, length) = 0;
            message->number = ++number;
            message->time = (uint64_t)(seconds() * 1e3);
        }
        if (count == 0 && (delivered == marked || seconds() - since < PUT_OFF * 1e-3)) continue;
        step_statement(begin);
        for (size_t i = 0; i < count; i++) store(batch[i].number, batch[i].time, batch[i].text, strlen(batch[i].text));
        if (delivered > marked) {
            sqlite3_bind_int64(mark, 1, (sqlite3_int64)delivered);
            step_statement(mark);
            marked = delivered;
        }
        step_statement(commit);
        for (size_t i = 0; i < count; i++) {
            char text[LINE];
            memcpy(text, &batch[i].number, 8);
            memcpy(text + 8, &batch[i].time, 8);
            strcpy(text + 16, batch[i].text);
            put_record(peer, text, 16 + strlen(batch[i].text));
            int n = snprintf(
                text, sizeof text, "{\"jsonrpc\":\"2.0\",\"id\":%ld,\"result\":{\"id\":\"%llu\",\"state\":\"queued\"}}\n",
                batch[i].id, (unsigned long long)batch[i].number);
            put(client, text, (size_t)n);
        }
    }
}

// Stores what the other daemon sends, acknowledges it, and tells its client.
static void receiver(struct link *client, struct link *peer, const char *directory) {
    struct link *links[2] = {client, peer};
    uint64_t last = 0;
    open_database(directory, "receiver");
    for (;;) {
        if (turn(links, PATIENCE) < 0) return;
        unsigned char record[LINE];
        int length, is_open = 0;
        while ((length = take_record(peer, record)) >= 0) {
            uint64_t number, time;
            memcpy(&number, record, 8);
            memcpy(&time, record + 8, 8);
            if (number != last + 1) die("message %llu after %llu", (unsigned long long)number, (unsigned long long)last);
            last = number;
            if (!is_open) step_statement(begin);
            is_open = 1;
            store(number, time, (char *)record + 16, (size_t)length - 16);
            char line[LINE];
            int n = snprintf(
                line, sizeof line,
                "{\"jsonrpc\":\"2.0\",\"method\":\"event\",\"params\":{\"type\":\"message.added\",\"data\":{\"id\":\"%llu\","
                "\"time\":%llu,\"text\":\"%.*s\"}}}\n",
                (unsigned long long)number, (unsigned long long)time, length - 16, record + 16);
            // The line waits in its buffer until the next step: the commit comes first.
            put(client, line, (size_t)n);
        }
        if (!is_open) continue;
        step_statement(commit);
        put_record(peer, &last, sizeof last);
    }
}

// The clients

static struct link *writer, *reader;

static void request(long id, const char *text) {
    char line[LINE];
    int n = snprintf(
        line, sizeof line,
        "{\"jsonrpc\":\"2.0\",\"id\":%ld,\"method\":\"message.send\",\"params\":{\"conversation\":"
        "\"01a20929-b121-71a5-9bbf-392b10148ec0\",\"text\":\"%s\"}}\n",
        id, text);
    put(writer, line, (size_t)n);
}

// Takes an event if there is one, and holds it against what has to come.
static int take_event(const char *kind, long number) {
    char *line = take_line(reader), expected[TEXT + 1];
    if (!line) return 0;
    snprintf(expected, sizeof expected, "%s %ld\"", kind, number);
    if (strncmp(value(line, "\"text\":\""), expected, strlen(expected))) die("expected %s %ld, not %s", kind, number, line);
    return 1;
}

static void wait_for_more(void) {
    if (turn((struct link *[2]){writer, reader}, PATIENCE) < 0) die("a daemon has ended");
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static void measure(long latencies, long throughput, long window) {
    double *times = calloc((size_t)latencies, sizeof *times);
    char text[TEXT];
    long id = 0;
    for (long i = 0; i < WARM_UP + latencies; i++) {
        snprintf(text, sizeof text, "one %ld", i);
        double begun = seconds();
        request(++id, text);
        while (!take_event("one", i)) wait_for_more();
        if (i >= WARM_UP) times[i - WARM_UP] = seconds() - begun;
        while (!take_line(writer)) wait_for_more();
    }
    qsort(times, (size_t)latencies, sizeof *times, compare);
    double begun = seconds();
    long sent = 0, answered = 0, arrived = 0;
    while (arrived < throughput || answered < throughput) {
        while (sent < throughput && sent - answered < window) {
            snprintf(text, sizeof text, "many %ld", sent++);
            request(++id, text);
        }
        long before = answered + arrived;
        while (take_line(writer)) answered++;
        while (take_event("many", arrived)) arrived++;
        if (answered + arrived == before || sent < throughput) wait_for_more();
    }
    // Percentiles by nearest rank.
    printf("p50=%.4f p99=%.4f rate=%.0f\n", times[(latencies * 50 + 99) / 100 - 1] * 1e3,
        times[(latencies * 99 + 99) / 100 - 1] * 1e3, (double)throughput / (seconds() - begun));
}

static void fork_daemon(
    void (*daemon)(struct link *, struct link *, const char *), int client, int other, int peer, const char *directory) {
    pid_t child = fork();
    if (child < 0) die("fork: %s", strerror(errno));
    if (child > 0) return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    close(other);
    daemon(new_link(client), new_link(peer), directory);
    exit(0);
}

int main(int count, char **words) {
    if (count < 2) die("usage: floor DIRECTORY [LATENCIES] [THROUGHPUT] [WINDOW]");
    if (sodium_init() < 0) die("libsodium can't be used");
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    int on = 1, clients[2][2], listening = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int dialled = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (bind(listening, (struct sockaddr *)&address, size) || listen(listening, 1) ||
        getsockname(listening, (struct sockaddr *)&address, &size) ||
        connect(dialled, (struct sockaddr *)&address, size))
        die("loopback: %s", strerror(errno));
    int accepted = accept(listening, NULL, NULL);
    setsockopt(dialled, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    setsockopt(accepted, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    for (int i = 0; i < 2; i++)
        if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, clients[i])) die("socketpair: %s", strerror(errno));
    fork_daemon(sender, clients[0][1], clients[0][0], dialled, words[1]);
    fork_daemon(receiver, clients[1][1], clients[1][0], accepted, words[1]);
    writer = new_link(clients[0][0]);
    reader = new_link(clients[1][0]);
    long numbers[3] = {1000, 20000, 1000};
    for (int i = 0; i < 3 && i + 2 < count; i++)
        if ((numbers[i] = strtol(words[i + 2], NULL, 10)) < 1) die("the counts are at least 1");
    measure(numbers[0], numbers[1], numbers[2]);
    return 0;
}
