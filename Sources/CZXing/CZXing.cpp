// Without it the library's texts are wide strings.
#define ZX_USE_UTF8

#include "CZXing.h"

#include <ZXing/ReadBarcode.h>

#include <cstring>
#include <string>
#include <vector>

namespace {

ZXing::Results Find(const uint8_t *greys, int32_t width, int32_t height, int32_t most) {
    ZXing::DecodeHints hints;
    hints.setFormats(ZXing::BarcodeFormat::QRCode);
    hints.setMaxNumberOfSymbols(static_cast<uint8_t>(most > 255 ? 255 : most));
    return ZXing::ReadBarcodes(ZXing::ImageView(greys, width, height, ZXing::ImageFormat::Lum), hints);
}

}  // namespace

int32_t kibo_codes_read(
    const uint8_t *greys, int32_t width, int32_t height, int32_t most, uint8_t *texts, int32_t capacity
) {
    if (width <= 0 || height <= 0 || most <= 0 || capacity < 0) return -1;
    try {
        ZXing::Results results = Find(greys, width, height, most);
        if (results.empty()) {
            std::vector<uint8_t> inverted(static_cast<size_t>(width) * static_cast<size_t>(height));
            for (size_t index = 0; index < inverted.size(); index++) inverted[index] = static_cast<uint8_t>(255 - greys[index]);
            results = Find(inverted.data(), width, height, most);
        }
        int32_t written = 0, count = 0;
        for (const ZXing::Result &result : results) {
            if (count == most) break;
            if (!result.isValid()) continue;
            const std::string text = result.text();
            if (text.empty() || text.find('\0') != std::string::npos) continue;
            if (text.size() >= static_cast<size_t>(capacity - written)) continue;
            std::memcpy(texts + written, text.c_str(), text.size() + 1);
            written += static_cast<int32_t>(text.size()) + 1;
            count++;
        }
        return written;
    } catch (...) {
        return -1;
    }
}
