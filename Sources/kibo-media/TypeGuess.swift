/// Decides file types where libmagic does not.
enum TypeGuess {
    /// The form of a content.
    enum Form: String {
        case empty
        case text
        /// A text that the kernel would run: it begins with `#!`.
        case script
        case binary
    }

    static func form(of bytes: UnsafeRawBufferPointer) -> Form {
        if bytes.isEmpty { return .empty }
        if bytes.starts(with: "#!".utf8) || bytes.starts(with: [0xEF, 0xBB, 0xBF, 0x23, 0x21]) { return .script }
        return isText(bytes) ? .text : .binary
    }

    /// Whether the bytes are text. Text in ASCII, UTF-8 or any 8-bit code has no control characters but those of
    /// printing. UTF-16 and UTF-32 show by their mark or, without it, by every other byte being zero.
    private static func isText(_ bytes: UnsafeRawBufferPointer) -> Bool {
        if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF])
            || bytes.starts(with: [0, 0, 0xFE, 0xFF])
        {
            return true
        }
        // HT, LF, VT, FF, CR, and what terminals write: BS, BEL, ESC. SUB ended texts in old systems.
        // NUL fills what a log had reserved when its host lost power; most of it is still text.
        let printing: Set<UInt8> = [0, 7, 8, 9, 10, 11, 12, 13, 26, 27]
        if bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || printing.contains($0) }) {
            return bytes.count { $0 == 0 } * 2 <= bytes.count
        }
        return isWide(bytes, zeros: 0) || isWide(bytes, zeros: 1)
    }

    /// Whether it is mostly UTF-16 of a language with Latin letters.
    private static func isWide(_ bytes: UnsafeRawBufferPointer, zeros: Int) -> Bool {
        var count = 0
        for index in stride(from: 0, to: bytes.count - 1, by: 2) {
            let (high, low) = (bytes[index + zeros], bytes[index + 1 - zeros])
            if high == 0 {
                guard low >= 0x20 && low != 0x7F || 9...13 ~= low else { return false }
                count += 1
            }
        }
        return bytes.count >= 4 && count * 4 >= (bytes.count / 2) * 3
    }

    /// - Parameter type: libmagic's answer.
    static func refined(_ type: String, _ bytes: UnsafeRawBufferPointer) -> String {
        // WAVE of more than 4 GiB (EBU 3306, ITU-R BS.2088).
        if bytes.count >= 12, bytes.starts(with: "RF64".utf8) || bytes.starts(with: "BW64".utf8),
            bytes[8..<12].elementsEqual("WAVE".utf8)
        {
            return "audio/x-wav"
        }
        switch type {
        case "application/zip": return office(bytes) ?? type
        case "application/octet-stream":
            // A piece of a stream begins with `styp`, and what QuickTime writes may begin with room for a larger size.
            if bytes.count > 12, bytes[4..<8].elementsEqual("ftyp".utf8) || bytes[4..<8].elementsEqual("styp".utf8) {
                return boxed(by: bytes[8..<12])
            }
            if bytes.count > 16, bytes.starts(with: [0, 0, 0, 8] + Array("wide".utf8)),
                bytes[12..<16].elementsEqual("mdat".utf8) || bytes[12..<16].elementsEqual("moov".utf8)
            {
                return "video/quicktime"
            }
            return isMPEGAudio(bytes) ? "audio/mpeg" : type
        default:
            // The answer is always one word on one line, whatever the database says.
            return type.utf8.allSatisfy { 0x21...0x7E ~= $0 } && !type.isEmpty ? type : "application/octet-stream"
        }
    }

    /// The media type of a file of boxes (ISO 14496-12) by its major brand: what cameras write, and videos else.
    private static func boxed(by brand: Slice<UnsafeRawBufferPointer>) -> String {
        switch String(decoding: brand, as: UTF8.self) {
        case "heic", "heix", "heim", "heis": "image/heic"
        case "hevc", "hevx", "msf1": "image/heic-sequence"
        case "mif1": "image/heif"
        case "avif", "avis": "image/avif"
        case "qt  ": "video/quicktime"
        default: "video/mp4"
        }
    }

    /// Recognises, by the names in the archive, Office documents whose first entries are in an order that the database
    /// doesn't know.
    private static func office(_ bytes: UnsafeRawBufferPointer) -> String? {
        var kind: String?
        var isPackage = false
        var position = 0
        while position + 30 <= bytes.count {
            guard bytes[position] == 0x50, bytes[position + 1] == 0x4B, bytes[position + 2] == 3,
                bytes[position + 3] == 4
            else {
                position += 1
                continue
            }
            let length = Int(bytes[position + 26]) | Int(bytes[position + 27]) << 8
            let name = bytes[min(position + 30, bytes.count)..<min(position + 30 + length, bytes.count)]
            if name.starts(with: "word/".utf8) { kind = kind ?? "wordprocessingml.document" }
            if name.starts(with: "xl/".utf8) { kind = kind ?? "spreadsheetml.sheet" }
            if name.starts(with: "ppt/".utf8) { kind = kind ?? "presentationml.presentation" }
            if name.elementsEqual("[Content_Types].xml".utf8) || name.elementsEqual("_rels/.rels".utf8)
                || name.starts(with: "docProps/".utf8)
            {
                isPackage = true
            }
            position += 30 + length
        }
        guard isPackage, let kind else { return nil }
        return "application/vnd.openxmlformats-officedocument." + kind
    }

    /// Whether it is what players take for MP3: a tag, or zeros, and then a frame.
    private static func isMPEGAudio(_ bytes: UnsafeRawBufferPointer) -> Bool {
        if bytes.count >= 10, bytes.starts(with: "ID3".utf8), bytes[3] < 0x10, bytes[6..<10].allSatisfy({ $0 < 0x80 }) {
            return true
        }
        guard let start = bytes.firstIndex(where: { $0 != 0 }), start + 4 <= bytes.count else { return false }
        return MPEGFrame(bytes[start], bytes[start + 1], bytes[start + 2], bytes[start + 3]) != nil
    }
}
