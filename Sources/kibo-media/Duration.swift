/// The length of audio or video, from its headers: WAV, MP3 and MP4.
enum MediaDuration {
    /// Reads up to `count` bytes from `position` on.
    typealias Reader = (_ position: Int, _ count: Int) -> [UInt8]

    /// - Parameter size: the file's size in bytes.
    static func milliseconds(size: Int, _ read: Reader) -> Int? {
        let start = read(0, 12)
        guard start.count == 12 else { return nil }
        let length: Double?
        if ["RIFF", "RF64", "BW64"].contains(where: { start.starts(with: $0.utf8) }),
            start[8...].elementsEqual("WAVE".utf8)
        {
            length = wave(size, read)
        } else if ["ftyp", "styp", "wide", "moov"].contains(where: { start[4..<8].elementsEqual($0.utf8) }) {
            length = film(0, size, depth: 0, read)
        } else {
            length = mpeg(start, size, read)
        }
        guard let seconds = length, seconds.isFinite, seconds >= 0, seconds < 1e7 else { return nil }
        return Int(seconds * 1000)
    }

    private static func wave(_ size: Int, _ read: Reader) -> Double? {
        var position = 12
        var rate = 0
        for _ in 0..<64 {
            let head = read(position, 8)
            guard head.count == 8 else { return nil }
            let length = little(head[4..<8])
            if head.starts(with: "fmt ".utf8) { rate = little(read(position + 16, 4)[...]) }
            if head.starts(with: "data".utf8) {
                // A recorder that was interrupted leaves the length unknown.
                let bytes = min(length, size - position - 8)
                return rate > 0 ? Double(bytes) / Double(rate) : nil
            }
            position += 8 + length + length % 2
        }
        return nil
    }

    private static func mpeg(_ start: [UInt8], _ size: Int, _ read: Reader) -> Double? {
        var position = 0
        if start.starts(with: "ID3".utf8) {
            position = 10 + start[6..<10].reduce(0) { $0 << 7 | Int($1 & 0x7F) } + (start[5] & 0x10 != 0 ? 10 : 0)
        }
        let bytes = read(position, 4096)
        for index in 0..<max(0, bytes.count - 4) {
            guard let frame = MPEGFrame(bytes[index], bytes[index + 1], bytes[index + 2], bytes[index + 3]) else {
                continue
            }
            // Encoders with a variable rate write the number of frames into the first frame.
            let note = index + 4 + frame.sideInformation
            if note + 12 <= bytes.count {
                let tag = bytes[note..<(note + 4)]
                if tag.elementsEqual("Xing".utf8) || tag.elementsEqual("Info".utf8), bytes[note + 7] & 1 != 0 {
                    let frames = big(bytes[(note + 8)..<(note + 12)])
                    return Double(frames) * Double(frame.samples) / Double(frame.sampleRate)
                }
            }
            return Double(size - position - index) * 8 / Double(frame.bitRate)
        }
        return nil
    }

    /// The video's header lies in `moov`, which may be the file's first box or its last (ISO/IEC 14496-12).
    private static func film(_ start: Int, _ end: Int, depth: Int, _ read: Reader) -> Double? {
        var position = start
        for _ in 0..<256 where position + 8 <= end {
            let head = read(position, 16)
            guard head.count >= 8 else { return nil }
            var length = big(head[0..<4])
            var body = 8
            if length == 1, head.count == 16 { (length, body) = (big(head[8..<16]), 16) }
            if length == 0 { length = end - position }
            guard length >= body, length <= end - position else { return nil }
            let name = head[4..<8]
            if name.elementsEqual("moov".utf8), depth == 0 {
                return film(position + body, position + length, depth: 1, read)
            }
            if name.elementsEqual("mvhd".utf8), depth == 1 { return header(read(position + body, 32)) }
            position += length
        }
        return nil
    }

    private static func header(_ bytes: [UInt8]) -> Double? {
        guard bytes.count == 32 else { return nil }
        let (scale, length) =
            bytes[0] == 1
            ? (big(bytes[20..<24]), big(bytes[24..<32])) : (big(bytes[12..<16]), big(bytes[16..<20]))
        return scale > 0 ? Double(length) / Double(scale) : nil
    }

    /// A big-endian number; 0, which means no length, if it doesn't fit.
    private static func big(_ bytes: ArraySlice<UInt8>) -> Int {
        Int(exactly: bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }) ?? 0
    }

    private static func little(_ bytes: ArraySlice<UInt8>) -> Int {
        bytes.count == 4 ? bytes.reversed().reduce(0) { $0 << 8 | Int($1) } : 0
    }
}
