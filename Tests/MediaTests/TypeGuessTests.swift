import Testing

@testable import kibo_media

@Suite("Types that libmagic doesn't know")
struct TypeGuessTests {
    @Test("A file of boxes is what its brand says; one that is cut off says nothing")
    func brands() {
        func guess(_ brand: String, count: Int = 24) -> String {
            let bytes = Array(
                ([0, 0, 0, 24] + Array("ftyp\(brand)".utf8) + [UInt8](repeating: 0, count: 12)).prefix(count))
            return bytes.withUnsafeBytes { TypeGuess.refined("application/octet-stream", $0) }
        }
        for (brand, type) in [
            ("heic", "image/heic"), ("heix", "image/heic"), ("hevc", "image/heic-sequence"), ("mif1", "image/heif"),
            ("avif", "image/avif"), ("qt  ", "video/quicktime"), ("isom", "video/mp4"), ("zzzz", "video/mp4"),
        ] { #expect(guess(brand) == type, "\(brand)") }
        let piece = [0, 0, 0, 24] + Array("stypmsdh".utf8) + [UInt8](repeating: 0, count: 12)
        #expect(piece.withUnsafeBytes { TypeGuess.refined("application/octet-stream", $0) } == "video/mp4")
        for (box, type) in [
            ("mdat", "video/quicktime"), ("moov", "video/quicktime"), ("zzzz", "application/octet-stream"),
        ] {
            let film = [0, 0, 0, 8] + Array("wide".utf8) + [0, 0, 0, 9] + Array(box.utf8) + [7]
            #expect(film.withUnsafeBytes { TypeGuess.refined("application/octet-stream", $0) } == type)
        }
        for head in ["RF64", "BW64"] {
            let wave = Array(head.utf8) + [255, 255, 255, 255] + Array("WAVEds64".utf8)
            #expect(wave.withUnsafeBytes { TypeGuess.refined("application/octet-stream", $0) } == "audio/x-wav")
        }
        for count in 0...12 { #expect(guess("heic", count: count) == "application/octet-stream", "\(count)") }
    }

    @Test("A log with NULs in it is a text; a program, or little text among NULs, is none")
    func nuls() {
        func form(_ bytes: [UInt8]) -> TypeGuess.Form { bytes.withUnsafeBytes { TypeGuess.form(of: $0) } }
        let line = Array("12:00 started\n".utf8)
        #expect(form(line + [UInt8](repeating: 0, count: 10) + line) == .text)
        #expect(form(line + [0]) == .text)
        #expect(form([0] + line) == .text)
        #expect(form(line + [UInt8](repeating: 0, count: 100)) == .binary)
        #expect(form([0x7F] + Array("ELF".utf8) + [2, 1, 1, 0] + line) == .binary)
        #expect(form(Array("#!/bin/sh\n".utf8) + [0]) == .script)
        #expect(form([UInt8](repeating: 0, count: 9)) == .binary)
    }
}
