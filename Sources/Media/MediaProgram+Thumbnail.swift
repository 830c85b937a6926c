import Basics
import Glibc

/// A small picture for a page: a JPEG that kibo-media has made.
package struct Thumbnail: Sendable {
    package let width: Int64
    package let height: Int64
    package let jpeg: [UInt8]
}

extension MediaProgram {
    /// Makes a thumbnail of a picture's file. Blocking.
    /// - Parameters:
    ///   - file: open for reading; its position moves.
    ///   - side: pixels of the longer side, 320 or 1280.
    /// - Returns: nil if none can be had in time.
    package func thumbnail(of file: CInt, side: Int64, until deadline: Instant) -> Thumbnail? {
        guard let path else { return nil }
        do throws(Failure) {
            return try read(MediaChild(path, ["thumbnail", "\(side)"], file: file), until: deadline)
        } catch {
            return nil
        }
    }

    /// Makes a thumbnail of a picture in memory, such as an offer's preview. A peer's picture is re-encoded. Blocking.
    package func thumbnail(of picture: [UInt8], side: Int64, until deadline: Instant) -> Thumbnail? {
        guard let path else { return nil }
        do throws(Failure) {
            let child = try MediaChild(path, ["thumbnail", "\(side)"])
            try child.write(picture, until: deadline)
            child.endInput()
            return try read(child, until: deadline)
        } catch {
            return nil
        }
    }

    /// Reads a line with width and height, and the picture behind it.
    private func read(_ child: MediaChild, until deadline: Instant) throws(Failure) -> Thumbnail? {
        defer { child.finish() }
        let bytes = try child.read(limit: MediaLimits.thumbnailBytes, until: deadline) { _ in false }
        guard let end = bytes.prefix(32).firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        let numbers = String(decoding: bytes[..<end], as: UTF8.self).split(separator: " ").compactMap { Int64($0) }
        let jpeg = Array(bytes[(end + 1)...])
        guard numbers.count == 2, jpeg.starts(with: [0xFF, 0xD8, 0xFF]) else { return nil }
        return Thumbnail(width: numbers[0], height: numbers[1], jpeg: jpeg)
    }
}
