import Basics
import Glibc
import Messaging
import TestSupport
import Testing

@testable import Account
@testable import Crypto
@testable import Runtime

/// After a crash between any two steps of a change, the keys still open, and the remembered passphrase fits them.
struct PassphraseChangeTests {
    private let directory: TemporaryDirectory
    private let account: LocalAccount
    private let remembered: RememberedPassphrase
    private let old = Passphrase("the old one")
    private let new = Passphrase("the new one")

    init() throws {
        directory = try TemporaryDirectory()
        account = try KeyFileTests.account()
        remembered = RememberedPassphrase(directory: directory.path, credentials: nil)
    }

    private func keys(_ passphrase: Passphrase?) throws -> StoredKeys {
        guard let passphrase else { return .plain(account) }
        return .sealed(try SealedKeys.seal(account, with: passphrase, cost: KeyFileTests.cheap))
    }

    /// Does what a start does: returns whether the account is opened by the remembered passphrase, and which
    /// passphrases open it.
    private func start() throws -> (isOpen: Bool, opens: [String]) {
        guard let keys = try KeyFile.load(from: directory.path, within: .cheap) else { return (false, []) }
        switch keys {
        case .plain: return (true, ["none"])
        case .sealed(let sealed):
            let opens = [("old", old), ("new", new)].filter { (try? sealed.open(with: $0.1)) != nil }.map(\.0)
            return (remembered.open(sealed) { _ in } != nil, opens)
        }
    }

    @Test(
        "A passphrase is changed, set or removed, remembered or not, and the daemon crashes behind each step"
    )
    func crashes() throws {
        let cases: [(from: Passphrase?, to: Passphrase?, remembers: Bool)] = [
            (old, new, true), (old, new, false), (nil, new, false), (old, nil, true), (old, nil, false),
        ]
        for (from, to, remembers) in cases {
            for crash in 0...PassphraseChange.Step.allCases.count {
                remembered.forget()
                try KeyFile.save(try keys(from), in: directory.path)
                if remembers, let from { try remembered.write(from) }
                let change = PassphraseChange(to: try keys(to), to, in: directory.path, remembered: remembered)
                for step in PassphraseChange.Step.allCases.prefix(crash) { try change.perform(step) }

                let told = "\(from == nil ? "none" : "old") to \(to == nil ? "none" : "new"), \(crash) steps"
                let (isOpen, opens) = try start()
                #expect(opens.count == 1, "\(told): it opens with \(opens)")
                let needsNone = opens == ["none"]
                #expect(isOpen == (remembers || needsNone), "\(told)")
                // The second start finds the state of a first start after a change without a crash.
                #expect(try start().isOpen == isOpen, "\(told), again")
                if !needsNone { #expect(access(directory.file("passphrase.next"), F_OK) != 0 || !remembers) }
                if crash == PassphraseChange.Step.allCases.count {
                    #expect(opens == [to == nil ? "none" : "new"])
                    let rest = Set(TemporaryDirectory.names(in: directory.path))
                    #expect(rest == (remembers && to != nil ? ["keys", "passphrase"] : ["keys"]), "\(told)")
                }
            }
        }
    }

    @Test(
        "If the disk refuses, the old passphrase stays in force and remembered as before, and no file is left beside it"
    )
    func refused() throws {
        try KeyFile.save(try keys(old), in: directory.path)
        try remembered.write(old)
        // A folder that can't be removed stands where the new file would be made.
        try directory.makeDirectory("keys.new")
        let change = PassphraseChange(to: try keys(new), new, in: directory.path, remembered: remembered)
        #expect(throws: StartError.self) { _ = try change.run() }
        rmdir(directory.file("keys.new"))
        #expect(try start() == (true, ["old"]))
        #expect(Set(TemporaryDirectory.names(in: directory.path)) == ["keys", "passphrase"])
    }
}
