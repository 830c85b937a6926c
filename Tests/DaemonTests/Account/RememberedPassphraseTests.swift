import Basics
import Glibc
import TestSupport
import Testing

@testable import Account
@testable import Crypto

struct RememberedPassphraseTests {
    private let directory: TemporaryDirectory
    private let sealed: SealedKeys
    private var file: String { directory.file("passphrase") }
    private var remembered: RememberedPassphrase { RememberedPassphrase(directory: directory.path, credentials: nil) }

    init() throws {
        directory = try TemporaryDirectory()
        sealed = try SealedKeys.seal(
            try KeyFileTests.account(), with: Passphrase("open sesame"), cost: KeyFileTests.cheap)
    }

    /// Returns whether the passphrase opens the keys, and the log's lines about it.
    private func open(_ remembered: RememberedPassphrase) -> (Bool, [String]) {
        var said: [String] = []
        let account = remembered.open(sealed) { said.append($0) }
        return (account != nil, said)
    }

    @Test("What was written opens the keys; the file is 0600; the user may write it too, with or without a newline")
    func written() throws {
        #expect(open(remembered) == (false, []))
        try remembered.write(Passphrase("open sesame"))
        var status = stat()
        #expect(stat(file, &status) == 0 && status.st_mode & 0o777 == 0o600)
        #expect(open(remembered) == (true, []))
        for text in ["open sesame", "open sesame\n"] {
            try TextFile.write(Array(text.utf8), to: file)
            chmod(file, 0o600)
            #expect(open(remembered) == (true, []))
        }
        remembered.forget()
        #expect(TemporaryDirectory.names(in: directory.path).isEmpty)
    }

    @Test("A passphrase that ends in a newline or holds a NUL is read back unchanged")
    func exact() throws {
        for text in ["a\n", "\n", "a\u{0}b", "ä €"] {
            try remembered.write(Passphrase(text))
            let read = try #require(try remembered.read(.file))
            #expect(read.withUnsafeBytes { Array($0) } == Array(text.utf8))
        }
    }

    @Test(
        "A credential that is wrong or empty is named as one: who has sealed it can mend it, and a file can go beside it"
    )
    func unfitCredential() throws {
        let place = directory.file("credentials")
        try directory.makeDirectory("credentials")
        let remembered = RememberedPassphrase(directory: directory.path, credentials: place)
        #expect(open(remembered) == (false, []))
        try TextFile.write("wrong\n".utf8, to: place + "/kibo-passphrase")
        let (isOpen, said) = open(remembered)
        #expect(!isOpen && said.count == 1, "\(said)")
        #expect(
            said.first?.hasPrefix("the systemd credential kibo-passphrase is not the passphrase of this account: seal")
                == true, "\(said)")
        try remembered.write(Passphrase("open sesame"))
        #expect(open(remembered).0)
        remembered.forget()
        try TextFile.write([], to: place + "/kibo-passphrase")
        #expect(open(remembered) == (false, ["the systemd credential kibo-passphrase is empty"]))
    }

    @Test(
        "A file that others may read or that is too long, a link, a pipe and a folder are not used; the log says why"
    )
    func unfit() throws {
        try remembered.write(Passphrase("open sesame"))
        for mode in [0o640, 0o604, 0o644, 0o660] as [mode_t] {
            chmod(file, mode)
            let (isOpen, said) = open(remembered)
            #expect(!isOpen && said.count == 1 && said[0].contains("chmod 600"), "\(said)")
        }
        chmod(file, 0o600)
        #expect(rename(file, directory.file("elsewhere")) == 0)
        #expect(symlink(directory.file("elsewhere"), file) == 0)
        #expect(open(remembered).1.first?.contains("not a plain file") == true)
        unlink(file)
        // No process writes into it, and reading must not wait.
        #expect(mkfifo(file, 0o600) == 0)
        #expect(open(remembered).1.first?.contains("not a plain file") == true)
        unlink(file)
        mkdir(file, 0o700)
        #expect(open(remembered).1.first?.contains("not a plain file") == true)
        rmdir(file)
        try TextFile.write([UInt8](repeating: 0x61, count: 1026), to: file)
        chmod(file, 0o600)
        #expect(open(remembered).1.first?.contains("longer than") == true)
        try TextFile.write([], to: file)
        #expect(open(remembered) == (false, []))
    }

    @Test("The log says that a passphrase is stale and what to do; the file stays")
    func stale() throws {
        try remembered.write(Passphrase("an older one"))
        let (isOpen, said) = open(remembered)
        #expect(!isOpen && said.count == 1 && said[0].contains("kibo unlock --remember"))
        #expect(access(file, F_OK) == 0)
    }

    @Test("systemd's credential goes first, whatever its mode; if it is wrong, the file counts")
    func credential() throws {
        let credentials = try directory.makeDirectory("credentials")
        let remembered = RememberedPassphrase(directory: directory.path, credentials: credentials)
        #expect(open(remembered) == (false, []))
        try TextFile.write(Array("open sesame\n".utf8), to: credentials + "/kibo-passphrase")
        chmod(credentials + "/kibo-passphrase", 0o440)
        #expect(open(remembered) == (true, []))
        #expect(remembered.isThere && !remembered.hasFile)
        chmod(credentials + "/kibo-passphrase", 0o600)
        try TextFile.write(Array("wrong".utf8), to: credentials + "/kibo-passphrase")
        try remembered.write(Passphrase("open sesame"))
        let (isOpen, said) = open(remembered)
        #expect(isOpen && said.count == 1 && said[0].contains("kibo-passphrase"))
        remembered.forget()
        #expect(access(credentials + "/kibo-passphrase", F_OK) == 0, "a credential is not ours to remove")
    }
}
