/// Turns the usual parts of JSON5 into JSON, for the parser of the control interface: it drops comments and trailing
/// commas, puts quotes around names, and turns single quotes into double ones. It remembers where each byte and each
/// name came from, so that a mistake can be shown at its place.
///
/// Anything else stays as it is. Text that isn't JSON5 never becomes valid: the parser refuses what is doubtful.
struct JSON5 {
    private let input: [UInt8]
    private var place = 0
    private var output: [UInt8] = []
    /// For each byte of the output, where it came from.
    private var origins: [Int] = []
    /// The open brackets, each with the name before it.
    private var containers: [(bracket: UInt8, name: String)] = []
    /// The last name that was read, and where each name begins, by the names around it and itself.
    private var name = ""
    private var names: [[String]: Int] = [:]
    /// The place in the output of a comma after a value, while only space has followed it.
    private var trailingComma: Int?
    /// The last byte of the output that isn't space.
    private var last: UInt8?

    /// - Parameter text: UTF-8, perhaps with a byte order mark.
    init(_ text: [UInt8]) {
        input = text.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(text.dropFirst(3)) : text
        run()
    }

    /// The text as JSON.
    var json: [UInt8] { output }

    /// The line and column, both from 1, of a byte of ``json``; columns count bytes.
    func position(ofByte byte: Int) -> String {
        position(of: byte < 0 ? 0 : byte < origins.count ? origins[byte] : input.count)
    }

    /// The line and column at which a name stands.
    /// - Parameter path: the names around it, then the name itself.
    func position(ofName path: [String]) -> String { position(of: names[path] ?? 0) }

    private func position(of place: Int) -> String {
        let before = input[..<min(place, input.count)]
        let lineStart = before.lastIndex(of: Self.newline).map { $0 + 1 } ?? 0
        return "\(before.count { $0 == Self.newline } + 1):\(before.count - lineStart + 1)"
    }

    /// - Parameter origin: where the byte came from; without it, the current place.
    private mutating func put(_ byte: UInt8, from origin: Int? = nil) {
        output.append(byte)
        origins.append(origin ?? place)
    }

    private var next: UInt8? { place < input.count ? input[place] : nil }
    private var afterNext: UInt8? { place + 1 < input.count ? input[place + 1] : nil }

    private mutating func run() {
        while let byte = next {
            if Self.isSpace(byte) {
                put(byte)
                place += 1
                continue
            }
            if byte == UInt8(ascii: "/"), afterNext == UInt8(ascii: "/") || afterNext == UInt8(ascii: "*") {
                comment()
                continue
            }
            let comma = trailingComma
            trailingComma = nil
            switch byte {
            case UInt8(ascii: "{"), UInt8(ascii: "["): containers.append((byte, name))
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                _ = containers.popLast()
                if let comma { output[comma] = UInt8(ascii: " ") }
            case UInt8(ascii: ","):
                if let last, !"{[,:".utf8.contains(last) { trailingComma = output.count }
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                let (begin, isName) = (place, expectsName)
                string(byte)
                if isName, place > begin + 1 { found(begin, input[(begin + 1)..<(place - 1)]) }
                last = byte
                continue
            default:
                if expectsName, Self.isLetter(byte) {
                    bareName()
                    last = byte
                    continue
                }
            }
            put(byte)
            place += 1
            last = byte
        }
    }

    private var expectsName: Bool {
        containers.last?.bracket == UInt8(ascii: "{") && (last == UInt8(ascii: "{") || last == UInt8(ascii: ","))
    }

    /// Remembers a name and where it begins.
    private mutating func found(_ begin: Int, _ text: ArraySlice<UInt8>) {
        name = String(decoding: text, as: UTF8.self)
        names[containers.dropFirst().map(\.name) + [name]] = begin
    }

    /// Turns a comment into a space and its line breaks. A comment without an end is left for the parser to refuse.
    private mutating func comment() {
        let isLine = afterNext == UInt8(ascii: "/")
        let begin = place
        var lines: [UInt8] = [UInt8(ascii: " ")]
        place += 2
        while let byte = next {
            if isLine, byte == Self.newline { break }
            if !isLine, byte == UInt8(ascii: "*"), afterNext == UInt8(ascii: "/") {
                place += 2
                for byte in lines { put(byte, from: begin) }
                return
            }
            if byte == Self.newline { lines.append(byte) }
            place += 1
        }
        for byte in isLine ? lines : Array(input[begin..<place]) { put(byte, from: begin) }
    }

    private mutating func bareName() {
        let begin = place
        put(UInt8(ascii: "\""))
        while let byte = next, Self.isLetter(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) {
            put(byte)
            place += 1
        }
        put(UInt8(ascii: "\""))
        found(begin, input[begin..<place])
    }

    /// Copies a string up to the quote that began it, and puts it in double quotes.
    private mutating func string(_ quote: UInt8) {
        put(UInt8(ascii: "\""))
        place += 1
        while let byte = next, byte != Self.newline {
            place += 1
            if byte == quote {
                put(UInt8(ascii: "\""))
                return
            }
            if byte == UInt8(ascii: "\\"), let escaped = next {
                place += 1
                switch escaped {
                case UInt8(ascii: "'"): put(escaped)
                // A text may go on in the next line.
                case Self.newline: break
                default:
                    put(byte)
                    put(escaped)
                }
            } else if byte == UInt8(ascii: "\"") {
                put(UInt8(ascii: "\\"))
                put(byte)
            } else {
                put(byte)
            }
        }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), 0x80...: true
        default: byte == UInt8(ascii: "_") || byte == UInt8(ascii: "$")
        }
    }

    private static func isSpace(_ byte: UInt8) -> Bool { " \t\n\r".utf8.contains(byte) }

    private static let newline = UInt8(ascii: "\n")
}
