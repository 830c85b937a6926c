import Basics
import Crypto
import Glibc

/// The file `keys` of the data directory: the seeds of the account key and the device key, and the device certificate.
///
/// Readable for this user only (0600). Without a passphrase the file's mode is the protection; the version number leaves
/// room for the sealed form.
enum KeyFile {
    /// The plain form.
    private static let version: UInt64 = 1
    private static let limit = 4096

    private enum Key {
        static let version: UInt64 = 1
        static let accountSeed: UInt64 = 2
        static let deviceSeed: UInt64 = 3
        static let certificate: UInt64 = 4
    }

    /// Nil where there is no account yet.
    static func load(from directory: String) throws(StartError) -> LocalAccount? {
        let path = directory + "/keys"
        guard let bytes = try Paths.readFile(path, limit: limit) else { return nil }
        let damaged = StartError.failed(
            "\(path) is damaged; put back a copy of it: without it this account can't be used")
        guard let map = (try? CBORDecoder.decode(bytes))?.mapValue else { throw damaged }
        guard map[Key.version]?.unsignedValue == version else {
            throw .failed("\(path) was written by a newer Kibo; install that version or a newer one")
        }
        guard var accountSeed = map[Key.accountSeed]?.bytesValue, var deviceSeed = map[Key.deviceSeed]?.bytesValue,
            let encoded = map[Key.certificate]?.bytesValue,
            let certificate = try? DeviceCertificate(decoding: encoded)
        else { throw damaged }
        do {
            let account = LocalAccount(
                accountKey: try SigningKey(seed: SecretBytes(moving: &accountSeed)),
                deviceKey: try SigningKey(seed: SecretBytes(moving: &deviceSeed)), certificate: certificate)
            guard account.accountKey.publicKey == certificate.account.key,
                account.deviceKey.publicKey == certificate.device.key
            else { throw damaged }
            return account
        } catch { throw damaged }
    }

    /// Writes the whole file beside, makes it durable, and renames it into place.
    static func save(_ account: LocalAccount, in directory: String) throws(StartError) {
        var map = CBORMap()
        map[Key.version] = .unsigned(version)
        account.accountKey.withSeed { map[Key.accountSeed] = .bytes(Array($0)) }
        account.deviceKey.withSeed { map[Key.deviceSeed] = .bytes(Array($0)) }
        map[Key.certificate] = .bytes(account.certificate.encoded())
        try AtomicFile.write(CBOR.map(map).encoded(), to: directory + "/keys")
    }
}

/// Replaces a file so that at every moment the old or the new one is there, whole.
enum AtomicFile {
    static func write(_ bytes: [UInt8], to path: String) throws(StartError) {
        let temporary = path + ".new"
        unlink(temporary)
        let file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw .failed("can't write \(temporary): \(describe(errno))") }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                let code = errno
                close(file)
                throw .failed("can't write \(temporary): \(describe(code))")
            }
            rest = rest.dropFirst(count)
        }
        let synced = fsync(file)
        let code = errno
        close(file)
        guard synced == 0, rename(temporary, path) == 0 else {
            throw .failed("can't write \(path): \(describe(synced == 0 ? errno : code))")
        }
        let directory = open(
            path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if directory >= 0 {
            fsync(directory)
            close(directory)
        }
    }
}
