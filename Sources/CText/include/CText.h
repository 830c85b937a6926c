// Texts and telephone numbers by the rules of all languages and countries: ICU and libphonenumber, which is C++.
//
// Both are large, and a daemon seldom needs them. They are linked to a library of our own, libkibo-text.so, which is loaded
// with the first call of a function here. It lies beside the program or where packages put what belongs to one. Where it
// is missing, or belongs to another version, the functions answer as each says. Any thread may call any of them.
#ifndef KIBO_TEXT_H
#define KIBO_TEXT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    KIBO_PHONE_NUMBER = 0,
    // The number has no + and no country is given.
    KIBO_PHONE_NEEDS_COUNTRY = 1,
    KIBO_PHONE_NOT_A_NUMBER = 2,
    // The number works in its own country or town only, such as 110 or a number without its area code.
    KIBO_PHONE_SHORT = 3,
    KIBO_PHONE_TOO_LONG = 4,
};

enum { KIBO_PHONE_OTHER = 0, KIBO_PHONE_MOBILE = 1, KIBO_PHONE_FIXED = 2 };

typedef struct {
    int32_t calling_code;
    // Digits only, without the prefix that is dialled within the country; NUL-terminated, as are all texts here.
    char national[32];
    // ISO 3166-1 alpha-2; empty if the number belongs to no single country.
    char region[8];
    char extension[24];
} kibo_phone_number;

typedef struct {
    char region[8];
    int32_t calling_code;
    // The digits dialled before a national number within the country; empty for none.
    char trunk_prefix[16];
    // The name in English, UTF-8.
    char name[96];
} kibo_country;

// Rules by which texts sort and are equal, of one language.
typedef struct kibo_collator kibo_collator;

// What libkibo-text.so does, behind the one name that it has for others: kibo_text_functions. None of these throws.
typedef struct {
    // KIBO_TEXT_VERSION of the header that the library was built with.
    uint32_t version;
    int (*phone_read)(const char *text, const char *region, kibo_phone_number *out);
    int (*phone_kind)(const char *e164);
    size_t (*countries)(kibo_country *out, size_t capacity);
    int (*country_of_code)(int32_t calling_code, char region[8]);
    int32_t (*fold)(const char *text, int32_t length, char *out, int32_t capacity);
    kibo_collator *(*collator_open)(const char *locale, int letters);
    void (*collator_close)(kibo_collator *collator);
    int32_t (*collator_key)(
        const kibo_collator *collator, const uint16_t *text, int32_t length, uint8_t *key, int32_t capacity);
    int (*collator_finds)(
        const kibo_collator *collator, const uint16_t *pattern, int32_t pattern_length, const uint16_t *text,
        int32_t text_length);
} kibo_text_library;

// It grows with each change of the functions above.
enum { KIBO_TEXT_VERSION = 1 };

// Returns whether the library is installed, without loading it.
int kibo_text_is_installed(void);

// Loads the library, once. NULL where it is missing or can't be used.
const kibo_text_library *kibo_text(void);

// Loads the library, once, and returns why it can't be used; NULL where it can.
const char *kibo_text_problem(void);

// Reads a number as people write it. `region` is the region of a number without +, "ZZ" if unknown. Returns one of
// KIBO_PHONE_…; without the library nothing is a number.
int kibo_phone_read(const char *text, const char *region, kibo_phone_number *out);

// The kind of line of a number in E.164, by its range: KIBO_PHONE_MOBILE, … This is slow compared with reading.
int kibo_phone_kind(const char *e164);

// Lists all countries in order of their regions. Returns their number, 0 without the library; at most `capacity` are
// written.
size_t kibo_countries(kibo_country *out, size_t capacity);

// Finds the country of a calling code, the main one of several. Returns 0 if there is none.
int kibo_country_of_code(int32_t calling_code, char region[8]);

// Folds a text for searching: removes case, accents and compatibility forms. `text` and the result are UTF-8. Returns
// the length of the result in bytes; nothing is written if that is more than `capacity`. Negative for no text, and
// without the library.
int32_t kibo_fold(const char *text, int32_t length, char *out, int32_t capacity);

// Opens the collator of a locale ("de_DE"; "" is the root locale); NULL if there is none. With `letters`, characters
// that differ only in case and accents are equal. The functions below take UTF-16.
kibo_collator *kibo_collator_open(const char *locale, int letters);

void kibo_collator_close(kibo_collator *collator);

// Makes bytes that sort as the text does. Returns how many that takes; at most `capacity` of them are written.
int32_t kibo_collator_key(
    const kibo_collator *collator, const uint16_t *text, int32_t length, uint8_t *key, int32_t capacity);

// Returns whether a collator finds a pattern anywhere in a text; neither may be empty.
int kibo_collator_finds(
    const kibo_collator *collator, const uint16_t *pattern, int32_t pattern_length, const uint16_t *text,
    int32_t text_length);

#ifdef __cplusplus
}
#endif
#endif
