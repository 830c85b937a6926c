#include <stdint.h>
#include <unicode/ucol.h>
#include <unicode/usearch.h>

// ICU's functions have its version in their names, by macros that Swift doesn't see; hence these. Texts are UTF-16.

// A collator of a locale ("de_DE"; "" is the root locale), NULL if there is none. `letters`: what differs in case and accents
// only counts as equal.
static inline UCollator *kibo_collator_open(const char *locale, int letters) {
    UErrorCode status = U_ZERO_ERROR;
    UCollator *collator = ucol_open(locale, &status);
    if (U_FAILURE(status)) return NULL;
    if (letters) ucol_setStrength(collator, UCOL_PRIMARY);
    return collator;
}

static inline void kibo_collator_close(UCollator *collator) { ucol_close(collator); }

// Bytes that sort as the text does; as many as it takes, of which at most `capacity` are written.
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
