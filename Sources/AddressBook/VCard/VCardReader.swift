import Vocabulary

/// Reads a file of vCards (2.1, RFC 2426 and RFC 6350) piece by piece. Content that is not kept, such as pictures of
/// megabytes, takes no memory.
///
/// Lines end in CRLF, LF or CR. A line that begins with a blank continues the line before it (folding), and so does a
/// line after one of quoted-printable that ends in `=`. A card without an end is taken as it is when the next one
/// begins.
///
/// ```swift
/// var reader = VCardReader()
/// while let piece = next() { try reader.feed(piece) }
/// let file = try reader.finish()
/// ```
public struct VCardReader {
    /// The state of the current line.
    private enum Mode {
        /// Not known yet, because the line's name isn't complete.
        case head
        case keep, skip
    }

    private var decoder = FileDecoder()
    private var file = VCardFile()
    private var line: [UInt8] = []
    private var mode = Mode.head
    private var hasLine = false
    private var isQuotedPrintable = false
    /// The last byte of the line so far. If it is `=`, quoted-printable continues.
    private var lastByte: UInt8 = 0
    /// Whether the next byte is the first of its line in the file.
    private var isAtStart = true
    /// Whether the last byte was CR; an LF after it ends the same line.
    private var wasReturn = false
    /// The current line number in the file, and the number where the current unfolded line began.
    private var lineNumber = 0
    private var lineBegan = 0
    private var bytes: Int = 0
    private var keptBytes = 0

    private var card: CardBuilder?
    private var nesting = 0
    private var isBehindAgent = false
    private var hasBegun = false

    private let keptBytesLimit: Int

    /// Makes a reader at the beginning of a file.
    public init() { self.init(keptBytesLimit: AddressBookLimits.keptBytes) }

    /// Makes a reader with a limit that a test can reach.
    init(keptBytesLimit: Int) { self.keptBytesLimit = keptBytesLimit }

    /// Reads the next piece of the file, of any size.
    public mutating func feed(_ piece: [UInt8]) throws(VCardError) {
        try ingest(decoder.decode(piece))
    }

    /// Ends the file.
    /// - Throws: ``VCardError/notVCard`` if it had no card.
    public mutating func finish() throws(VCardError) -> VCardFile {
        try ingest(decoder.finish())
        try flush()
        if card != nil {
            file.isCut = true
            try close(problem: .cut)
        }
        guard hasBegun else { throw .notVCard }
        return file
    }

    // MARK: Lines

    private mutating func ingest(_ piece: [UInt8]) throws(VCardError) {
        var start = piece.startIndex
        if wasReturn, piece.first == 0x0A { start += 1 }
        if !piece.isEmpty { wasReturn = false }
        while start < piece.endIndex {
            if isAtStart { try begin(&start, piece) }
            guard let end = Self.lineEnd(in: piece, from: start) else {
                append(piece[start...])
                break
            }
            append(piece[start..<end])
            isAtStart = true
            start = end + 1
            if piece[end] == 0x0D {
                if start == piece.endIndex { wasReturn = true } else if piece[start] == 0x0A { start += 1 }
            }
        }
        bytes += piece.count
        if !hasBegun, bytes > AddressBookLimits.beginBytes { throw .notVCard }
    }

    private static func lineEnd(in piece: [UInt8], from start: Int) -> Int? {
        piece.withUnsafeBufferPointer { bytes in
            var index = start
            while index < bytes.count {
                if bytes[index] == 0x0A || bytes[index] == 0x0D { return index }
                index += 1
            }
            return nil
        }
    }

    /// At the beginning of a line of the file: continues the current line or begins a new one.
    private mutating func begin(_ start: inout Int, _ piece: [UInt8]) throws(VCardError) {
        isAtStart = false
        lineNumber += 1
        let byte = piece[start]
        if hasLine, isQuotedPrintable, lastByte == UInt8(ascii: "=") {
            if mode == .keep, line.last == lastByte { line.removeLast() }
            lastByte = 0
        } else if hasLine, byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") {
            start += 1
        } else {
            try flush()
            hasLine = true
            lineBegan = lineNumber
        }
    }

    private mutating func append(_ part: ArraySlice<UInt8>) {
        guard let last = part.last else { return }
        lastByte = last
        switch mode {
        case .skip: break
        case .keep: keep(part)
        case .head:
            line += part.prefix(AddressBookLimits.headBytes + 1)
            if line.contains(UInt8(ascii: ":")) {
                classify()
                if mode == .keep, part.count > AddressBookLimits.headBytes + 1 {
                    keep(part.dropFirst(AddressBookLimits.headBytes + 1))
                }
            } else if line.count > AddressBookLimits.headBytes {
                mode = .skip
                line = []
            }
        }
    }

    private mutating func keep(_ part: ArraySlice<UInt8>) {
        guard line.count + part.count <= AddressBookLimits.lineBytes else {
            card?.note(.longLine, line: lineBegan)
            mode = .skip
            line = []
            return
        }
        line += part
    }

    /// Decides whether the line is kept, once its name is known.
    private mutating func classify() {
        let head = line.prefix { $0 != UInt8(ascii: ":") }
        let full = head.prefix { $0 != UInt8(ascii: ";") }
        let bare = full.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).last ?? full
        let text = ContentLine.capitals(bare)
        // Most heads have no Q in them, so the costly check is rare.
        if full.count < head.count, head.contains(where: { $0 | 0x20 == UInt8(ascii: "q") }) {
            isQuotedPrintable = ContentLine.capitals(head).contains("QUOTED-PRINTABLE")
        }
        mode = CardBuilder.wanted.contains(text) ? .keep : .skip
        if mode == .skip { line.removeAll(keepingCapacity: true) }
    }

    // MARK: Cards

    private mutating func flush() throws(VCardError) {
        defer {
            line.removeAll(keepingCapacity: true)
            mode = .head
            hasLine = false
            isQuotedPrintable = false
            lastByte = 0
        }
        guard mode == .keep, let content = ContentLine(line) else {
            if hasLine, lastByte != 0 { isBehindAgent = false }
            return
        }
        switch content.name {
        case "BEGIN": if Self.word(content) == "VCARD" { try open() }
        case "END":
            guard Self.word(content) == "VCARD" else { break }
            if nesting > 0 { nesting -= 1 } else { try close(problem: nil) }
        case "AGENT":
            let word = Self.word(content)
            // In 2.1 the agent's own card stands after the colon or on the next line.
            if word == "BEGIN:VCARD" { nesting = min(nesting + 1, AddressBookLimits.nesting) }
            isBehindAgent = word.isEmpty
            return
        default:
            if nesting == 0, card != nil {
                keptBytes += line.count + AddressBookLimits.lineCost
                guard keptBytes <= keptBytesLimit else { throw .tooMuch }
                card?.add(content, line: lineBegan)
            }
        }
        isBehindAgent = false
    }

    /// A value of one word, without blanks around it.
    private static func word(_ content: ContentLine) -> String {
        Substring(decoding: content.value, as: UTF8.self).trimmed().uppercased()
    }

    private mutating func open() throws(VCardError) {
        hasBegun = true
        if card != nil, isBehindAgent {
            nesting = min(nesting + 1, AddressBookLimits.nesting)
            return
        }
        if card != nil { try close(problem: .noEnd) }
        guard file.cards.count + file.skipped < AddressBookLimits.cards else { throw .tooManyCards }
        card = CardBuilder(line: lineBegan)
    }

    private mutating func close(problem: CardProblem?) throws(VCardError) {
        guard var done = card else { return }
        card = nil
        nesting = 0
        if let problem { done.note(problem, line: done.line) }
        let name = done.name ?? ""
        for (line, problem, detail) in done.problems { file.note(problem, detail, line: line, name: name) }
        guard !done.isGroup, let value = done.finish() else {
            file.skipped += 1
            if !done.isGroup { file.note(.noWay, line: done.line, name: name) }
            return
        }
        file.cards.append(value)
    }
}
