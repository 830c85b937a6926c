import Basics

/// The text on paper that brings an account back when there is no disk and no backup: the seed of the account's key in
/// bech32m. Anyone who has it has the account.
///
///     let paper = RecoveryCode.text(of: account)        // kiborecover1q…
///     let account = try RecoveryCode.key(paper)
public enum RecoveryCode {
    /// The human-readable part of the bech32m form.
    public static let prefix = "kiborecover"
    /// The characters of a code without spaces.
    public static let characters = 71
    /// Bytes of a text that may be a code: people write it with spaces and line breaks.
    public static let textBytes = 1024
    private static let version: UInt8 = 1

    /// Why a text is no code, so that a person can mend it.
    public enum Problem: Error, Hashable, Sendable, CustomStringConvertible {
        /// It doesn't begin as a code does.
        case notACode
        /// It has this number of characters, without spaces.
        case length(Int)
        /// Characters are wrong: probably those at these places, counted from 1 without spaces. If it isn't known which
        /// they are, there are none.
        case wrong([Int])
        /// A newer Kibo has written it.
        case newer

        public var description: String {
            switch self {
            case .notACode: "this is no recovery code"
            case .length(let count): "it has \(count) characters, and a recovery code has \(RecoveryCode.characters)"
            case .wrong([]): "characters of it are wrong"
            case .wrong(let places): "it is wrong at \(places.map(String.init).joined(separator: ", "))"
            case .newer: "a newer Kibo has written this recovery code"
            }
        }
    }

    /// The code of an account in lower case, without spaces.
    public static func text(of account: SigningKey) -> String {
        account.withSeed { Bech32m.encode(prefix: prefix, [version] + $0) }
    }

    /// Reads a code in any case, with spaces, line breaks and hyphens anywhere.
    /// - Returns: the account's key.
    public static func key(_ text: String) throws(Problem) -> SigningKey {
        guard isMeant(text) else { throw .notACode }
        let code = characters(of: text)
        guard code.count == characters else { throw .length(code.count) }
        let foreign = code.indices.filter { $0 > prefix.count && !alphabet.contains(code[$0]) }
        guard foreign.isEmpty else { throw .wrong(foreign.map { $0 + 1 }) }
        guard var bytes = Bech32m.decode(code.joined())?.bytes else {
            throw .wrong(Bech32m.suspects(in: code.joined()).map { $0 + 1 })
        }
        guard bytes.removeFirst() == version else { throw .newer }
        do { return try SigningKey(seed: SecretBytes(moving: &bytes)) } catch { throw .notACode }
    }

    /// Whether somebody who writes this means a recovery code: it begins as one does.
    public static func isMeant(_ text: String) -> Bool {
        text.utf8.count <= textBytes && characters(of: text).joined().hasPrefix(prefix + "1")
    }

    /// The characters of a text that count, in lower case.
    private static func characters(of text: String) -> [String] {
        text.unicodeScalars.filter { !$0.properties.isWhitespace && $0 != "-" }.map { $0.properties.lowercaseMapping }
    }

    private static let alphabet = Set("qpzry9x8gf2tvdw0s3jn54khce6mua7l".map { String($0) })
}
