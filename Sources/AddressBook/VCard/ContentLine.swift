/// One unfolded line of a vCard, `group.NAME;PARAMETER=value:value` (RFC 6350 §3.3), including the forms that 2.1 and
/// real exports write.
struct ContentLine: Equatable {
    struct Parameter: Equatable {
        /// The name in capitals; empty for a word by itself, as 2.1 writes `TEL;HOME;VOICE`.
        let name: String
        let values: [String]
    }

    /// The group in small letters, such as `item1`.
    let group: String?
    /// The name in capitals.
    let name: String
    let parameters: [Parameter]
    /// The value as it stands in the file, encoded and escaped.
    let value: [UInt8]

    private static let colon = UInt8(ascii: ":")
    private static let semicolon = UInt8(ascii: ";")
    private static let quote = UInt8(ascii: "\"")

    /// Nil for a line that has no colon.
    init?(_ line: [UInt8]) {
        // An unclosed quote hides the colon; it is taken as a plain character then.
        guard let end = Self.colon(in: line) ?? line.firstIndex(of: Self.colon) else { return nil }
        let parts = Self.split(line[..<end], at: Self.semicolon)
        let head = parts[0]
        if let dot = head.lastIndex(of: UInt8(ascii: ".")) {
            group = Self.capitals(head[..<dot]).lowercased()
            name = Self.capitals(head[(dot + 1)...])
        } else {
            group = nil
            name = Self.capitals(head)
        }
        parameters = parts.dropFirst().map(Self.parameter)
        value = Array(line[(end + 1)...])
    }

    /// A name in ASCII capitals, without blanks.
    static func capitals(_ bytes: some Collection<UInt8>) -> String {
        var out: [UInt8] = []
        out.reserveCapacity(bytes.count)
        for byte in bytes where byte != 0x20 && byte != 0x09 {
            out.append(UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte ? byte & 0xDF : byte)
        }
        return String(decoding: out, as: UTF8.self)
    }

    /// All values of the TYPE parameters and words that stand by themselves, in small letters.
    var types: [String] {
        parameters.filter { $0.name == "TYPE" || $0.name.isEmpty }.flatMap(\.values).map { $0.lowercased() }
    }

    /// The first value of a parameter.
    func parameter(_ name: String) -> String? { parameters.first { $0.name == name }?.values.first }

    private static func colon(in line: [UInt8]) -> Int? {
        var isQuoted = false
        for (index, byte) in line.enumerated() {
            if byte == quote { isQuoted.toggle() }
            if byte == colon, !isQuoted { return index }
        }
        return nil
    }

    private static func split(_ bytes: ArraySlice<UInt8>, at separator: UInt8) -> [ArraySlice<UInt8>] {
        var parts: [ArraySlice<UInt8>] = []
        var (start, isQuoted) = (bytes.startIndex, false)
        for index in bytes.indices {
            if bytes[index] == quote { isQuoted.toggle() }
            if bytes[index] == separator, !isQuoted {
                parts.append(bytes[start..<index])
                start = index + 1
            }
        }
        return parts + [bytes[start...]]
    }

    private static func parameter(_ bytes: ArraySlice<UInt8>) -> Parameter {
        guard let equals = bytes.firstIndex(of: UInt8(ascii: "=")) else {
            return Parameter(name: "", values: [text(bytes)])
        }
        let name = capitals(bytes[..<equals])
        // Many programs write TYPE="home,voice", a list in quotes, where RFC 6350 wants each value in its own quotes.
        var values = split(bytes[(equals + 1)...], at: UInt8(ascii: ",")).map(text)
        if name == "TYPE" { values = values.flatMap { $0.split(separator: ",").map(String.init) } }
        return Parameter(name: name, values: values)
    }

    /// A parameter's value without quotes, with the escapes of RFC 6868 (`^`) decoded.
    private static func text(_ bytes: ArraySlice<UInt8>) -> String {
        var out: [UInt8] = []
        var rest = bytes
        while let byte = rest.popFirst() {
            switch (byte, rest.first) {
            case (quote, _): continue
            case (UInt8(ascii: "^"), UInt8(ascii: "n")): out.append(UInt8(ascii: " "))
            case (UInt8(ascii: "^"), UInt8(ascii: "^")): out.append(byte)
            case (UInt8(ascii: "^"), UInt8(ascii: "'")): out.append(quote)
            default:
                out.append(byte)
                continue
            }
            rest.removeFirst()
        }
        let text = Substring(decoding: out, as: UTF8.self)
        return String(text.trimmed())
    }
}

extension Substring {
    /// The text without white space at both ends.
    func trimmed() -> Substring {
        // Most texts have no white space there.
        if let first = utf8.first, let last = utf8.last, 0x21...0x7E ~= first, 0x21...0x7E ~= last { return self }
        var rest = drop(while: \.isWhitespace)
        while rest.last?.isWhitespace == true { rest.removeLast() }
        return rest
    }
}
