import HTTP

/// The fields of an answer with a file, and the bytes it sends. A value: it decides what the browser may show and what
/// it may only save.
package struct FileAnswer: Sendable {
    package let status: UInt32
    package let fields: [(name: String, value: String)]
    /// The part that is sent; nil: none.
    package let part: (offset: Int64, count: Int64)?

    /// Types that a browser shows or plays without running anything that is in them. SVG, HTML, XML and PDF are none of them.
    package static let shown: Set = [
        "image/png", "image/jpeg", "image/gif", "image/webp", "video/mp4", "video/webm", "video/ogg", "audio/mpeg",
        "audio/mp4", "audio/wav", "audio/x-wav", "audio/webm", "audio/ogg", "application/ogg",
    ]

    /// - Parameters:
    ///   - name: what the file is called, in any letters.
    ///   - mediaType: what the daemon says that is in it.
    ///   - size: bytes of the file.
    ///   - range: the field `Range` of the request.
    ///   - saves: whether the page wants it to be saved rather than shown.
    package init(name: String, mediaType: String, size: Int64, range: String?, saves: Bool) {
        let isShown = Self.shown.contains(mediaType) && !saves
        var fields = [
            (name: "Content-Type", value: isShown ? mediaType : "application/octet-stream"),
            (
                name: "Content-Disposition",
                value: (isShown ? "inline" : "attachment") + "; filename*=UTF-8''" + Self.escaped(name)
            ),
            (name: "Content-Security-Policy", value: Reply.policy + "; sandbox"),
            (name: "Accept-Ranges", value: "bytes"),
        ]
        switch ByteRange(range, size: size) {
        case .whole:
            status = 200
            part = (0, size)
        case .part(let first, let count):
            status = 206
            part = (first, count)
            fields.append((name: "Content-Range", value: "bytes \(first)-\(first + count - 1)/\(size)"))
        case .outside:
            status = 416
            part = nil
            fields.append((name: "Content-Range", value: "bytes */\(size)"))
        }
        self.fields = fields
    }

    /// RFC 8187: all but letters, digits and a few signs as percent and two digits.
    static func escaped(_ name: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var out: [UInt8] = []
        for byte in name.utf8 {
            if Route.isLetterOrDigit(byte) || "-_.".utf8.contains(byte) {
                out.append(byte)
            } else {
                out += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: out, as: UTF8.self)
    }
}
