import Basics

/// What is wrong with a line of a description, for programmers.
struct DescriptionFault: Error, CustomStringConvertible {
    let problem: String

    var description: String { problem }

    init(_ problem: String) { self.problem = problem }
}

/// What the lines of a description so far have said, as far as calls need it.
struct DescriptionFields {
    private static let media = ["audio", "video", "video"]
    /// Types of lines that browsers write.
    private static let types = Set("vostcbam".utf8)
    private static let longestLine = 1024

    /// The session's id and version, by which a browser tells descriptions apart.
    private var origin: (id: UInt64, version: UInt64)?
    private var bundle: [Substring]?
    private var mixesExtensions = false
    /// The values for sections that have none of their own.
    private var common = DescriptionTransport()
    private var sections: [DescriptionSection] = []
    private var fingerprint: [UInt8]?

    /// Reads a line without its end.
    mutating func ingest(_ line: [UInt8], isFirst: Bool) throws(DescriptionFault) {
        guard line.count <= Self.longestLine else { throw .init("more than \(Self.longestLine) bytes") }
        guard line.allSatisfy({ 0x20...0x7E ~= $0 }) else { throw .init("not printable ASCII") }
        guard line.count >= 3, line[1] == UInt8(ascii: "="), Self.types.contains(line[0]) else {
            throw .init("not a line of a session description")
        }
        guard isFirst == (line == Array("v=0".utf8)) else { throw .init("the first line is v=0, and no other one") }
        let value = String(decoding: line[2...], as: UTF8.self)
        switch line[0] {
        case UInt8(ascii: "v") where !isFirst: throw .init("only the first line is v=0")
        case UInt8(ascii: "o"): try begin(value)
        case UInt8(ascii: "m"): try section(value)
        case UInt8(ascii: "a"):
            let name = value.prefix { $0 != ":" }
            // Nil where there is no colon: such an attribute has no value.
            try attribute(name, name.count == value.count ? nil : value.dropFirst(name.count + 1))
        // Names, times, bandwidths, and addresses: they are always the same.
        default: break
        }
    }

    private mutating func begin(_ value: String) throws(DescriptionFault) {
        let words = value.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 6, let id = DescriptionText.number(words[1], most: UInt64(Int64.max)),
            let version = DescriptionText.number(words[2], most: UInt64(Int64.max))
        else { throw .init("an origin has two numbers") }
        guard origin == nil else { throw .init("there is one origin") }
        origin = (id, version)
    }

    private mutating func section(_ value: String) throws(DescriptionFault) {
        let words = value.split(separator: " ", omittingEmptySubsequences: false)
        guard sections.count < Self.media.count, words.first.map(String.init) == Self.media[sections.count] else {
            throw .init("the sections are audio, video, video")
        }
        guard words.count >= 4, words.count <= 70, let port = DescriptionText.number(words[1], most: 65_535) else {
            throw .init("a section has a port, a protocol and formats")
        }
        guard words[2] == "UDP/TLS/RTP/SAVPF" else { throw .init("the protocol is UDP/TLS/RTP/SAVPF") }
        let formats = words[3...].compactMap { DescriptionText.number($0, most: 127) }
        guard formats.count == words.count - 3, Set(formats).count == formats.count else {
            throw .init("formats are different numbers up to 127")
        }
        sections.append(DescriptionSection(kind: Self.media[sections.count], isOff: port == 0, formats: formats))
    }

    private mutating func attribute(_ name: Substring, _ value: Substring?) throws(DescriptionFault) {
        if name == "fingerprint", let value { return try pin(value) }
        let last = sections.count - 1
        if last >= 0 { return try sections[last].ingest(name, value) }
        switch (name, value) {
        case ("group", .some(let value)):
            let words = value.split(separator: " ")
            if words.first == "BUNDLE", bundle == nil { bundle = Array(words.dropFirst()) }
        case ("extmap-allow-mixed", nil): mixesExtensions = true
        default: try common.ingest(name, value)
        }
    }

    private mutating func pin(_ value: Substring) throws(DescriptionFault) {
        let words = value.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 2, words[0].lowercased() == "sha-256",
            let bytes = CallFingerprint.bytes(String(words[1]))
        else { throw .init("a fingerprint is that of SHA-256") }
        guard fingerprint == nil || fingerprint == bytes else { throw .init("all fingerprints are the same") }
        fingerprint = bytes
    }

    /// Writes all of it.
    /// - Returns: the text, and the fingerprint in it.
    consuming func written() throws(DescriptionFault) -> (text: String, fingerprint: [UInt8]) {
        guard sections.count == Self.media.count else { throw .init("the sections are audio, video, video") }
        guard let origin else { throw .init("the origin is missing") }
        guard let fingerprint else { throw .init("the fingerprint is missing") }
        let names = sections.compactMap(\.mid)
        guard Set(names).count == names.count else { throw .init("each section has another mid") }
        var transports: [DescriptionTransport] = []
        for section in sections { transports.append(section.transport.completed(by: common)) }
        guard transports.allSatisfy({ ($0.user == nil) == ($0.password == nil) }),
            transports.contains(where: { $0.user != nil })
        else { throw .init("ice-ufrag or ice-pwd is missing") }
        var lines = ["v=0", "o=- \(origin.id) \(origin.version) IN IP4 0.0.0.0", "s=-", "t=0 0"]
        var bundled: [String] = []
        for name in bundle ?? [] where names.contains(String(name)) && !bundled.contains(String(name)) {
            bundled.append(String(name))
        }
        if !bundled.isEmpty { lines.append("a=group:BUNDLE " + bundled.joined(separator: " ")) }
        if mixesExtensions { lines.append("a=extmap-allow-mixed") }
        for (section, transport) in zip(sections, transports) { section.write(to: &lines, transport, fingerprint) }
        return (lines.map { $0 + "\r\n" }.joined(), fingerprint)
    }
}

/// What a section, or the whole description, says about the transport of its media.
struct DescriptionTransport {
    private(set) var user: String?
    private(set) var password: String?
    private(set) var setup: String?
    private(set) var direction: String?

    /// Takes an attribute, if it is one of these.
    mutating func ingest(_ name: Substring, _ value: Substring?) throws(DescriptionFault) {
        switch (name, value) {
        case ("ice-ufrag", .some(let value)):
            guard DescriptionText.isToken(value, 4...256) else { throw .init("ice-ufrag has 4 to 256 characters") }
            try DescriptionText.set(&user, value)
        case ("ice-pwd", .some(let value)):
            guard DescriptionText.isToken(value, 22...256) else { throw .init("ice-pwd has 22 to 256 characters") }
            try DescriptionText.set(&password, value)
        case ("setup", "actpass"), ("setup", "active"), ("setup", "passive"):
            if let value { try DescriptionText.set(&setup, value) }
        case ("sendrecv", nil), ("sendonly", nil), ("recvonly", nil), ("inactive", nil):
            try DescriptionText.set(&direction, name)
        default: break
        }
    }

    /// This one, completed with the values of another one where it has none.
    func completed(by other: Self) -> Self {
        var all = self
        // The two belong together.
        if user == nil, password == nil { (all.user, all.password) = (other.user, other.password) }
        all.setup = setup ?? other.setup
        all.direction = direction ?? other.direction
        return all
    }

    /// Its lines. Candidates always go beside a description, so it always trickles.
    func write(to lines: inout [String], _ fingerprint: [UInt8]) {
        if let user, let password { lines += ["a=ice-ufrag:\(user)", "a=ice-pwd:\(password)"] }
        lines += ["a=ice-options:trickle", "a=fingerprint:sha-256 \(CallFingerprint.text(fingerprint))"]
        if let setup { lines.append("a=setup:\(setup)") }
        if let direction { lines.append("a=\(direction)") }
    }
}

/// Checks the texts that a description consists of.
enum DescriptionText {
    /// A whole number in decimal digits.
    static func number(_ text: some StringProtocol, most: UInt64) -> UInt64? {
        guard 1...19 ~= text.utf8.count, text.utf8.allSatisfy({ 0x30...0x39 ~= $0 }), let number = UInt64(text) else {
            return nil
        }
        return number <= most ? number : nil
    }

    /// Characters of ICE (RFC 8839 §5.1).
    static func isToken(_ text: Substring, _ length: ClosedRange<Int>) -> Bool {
        length ~= text.utf8.count && text.utf8.allSatisfy(CallFingerprint.isICECharacter)
    }

    /// Letters and digits, and some other characters.
    static func isName(_ text: Substring, _ length: ClosedRange<Int>, more: String = "") -> Bool {
        length ~= text.utf8.count
            && text.utf8.allSatisfy { 0x30...0x39 ~= $0 || 0x61...0x7A ~= $0 | 0x20 || more.utf8.contains($0) }
    }

    /// Sets a field that may be given once, or again with the same value.
    static func set(_ field: inout String?, _ value: Substring) throws(DescriptionFault) {
        guard field == nil || field.map({ $0 == value }) == true else { throw .init("said twice in two ways") }
        field = String(value)
    }
}
