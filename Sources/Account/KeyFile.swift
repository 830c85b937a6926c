import Basics
import Crypto
import Glibc
import Messaging
import Runtime

/// What the file `keys` of the data directory holds: the keys, or the keys under a passphrase.
package enum StoredKeys: Sendable {
    case plain(LocalAccount)
    case sealed(SealedKeys)

    /// Says whose keys they are; it can be read without a passphrase.
    package var certificate: DeviceCertificate {
        switch self {
        case .plain(let account): account.certificate
        case .sealed(let keys): keys.certificate
        }
    }
}

/// An account's keys under a passphrase. The certificate, which names the account, can be read without it.
package struct SealedKeys: Sendable {
    let keystore: Keystore
    let certificate: DeviceCertificate

    /// Seals keys. Takes its time: for a thread that may block.
    static func seal(
        _ account: LocalAccount, with passphrase: Passphrase, cost: PassphraseCost
    ) throws(Keystore.Failure) -> SealedKeys {
        let seeds = SecretBytes(count: CryptoLimits.keyBytes * 2) { seeds in
            account.accountKey.withSeed { seeds.copyMemory(from: $0) }
            let second = UnsafeMutableRawBufferPointer(rebasing: seeds[CryptoLimits.keyBytes...])
            account.deviceKey.withSeed { second.copyMemory(from: $0) }
        }
        let keystore = try Keystore.seal(
            seeds, with: passphrase, cost: cost, attached: account.certificate.encoded())
        return SealedKeys(keystore: keystore, certificate: account.certificate)
    }

    /// The account with its keys. Takes its time: for a thread that may block.
    func open(with passphrase: Passphrase) throws(Keystore.Failure) -> LocalAccount {
        let seeds = try keystore.open(with: passphrase)
        guard let account = LocalAccount(seeds: seeds, certificate: certificate) else { throw .malformed }
        return account
    }
}

/// The file `keys` of the data directory: the seeds of the account key and the device key, and the device certificate; open
/// for this user only (0600).
///
/// Version 1, without a passphrase, is the map `{1: 1, 2: account seed, 3: device seed, 4: certificate}`: the file's mode is the
/// protection. Version 2 is a ``Keystore`` with both seeds in it and the certificate attached.
package enum KeyFile {
    static func path(in directory: String) -> String { directory + "/keys" }

    /// A map of four: 1 is 1, 2 is 32 bytes, which follow. The deterministic encoding has no other beginning.
    private static let plainHead: [UInt8] = [0xA4, 0x01, 0x01, 0x02, 0x58, 0x20]
    /// Between the seeds: 3 is 32 bytes.
    private static let plainMiddle: [UInt8] = [0x03, 0x58, 0x20]
    /// Behind the seeds: 4 is …
    private static let plainLast: [UInt8] = [0x04]

    /// Nil where there is no account yet.
    package static func load(
        from directory: String, within bounds: PassphraseBounds = .standard
    ) throws(StartError) -> StoredKeys? {
        let path = path(in: directory)
        let next = AtomicFile.temporary(path)
        do {
            guard let keys = try read(path, within: bounds) else { return nil }
            // A daemon ended before the new file was valid; it may hold keys without a passphrase.
            AtomicFile.remove(next)
            return keys
        } catch {
            // A rename that was lost with the power leaves the good one under its first name.
            guard let keys = try? read(next, within: bounds) else { throw error }
            try AtomicFile.move(next, to: path)
            return keys
        }
    }

    /// Writes the keys of an account that comes from a backup, without a passphrase. It blocks.
    /// - Returns: where keys are now that were here before; nil if there were none.
    package static func adopt(
        _ account: LocalAccount, in directory: String, at time: WallTime
    ) throws(StartError) -> String? {
        let aside = try setAside(in: directory, at: time)
        RememberedPassphrase(directory: directory).forget()
        try save(.plain(account), in: directory)
        return aside
    }

    /// Undoes ``adopt(_:in:at:)``. It blocks.
    /// - Parameter aside: what that has returned.
    package static func giveBack(_ aside: String?, in directory: String) {
        let path = path(in: directory)
        AtomicFile.remove(path)
        if let aside { try? AtomicFile.move(aside, to: path) }
    }

    /// Moves unknown keys aside: they may be all that is left of an account.
    /// - Returns: where they are now; nil if there were none.
    static func setAside(in directory: String, at time: WallTime) throws(StartError) -> String? {
        let path = path(in: directory)
        guard access(path, F_OK) == 0 else { return nil }
        let aside = "\(path).old-\(time.milliseconds)"
        try AtomicFile.move(path, to: aside)
        return aside
    }

    private static func read(_ path: String, within bounds: PassphraseBounds) throws(StartError) -> StoredKeys? {
        let bytes: SecretBytes
        do {
            guard let contents = try SecretFile.read(path, limit: CryptoLimits.keystoreBytes, isOurs: false) else {
                return nil
            }
            bytes = contents
        } catch { throw .unusable("can't read \(path): \(error.text)") }
        if let account = plain(bytes) { return .plain(account) }
        let copy = bytes.withUnsafeBytes { Array($0) }
        do throws(Keystore.Failure) {
            let keystore = try Keystore(decoding: copy, within: bounds)
            guard let certificate = try? DeviceCertificate(decoding: keystore.attached) else {
                throw Keystore.Failure.malformed
            }
            return .sealed(SealedKeys(keystore: keystore, certificate: certificate))
        } catch { throw describe(error, path) }
    }

    private static func describe(_ failure: Keystore.Failure, _ path: String) -> StartError {
        switch failure {
        case .newer: .unusable("\(path) was written by a newer Kibo; install that version or a newer one")
        case .cost(let cost):
            .unusable(
                "\(path) asks for \(cost.passes) passes over \(cost.kibibytes) KiB to unlock it, which Kibo never writes and "
                    + "doesn't do: it is damaged or not ours; put back a copy of it")
        case .malformed, .wrongPassphrase, .outOfMemory:
            .unusable("\(path) is damaged; put back a copy of it: without it this account can't be used")
        }
    }

    /// Reads the bytes by hand: a decoder would leave copies of the seeds in memory.
    private static func plain(_ bytes: borrowing SecretBytes) -> LocalAccount? {
        bytes.withUnsafeBytes { bytes -> LocalAccount? in
            let first = plainHead.count
            let second = first + CryptoLimits.keyBytes + plainMiddle.count
            let last = second + CryptoLimits.keyBytes
            guard bytes.count > last + plainLast.count, bytes[..<first].elementsEqual(plainHead),
                bytes[(second - plainMiddle.count)..<second].elementsEqual(plainMiddle),
                bytes[last..<last + plainLast.count].elementsEqual(plainLast),
                let encoded = (try? CBORDecoder.decode(Array(bytes[(last + plainLast.count)...])))?.bytesValue,
                let certificate = try? DeviceCertificate(decoding: encoded)
            else { return nil }
            let seeds = SecretBytes(count: CryptoLimits.keyBytes * 2) { seeds in
                for (from, to) in [(first, 0), (second, CryptoLimits.keyBytes)] {
                    UnsafeMutableRawBufferPointer(rebasing: seeds[to..<to + CryptoLimits.keyBytes])
                        .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[from..<from + CryptoLimits.keyBytes]))
                }
            }
            return LocalAccount(seeds: seeds, certificate: certificate)
        }
    }

    /// Writes the file again. Blocking.
    static func save(_ keys: StoredKeys, in directory: String) throws(StartError) {
        let path = path(in: directory)
        switch keys {
        case .sealed(let keys):
            var encoded = keys.keystore.encoded()
            try SecretBytes(moving: &encoded).withUnsafeBytes { (bytes) throws(StartError) in
                try AtomicFile.write(bytes, to: path)
            }
        case .plain(let account):
            let last = plainLast + CBOR.bytes(account.certificate.encoded()).encoded()
            let middle = plainHead.count + CryptoLimits.keyBytes
            let end = middle + plainMiddle.count + CryptoLimits.keyBytes
            let bytes = SecretBytes(count: end + last.count) { bytes in
                func put(_ piece: UnsafeRawBufferPointer, at place: Int) {
                    UnsafeMutableRawBufferPointer(rebasing: bytes[place..<place + piece.count]).copyMemory(from: piece)
                }
                plainHead.withUnsafeBytes { put($0, at: 0) }
                account.accountKey.withSeed { put($0, at: plainHead.count) }
                plainMiddle.withUnsafeBytes { put($0, at: middle) }
                account.deviceKey.withSeed { put($0, at: middle + plainMiddle.count) }
                last.withUnsafeBytes { put($0, at: end) }
            }
            try bytes.withUnsafeBytes { (bytes) throws(StartError) in try AtomicFile.write(bytes, to: path) }
        }
    }
}
