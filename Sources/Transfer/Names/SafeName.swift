// Names: how a peer may name a file. These are pure rules that touch no file system.
import Basics

/// The rules for one path component that comes from a peer or goes to one.
public enum SafeName {
    /// Why a name is not acceptable.
    public enum Problem: String, Error, Hashable, Sendable, CustomStringConvertible {
        case empty
        /// More than 255 bytes of UTF-8.
        case tooLong
        /// `.` or `..`.
        case reserved
        /// `/` or `\`.
        case separator
        /// A control or bidirectional character, NUL included.
        case hostileCharacter
        /// White space at the beginning or the end, where it can't be seen.
        case outerSpace
        /// The ending of our own part files.
        case partFile

        public var description: String {
            switch self {
            case .empty: "the name is empty"
            case .tooLong: "the name is too long"
            case .reserved: "the name is . or .."
            case .separator: "the name has a slash in it"
            case .hostileCharacter: "the name has a control character in it"
            case .outerSpace: "the name begins or ends with white space"
            case .partFile: "the name has the ending of a partial file"
            }
        }
    }

    /// The ending of part files and folders.
    public static let partSuffix = ".kibo-part"

    /// Why a name may not be used as one component of a path; nil if it may.
    public static func problem(_ name: String) -> Problem? {
        if isPlain(name) { return nil }
        guard let first = name.unicodeScalars.first, let last = name.unicodeScalars.last else { return .empty }
        if name.utf8.count > TransferLimits.nameBytes { return .tooLong }
        if name == "." || name == ".." { return .reserved }
        for scalar in name.unicodeScalars {
            if scalar == "/" || scalar == "\\" { return .separator }
            if ForeignText.isHostile(scalar, multiline: false) { return .hostileCharacter }
        }
        if first.properties.isWhitespace || last.properties.isWhitespace { return .outerSpace }
        if name.utf8.count >= partSuffix.utf8.count, foldedASCII(name).hasSuffix(partSuffix) { return .partFile }
        return nil
    }

    /// A name that may be used, made of one that came from elsewhere, with folders before it or signs that no name may have.
    public static func made(from foreign: String) -> String {
        // Names of Windows may have backslashes between folders.
        let last = foreign.split { $0 == "/" || $0 == "\\" }.last ?? ""
        var scalars = String.UnicodeScalarView()
        for scalar in last.unicodeScalars where !ForeignText.isHostile(scalar, multiline: false) {
            scalars.append(scalar)
        }
        var name = trimmed(String(scalars))
        if name.utf8.count > TransferLimits.nameBytes {
            let (stem, ext) = split(name)
            name = trimmed(prefix(stem, bytes: TransferLimits.nameBytes - ext.utf8.count) + ext)
        }
        if problem(name) == .partFile { name = prefix(name, bytes: TransferLimits.nameBytes - 1) + "_" }
        let isSeen = name.unicodeScalars.contains { !ForeignText.isInvisible($0) && !$0.properties.isWhitespace }
        return isSeen && problem(name) == nil ? name : "file"
    }

    private static func trimmed(_ text: String) -> String {
        var scalars = text.unicodeScalars.drop { $0.properties.isWhitespace }
        while scalars.last?.properties.isWhitespace == true { scalars.removeLast() }
        return String(scalars)
    }

    /// Splits a name into its stem and its extension with the dot. The extension is empty if there is none, for a
    /// leading dot, or beyond 16 bytes.
    public static func split(_ name: String) -> (stem: String, ext: String) {
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return (name, "") }
        let ext = name[dot...]
        guard ext.utf8.count > 1, ext.utf8.count <= 16 else { return (name, "") }
        return (String(name[..<dot]), String(ext))
    }

    /// `name (number).ext` for a file, `name (number)` for a folder, cut to the limit; the name itself for number 0.
    /// - Parameter limit: the bytes of the result.
    public static func numbered(
        _ name: String, _ number: Int, isFolder: Bool, limit: Int = TransferLimits.nameBytes
    ) -> String {
        guard number > 0 else { return name }
        let (stem, ext) = isFolder ? (name, "") : split(name)
        let ending = " (\(number))" + ext
        return prefix(stem, bytes: limit - ending.utf8.count) + ending
    }

    /// `.<32 hex digits>.kibo-part`, where the digits are the whole id of the transfer. The sender chooses the id,
    /// and the database holds each id once, so no two transfers ever have the same part. Every disk takes such a name,
    /// whatever the file is called.
    public static func part(_ transfer: UUIDv7) -> String { "." + Hex.encode(transfer.bytes) + partSuffix }

    /// A key that is equal for two names that some file system considers equal: without case, by canonical equivalence
    /// (String's own equality).
    public static func clashKey(_ name: String) -> String {
        isASCII(name) ? foldedASCII(name) : name.uppercased().lowercased()
    }

    /// Whether a name consists of letters, digits and signs that no rule concerns, as nearly all names do. It then need
    /// not go through the rules, which are slow.
    private static func isPlain(_ name: String) -> Bool {
        var name = name
        return name.withUTF8 { bytes in
            guard let first = bytes.first, first != UInt8(ascii: "."), bytes.count <= TransferLimits.nameBytes,
                bytes.last.map({ $0 | 32 }) != partSuffix.utf8.last
            else { return false }
            return bytes.allSatisfy { plain[Int($0)] }
        }
    }

    private static let plain: [Bool] = (0...255 as ClosedRange<UInt8>).map { byte in
        switch byte {
        case 48...57, 65...90, 97...122: true
        case UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"): true
        default: false
        }
    }

    private static func isASCII(_ name: String) -> Bool { name.utf8.allSatisfy { $0 < 0x80 } }

    /// The longest prefix of whole characters that takes at most `bytes` bytes.
    static func prefix(_ text: String, bytes: Int) -> String {
        guard text.utf8.count > bytes else { return text }
        var out = ""
        var used = 0
        for character in text {
            used += character.utf8.count
            guard used <= bytes else { break }
            out.append(character)
        }
        if out.isEmpty {
            // A single character with many combining marks doesn't fit, so cut between scalars.
            used = 0
            for scalar in text.unicodeScalars {
                used += UTF8.width(scalar)
                guard used <= bytes else { break }
                out.unicodeScalars.append(scalar)
            }
        }
        return out
    }

    private static func foldedASCII(_ name: String) -> String {
        String(unsafeUninitializedCapacity: name.utf8.count) { buffer in
            var used = 0
            for byte in name.utf8 {
                buffer[used] = 65...90 ~= byte ? byte | 32 : byte
                used += 1
            }
            return used
        }
    }
}
