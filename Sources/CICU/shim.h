#include <stdint.h>
#include <unicode/ucol.h>
#include <unicode/usearch.h>

// ICU's function names contain its version through macros that Swift doesn't see, so these functions wrap them. Texts
// are UTF-16.

// Opens the collator of a locale ("de_DE"; "" is the root locale); NULL if there is none. With `letters`, characters
// that differ only in case and accents are equal.
static inline UCollator *kibo_collator_open(const char *locale, int letters) {
    UErrorCode status = U_ZERO_ERROR;
    UCollator *collator = ucol_open(locale, &status);
    if (U_FAILURE(status)) return NULL;
    if (letters) ucol_setStrength(collator, UCOL_PRIMARY);
    return collator;
}

static inline void kibo_collator_close(UCollator *collator) { ucol_close(collator); }

// Makes bytes that sort as the text does. Returns how many that takes; at most `capacity` of them are written.
static inline int32_t kibo_collator_key(
    const UCollator *collator, const uint16_t *text, int32_t length, uint8_t *key, int32_t capacity
) {
    return ucol_getSortKey(collator, (const UChar *)text, length, key, capacity);
}

// Whether a collator finds a pattern anywhere in a text; neither may be empty.
static inline int kibo_collator_finds(
    const UCollator *collator, const uint16_t *pattern, int32_t patternLength, const uint16_t *text, int32_t textLength
) {
    UErrorCode status = U_ZERO_ERROR;
    UStringSearch *search = usearch_openFromCollator(
        (const UChar *)pattern, patternLength, (const UChar *)text, textLength, collator, NULL, &status);
    if (U_FAILURE(status)) return 0;
    int32_t found = usearch_first(search, &status);
    usearch_close(search);
    return U_SUCCESS(status) && found != USEARCH_DONE;
}
