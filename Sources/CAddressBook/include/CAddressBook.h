// libphonenumber, which is C++, and a little of ICU for Swift: what numbers are, which countries there are, and texts without
// case and accents. All functions may be called from any thread; none throws.
#ifndef KIBO_ADDRESS_BOOK_H
#define KIBO_ADDRESS_BOOK_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    KIBO_PHONE_NUMBER = 0,
    // Without + and country: it could be anywhere.
    KIBO_PHONE_NEEDS_COUNTRY = 1,
    KIBO_PHONE_NOT_A_NUMBER = 2,
    // Such as 110, or a number without its area code: of use in its own country or town only.
    KIBO_PHONE_SHORT = 3,
    KIBO_PHONE_TOO_LONG = 4,
};

enum { KIBO_PHONE_OTHER = 0, KIBO_PHONE_MOBILE = 1, KIBO_PHONE_FIXED = 2 };

typedef struct {
    int32_t calling_code;
    // Digits only, without the prefix that is dialled within the country; NUL-terminated, as all here.
    char national[32];
    // ISO 3166-1 alpha-2; empty if no country has the number alone.
    char region[8];
    char extension[24];
} kibo_phone_number;

typedef struct {
    char region[8];
    int32_t calling_code;
    // What is dialled before a national number within the country; empty for nothing.
    char trunk_prefix[16];
    // In English, UTF-8.
    char name[96];
} kibo_country;

// Reads what people write. `region` is where a number without + is from; "ZZ" for unknown. One of KIBO_PHONE_….
int kibo_phone_read(const char *text, const char *region, kibo_phone_number *out);

// What sort of line a number in E.164 is, by its range: KIBO_PHONE_MOBILE, … Slow beside reading it.
int kibo_phone_kind(const char *e164);

// All countries in order of their regions: how many there are; at most `capacity` are written.
size_t kibo_countries(kibo_country *out, size_t capacity);

// The country that a calling code is of, of several the main one; 0 if there is none.
int kibo_country_of_code(int32_t calling_code, char region[8]);

// A text by which others are found: without case, accents and forms of compatibility. `text` is UTF-8, and so is what is written.
// How many bytes it takes; nothing is written if that is more than `capacity`. Negative for no text.
int32_t kibo_fold(const char *text, int32_t length, char *out, int32_t capacity);

#ifdef __cplusplus
}
#endif
#endif
