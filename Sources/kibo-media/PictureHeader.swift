/// What a picture's file claims about itself. Its width and height decide whether it is decoded at all.
struct PictureHeader {
    enum Format { case png, jpeg, gif, webp }

    let format: Format
    let width: Int
    let height: Int
    /// The orientation as Exif has it: 1 upright, 3 upside down, 6 and 8 on its side, the others mirrored.
    var orientation = 1

    var pixels: Int {
        let (product, overflow) = width.multipliedReportingOverflow(by: height)
        return overflow ? .max : product
    }

    /// Nil if the file is broken or in none of the four formats.
    init?(_ bytes: [UInt8]) {
        if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
            guard bytes.count >= 24, bytes[12..<16].elementsEqual("IHDR".utf8) else { return nil }
            self.init(.png, Self.big(bytes, 16, 4), Self.big(bytes, 20, 4))
        } else if bytes.starts(with: [0xFF, 0xD8, 0xFF]) {
            self.init(jpeg: bytes)
        } else if bytes.starts(with: "GIF87a".utf8) || bytes.starts(with: "GIF89a".utf8) {
            self.init(gif: bytes)
        } else if bytes.starts(with: "RIFF".utf8), bytes.count >= 30, bytes[8..<12].elementsEqual("WEBP".utf8) {
            self.init(webp: bytes)
        } else {
            return nil
        }
    }

    private init?(_ format: Format, _ width: Int, _ height: Int) {
        guard width > 0, height > 0 else { return nil }
        self.format = format
        self.width = width
        self.height = height
    }

    /// Reads a JPEG: the largest of its frame headers (ITU-T T.81 B.2.2).
    private init?(jpeg bytes: [UInt8]) {
        var (width, height, orientation) = (0, 0, 1)
        var position = 2
        while position + 4 <= bytes.count, bytes[position] == 0xFF {
            let marker = bytes[position + 1]
            if marker == 0xFF {
                position += 1
                continue
            }
            if marker == 0xDA || marker == 0xD9 { break }
            let length = Self.big(bytes, position + 2, 2)
            let end = position + 2 + length
            guard length >= 2, end <= bytes.count else { break }
            // SOF0 to SOF15, without the tables whose numbers lie between them.
            if 0xC0...0xCF ~= marker, ![0xC4, 0xC8, 0xCC].contains(marker), length >= 8 {
                height = max(height, Self.big(bytes, position + 5, 2))
                width = max(width, Self.big(bytes, position + 7, 2))
            }
            if marker == 0xE1, orientation == 1 {
                orientation = Self.orientation(Array(bytes[(position + 4)..<end]))
            }
            position = end
        }
        self.init(.jpeg, width, height)
        self.orientation = orientation
    }

    /// Reads a GIF: the larger of screen and first picture, since a decoder may use either.
    private init?(gif bytes: [UInt8]) {
        guard bytes.count >= 13 else { return nil }
        var (width, height) = (Self.little(bytes, 6), Self.little(bytes, 8))
        var position = 13 + (bytes[10] & 0x80 != 0 ? 3 << (Int(bytes[10] & 7) + 1) : 0)
        while position < bytes.count {
            if bytes[position] == 0x21 {
                position += 2
                while position < bytes.count, bytes[position] != 0 { position += Int(bytes[position]) + 1 }
                position += 1
            } else if bytes[position] == 0x2C, position + 10 <= bytes.count {
                width = max(width, Self.little(bytes, position + 5))
                height = max(height, Self.little(bytes, position + 7))
                break
            } else {
                break
            }
        }
        self.init(.gif, width, height)
    }

    /// Reads a WebP by its first chunk (RFC 9649 §2.5–2.7); in the extended form that is the canvas, which a single
    /// picture fills.
    private init?(webp bytes: [UInt8]) {
        switch String(decoding: bytes[12..<16], as: UTF8.self) {
        case "VP8 ":
            guard bytes[23] == 0x9D, bytes[24] == 0x01, bytes[25] == 0x2A else { return nil }
            self.init(.webp, Self.little(bytes, 26) & 0x3FFF, Self.little(bytes, 28) & 0x3FFF)
        case "VP8L":
            guard bytes[20] == 0x2F else { return nil }
            let sizes = Self.little(bytes, 21) | Self.little(bytes, 23) << 16
            self.init(.webp, (sizes & 0x3FFF) + 1, (sizes >> 14 & 0x3FFF) + 1)
        case "VP8X":
            let width = Self.little(bytes, 24) | Int(bytes[26]) << 16
            let height = Self.little(bytes, 27) | Int(bytes[29]) << 16
            self.init(.webp, width + 1, height + 1)
        default: return nil
        }
    }

    /// Reads the tag 0x0112 of Exif's first directory (JEITA CP-3451).
    private static func orientation(_ bytes: [UInt8]) -> Int {
        guard bytes.count >= 14, bytes.starts(with: "Exif".utf8) else { return 1 }
        let tiff = Array(bytes[6...])
        let isLittle = tiff.starts(with: "II".utf8)
        guard isLittle || tiff.starts(with: "MM".utf8) else { return 1 }
        func number(_ position: Int, _ count: Int) -> Int {
            guard position >= 0, position + count <= tiff.count else { return 0 }
            let part = tiff[position..<(position + count)]
            return (isLittle ? Array(part.reversed()) : Array(part)).reduce(0) { $0 << 8 | Int($1) }
        }
        let directory = number(4, 4)
        guard directory < tiff.count else { return 1 }
        for index in 0..<min(number(directory, 2), 64) where number(directory + 2 + index * 12, 2) == 0x0112 {
            let value = number(directory + 2 + index * 12 + 8, 2)
            return 1...8 ~= value ? value : 1
        }
        return 1
    }

    private static func big(_ bytes: [UInt8], _ position: Int, _ count: Int) -> Int {
        guard position + count <= bytes.count else { return 0 }
        return bytes[position..<(position + count)].reduce(0) { $0 << 8 | Int($1) }
    }

    private static func little(_ bytes: [UInt8], _ position: Int) -> Int {
        position + 2 <= bytes.count ? Int(bytes[position]) | Int(bytes[position + 1]) << 8 : 0
    }
}
