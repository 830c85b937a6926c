// Functions of libphonenumber, which is C++, and of ICU for Swift: telephone numbers, countries, and texts without case
// and accents. Any thread may call any of them, and none throws.
#ifndef KIBO_ADDRESS_BOOK_H
#define KIBO_ADDRESS_BOOK_H

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

// Reads a number as people write it. `region` is the region of a number without +, "ZZ" if unknown. Returns one of
// KIBO_PHONE_….
int kibo_phone_read(const char *text, const char *region, kibo_phone_number *out);

// The kind of line of a number in E.164, by its range: KIBO_PHONE_MOBILE, … This is slow compared with reading.
int kibo_phone_kind(const char *e164);

// Lists all countries in order of their regions. Returns their number; at most `capacity` are written.
size_t kibo_countries(kibo_country *out, size_t capacity);

// Finds the country of a calling code, the main one of several. Returns 0 if there is none.
int kibo_country_of_code(int32_t calling_code, char region[8]);

// Folds a text for searching: removes case, accents and compatibility forms. `text` and the result are UTF-8. Returns
// the length of the result in bytes; nothing is written if that is more than `capacity`. Negative for no text.
int32_t kibo_fold(const char *text, int32_t length, char *out, int32_t capacity);

#ifdef __cplusplus
}
#endif
#endif
