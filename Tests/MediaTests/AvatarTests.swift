import Basics
import CGD
import TestSupport
import Testing

@testable import kibo_media

/// These tests run the real program, with pipes as the daemon has them.
@Suite("Avatars, made by kibo-media", .serialized)
struct AvatarTests {
    /// The JPEG after the line `avatar`; nil for any other answer.
    private func picture(_ run: MediaRun) -> [UInt8]? {
        let head = SampleFiles.text("avatar\n")
        return run.status == 0 && run.output.starts(with: head) ? Array(run.output.dropFirst(head.count)) : nil
    }

    private func make(_ bytes: [UInt8], _ mode: String = "avatar") throws -> [UInt8]? {
        picture(try MediaRun(mode, bytes))
    }

    /// Whether red, green and blue of a point are bright; JPEG keeps no exact values.
    private func colour(_ jpeg: [UInt8], _ x: Int32, _ y: Int32) throws -> [Bool] {
        let image = try #require(Picture.decode(jpeg, .jpeg))
        defer { gdImageDestroy(image) }
        let value = gdImageGetTrueColorPixel(image, x, y)
        return [16, 8, 0].map { (value >> $0) & 0xFF > 128 }
    }

    @Test("An avatar is the middle square, as a JPEG of at most 512 pixels and 256 KiB")
    func square() throws {
        // Red, green and blue stripes, as wide as the picture is high.
        let wide = SampleFiles.png(width: 600, height: 200) { column, _ in
            [[255, 0, 0], [0, 255, 0], [0, 0, 255]][column / 200]
        }
        let avatar = try #require(try make(wide))
        let header = try #require(PictureHeader(avatar))
        #expect(header.format == .jpeg && header.width == 200 && header.height == 200)
        for place: Int32 in [8, 100, 191] { #expect(try colour(avatar, place, place) == [false, true, false]) }
        let large = try #require(try make(SampleFiles.png(width: 1200, height: 700)))
        #expect(PictureHeader(large)?.width == 512 && PictureHeader(large)?.height == 512)
        let dot = try #require(try make(SampleFiles.png(width: 1, height: 7)))
        #expect(PictureHeader(dot)?.width == 1, "small pictures are not enlarged")
        var random = SeededGenerator(seed: 1)
        let noisy = try #require(try make(SampleFiles.noise(side: 640, using: &random)))
        #expect(noisy.count <= 256 << 10 && PictureHeader(noisy)?.width == 512)
    }

    @Test("All common formats are taken; animations and other files are refused with the reason")
    func formats() throws {
        let jpeg = try #require(try make(SampleFiles.png(width: 64, height: 64)))
        for bytes in [
            SampleFiles.gif(), jpeg, try SampleFiles.webp("lossy"), try SampleFiles.webp("lossless"),
            try SampleFiles.webp("alpha"),
        ] {
            #expect(try make(bytes) != nil, "\(bytes.prefix(16))")
        }
        let moving = try MediaRun("avatar", SampleFiles.webp("animation"))
        #expect(moving.text == "refused damaged\n" && moving.status == 2)
        for bytes in [[], SampleFiles.elf, SampleFiles.text("<svg/>"), SampleFiles.text("RIFF....WEBP")] {
            #expect(try MediaRun("avatar", bytes).text == "refused type\n")
        }
        #expect(try MediaRun("avatar", HeaderTests.jpeg(width: 10, height: 10)).text == "refused damaged\n")
    }

    @Test("An avatar is upright and contains no place, device or time")
    func metadata() throws {
        let half = SampleFiles.png(width: 400, height: 400) { _, row in row < 200 ? [255, 0, 0] : [0, 0, 255] }
        let plain = try #require(try make(half))
        #expect(try colour(plain, 200, 20) == [true, false, false])
        let secret = SampleFiles.text("Exif\0\0 GPSLatitude 52.52 SecretCamera 2026")
        let note = [0xFF, 0xE1, 0, UInt8(secret.count + 2)] + secret
        let comment = [0xFF, 0xFE, 0, UInt8(secret.count + 2)] + secret
        // The photo is upside down, with a place and a comment in it.
        let photo = Array(plain[..<2]) + HeaderTests.exif(3) + note + comment + plain[2...] + secret
        let avatar = try #require(try make(photo))
        #expect(try colour(avatar, 200, 20) == [false, false, true])
        let text = String(decoding: avatar, as: UTF8.self)
        for word in ["GPS", "Secret", "Exif"] { #expect(!text.contains(word)) }
    }

    @Test(
        "Fifty megapixels and picture bombs are refused before decoding, with their size; so are files too long"
    )
    func bombs() throws {
        let clocks = SystemClocks()
        let begin = clocks.now
        let bombs: [([UInt8], String)] = [
            (SampleFiles.png(width: 1, height: 1, claimed: (8660, 5774)), "refused pixels 8660 5774 40000000\n"),
            (HeaderTests.jpeg(width: 8660, height: 5774), "refused pixels 8660 5774 40000000\n"),
            (SampleFiles.gif(width: 65_535, height: 65_535), "refused pixels 65535 65535 40000000\n"),
            (
                SampleFiles.png(width: 1, height: 1, claimed: (0x7FFF_FFFF, 0x7FFF_FFFF)),
                "refused pixels 2147483647 2147483647 40000000\n"
            ),
            (
                try SampleFiles.webp("alpha", canvas: (0xFFFFFF, 0xFFFFFF)),
                "refused pixels 16777216 16777216 40000000\n"
            ),
        ]
        for (bomb, answer) in bombs {
            let (run, excess) = try MediaRun.measured("avatar", bomb)
            #expect(run.status == 2 && run.text == answer)
            #expect(excess < 64 << 20)
        }
        let long = [UInt8](repeating: 0, count: (64 << 20) + 1)
        #expect(try MediaRun("avatar", long, asFile: true).text == "refused bytes 67108864\n")
        #expect(clocks.now - begin < .seconds(60))
    }

    @Test("A friend's picture has tighter limits: PNG or JPEG, 4,096 pixels and 256 KiB")
    func peers() throws {
        let avatar = try #require(try make(SampleFiles.png(width: 300, height: 200), "peer-avatar"))
        #expect(PictureHeader(avatar)?.width == 200)
        #expect(try make(avatar, "peer-avatar") != nil)
        for bytes in [SampleFiles.gif(), try SampleFiles.webp("lossy"), SampleFiles.elf, []] {
            #expect(try MediaRun("peer-avatar", bytes).text == "refused type\n")
        }
        for (size, isTaken) in [((4096, 1), true), ((4097, 1), false), ((1, 4097), false)] {
            let run = try MediaRun("peer-avatar", SampleFiles.png(width: size.0, height: size.1))
            #expect((picture(run) != nil) == isTaken, "\(size): \(run.text.prefix(60))")
        }
        let long = SampleFiles.png(width: 300, height: 300)
        #expect(long.count > 256 << 10)
        #expect(try MediaRun("peer-avatar", long).text == "refused bytes 262144\n")
    }

    @Test("Pictures with any byte changed are taken or refused, and the program ends in order")
    func broken() throws {
        let whole = try #require(try make(SampleFiles.png(width: 24, height: 24)))
        var random = SeededGenerator(seed: 7)
        for sample in [whole, SampleFiles.png(width: 9, height: 9), try SampleFiles.webp("lossy"), SampleFiles.gif()] {
            for _ in 0..<8 {
                var bytes = sample
                for _ in 0..<3 {
                    bytes[Int.random(in: 12..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
                }
                let run = try MediaRun("avatar", bytes)
                #expect(picture(run) != nil || run.text.hasPrefix("refused "), "\(run.text.prefix(40)) \(bytes)")
            }
        }
    }
}

extension SampleFiles {
    /// The smallest WebP pictures of their kinds, with one pixel.
    static func webp(_ kind: String, canvas: (Int, Int)? = nil) throws -> [UInt8] {
        let digits = [
            "lossy": "52494646220000005745425056503820160000003001009d012a010001000ec0fe25a400037000000000",
            "lossless": "524946461a000000574542505650384c0d0000002f00000010071011118888fe0700",
            "alpha":
                "524946464a00000057454250565038580a00000010000000000000000000414c50480c00000011071011fd0f4444ff03000056"
                + "503820180000001401009d012a010001000000fe00000dc000fee6b5000000",
            "animation":
                "524946465200000057454250565038580a00000012000000000000000000414e494d06000000ffffffff0000414e4d4626"
                + "000000000000000000000000000000640000005650384c0d0000002f00000010071011118888fe0700",
        ]
        var bytes = try #require(digits[kind].flatMap { Hex.decode($0) })
        if let canvas {
            for (place, size) in [(24, canvas.0), (27, canvas.1)] {
                for byte in 0..<3 { bytes[place + byte] = UInt8(truncatingIfNeeded: size >> (8 * byte)) }
            }
        }
        return bytes
    }
}
