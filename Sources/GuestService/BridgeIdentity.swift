import Basics
import Crypto
import Glibc
import Runtime

/// The certificate by which devices know this host again, in a file of the data directory.
enum BridgeIdentity {
    /// Reads the file, or makes another one: a certificate that can't be read is worth nothing. Blocking.
    static func load(_ directory: String) throws -> SelfSignedCertificate {
        let path = directory + "/localsend.pem"
        if let text = TextFile.read(path), let mark = text.range(of: mark),
            let known = try? SelfSignedCertificate(
                certificate: String(text[..<mark]), key: String(text[mark...]))
        {
            return known
        }
        // The name says nothing: a certificate is shown to everybody.
        let made = try SelfSignedCertificate(name: "Kibo")
        try AtomicFile.write(Array((made.certificate + made.key).utf8), to: path)
        return made
    }

    private static let mark = "-----BEGIN PRIVATE KEY-----"
}

private enum TextFile {
    static func read(_ path: String) -> String? {
        let file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: GuestLimits.identityBytes)
        let count = Glibc.read(file, &bytes, bytes.count)
        return count > 0 ? String(validating: bytes[..<count], as: UTF8.self) : nil
    }
}

extension String {
    /// Where a text begins that occurs once.
    fileprivate func range(of mark: String) -> String.Index? {
        var start = startIndex
        while start < endIndex {
            if self[start...].hasPrefix(mark) { return start }
            start = index(after: start)
        }
        return nil
    }
}
