#include "CText.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// Where the library lies, as seen from the program's folder.
static const char *const places[] = {"/", "/../lib/kibo/"};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static const kibo_text_library *library;
// Why there is no library.
static char problem[256];

// Writes the library's path; 0 where there is none.
static int find(char path[static PATH_MAX]) {
    char program[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length <= 0) return 0;
    program[length] = '\0';
    char *const slash = strrchr(program, '/');
    if (slash == NULL) return 0;
    *slash = '\0';
    for (size_t index = 0; index < sizeof places / sizeof *places; index++) {
        const int count = snprintf(path, PATH_MAX, "%s%slibkibo-text.so", program, places[index]);
        if (count > 0 && count < PATH_MAX && access(path, R_OK) == 0) return 1;
    }
    return 0;
}

static void load(void) {
    char path[PATH_MAX];
    if (!find(path)) {
        snprintf(problem, sizeof problem, "libkibo-text.so is not installed");
        return;
    }
    // It stays to the end: what it has given away may be in use.
    void *const handle = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (handle == NULL) {
        const char *const reason = dlerror();
        snprintf(problem, sizeof problem, "libkibo-text.so can't be loaded: %s", reason == NULL ? "no reason" : reason);
        return;
    }
    const kibo_text_library *const found = dlsym(handle, "kibo_text_functions");
    if (found != NULL && found->version == KIBO_TEXT_VERSION) {
        library = found;
    } else {
        // An update has replaced the file since this program was started.
        snprintf(problem, sizeof problem, "libkibo-text.so belongs to another version than this program");
    }
}

int kibo_text_is_installed(void) {
    char path[PATH_MAX];
    return find(path);
}

const char *kibo_text_problem(void) { return kibo_text() != NULL ? NULL : problem; }

const kibo_text_library *kibo_text(void) {
    pthread_once(&once, load);
    return library;
}

int kibo_phone_read(const char *text, const char *region, kibo_phone_number *out) {
    memset(out, 0, sizeof *out);
    return kibo_text() != NULL ? library->phone_read(text, region, out) : KIBO_PHONE_NOT_A_NUMBER;
}

int kibo_phone_kind(const char *e164) { return kibo_text() != NULL ? library->phone_kind(e164) : KIBO_PHONE_OTHER; }

size_t kibo_countries(kibo_country *out, size_t capacity) {
    return kibo_text() != NULL ? library->countries(out, capacity) : 0;
}

int kibo_country_of_code(int32_t calling_code, char region[8]) {
    return kibo_text() != NULL ? library->country_of_code(calling_code, region) : 0;
}

int32_t kibo_fold(const char *text, int32_t length, char *out, int32_t capacity) {
    return kibo_text() != NULL ? library->fold(text, length, out, capacity) : -1;
}

kibo_collator *kibo_collator_open(const char *locale, int letters) {
    return kibo_text() != NULL ? library->collator_open(locale, letters) : NULL;
}

void kibo_collator_close(kibo_collator *collator) { library->collator_close(collator); }

int32_t kibo_collator_key(
    const kibo_collator *collator, const uint16_t *text, int32_t length, uint8_t *key, int32_t capacity
) {
    return library->collator_key(collator, text, length, key, capacity);
}

int kibo_collator_finds(
    const kibo_collator *collator, const uint16_t *pattern, int32_t pattern_length, const uint16_t *text,
    int32_t text_length
) {
    return library->collator_finds(collator, pattern, pattern_length, text, text_length);
}
