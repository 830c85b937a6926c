import Basics
import ControlProtocol

/// What a LocalSend device says of itself: in announcements, and in `register`, `prepare-upload` and `info`
/// (LocalSend protocol 2.1, sections 3, 4 and 6).
///
/// None of it is proved. A device is recognised by its certificate when something is sent to it.
public struct DeviceInfo: Hashable, Sendable {
    /// What kind of thing a device is.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        case mobile, desktop, web, headless, server
    }

    /// The version that this side speaks.
    public static let ownVersion = "2.1"
    /// The port that a device has if it names none.
    public static let usualPort: UInt16 = 53_317

    /// What its user calls it: one line that shows something.
    public let alias: String
    /// Such as `2.1`; nil for devices of version 1, which don't say it.
    public let version: String?
    /// Such as `Samsung`.
    public let model: String?
    public let kind: Kind
    /// The SHA-256 of its certificate in lower-case hexadecimal digits, or with plain HTTP any text. It may be empty in what comes
    /// over TLS, where the certificate itself counts.
    public let fingerprint: String
    public let port: UInt16
    /// Whether it is spoken with over TLS.
    public let isEncrypted: Bool

    public init(
        alias: String, model: String?, kind: Kind, fingerprint: String, port: UInt16, isEncrypted: Bool
    ) {
        self.alias = alias
        version = Self.ownVersion
        self.model = model
        self.kind = kind
        self.fingerprint = fingerprint
        self.port = port
        self.isEncrypted = isEncrypted
    }

    /// Reads what a device says. Unknown fields count for nothing, as the protocol has it.
    /// - Parameters:
    ///   - port: the one that it has if it names none: the usual one, or the one that was dialled.
    ///   - isEncrypted: the same for TLS.
    /// - Returns: nil without an alias, or if a field is of another kind than it should be.
    public init?(_ json: JSONValue, port usual: UInt16 = Self.usualPort, isEncrypted usually: Bool = true) {
        guard let alias = json["alias"]?.string, let fingerprint = Self.fingerprint(json["fingerprint"] ?? "") else {
            return nil
        }
        self.fingerprint = fingerprint
        // A name without anything to see is none.
        self.alias = Self.line(alias) ?? Self.line(String(fingerprint.prefix(8))) ?? "?"
        switch json["version"] ?? .null {
        case .null: version = nil
        case .string(let text) where Self.isVersion(text): version = text
        default: return nil
        }
        switch json["deviceModel"] ?? .null {
        case .null: model = nil
        case .string(let text): model = Self.line(text)
        default: return nil
        }
        switch json["deviceType"] ?? .null {
        case .null: kind = .desktop
        // There may be more kinds some day.
        case .string(let text): kind = Kind(rawValue: text) ?? .desktop
        default: return nil
        }
        switch json["port"] ?? .null {
        case .null: port = usual
        case .integer(let number):
            guard let port = UInt16(exactly: number), port > 0 else { return nil }
            self.port = port
        default: return nil
        }
        switch json["protocol"] ?? .null {
        case .null: isEncrypted = usually
        case "https": isEncrypted = true
        case "http": isEncrypted = false
        default: return nil
        }
    }

    /// The same device as it was reached, whatever it says about that.
    /// - Parameter certificate: the SHA-256 of the one that it has shown; nil without TLS.
    public func reached(port: UInt16, certificate: [UInt8]?) -> DeviceInfo {
        DeviceInfo(self, port: port, certificate: certificate)
    }

    private init(_ said: DeviceInfo, port: UInt16, certificate: [UInt8]?) {
        (alias, version, model, kind) = (said.alias, said.version, said.model, said.kind)
        fingerprint = certificate.map { Hex.encode($0) } ?? said.fingerprint
        self.port = port
        isEncrypted = certificate != nil
    }

    /// As it stands in bodies and announcements. Other programs compare a hash in capitals, sign by sign.
    public var json: JSONObject {
        let fingerprint = Hex.decode(fingerprint) == nil ? fingerprint : fingerprint.uppercased()
        return [
            "alias": .string(alias), "version": .string(version ?? Self.ownVersion), "deviceModel": .optional(model),
            "deviceType": .string(kind.rawValue), "fingerprint": .string(fingerprint), "port": .integer(Int64(port)),
            "protocol": .string(isEncrypted ? "https" : "http"), "download": false,
        ]
    }

    /// A name of a device in one line: only what may stand in a label, cut to its limit; nil if nothing of it is to be seen.
    static func line(_ text: String) -> String? {
        var line = String.UnicodeScalarView()
        // More is not looked at: half a MiB of it would take long.
        for scalar in text.unicodeScalars.prefix(4 * LocalSendLimits.aliasCharacters)
        where !ForeignText.isHostile(scalar, multiline: false) && !ForeignText.isInvisible(scalar) {
            line.append(scalar)
        }
        var words = String(line).drop { $0.isWhitespace }.prefix(LocalSendLimits.aliasCharacters)
        while words.last?.isWhitespace == true { words.removeLast() }
        let label = String(words)
        return ForeignText.isLabel(label, maximumCharacters: LocalSendLimits.aliasCharacters) ? label : nil
    }

    /// Printable signs of ASCII. Digits of a hash are lower-case here, however they come.
    private static func fingerprint(_ value: JSONValue) -> String? {
        guard let text = value.string, text.utf8.count <= LocalSendLimits.fingerprintBytes,
            text.utf8.allSatisfy({ 0x20...0x7E ~= $0 })
        else { return nil }
        return Hex.decode(text) == nil ? text : text.lowercased()
    }

    /// `2.1`, with two numbers of up to three digits.
    private static func isVersion(_ text: String) -> Bool {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 2
            && parts.allSatisfy { 1...3 ~= $0.utf8.count && $0.utf8.allSatisfy { 0x30...0x39 ~= $0 } }
    }
}

/// A datagram to everybody: who is there, or an answer to one.
public struct Announcement: Hashable, Sendable {
    public let info: DeviceInfo
    /// Whether the others should say who they are.
    public let wantsAnswers: Bool

    public init(_ info: DeviceInfo, wantsAnswers: Bool) {
        self.info = info
        self.wantsAnswers = wantsAnswers
    }

    /// - Returns: nil for a datagram that is none, names no fingerprint, or is too long.
    public init?(datagram: [UInt8]) {
        guard let json = try? JSONParser.parse(datagram, maximumBytes: LocalSendLimits.announcementBytes),
            let info = DeviceInfo(json), !info.fingerprint.isEmpty
        else { return nil }
        self.info = info
        // Version 1 has another word for it.
        wantsAnswers = (json["announce"] ?? json["announcement"])?.bool ?? false
    }

    public var datagram: [UInt8] {
        var json = info.json
        json["announce"] = .bool(wantsAnswers)
        json["announcement"] = .bool(wantsAnswers)
        return JSONValue.object(json).encoded
    }
}
