// The best that this machine can do: a file is read, sealed (by libsodium, or by OpenSSL as in Kibo), sent over TCP on
// loopback, opened and written, by two processes with one thread each. There is no protocol, no checksum and no
// resumption. A transfer is measured against it with the same cipher.
//
//     cc -O2 pipeline.c -o pipeline -lsodium -lcrypto
//     ./pipeline SOURCE DESTINATION aes|openssl|chacha|plain [RECORD_BYTES] [sync]
//
// Prints MB/s (10^6 bytes) from the start to the last write and, with `sync`, to the end of a final fdatasync.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <openssl/evp.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { TAG = 16 };
// OPENSSL is AES-256-GCM, too.
enum cipher { AES, OPENSSL, CHACHA, PLAIN };

struct sealer {
    enum cipher cipher;
    crypto_aead_aes256gcm_state *aes;
    EVP_CIPHER_CTX *context;
    unsigned char key[32];
    unsigned char nonce[12];
};

static void die(const char *what) {
    perror(what);
    exit(1);
}

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void transfer_all(int writing, int fd, unsigned char *bytes, size_t count) {
    while (count > 0) {
        ssize_t n = writing ? write(fd, bytes, count) : read(fd, bytes, count);
        if (n <= 0) die(writing ? "write" : "read");
        bytes += n;
        count -= (size_t)n;
    }
}

static void sealer_start(struct sealer *s, enum cipher cipher, int sealing) {
    memset(s, 0, sizeof *s);
    s->cipher = cipher;
    s->key[0] = 1;
    if (cipher == OPENSSL) {
        s->context = EVP_CIPHER_CTX_new();
        if (!s->context || !EVP_CipherInit_ex(s->context, EVP_aes_256_gcm(), NULL, s->key, NULL, sealing)) die("libcrypto");
    }
    if (cipher != AES) return;
    if (!crypto_aead_aes256gcm_is_available()) {
        fprintf(stderr, "no AES hardware here\n");
        exit(2);
    }
    if (posix_memalign((void **)&s->aes, 64, sizeof *s->aes)) die("memory");
    crypto_aead_aes256gcm_beforenm(s->aes, s->key);
}

static void seal(struct sealer *s, unsigned char *bytes, size_t count) {
    if (s->cipher == AES)
        crypto_aead_aes256gcm_encrypt_afternm(bytes, NULL, bytes, count, NULL, 0, NULL, s->nonce, s->aes);
    else if (s->cipher == OPENSSL) {
        int length = 0;
        EVP_CipherInit_ex(s->context, NULL, NULL, NULL, s->nonce, -1);
        EVP_CipherUpdate(s->context, bytes, &length, bytes, (int)count);
        EVP_CipherFinal_ex(s->context, bytes + count, &length);
        EVP_CIPHER_CTX_ctrl(s->context, EVP_CTRL_AEAD_GET_TAG, TAG, bytes + count);
    } else if (s->cipher == CHACHA)
        crypto_aead_chacha20poly1305_ietf_encrypt(bytes, NULL, bytes, count, NULL, 0, NULL, s->nonce, s->key);
    sodium_increment(s->nonce, sizeof s->nonce);
}

static void unseal(struct sealer *s, unsigned char *bytes, size_t count) {
    int bad = 0;
    if (s->cipher == AES)
        bad = crypto_aead_aes256gcm_decrypt_afternm(bytes, NULL, NULL, bytes, count + TAG, NULL, 0, s->nonce, s->aes);
    else if (s->cipher == OPENSSL) {
        int length = 0;
        EVP_CipherInit_ex(s->context, NULL, NULL, NULL, s->nonce, -1);
        EVP_CipherUpdate(s->context, bytes, &length, bytes, (int)count);
        EVP_CIPHER_CTX_ctrl(s->context, EVP_CTRL_AEAD_SET_TAG, TAG, bytes + count);
        bad = EVP_CipherFinal_ex(s->context, bytes, &length) != 1;
    } else if (s->cipher == CHACHA)
        bad = crypto_aead_chacha20poly1305_ietf_decrypt(bytes, NULL, NULL, bytes, count + TAG, NULL, 0, s->nonce, s->key);
    if (bad) {
        fprintf(stderr, "forged record\n");
        exit(1);
    }
    sodium_increment(s->nonce, sizeof s->nonce);
}

static void send_file(const char *path, const struct sockaddr_in *to, size_t total, size_t record, enum cipher cipher) {
    struct sealer sealer;
    sealer_start(&sealer, cipher, 1);
    int link = socket(AF_INET, SOCK_STREAM, 0), file = open(path, O_RDONLY);
    unsigned char *buffer = malloc(record + TAG);
    if (file < 0 || !buffer || connect(link, (const struct sockaddr *)to, sizeof *to)) die("sender");
    for (size_t done = 0; done < total;) {
        size_t n = total - done < record ? total - done : record;
        transfer_all(0, file, buffer, n);
        seal(&sealer, buffer, n);
        transfer_all(1, link, buffer, n + TAG);
        done += n;
    }
    shutdown(link, SHUT_WR);
    if (read(link, buffer, 1) < 0) die("close");
}

int main(int argc, char **argv) {
    if (argc < 4 || sodium_init() < 0) {
        fprintf(stderr, "usage: pipeline SOURCE DESTINATION aes|openssl|chacha|plain [RECORD_BYTES] [sync]\n");
        return 2;
    }
    enum cipher cipher = argv[3][0] == 'a' ? AES : argv[3][0] == 'o' ? OPENSSL : argv[3][0] == 'c' ? CHACHA : PLAIN;
    size_t record = argc > 4 ? strtoul(argv[4], NULL, 10) : 1 << 20;
    struct stat info;
    if (record == 0 || stat(argv[1], &info)) die(argv[1]);
    size_t total = (size_t)info.st_size;

    int listener = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    if (bind(listener, (struct sockaddr *)&address, size) || listen(listener, 1)
        || getsockname(listener, (struct sockaddr *)&address, &size))
        die("listen");

    double begin = seconds();
    pid_t sender = fork();
    if (sender == 0) {
        send_file(argv[1], &address, total, record, cipher);
        _exit(0);
    }
    struct sealer sealer;
    sealer_start(&sealer, cipher, 0);
    int link = accept(listener, NULL, NULL), file = open(argv[2], O_CREAT | O_TRUNC | O_RDWR, 0600);
    unsigned char *buffer = malloc(record + TAG);
    if (link < 0 || file < 0 || !buffer) die("receiver");
    if (total > 0 && posix_fallocate(file, 0, (off_t)total)) die("space");
    for (size_t done = 0; done < total;) {
        size_t n = total - done < record ? total - done : record;
        transfer_all(0, link, buffer, n + TAG);
        unseal(&sealer, buffer, n);
        transfer_all(1, file, buffer, n);
        done += n;
    }
    double written = seconds();
    int sync = argc > 5;
    if (sync && fdatasync(file)) die("fdatasync");
    double synced = seconds();
    close(link);
    int status = 0;
    waitpid(sender, &status, 0);
    if (status != 0) return 1;
    printf("%s %.0f MB/s", argv[3], (double)total / (written - begin) / 1e6);
    if (sync) printf(", synced %.0f MB/s", (double)total / (synced - begin) / 1e6);
    printf("\n");
    return 0;
}
