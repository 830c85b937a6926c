import Account
import Basics
import Crypto
import Glibc
import PeerProtocol
import Runtime

/// The file with the realm key that an office hands out: 32 bytes, or the same as 64 hex digits. It is the user's own
/// (mode 0600), or root's for a group (mode 0640), so that all daemons of a host can have the same.
enum RealmKeyFile {
    /// Bytes of a file that could be one: the digits, with white space around them.
    private static let limit = 256

    /// - Throws: ``StartError`` in words for the user. A daemon must not start without its key: it would be open to all.
    static func read(_ path: String) throws(StartError) -> RealmKey {
        let content: SecretBytes?
        do { content = try SecretFile.read(path, limit: limit, isOurs: true, mayBeRoots: true) } catch {
            if case .failed(let code) = error, refusal(of: path) == nil {
                throw StartError(errno: code, "the realm key \(path) can't be used")
            }
            throw .unusable("the realm key \(path) can't be used: \(refusal(of: path) ?? error.text)")
        }
        guard let content else {
            throw .unusable("there is no realm key \(path); kibod --make-realm-key \(path) makes one")
        }
        guard let key = key(in: content) else {
            throw .unusable(
                "\(path) holds no realm key: that is 32 bytes, or 64 hex digits; kibod --make-realm-key makes one")
        }
        return key
    }

    /// The name of the user whose daemon this is; the number if there is no name.
    static var userName: String { getpwuid(geteuid()).map { String(cString: $0.pointee.pw_name) } ?? "\(geteuid())" }

    /// Why this user may not read a file of root's, and how they may; nil if that is not the problem.
    private static func refusal(of path: String) -> String? {
        var status = stat()
        guard access(path, R_OK) != 0, errno == EACCES, lstat(path, &status) == 0, status.st_uid == 0 else {
            return nil
        }
        let group = getgrgid(status.st_gid).map { String(cString: $0.pointee.gr_name) } ?? "\(status.st_gid)"
        let mode = String(status.st_mode & 0o777, radix: 8)
        let advice =
            status.st_gid != 0 && status.st_mode & 0o040 != 0
            ? "add \(userName) to the group (sudo adduser \(userName) \(group)), and start again what \(userName) runs: "
                + "sudo systemctl restart user@\(geteuid()), or kibod@\(userName)"
            : "give it a group that \(userName) is in (sudo chgrp GROUP, sudo chmod 640)"
        return "\(userName) may not read it: it belongs to root and the group \(group), mode \(mode); \(advice)"
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
                switch errno {
                case EEXIST: "it exists already, and the daemons with that key would be shut out"
                case ENOENT: "its folder is not there; mkdir makes it"
                default: describe(errno)
                }
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
