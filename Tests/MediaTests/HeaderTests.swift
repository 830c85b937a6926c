import TestSupport
import Testing

@testable import kibo_media

@Suite("Headers, read before anything is decoded")
struct HeaderTests {
    @Test("Width and height are read in each format; a broken file has none")
    func sizes() {
        let png = PictureHeader(SampleFiles.png(width: 3, height: 2))
        #expect(png?.format == .png && png?.width == 3 && png?.height == 2)
        let gif = PictureHeader(SampleFiles.gif(width: 500, height: 70))
        #expect(gif?.format == .gif && gif?.width == 500 && gif?.height == 70)
        let jpeg = PictureHeader(Self.jpeg(width: 4000, height: 3000))
        #expect(jpeg?.format == .jpeg && jpeg?.width == 4000 && jpeg?.height == 3000 && jpeg?.orientation == 1)
        for bytes in [[], SampleFiles.elf, SampleFiles.text("GIF89a"), [0xFF, 0xD8, 0xFF]] {
            #expect(PictureHeader(bytes) == nil)
        }
        let large = PictureHeader(SampleFiles.png(width: 1, height: 1, claimed: (0xFFFF_FFFF, 0xFFFF_FFFF)))
        #expect((large?.pixels ?? 0) > MediaLimits.pixels)
        #expect(PictureHeader(SampleFiles.png(width: 1, height: 1, claimed: (0, 7))) == nil)
    }

    @Test("A header that is cut off anywhere, or has any byte changed, traps nothing")
    func broken() {
        for whole in [
            SampleFiles.png(width: 2, height: 2), SampleFiles.gif(), Self.jpeg(width: 9, height: 9, orientation: 6),
        ] {
            for count in whole.indices { _ = PictureHeader(Array(whole[..<count])) }
            for index in whole.indices {
                for value: UInt8 in [0, 1, 0x7F, 0xFF] {
                    var bytes = whole
                    bytes[index] = value
                    _ = PictureHeader(bytes)
                }
            }
        }
    }

    @Test("The camera's orientation is read", arguments: [1, 3, 6, 8, 0, 9])
    func orientation(value: Int) {
        let expected = 1...8 ~= value ? value : 1
        for isLittle in [true, false] {
            let header = PictureHeader(Self.jpeg(width: 9, height: 9, orientation: value, isLittle: isLittle))
            #expect(header?.orientation == expected)
        }
    }

    /// A JPEG's headers without a picture.
    static func jpeg(width: Int, height: Int, orientation: Int? = nil, isLittle: Bool = true) -> [UInt8] {
        let start: [UInt8] = [0xFF, 0xD8]
        let note = orientation.map { exif($0, isLittle: isLittle) } ?? []
        let size = [UInt8(height >> 8), UInt8(height & 255), UInt8(width >> 8), UInt8(width & 255)]
        let frame: [UInt8] = [0xFF, 0xC0, 0, 17, 8] + size + [3, 1, 0x22, 0, 2, 0x11, 1, 3, 0x11, 1]
        return start + note + frame
    }

    static func exif(_ orientation: Int, isLittle: Bool = true) -> [UInt8] {
        func number(_ value: Int, _ count: Int) -> [UInt8] {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
            return isLittle ? bytes : bytes.reversed()
        }
        let parts = [
            SampleFiles.text(isLittle ? "II" : "MM"), number(42, 2), number(8, 4), number(1, 2), number(0x0112, 2),
            number(3, 2),
            number(1, 4), number(orientation, 2), [0, 0], number(0, 4),
        ]
        let body = SampleFiles.text("Exif\0\0") + parts.flatMap { $0 }
        return [0xFF, 0xE1, 0, UInt8(body.count + 2)] + body
    }

    @Test("How long audio and videos last is read from their headers")
    func durations() {
        func milliseconds(_ bytes: [UInt8]) -> Int? {
            MediaDuration.milliseconds(size: bytes.count) { position, count in
                guard position >= 0, position < bytes.count else { return [] }
                return Array(bytes[position..<min(position + count, bytes.count)])
            }
        }
        #expect(milliseconds(SampleFiles.wav(seconds: 3)) == 3000)
        #expect(milliseconds(SampleFiles.mp4(milliseconds: 1500)) == 1500)
        // MP3 has 1152 samples in a frame, at 44.1 kHz here.
        let song = milliseconds(SampleFiles.mp3(frames: 383)) ?? 0
        #expect(9_900...10_100 ~= song, "\(song)")
        let tagHead: [UInt8] = [3, 0, 0, 0, 0, 0, 100]
        let tag = SampleFiles.text("ID3") + tagHead + [UInt8](repeating: 0, count: 100)
        let tagged = milliseconds(tag + SampleFiles.mp3(frames: 383)) ?? 0
        #expect(9_900...10_100 ~= tagged, "\(tagged)")
        // With a variable rate the first frame tells the number of frames: 1000, with 1152 samples each.
        var variable = SampleFiles.mp3(frames: 3)
        variable.replaceSubrange(36..<48, with: [0x58, 0x69, 0x6E, 0x67, 0, 0, 0, 1, 0, 0, 3, 0xE8])
        #expect(milliseconds(variable) == 26_122)
        #expect(milliseconds([]) == nil && milliseconds(SampleFiles.elf) == nil)
        for whole in [SampleFiles.wav(seconds: 1).prefix(60), SampleFiles.mp4(milliseconds: 1).prefix(700), tag[...]] {
            for index in whole.indices {
                _ = milliseconds(Array(whole[..<index]))
                for value: UInt8 in [0, 1, 0x7F, 0xFF] {
                    var bytes = Array(whole)
                    bytes[index] = value
                    _ = milliseconds(bytes)
                }
            }
        }
    }
}
