import Basics
import Glibc
import TestSupport
import Testing

@testable import kibo_media

/// These tests run the real program, with pipes as the daemon has them.
@Suite("kibo-media, confined", .serialized)
struct ProgramTests {
    @Test("The confined program can't open, start or reach anything, its memory has a limit and holds no code")
    func confinement() throws {
        let run = try MediaRun("self-test")
        #expect(run.status == 0)
        let lines = run.text.split(separator: "\n")
        #expect(lines.count == 11)
        for line in lines { #expect(line.hasSuffix(" refused"), "\(line)") }
    }

    private func question(_ bytes: [UInt8], onlyForm: Bool = false) -> [UInt8] {
        let length = UInt32(bytes.count) | (onlyForm ? 0x8000_0000 : 0)
        return [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: length >> $0) } + bytes
    }

    @Test("Types: each question gets one line; a question that is too long ends the program")
    func types() throws {
        let questions = [SampleFiles.gif(), [], SampleFiles.elf, SampleFiles.text("#!/bin/sh\n")].map { question($0) }
        let last = question(SampleFiles.text("{\"a\": 1}\n"), onlyForm: true)
        let run = try MediaRun("types", questions.flatMap { $0 } + last)
        #expect(run.status == 0)
        let lines = run.text.split(separator: "\n").map(String.init)
        #expect(lines.count == 5)
        #expect(lines.first == "image/gif binary" && lines.dropFirst().first?.hasSuffix(" empty") == true)
        #expect(lines.dropFirst(2).first?.hasPrefix("application/x-") == true)
        #expect(lines.dropFirst(3).first == "text/x-shellscript script")
        #expect(lines.last == "text/plain text")
        #expect(try MediaRun("types", [0x7F, 0xFF, 0xFF, 0xFF, 1, 2, 3]).status == 2)
        #expect(try MediaRun("types", [0, 0]).status == 0)
        #expect(try MediaRun("nonsense").status == 2)
    }

    @Test("A preview is a JPEG of at most 320 pixels and 32 KiB, from every format, turned as the camera was held")
    func previews() throws {
        let preview = try MediaRun("preview", SampleFiles.png(width: 640, height: 400))
        #expect(preview.status == 0)
        let header = try #require(PictureHeader(preview.output))
        #expect(header.format == .jpeg && header.width == 320 && header.height == 200)
        #expect(preview.output.count <= 32 << 10)
        let small = try #require(PictureHeader(try MediaRun("preview", SampleFiles.png(width: 5, height: 9)).output))
        #expect(small.width == 5 && small.height == 9, "small pictures are not enlarged")
        let thin = try #require(PictureHeader(try MediaRun("preview", SampleFiles.png(width: 2000, height: 1)).output))
        #expect(thin.width == 320 && thin.height == 1)
        #expect(try MediaRun("preview", SampleFiles.gif()).status == 0)
        // This is the resulting JPEG with a note that it lies on its side.
        let onSide = Array(preview.output[..<2]) + HeaderTests.exif(6) + preview.output[2...]
        let turned = try #require(PictureHeader(try MediaRun("preview", onSide).output))
        #expect(turned.width == 200 && turned.height == 320)
        // Noise does not compress, so quality and size go down until it fits.
        var random = SeededGenerator(seed: 1)
        let noise = SampleFiles.noise(side: 640, using: &random)
        let noisy = try MediaRun("preview", noise)
        #expect(noisy.status == 0 && noisy.output.count <= 32 << 10 && noisy.output.count > 1000)
    }

    @Test("Picture bombs and other files are refused before decoding, at once and with little memory")
    func bombs() throws {
        let clocks = SystemClocks()
        let begin = clocks.now
        for bomb in [
            SampleFiles.png(width: 1, height: 1, claimed: (60_000, 60_000)),
            SampleFiles.png(width: 1, height: 1, claimed: (0x7FFF_FFFF, 0x7FFF_FFFF)),
            SampleFiles.gif(width: 65_535, height: 65_535), HeaderTests.jpeg(width: 65_500, height: 65_500),
        ] {
            let (run, excess) = try MediaRun.measured("preview", bomb)
            #expect(run.status == 2 && run.output.isEmpty)
            #expect(excess < 64 << 20)
        }
        #expect(clocks.now - begin < .seconds(30))
        for bytes in [[], SampleFiles.elf, SampleFiles.text("hello"), HeaderTests.jpeg(width: 10, height: 10)] {
            let run = try MediaRun("preview", bytes)
            #expect(run.status == 2 && run.output.isEmpty)
        }
        // A truncated picture, or one with nonsense in the middle, ends the program without harm.
        let whole = SampleFiles.png(width: 64, height: 64)
        _ = try MediaRun("preview", Array(whole.prefix(whole.count / 2)))
        var broken = whole
        for index in stride(from: 50, to: broken.count, by: 7) { broken[index] ^= 0x55 }
        _ = try MediaRun("preview", broken)
    }

    @Test("A duration is read from the file itself")
    func duration() throws {
        let run = try MediaRun("duration", SampleFiles.wav(seconds: 2), asFile: true)
        #expect(run.status == 0 && run.text == "2000\n")
        #expect(try MediaRun("duration", SampleFiles.mp4(milliseconds: 1234), asFile: true).text == "1234\n")
        #expect(try MediaRun("duration", SampleFiles.elf, asFile: true).status == 2)
    }
}

extension SampleFiles {
    /// A picture of random points.
    static func noise(side: Int, using random: inout SeededGenerator) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < side * side * 3 { bytes.append(UInt8(truncatingIfNeeded: random.next() >> 24)) }
        return png(width: side, height: side) { column, row in
            let start = (row * side + column) * 3
            return Array(bytes[start..<(start + 3)])
        }
    }
}
