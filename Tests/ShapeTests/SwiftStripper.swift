/// Blanks the insides of comments and string literals in Swift code and keeps every line in its place, so that a
/// sentence can't look like code. Code inside `\( )` stays code. Regex literals count as code.
struct SwiftStripper {
    /// What the reader is inside, innermost last.
    private enum Place {
        /// `parentheses` counts those opened since this code began; the one that closes an interpolation ends the code.
        case code(parentheses: Int)
        case string(hashes: Int, isMultiline: Bool)
        case lineComment
        case blockComment(depth: Int)
    }

    static func strip(_ text: String) -> String {
        var stripper = SwiftStripper(bytes: Array(text.utf8))
        stripper.run()
        return String(decoding: stripper.out, as: UTF8.self)
    }

    private let bytes: [UInt8]
    private var out: [UInt8] = []
    private var index = 0
    private var places: [Place] = [.code(parentheses: 0)]

    private init(bytes: [UInt8]) {
        self.bytes = bytes
        out.reserveCapacity(bytes.count)
    }

    private mutating func run() {
        while index < bytes.count {
            switch places.last ?? .code(parentheses: 0) {
            case .code(let parentheses): stepInCode(parentheses)
            case .string(let hashes, let isMultiline): stepInString(hashes, isMultiline)
            case .lineComment:
                if bytes[index] == UInt8(ascii: "\n") { places.removeLast() }
                blank(1)
            case .blockComment(let depth): stepInBlockComment(depth)
            }
        }
    }

    private mutating func stepInCode(_ parentheses: Int) {
        if isNext("//") {
            places.append(.lineComment)
            blank(2)
        } else if isNext("/*") {
            places.append(.blockComment(depth: 1))
            blank(2)
        } else if let hashes = stringStart() {
            let isMultiline = isNext("\"\"\"", at: index + hashes)
            keep(hashes + (isMultiline ? 3 : 1))
            places.append(.string(hashes: hashes, isMultiline: isMultiline))
        } else if bytes[index] == UInt8(ascii: "(") {
            places[places.count - 1] = .code(parentheses: parentheses + 1)
            keep(1)
        } else if bytes[index] == UInt8(ascii: ")") {
            if parentheses == 0, places.count > 1 {
                places.removeLast()
            } else {
                places[places.count - 1] = .code(parentheses: max(0, parentheses - 1))
            }
            keep(1)
        } else {
            keep(1)
        }
    }

    private mutating func stepInString(_ hashes: Int, _ isMultiline: Bool) {
        let fence = String(repeating: "#", count: hashes)
        if isNext("\\" + fence + "(") {
            places.append(.code(parentheses: 0))
            keep(2 + hashes)
        } else if isNext("\\" + fence) {
            blank(2 + hashes)
        } else if isNext((isMultiline ? "\"\"\"" : "\"") + fence) {
            places.removeLast()
            keep((isMultiline ? 3 : 1) + hashes)
        } else {
            // An unclosed one-line literal does not compile. It ends here, so that the rest of the file isn't lost.
            if !isMultiline, bytes[index] == UInt8(ascii: "\n") { places.removeLast() }
            blank(1)
        }
    }

    private mutating func stepInBlockComment(_ depth: Int) {
        if isNext("/*") {
            places[places.count - 1] = .blockComment(depth: depth + 1)
            blank(2)
        } else if isNext("*/") {
            if depth == 1 { places.removeLast() } else { places[places.count - 1] = .blockComment(depth: depth - 1) }
            blank(2)
        } else {
            blank(1)
        }
    }

    /// The number of `#` before the quotation mark that begins here, nil if no literal begins here.
    private func stringStart() -> Int? {
        var end = index
        while end < bytes.count, bytes[end] == UInt8(ascii: "#") { end += 1 }
        return end < bytes.count && bytes[end] == UInt8(ascii: "\"") ? end - index : nil
    }

    private func isNext(_ text: String, at start: Int? = nil) -> Bool {
        bytes[min(start ?? index, bytes.count)...].starts(with: text.utf8)
    }

    private mutating func keep(_ count: Int) {
        out += bytes[index..<min(index + count, bytes.count)]
        index += count
    }

    private mutating func blank(_ count: Int) {
        for byte in bytes[index..<min(index + count, bytes.count)] {
            out.append(byte == UInt8(ascii: "\n") ? byte : UInt8(ascii: " "))
        }
        index += count
    }
}
