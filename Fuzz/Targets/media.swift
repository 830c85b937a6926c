// Compiled with: Sources/kibo-media/PictureHeader.swift Sources/kibo-media/MPEGFrame.swift Sources/kibo-media/Duration.swift

/// What our own code reads of a picture, audio file or video before or instead of a library.
enum FuzzTarget {
    static let seeds: [[UInt8]] = [
        [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8) + [0, 0, 1, 0, 0, 0, 2, 0],
        [0xFF, 0xD8, 0xFF, 0xE1, 0, 34] + Array("Exif".utf8) + [0, 0] + Array("MM".utf8)
            + [0, 42, 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0, 0, 0, 0, 0]
            + [0xFF, 0xC0, 0, 11, 8, 0, 16, 0, 32, 1, 1, 0x11, 0, 0xFF, 0xDA, 0, 2],
        Array("GIF89a".utf8) + [16, 0, 16, 0, 0x80, 0, 0] + [UInt8](repeating: 9, count: 6)
            + [0x21, 0xF9, 1, 0, 0, 0x2C, 0, 0, 0, 0, 16, 0, 16, 0, 0],
        Array("RIFF\u{20}\u{0}\u{0}\u{0}WEBPVP8X".utf8) + [10, 0, 0, 0, 0, 0, 0, 0, 15, 0, 0, 15, 0, 0],
        Array("RIFF\u{40}\u{0}\u{0}\u{0}WAVEfmt ".utf8) + [16, 0, 0, 0, 1, 0, 1, 0, 0x40, 0x1F, 0, 0, 0x80, 0x3E, 0, 0]
            + [2, 0, 16, 0] + Array("data".utf8) + [16, 0, 0, 0] + [UInt8](repeating: 0, count: 16),
        Array("ID3".utf8) + [4, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0xFF, 0xFB, 0x90, 0x40]
            + [UInt8](repeating: 0, count: 32) + Array("Xing".utf8) + [0, 0, 0, 1, 0, 0, 1, 0],
        [0, 0, 0, 16] + Array("ftypisom".utf8) + [0, 0, 0, 0, 0, 0, 0, 56] + Array("moov".utf8) + [0, 0, 0, 48]
            + Array("mvhd".utf8) + [UInt8](repeating: 0, count: 12) + [0, 0, 3, 0xE8, 0, 0, 0x27, 0x10]
            + [UInt8](repeating: 0, count: 24),
    ]

    static func run(_ bytes: [UInt8]) {
        if let header = PictureHeader(bytes) {
            require(header.width > 0 && header.height > 0 && header.pixels > 0, "a picture has a size")
            require(1...8 ~= header.orientation, "an orientation is one of eight")
        }
        var reads = 0
        let length = MediaDuration.milliseconds(size: bytes.count) { position, count in
            reads += 1
            require(position >= 0 && count > 0, "places are in the file or behind it")
            return position < bytes.count ? Array(bytes[position..<min(bytes.count, position + count)]) : []
        }
        require(length.map { 0..<10_000_000_000 ~= $0 } ?? true, "a length is one")
        require(reads <= 600, "looks are bounded")
    }
}
