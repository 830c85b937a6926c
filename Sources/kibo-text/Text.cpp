// libkibo-text.so: see CText.h.
#include "kibo_text.h"

#include <phonenumbers/logger.h>
#include <phonenumbers/phonenumberutil.h>
#include <unicode/normalizer2.h>
#include <unicode/uchar.h>
#include <unicode/ucol.h>
#include <unicode/uloc.h>
#include <unicode/unistr.h>
#include <unicode/usearch.h>
#include <unicode/ustring.h>

#include <cstring>
#include <set>
#include <string>

using i18n::phonenumbers::PhoneNumber;
using i18n::phonenumbers::PhoneNumberUtil;

namespace {

// The library's own logger writes to standard output.
class Silence : public i18n::phonenumbers::Logger {
   public:
    void WriteMessage(const std::string &) override {}
};

const PhoneNumberUtil &Util() {
    // The library calls no logger before this, and other threads wait for the first caller.
    static const PhoneNumberUtil *const util = [] {
        PhoneNumberUtil *made = PhoneNumberUtil::GetInstance();
        i18n::phonenumbers::Logger::set_logger_impl(new Silence);
        return made;
    }();
    return *util;
}

// Copies a text; false if it doesn't fit, because nothing is cut.
template <size_t size>
bool Put(const std::string &text, char (&out)[size]) {
    std::memset(out, 0, size);
    if (text.size() >= size || text.find('\0') != std::string::npos) return false;
    std::memcpy(out, text.data(), text.size());
    return true;
}

int32_t Kind(PhoneNumberUtil::PhoneNumberType type) {
    switch (type) {
        case PhoneNumberUtil::MOBILE:
        case PhoneNumberUtil::FIXED_LINE_OR_MOBILE: return KIBO_PHONE_MOBILE;
        case PhoneNumberUtil::FIXED_LINE: return KIBO_PHONE_FIXED;
        default: return KIBO_PHONE_OTHER;
    }
}

// Where area codes are dialled with a 0, a number without one belongs to a single town.
bool IsWithoutAreaCode(const PhoneNumberUtil &util, const char *text, const char *region) {
    std::string trunk, digits(text);
    util.GetNddPrefixForRegion(region, true, &trunk);
    if (trunk != "0" || digits.find('+') != std::string::npos) return false;
    util.NormalizeDigitsOnly(&digits);
    return digits.compare(0, trunk.size(), trunk) != 0;
}

int Read(const char *text, const char *region, kibo_phone_number *out) {
    const PhoneNumberUtil &util = Util();
    PhoneNumber number;
    switch (util.Parse(text, region, &number)) {
        case PhoneNumberUtil::NO_PARSING_ERROR: break;
        case PhoneNumberUtil::INVALID_COUNTRY_CODE_ERROR:
            return text[0] == '+' ? KIBO_PHONE_NOT_A_NUMBER : KIBO_PHONE_NEEDS_COUNTRY;
        case PhoneNumberUtil::TOO_SHORT_AFTER_IDD:
        case PhoneNumberUtil::TOO_SHORT_NSN: return KIBO_PHONE_SHORT;
        case PhoneNumberUtil::TOO_LONG_NSN: return KIBO_PHONE_TOO_LONG;
        default: return KIBO_PHONE_NOT_A_NUMBER;
    }
    // The check goes by length, not by the ranges that were known when the library was built, because ranges grow.
    switch (util.IsPossibleNumberWithReason(number)) {
        case PhoneNumberUtil::IS_POSSIBLE: break;
        case PhoneNumberUtil::IS_POSSIBLE_LOCAL_ONLY:
        case PhoneNumberUtil::TOO_SHORT: return KIBO_PHONE_SHORT;
        case PhoneNumberUtil::TOO_LONG: return KIBO_PHONE_TOO_LONG;
        default: return KIBO_PHONE_NOT_A_NUMBER;
    }
    std::string national, home;
    util.GetNationalSignificantNumber(number, &national);
    // A leading zero belongs to the number in Italy and a few more countries; elsewhere it is an error. A number is
    // validated only where it matters, because each check costs a dozen regular expressions.
    if (national.empty() || (national[0] == '0' && !util.IsValidNumber(number))) return KIBO_PHONE_NOT_A_NUMBER;
    if (IsWithoutAreaCode(util, text, region) && !util.IsValidNumber(number)) return KIBO_PHONE_SHORT;
    util.GetRegionCodeForNumber(number, &home);
    // These codes stand for no country: unknown, and the whole world.
    if (home == "ZZ" || home == "001") home.clear();
    out->calling_code = number.country_code();
    const bool fits = Put(national, out->national) && Put(home, out->region) && Put(number.extension(), out->extension);
    return fits ? KIBO_PHONE_NUMBER : KIBO_PHONE_TOO_LONG;
}

std::string EnglishName(const std::string &region) {
    UErrorCode status = U_ZERO_ERROR;
    UChar name[64];
    const std::string locale = "und_" + region;
    const int32_t length = uloc_getDisplayCountry(locale.c_str(), "en", name, 64, &status);
    if (U_FAILURE(status) || length > 64) return region;
    char text[256];
    int32_t written = 0;
    u_strToUTF8(text, sizeof text, &written, name, length, &status);
    if (U_FAILURE(status) || written > static_cast<int32_t>(sizeof text)) return region;
    return std::string(text, static_cast<size_t>(written));
}

int PhoneRead(const char *text, const char *region, kibo_phone_number *out) {
    std::memset(out, 0, sizeof *out);
    try {
        return Read(text, region, out);
    } catch (...) {
        return KIBO_PHONE_NOT_A_NUMBER;
    }
}

int PhoneKind(const char *e164) {
    try {
        PhoneNumber number;
        if (Util().Parse(e164, "ZZ", &number) != PhoneNumberUtil::NO_PARSING_ERROR) return KIBO_PHONE_OTHER;
        return Kind(Util().GetNumberType(number));
    } catch (...) {
        return KIBO_PHONE_OTHER;
    }
}

size_t Countries(kibo_country *out, size_t capacity) {
    try {
        const PhoneNumberUtil &util = Util();
        std::set<std::string> regions;
        util.GetSupportedRegions(&regions);
        size_t count = 0;
        for (const std::string &region : regions) {
            if (count < capacity) {
                kibo_country &country = out[count];
                std::string trunk;
                util.GetNddPrefixForRegion(region, true, &trunk);
                country.calling_code = util.GetCountryCodeForRegion(region);
                if (!Put(trunk, country.trunk_prefix)) country.trunk_prefix[0] = '\0';
                if (!Put(EnglishName(region), country.name)) country.name[0] = '\0';
                if (!Put(region, country.region)) continue;
            }
            count++;
        }
        return count;
    } catch (...) {
        return 0;
    }
}

int CountryOfCode(int32_t calling_code, char region[8]) {
    try {
        std::string found;
        Util().GetRegionCodeForCountryCode(calling_code, &found);
        if (found.empty() || found == "ZZ" || found == "001" || found.size() >= 8) return 0;
        std::memset(region, 0, 8);
        std::memcpy(region, found.data(), found.size());
        return 1;
    } catch (...) {
        return 0;
    }
}

int32_t Fold(const char *text, int32_t length, char *out, int32_t capacity) {
    try {
        UErrorCode status = U_ZERO_ERROR;
        const icu::Normalizer2 *fold = icu::Normalizer2::getNFKCCasefoldInstance(status);
        const icu::Normalizer2 *apart = icu::Normalizer2::getNFDInstance(status);
        if (U_FAILURE(status)) return -1;
        const icu::UnicodeString given = icu::UnicodeString::fromUTF8(icu::StringPiece(text, length));
        const icu::UnicodeString folded = apart->normalize(fold->normalize(given, status), status);
        if (U_FAILURE(status)) return -1;
        icu::UnicodeString plain;
        for (int32_t index = 0; index < folded.length();) {
            const UChar32 letter = folded.char32At(index);
            if (u_charType(letter) != U_NON_SPACING_MARK) plain.append(letter);
            index += U16_LENGTH(letter);
        }
        std::string written;
        plain.toUTF8String(written);
        if (written.size() > INT32_MAX) return -1;
        if (static_cast<int32_t>(written.size()) <= capacity) std::memcpy(out, written.data(), written.size());
        return static_cast<int32_t>(written.size());
    } catch (...) {
        return -1;
    }
}

UCollator *Own(kibo_collator *collator) { return reinterpret_cast<UCollator *>(collator); }
const UCollator *Own(const kibo_collator *collator) { return reinterpret_cast<const UCollator *>(collator); }
const UChar *Letters(const uint16_t *text) { return reinterpret_cast<const UChar *>(text); }

kibo_collator *CollatorOpen(const char *locale, int letters) {
    UErrorCode status = U_ZERO_ERROR;
    UCollator *collator = ucol_open(locale, &status);
    if (U_FAILURE(status)) return nullptr;
    if (letters) ucol_setStrength(collator, UCOL_PRIMARY);
    return reinterpret_cast<kibo_collator *>(collator);
}

void CollatorClose(kibo_collator *collator) { ucol_close(Own(collator)); }

int32_t CollatorKey(const kibo_collator *collator, const uint16_t *text, int32_t length, uint8_t *key, int32_t capacity) {
    return ucol_getSortKey(Own(collator), Letters(text), length, key, capacity);
}

int CollatorFinds(
    const kibo_collator *collator, const uint16_t *pattern, int32_t pattern_length, const uint16_t *text,
    int32_t text_length
) {
    UErrorCode status = U_ZERO_ERROR;
    UStringSearch *search = usearch_openFromCollator(
        Letters(pattern), pattern_length, Letters(text), text_length, Own(collator), nullptr, &status);
    if (U_FAILURE(status)) return 0;
    const int32_t found = usearch_first(search, &status);
    usearch_close(search);
    return U_SUCCESS(status) && found != USEARCH_DONE;
}

}  // namespace

extern "C" const kibo_text_library kibo_text_functions = {
    KIBO_TEXT_VERSION, PhoneRead, PhoneKind, Countries, CountryOfCode, Fold,
    CollatorOpen, CollatorClose, CollatorKey, CollatorFinds,
};
