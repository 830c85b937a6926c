import Account
import Basics
import Crypto
import Glibc
import PeerProtocol
import Runtime

/// The file with the realm key that an office hands out: 32 bytes, or the same as 64 hex digits.
enum RealmKeyFile {
    /// Bytes of a file that could be one: the digits, with white space around them.
    private static let limit = 256

    /// - Throws: ``StartError`` in words for the user. A daemon must not start without its key: it would be open to all.
    static func read(_ path: String) throws(StartError) -> RealmKey {
        let content: SecretBytes?
        do { content = try SecretFile.read(path, limit: limit, isOurs: true) } catch {
            throw .failed("the realm key \(path) can't be used: \(error.text)")
        }
        guard let content else {
            throw .failed("there is no realm key \(path); kibod --make-realm-key \(path) makes one")
        }
        guard let key = key(in: content) else {
            throw .failed(
                "\(path) holds no realm key: that is 32 bytes, or 64 hex digits; kibod --make-realm-key makes one")
        }
        return key
    }

    private static func key(in content: borrowing SecretBytes) -> RealmKey? {
        if content.count == RealmKey.keyBytes { return try? RealmKey(content) }
        return content.withUnsafeBytes { bytes -> RealmKey? in
            let isSpace = { (byte: UInt8) in byte == 0x20 || 0x09...0x0D ~= byte }
            var digits = Array(bytes.drop(while: isSpace))
            while let last = digits.last, isSpace(last) { digits.removeLast() }
            guard digits.count == 2 * RealmKey.keyBytes, var key = Hex.decode(String(decoding: digits, as: UTF8.self))
            else {
                return nil
            }
            return try? RealmKey(SecretBytes(moving: &key))
        }
    }

    /// Makes a new key in a file that doesn't exist yet.
    static func make(_ path: String) throws(StartError) {
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else {
            let why =
                errno == EEXIST ? "it exists already, and the daemons with that key would be shut out" : describe(errno)
            throw .failed("can't make \(path): \(why)")
        }
        defer { close(file) }
        let text = SecretBytes(random: RealmKey.keyBytes).withUnsafeBytes { Array((Hex.encode(Array($0)) + "\n").utf8) }
        guard write(file, text, text.count) == text.count, fsync(file) == 0 else {
            let code = errno
            unlink(path)
            throw .failed("can't write \(path): \(describe(code))")
        }
    }
}
