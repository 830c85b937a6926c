// What other programs take for a durable message: a client of a broker that publishes on one connection and subscribes
// on another, as kibo-bench does with two daemons. MQTT 3.1.1 with QoS 1 and a lasting session (Mosquitto), and XADD
// with XREAD on a stream (Redis). Both are raw, over TCP on loopback, with one thread and no library.
//
//     cc -O2 brokers.c -o brokers
//     ./brokers mqtt|redis PORT [LATENCIES] [THROUGHPUT] [WINDOW]
//
// Prints "p50=MILLISECONDS p99=MILLISECONDS rate=PER_SECOND": the time from publishing a message until the subscriber
// has it, one at a time; and the rate for THROUGHPUT messages (or as many as are published in 20 seconds) until the
// subscriber has the last one, with up to WINDOW unacknowledged publications. A lost, repeated, changed or reordered
// message is an error.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <unistd.h>

#define PROGRAM "brokers"
#include "link.h"

enum { WARM_UP = 100, TEXT = 64, PATIENCE = 60000, LONGEST = 20 };

struct broker {
    void (*open)(void);
    void (*publish)(const char *text);
    // Takes one acknowledgement or one message. Returns whether there was a whole one; its text goes to `text`.
    int (*take_acknowledgement)(void);
    int (*take_message)(char text[TEXT]);
};

static struct link publisher, subscriber;
// The name of the topic and the stream.
static char name[32];

// Connections

static void open_link(struct link *link, int port) {
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons((unsigned short)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int on = 1;
    link->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (link->fd < 0 || connect(link->fd, (struct sockaddr *)&address, sizeof address))
        die("port %d: %s", port, strerror(errno));
    setsockopt(link->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    fcntl(link->fd, F_SETFL, O_NONBLOCK);
}

// Sends and receives what is possible now; waits if nothing is.
static void step(void) {
    int ready = turn((struct link *[2]){&publisher, &subscriber}, PATIENCE);
    if (ready < 0) die("the broker ended the connection");
    if (ready == 0) die("stands still");
}

static size_t unread(const struct link *link) { return link->filled - link->taken; }

static void copy_text(char text[TEXT], const char *bytes, size_t count) {
    if (count >= TEXT) die("a message is too long");
    memcpy(text, bytes, count);
    text[count] = 0;
}

// MQTT 3.1.1

static unsigned short packet_number;

static void put_packet(struct link *link, unsigned char type, const unsigned char *bytes, size_t count) {
    unsigned char head[2] = {type, (unsigned char)count};
    if (count > 127) die("a packet is too long");
    put(link, head, 2);
    put(link, bytes, count);
}

// Takes the next whole packet: its type (0 if there is none yet), body and length.
static unsigned char take_packet(struct link *link, unsigned char **body, size_t *count) {
    unsigned char *bytes = (unsigned char *)link->in + link->taken;
    if (unread(link) < 2) return 0;
    if (bytes[1] > 127) die("a packet is too long");
    *count = bytes[1];
    if (unread(link) < 2 + *count) return 0;
    *body = bytes + 2;
    link->taken += 2 + *count;
    return bytes[0];
}

static void expect_packet(struct link *link, unsigned char type, size_t last, unsigned char value) {
    unsigned char *body, found;
    size_t count;
    while ((found = take_packet(link, &body, &count)) == 0) step();
    if (found != type || count <= last || body[last] != value) die("the broker refuses packet %02x", type);
}

static void mqtt_open(void) {
    // Keep-alive is 0. The publisher has a clean session, the subscriber a lasting one, whose queue is what the broker
    // saves. Its name and the topic (eight characters) belong to this run, so that an earlier run's messages don't
    // come.
    unsigned char hello[] = {0, 4, 'M', 'Q', 'T', 'T', 4, 2, 0, 0, 0, 1, 'p'};
    unsigned char lasting[20] = {0, 4, 'M', 'Q', 'T', 'T', 4, 0, 0, 0, 0, 8};
    unsigned char subscription[13] = {0, 1, 0, 8};
    snprintf(name, sizeof name, "b%07d", (int)getpid() % 10000000);
    memcpy(lasting + 12, name, 8);
    memcpy(subscription + 4, name, 8);
    subscription[12] = 1;
    put_packet(&publisher, 0x10, hello, sizeof hello);
    put_packet(&subscriber, 0x10, lasting, sizeof lasting);
    expect_packet(&publisher, 0x20, 1, 0);
    expect_packet(&subscriber, 0x20, 1, 0);
    put_packet(&subscriber, 0x82, subscription, sizeof subscription);
    expect_packet(&subscriber, 0x90, 2, 1);
}

static void mqtt_publish(const char *text) {
    unsigned char body[12 + TEXT] = {0, 8};
    if (++packet_number == 0) packet_number = 1;
    memcpy(body + 2, name, 8);
    body[10] = (unsigned char)(packet_number >> 8);
    body[11] = (unsigned char)packet_number;
    memcpy(body + 12, text, strlen(text));
    put_packet(&publisher, 0x32, body, 12 + strlen(text));
}

static int mqtt_take_acknowledgement(void) {
    unsigned char *body, type;
    size_t count;
    if ((type = take_packet(&publisher, &body, &count)) == 0) return 0;
    if (type != 0x40 || count != 2) die("packet %02x is no PUBACK", type);
    return 1;
}

static int mqtt_take_message(char text[TEXT]) {
    unsigned char *body, type;
    size_t count;
    if ((type = take_packet(&subscriber, &body, &count)) == 0) return 0;
    if (type != 0x32 || count < 12) die("packet %02x is no PUBLISH with QoS 1", type);
    put_packet(&subscriber, 0x40, body + 10, 2);
    copy_text(text, (char *)body + 12, count - 12);
    return 1;
}

// Redis

static char last_entry[TEXT] = "0-0";
static long entries_left;

static void put_command(struct link *link, int count, ...) {
    char head[32];
    va_list words;
    va_start(words, count);
    put(link, head, (size_t)snprintf(head, sizeof head, "*%d\r\n", count));
    for (; count > 0; count--) {
        const char *word = va_arg(words, const char *);
        put(link, head, (size_t)snprintf(head, sizeof head, "$%zu\r\n", strlen(word)));
        put(link, word, strlen(word));
        put(link, "\r\n", 2);
    }
    va_end(words);
}

// Reads one element of an answer at `*at`: its number (of elements or bytes) and, for a string, its bytes. Returns 0 if
// it is incomplete.
static int element(struct link *link, size_t *at, char type, long *number, const char **bytes) {
    char *begin = link->in + *at, *end = memchr(begin, '\n', link->filled - *at);
    if (!end) return 0;
    if (*begin != type) die("Redis says: %.*s", (int)(end - begin), begin);
    *number = strtol(begin + 1, NULL, 10);
    *at = (size_t)(end + 1 - link->in);
    if (type != '$') return 1;
    if (*number < 0 || link->filled - *at < (size_t)*number + 2) return 0;
    *bytes = link->in + *at;
    *at += (size_t)*number + 2;
    return 1;
}

static void redis_read(void) {
    put_command(&subscriber, 8, "XREAD", "COUNT", "1000", "BLOCK", "0", "STREAMS", name, last_entry);
}

static void redis_open(void) {
    // What an earlier run left in the broker must not count for this one.
    snprintf(name, sizeof name, "bench.%d", (int)getpid());
    redis_read();
}

static void redis_publish(const char *text) { put_command(&publisher, 5, "XADD", name, "*", "t", text); }

static int redis_take_acknowledgement(void) {
    size_t at = publisher.taken;
    long count;
    const char *bytes;
    if (!element(&publisher, &at, '$', &count, &bytes)) return 0;
    publisher.taken = at;
    return 1;
}

static int redis_take_message(char text[TEXT]) {
    struct link *l = &subscriber;
    size_t at = l->taken;
    long count, length;
    const char *bytes, *value;
    // One stream with its name and entries.
    if (entries_left == 0) {
        if (!element(l, &at, '*', &count, &bytes) || !element(l, &at, '*', &count, &bytes)
            || !element(l, &at, '$', &count, &bytes) || !element(l, &at, '*', &count, &bytes))
            return 0;
        entries_left = count;
        l->taken = at;
    }
    // An entry with its name and fields.
    if (!element(l, &at, '*', &count, &bytes) || !element(l, &at, '$', &length, &bytes)
        || !element(l, &at, '*', &count, &value) || !element(l, &at, '$', &count, &value)
        || !element(l, &at, '$', &count, &value))
        return 0;
    copy_text(last_entry, bytes, (size_t)length);
    copy_text(text, value, (size_t)count);
    l->taken = at;
    if (--entries_left == 0) redis_read();
    return 1;
}

// Measuring

static void expect(const char *found, const char *word, long number) {
    char wanted[TEXT];
    snprintf(wanted, sizeof wanted, "%s %ld", word, number);
    if (strcmp(found, wanted)) die("expected \"%s\", not \"%s\"", wanted, found);
}

static double latency(const struct broker *broker, long number) {
    char text[TEXT];
    // The traffic that the previous message still needs must not count for this one.
    while (publisher.put > 0 || subscriber.put > 0) send_some(&publisher), send_some(&subscriber);
    double begin = seconds();
    snprintf(text, sizeof text, "one %ld", number);
    broker->publish(text);
    while (!broker->take_message(text)) step();
    double end = seconds();
    expect(text, "one", number);
    while (!broker->take_acknowledgement()) step();
    return end - begin;
}

// Measures messages per second.
static double pipelined(const struct broker *broker, long all, long window) {
    long sent = 0, acknowledged = 0, arrived = 0;
    char text[TEXT];
    double begin = seconds();
    while (arrived < all || acknowledged < all) {
        for (; sent < all && sent - acknowledged < window; sent++) {
            snprintf(text, sizeof text, "many %ld", sent);
            broker->publish(text);
        }
        if (seconds() - begin > LONGEST) all = sent;
        step();
        while (acknowledged < sent && broker->take_acknowledgement()) acknowledged++;
        for (; arrived < all && broker->take_message(text); arrived++) expect(text, "many", arrived);
    }
    return (double)all / (seconds() - begin);
}

static int ascending(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

// The nearest-rank percentile, as in kibo-bench.
static double percentile(const double *sorted, long count, long percent) {
    long rank = (count * percent + 99) / 100;
    return sorted[rank > 0 ? rank - 1 : 0];
}

int main(int argc, char **argv) {
    static const struct broker mqtt = {mqtt_open, mqtt_publish, mqtt_take_acknowledgement, mqtt_take_message};
    static const struct broker redis = {redis_open, redis_publish, redis_take_acknowledgement, redis_take_message};
    const struct broker *broker = argc < 3                   ? NULL
                                  : !strcmp(argv[1], "mqtt")  ? &mqtt
                                  : !strcmp(argv[1], "redis") ? &redis
                                                              : NULL;
    long latencies = argc > 3 ? atol(argv[3]) : 1000, all = argc > 4 ? atol(argv[4]) : 20000;
    long window = argc > 5 ? atol(argv[5]) : 1000;
    // MQTT's packet numbers have 16 bits, and the buffers hold some thousand messages.
    if (!broker || latencies < 1 || all < 1 || window < 1 || window > 5000) {
        fprintf(stderr, "usage: brokers mqtt|redis PORT [LATENCIES] [THROUGHPUT] [WINDOW (at most 5000)]\n");
        return 2;
    }
    double *times = malloc((size_t)latencies * sizeof *times);
    if (!times) die("no memory");
    open_link(&publisher, atoi(argv[2]));
    open_link(&subscriber, atoi(argv[2]));
    broker->open();
    for (long number = 0; number < WARM_UP + latencies; number++) {
        double time = latency(broker, number);
        if (number >= WARM_UP) times[number - WARM_UP] = time;
    }
    qsort(times, (size_t)latencies, sizeof *times, ascending);
    printf("p50=%.4f p99=%.4f", percentile(times, latencies, 50) * 1e3, percentile(times, latencies, 99) * 1e3);
    printf(" rate=%.0f\n", pipelined(broker, all, window));
    return 0;
}
