import Basics
import Glibc
import Messaging
import TestSupport
import Testing

@testable import Account
@testable import Crypto
@testable import Runtime

/// The file `keys`: its plain form, its sealed form, and bytes that are neither.
struct KeyFileTests {
    static let cheap = PassphraseCost(passes: 1, kibibytes: 8)
    private let directory: TemporaryDirectory
    private let account: LocalAccount
    private var path: String { directory.file("keys") }

    init() throws {
        directory = try TemporaryDirectory()
        account = try Self.account()
    }

    static func account() throws -> LocalAccount {
        try LocalAccount.create(deviceName: "desk", at: WallTime(milliseconds: 1_720_000_000_000))
    }

    private func seeds(_ account: LocalAccount) -> [[UInt8]] {
        [account.accountKey, account.deviceKey].map { $0.withSeed { Array($0) } }
    }

    private func load() throws -> StoredKeys? { try KeyFile.load(from: directory.path, within: .cheap) }

    /// The file as the first released version wrote it.
    private func oldForm() -> [UInt8] {
        CBOR.map([
            1: .unsigned(1), 2: .bytes(seeds(account)[0]), 3: .bytes(seeds(account)[1]),
            4: .bytes(account.certificate.encoded()),
        ]).encoded()
    }

    @Test("The plain file of the first version is read, and written as it was, byte for byte")
    func plain() throws {
        try TextFile.write(oldForm(), to: path)
        guard case .plain(let read)? = try load() else {
            Issue.record("the plain file was not read as one")
            return
        }
        #expect(seeds(read) == seeds(account) && read.certificate == account.certificate)
        try KeyFile.save(.plain(read), in: directory.path)
        #expect(try TextFile.bytes(path) == oldForm())
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
    }

    @Test("A sealed file gives the keys only with the passphrase; its certificate is read without one")
    func sealed() throws {
        let keys = try SealedKeys.seal(account, with: Passphrase("open sesame"), cost: Self.cheap)
        try KeyFile.save(.sealed(keys), in: directory.path)
        guard case .sealed(let read)? = try load() else {
            Issue.record("the sealed file was not read as one")
            return
        }
        #expect(read.certificate == account.certificate)
        #expect(seeds(try read.open(with: Passphrase("open sesame"))) == seeds(account))
        #expect(throws: Keystore.Failure.wrongPassphrase) { _ = try read.open(with: Passphrase("open barley")) }
        let bytes = try TextFile.bytes(path)
        for seed in seeds(account) {
            #expect(!bytes.indices.contains { bytes[$0...].starts(with: seed.prefix(8)) }, "a seed is readable")
        }
    }

    @Test("A missing file means no account; a damaged, foreign or newer one is refused in words and never traps")
    func refused() throws {
        #expect(try load() == nil)
        let whole = oldForm()
        var others: [[UInt8]] = (0..<whole.count).map { Array(whole[..<$0]) }
        others += [whole + [0], [UInt8](repeating: 0xFF, count: 4096), Array("keys".utf8)]
        // The seeds of another account.
        var swapped = whole
        swapped[10] ^= 1
        others.append(swapped)
        for bytes in others {
            try TextFile.write(bytes, to: path)
            let error = #expect(throws: StartError.self) { try load() }
            #expect(error?.message.contains("damaged") == true, "\(bytes.count) bytes: \(error?.message ?? "")")
        }
        try TextFile.write([UInt8](repeating: 1, count: 4097), to: path)
        #expect(throws: StartError.self) { try load() }
        try TextFile.write(CBOR.map([1: .unsigned(9)]).encoded(), to: path)
        #expect(throws: StartError.unusable("\(path) was written by a newer Kibo; install that version or a newer one"))
        {
            try load()
        }
        unlink(path)
        try directory.makeDirectory("keys")
        #expect(throws: StartError.self) { try load() }
    }

    @Test("A file that asks for 64 GiB is refused with the numbers, and at once")
    func hostileCost() throws {
        let keys = try SealedKeys.seal(account, with: Passphrase("x"), cost: Self.cheap)
        var map = try #require(try CBORDecoder.decode(keys.keystore.encoded()).mapValue)
        map[9] = nil
        map[4] = .unsigned(64 << 20)
        map[9] = .bytes(Blake2b.hash(CBOR.map(map).encoded(), length: CryptoLimits.keystoreDigestBytes))
        try TextFile.write(CBOR.map(map).encoded(), to: path)
        let error = #expect(throws: StartError.self) { try load() }
        #expect(error?.message.contains("67108864 KiB") == true)
    }

    @Test(
        "A file left by an interrupted write is removed at the next start, for it may hold keys without a passphrase"
    )
    func leftovers() throws {
        try KeyFile.save(.plain(account), in: directory.path)
        try TextFile.write(oldForm(), to: directory.file("keys.new"))
        _ = try load()
        #expect(access(directory.file("keys.new"), F_OK) != 0)
    }

    @Test("A replaced file is overwritten on the disk, unless it has another name")
    func overwritten() throws {
        try TextFile.write(Array("the old keys".utf8), to: path)
        let open = Glibc.open(path, O_RDONLY)
        defer { close(open) }
        try KeyFile.save(.plain(account), in: directory.path)
        var buffer = [UInt8](repeating: 1, count: 12)
        #expect(pread(open, &buffer, 12, 0) == 12)
        #expect(buffer == [UInt8](repeating: 0, count: 12))

        let copy = directory.file("copy")
        #expect(link(path, copy) == 0)
        let before = try TextFile.bytes(copy)
        try KeyFile.save(.plain(account), in: directory.path)
        #expect(try TextFile.holds(copy, before), "a copy by hard link belongs to the user who made it")
    }
}
