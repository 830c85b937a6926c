import Basics
import Crypto

/// Texts that somebody holds for a recovery code.
enum FuzzTarget {
    static let seeds: [[UInt8]] = {
        let code = RecoveryCode.text(of: Identities.key(1))
        let spaced = code.enumerated().map { ($0.offset % 4 == 0 ? " " : "") + "\($0.element)" }.joined()
        return [
            code, code.uppercased(), spaced, String(code.dropLast(3)) + "qqq", "kiborecover1", "kiborecover1bio",
            "\(AccountID(Identities.key(1).publicKey))", "KIBORECOVER1\u{212A}\u{130}-",
        ].map { Array($0.utf8) }
    }()

    static func run(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        require(Bech32m.suspects(in: text).allSatisfy { $0 < text.utf8.count }, "places of the text")
        do {
            let key = try RecoveryCode.key(text)
            require(
                (try? RecoveryCode.key(RecoveryCode.text(of: key)))?.publicKey == key.publicKey, "one key, one code")
        } catch {
            guard case .wrong(let places) = error else { return }
            require(places.allSatisfy { 1...RecoveryCode.characters ~= $0 }, "places of the code")
        }
    }
}
