import Basics

extension MediaProgram {
    /// The texts of the QR codes in a picture, each once. Blocking.
    ///
    /// A picture that takes too long, or that ends the program, has none that can be read.
    /// - Parameters:
    ///   - greys: a byte for each pixel, row by row, 0 for black.
    ///   - size: width and height in pixels, whose product is the number of greys.
    /// - Throws: ``Failure`` where the program could not be started.
    package func codes(
        in greys: [UInt8], size: (width: Int64, height: Int64), until deadline: Instant
    ) throws(Failure) -> [String] {
        guard let path else { throw Failure(detail: "kibo-media is not installed", isOurs: true) }
        let child = try MediaChild(path, ["codes", "\(size.width)", "\(size.height)"])
        defer { child.finish() }
        do throws(Failure) {
            try child.write(greys, until: deadline)
            child.endInput()
            return Self.texts(try child.read(limit: MediaLimits.codeTexts, until: deadline) { _ in false })
        } catch {
            log.info("a picture could not be looked through for codes", [("because", error.detail)])
            return []
        }
    }

    /// Splits texts that each end in a NUL. A rest after the last NUL was cut off and is dropped.
    static func texts(_ bytes: [UInt8]) -> [String] {
        var texts: [String] = []
        for part in bytes.split(separator: 0, omittingEmptySubsequences: false).dropLast() {
            guard texts.count < MediaLimits.codes, 1...MediaLimits.codeText ~= part.count,
                let text = String(validating: part, as: UTF8.self), !texts.contains(text)
            else { continue }
            texts.append(text)
        }
        return texts
    }
}
