/// Writes the usual parts of JSON5 as JSON, for the parser of the control interface: comments and trailing commas go, names get
/// quotes, single quotes become double ones. Lines stay where they are, so that the parser names the right one.
///
/// Anything else stays as it is. No text becomes valid that is no JSON5: the parser refuses what is doubtful.
struct JSON5 {
    private let input: [UInt8]
    private var place = 0
    private var output: [UInt8] = []
    /// The brackets that are open.
    private var containers: [UInt8] = []
    /// The place in the output of a comma behind a value, as long as nothing but space has followed.
    private var trailingComma: Int?
    /// The last byte of the output that is no space.
    private var last: UInt8?

    /// - Parameter text: UTF-8, perhaps with a byte order mark.
    static func json(_ text: [UInt8]) -> [UInt8] {
        var machine = JSON5(input: text.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(text.dropFirst(3)) : text)
        machine.run()
        return machine.output
    }

    private init(input: [UInt8]) { self.input = input }

    private var next: UInt8? { place < input.count ? input[place] : nil }
    private var afterNext: UInt8? { place + 1 < input.count ? input[place + 1] : nil }

    private mutating func run() {
        while let byte = next {
            if Self.isSpace(byte) {
                output.append(byte)
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
            case UInt8(ascii: "{"), UInt8(ascii: "["): containers.append(byte)
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                _ = containers.popLast()
                if let comma { output[comma] = UInt8(ascii: " ") }
            case UInt8(ascii: ","):
                if let last, !"{[,:".utf8.contains(last) { trailingComma = output.count }
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                string(byte)
                last = byte
                continue
            default:
                if expectsName, Self.isLetter(byte) {
                    name()
                    last = byte
                    continue
                }
            }
            output.append(byte)
            place += 1
            last = byte
        }
    }

    private var expectsName: Bool {
        containers.last == UInt8(ascii: "{") && (last == UInt8(ascii: "{") || last == UInt8(ascii: ","))
    }

    /// A comment becomes a space and its lines. One that has no end is left for the parser to refuse.
    private mutating func comment() {
        let isLine = afterNext == UInt8(ascii: "/")
        let begin = place
        var lines: [UInt8] = [UInt8(ascii: " ")]
        place += 2
        while let byte = next {
            if isLine, byte == Self.newline { break }
            if !isLine, byte == UInt8(ascii: "*"), afterNext == UInt8(ascii: "/") {
                place += 2
                output += lines
                return
            }
            if byte == Self.newline { lines.append(byte) }
            place += 1
        }
        output += isLine ? lines : Array(input[begin..<place])
    }

    private mutating func name() {
        output.append(UInt8(ascii: "\""))
        while let byte = next, Self.isLetter(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) {
            output.append(byte)
            place += 1
        }
        output.append(UInt8(ascii: "\""))
    }

    /// A text up to the quote that began it, now in double quotes.
    private mutating func string(_ quote: UInt8) {
        output.append(UInt8(ascii: "\""))
        place += 1
        while let byte = next, byte != Self.newline {
            place += 1
            if byte == quote {
                output.append(UInt8(ascii: "\""))
                return
            }
            if byte == UInt8(ascii: "\\"), let escaped = next {
                place += 1
                switch escaped {
                case UInt8(ascii: "'"): output.append(escaped)
                // A text may go on in the next line.
                case Self.newline: break
                default: output += [byte, escaped]
                }
            } else if byte == UInt8(ascii: "\"") {
                output += [UInt8(ascii: "\\"), byte]
            } else {
                output.append(byte)
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
