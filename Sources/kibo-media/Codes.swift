import CZXing

/// Looks for QR codes in a picture of greys, and writes their texts, each with a NUL behind it.
enum Codes {
    /// - Parameter size: width and height in pixels; standard input has as many bytes as the picture has pixels.
    static func run(_ size: ArraySlice<String>) -> Int32 {
        guard Confinement.close(memory: MediaLimits.codesMemory, time: MediaLimits.codesTime) else { return 4 }
        let sides = size.compactMap { Int32($0) }.filter(MediaLimits.codeSide.contains)
        guard sides.count == 2, size.count == 2, let width = sides.first, let height = sides.last else { return 2 }
        var greys = [UInt8](repeating: 0, count: Int(width) * Int(height))
        guard greys.withUnsafeMutableBytes(Pipes.read), Pipes.readAll(limit: 0) != nil else { return 2 }
        var texts = [UInt8](repeating: 0, count: Int(MediaLimits.codeTexts))
        let count = kibo_codes_read(greys, width, height, MediaLimits.codes, &texts, MediaLimits.codeTexts)
        guard count >= 0 else { return 2 }
        return texts.prefix(Int(count)).withUnsafeBytes(Pipes.write) ? 0 : 2
    }
}
