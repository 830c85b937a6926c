// A function of zxing-cpp, which is C++, for Swift: the texts of the QR codes in a picture. Any thread may call it, and it
// doesn't throw.
#ifndef KIBO_ZXING_H
#define KIBO_ZXING_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Looks for QR codes in a picture of greys: `width` × `height` bytes, row by row, 0 for black and 255 for white. Light codes
// on a dark ground are looked for, too, if there are no dark ones on a light ground. Writes the texts of `most` codes at most,
// in UTF-8 and each with a NUL behind it. A text that holds a NUL, is empty or no longer fits is left out. Returns the number of
// bytes written; −1 if the picture has no size or the library fails.
int32_t kibo_codes_read(
    const uint8_t *greys, int32_t width, int32_t height, int32_t most, uint8_t *texts, int32_t capacity);

#ifdef __cplusplus
}
#endif
#endif
