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
        for count in 0...12 { #expect(guess("heic", count: count) == "application/octet-stream", "\(count)") }
    }
}
