import Basics
import ControlProtocol
import Glibc
import TestSupport
import Testing

@testable import Media
@testable import kibo

/// `setup`, `lock`, `unlock`, `passphrase`, `status`, `link`, `verify` as people read them.
struct AccountCommandTests {
    private static func account(
        locked: Bool = false, hasPassphrase: Bool = true, remembered: Bool = false
    ) -> Account {
        Account(
            id: Cast.own, displayName: "Anna", locked: locked, hasPassphrase: hasPassphrase, remembered: remembered,
            device: .init(id: "kibodev1a", name: "desk"), createdAt: Cast.noon)
    }

    private func daemon(_ account: Account) -> FakeDaemon {
        let daemon = FakeDaemon()
        daemon.answer("account.get") { _, _ in account.json }
        return daemon
    }

    /// A person who types these, one after the other.
    private func run(
        _ words: String..., daemon: FakeDaemon, typing: [String] = []
    ) -> (code: ExitCode, output: String, errors: String, prompts: [String]) {
        final class Sink { var (text, errors, prompts, typing) = ("", "", [String](), [String]()) }
        let sink = Sink()
        sink.typing = typing
        let console = Console(
            output: { sink.text += $0 }, errors: { sink.errors += $0 },
            askSecret: { prompt in
                sink.prompts.append(prompt)
                guard !sink.typing.isEmpty else { throw SecretPrompt.noTerminal() }
                return sink.typing.removeFirst()
            })
        let code = Kibo.run(["--socket", daemon.path] + words, console: console)
        return (code, sink.text, sink.errors, sink.prompts)
    }

    private func file(_ text: String) throws -> (TemporaryDirectory, String) {
        let directory = try TemporaryDirectory()
        try TextFile.write(Array(text.utf8), to: directory.file("secret"))
        return (directory, directory.file("secret"))
    }

    @Test("setup asks for no passphrase unless one is wanted, and says how to add one")
    func setup() throws {
        let fake = FakeDaemon()
        fake.answer("account.create") { params, _ in
            Self.account(hasPassphrase: params.has("passphrase"), remembered: params.bool("remember")).json
        }
        let plain = run("setup", "--name", "Anna", daemon: fake)
        #expect(plain.code == .done && plain.prompts.isEmpty)
        #expect(plain.output.contains("kibo passphrase"))
        #expect(fake.requests("account.create") == [["displayName": "Anna"]])

        let typed = run(
            "setup", "--name", "Anna", "--passphrase", daemon: fake, typing: ["long enough", "long enough"])
        #expect(typed.prompts.count == 2 && typed.output.contains("kibo unlock"))
        #expect(fake.requests("account.create").last?["passphrase"] == "long enough")
        let (directory, path) = try file("from a file\n")
        let filed = run("setup", "--name", "Anna", "--passphrase-file", path, "--remember", daemon: fake)
        #expect(filed.code == .done && filed.prompts.isEmpty, "\(filed.errors)")
        #expect(fake.requests("account.create").last?["passphrase"] == "from a file")
        #expect(fake.requests("account.create").last?["remember"] == true)
        withExtendedLifetime(directory) {}

        let count = fake.requests("account.create").count
        let differ = run("setup", "--name", "Anna", "--passphrase", daemon: fake, typing: ["one", "another"])
        #expect(differ.code == .usage && differ.errors.contains("don't match"))
        #expect(run("setup", "--name", "Anna", "--remember", daemon: fake).code == .usage)
        #expect(run("setup", "--name", "Anna", "--passphrase", daemon: fake).errors.contains("--passphrase-file"))
        #expect(fake.requests("account.create").count == count)
    }

    @Test("unlock asks without a trace of what was typed; wrong ones end with 1 and the daemon's words")
    func unlock() {
        let fake = daemon(Self.account(locked: true))
        fake.answer("account.unlock") { params, _ in
            guard params.string("passphrase") == "right" else {
                throw RPCError(ControlError(.wrongPassphrase, "that is not the passphrase", hint: .rememberPassphrase))
            }
            return Self.account(remembered: params.bool("remember")).json
        }
        let right = run("unlock", daemon: fake, typing: ["right"])
        #expect(right.code == .done && right.output == "Unlocked. You are Anna on this network.\n")
        #expect(right.prompts == ["Passphrase: "])
        #expect(fake.requests("account.unlock").last?["remember"] == nil)
        let remembered = run("unlock", "--remember", daemon: fake, typing: ["right"])
        #expect(remembered.output.contains("From now on the daemon unlocks itself"))
        _ = run("unlock", "--forget", daemon: fake, typing: ["right"])
        #expect(fake.requests("account.unlock").last?["remember"] == false)
        let wrong = run("unlock", daemon: fake, typing: ["wrong"])
        #expect(wrong.code == .failed && wrong.errors.contains("That is not the passphrase"))
        #expect(!(wrong.errors + wrong.output).contains("wrong\n"))
        #expect(run("unlock", "--remember", "--forget", daemon: fake, typing: ["right"]).code == .usage)
        #expect(run("unlock", daemon: fake).code == .usage)
    }

    @Test("passphrase sets, changes and removes it, and asks for nothing that is not needed")
    func passphrase() throws {
        let none = daemon(Self.account(hasPassphrase: false))
        let sealed = daemon(Self.account())
        for fake in [none, sealed] {
            fake.answer("account.changePassphrase") { params, _ in
                Self.account(hasPassphrase: params.has("new")).json
            }
        }
        let set = run("passphrase", daemon: none, typing: ["long enough", "long enough"])
        #expect(set.code == .done && set.output.contains("sealed"))
        #expect(none.requests("account.changePassphrase") == [["new": "long enough"]])
        #expect(run("passphrase", "--remove", daemon: none).output == "Your account has no passphrase.\n")

        let changed = run("passphrase", daemon: sealed, typing: ["old", "newest one", "newest one"])
        #expect(changed.code == .done && changed.prompts.count == 3)
        #expect(sealed.requests("account.changePassphrase").last == ["old": "old", "new": "newest one"])
        #expect(run("passphrase", "--remove", daemon: sealed, typing: ["old"]).code == .done)
        #expect(sealed.requests("account.changePassphrase").last == ["old": "old"])
        let (one, old) = try file("old from a file\n")
        let (other, new) = try file("new\nfrom a file")
        let filed = run("passphrase", "--passphrase-file", old, "--new-passphrase-file", new, daemon: sealed)
        #expect(filed.code == .done && filed.prompts.isEmpty, "\(filed.errors)")
        #expect(
            sealed.requests("account.changePassphrase").last == ["old": "old from a file", "new": "new\nfrom a file"])
        withExtendedLifetime((one, other)) {}

        let short = run("passphrase", daemon: none, typing: ["short", "short"])
        #expect(short.code == .done && short.errors.contains("That is short"))
        let locked = run("passphrase", daemon: daemon(Self.account(locked: true)))
        #expect(locked.code == .noAccount && locked.errors.contains("kibo unlock"))
    }

    @Test("Files that hold no passphrase are refused in words")
    func files() throws {
        let fake = daemon(Self.account(locked: true))
        let (directory, path) = try file("")
        #expect(run("unlock", "--passphrase-file", path, daemon: fake).errors.contains("no passphrase in"))
        try TextFile.write([0xFF, 0xFE], to: path)
        #expect(run("unlock", "--passphrase-file", path, daemon: fake).errors.contains("not text"))
        try TextFile.write([UInt8](repeating: 0x61, count: 1_025), to: path)
        #expect(run("unlock", "--passphrase-file", path, daemon: fake).errors.contains("longer than"))
        let missing = run("unlock", "--passphrase-file", directory.file("none"), daemon: fake)
        #expect(missing.code == .failed && missing.errors.contains("No such file"))
        #expect(fake.requests("account.unlock").isEmpty)
    }

    @Test("status says which account is locked, and what to do")
    func status() {
        func output(_ account: Account) -> String {
            let fake = daemon(account)
            fake.answer("system.status") { _, _ in
                DaemonStatus(
                    uptime: 1, listen: [], interfaces: [], peers: 0, sessions: 0, queued: 0, transfers: 0,
                    locked: account.locked, data: "/d", databaseBytes: 1
                ).json
            }
            let run = CommandRun("status", daemon: fake)
            #expect(run.code == (account.locked ? .noAccount : .done))
            #expect(CommandRun("status", "--json", daemon: fake).code == run.code)
            return run.output
        }
        let locked = output(Self.account(locked: true))
        #expect(locked.contains("Anna") && locked.contains("locked") && locked.contains("kibo unlock"))
        #expect(output(Self.account(remembered: true)).contains("by itself at each start"))
        #expect(!output(Self.account(hasPassphrase: false)).contains("locked"))
    }

    @Test("lock says how to get back")
    func lock() {
        let fake = FakeDaemon()
        fake.answer("account.lock") { _, _ in Self.account(locked: true, remembered: true).json }
        let output = CommandRun("lock", daemon: fake).output
        #expect(output.contains("kibo unlock") && output.contains("will unlock itself at the next start"))
    }

    @Test("Codes can be read on any theme with colours, and on both themes without")
    func code() {
        let fake = FakeDaemon()
        fake.answer("account.link") { _, _ in ["uri": "kibo:kibo1x?name=Anna", "qr": " ▀\n▄█"] }
        let plain = CommandRun("link", daemon: fake).output
        #expect(plain == " ▀\n▄█\n\nkibo:kibo1x?name=Anna\n")
        #expect(CommandRun("link", "--invert", daemon: fake).output.hasPrefix("█▄\n▀ \n"))
        let colored = CommandRun("link", "--invert", daemon: fake, columns: 80, color: true).output
        #expect(colored.hasPrefix("\u{1B}[30;107m ▀\u{1B}[0m\n\u{1B}[30;107m▄█\u{1B}[0m\n"))
    }

    @Test("verify shows the number in groups, takes it typed in any form, and believes a person's yes")
    func verify() {
        let fake = FakeDaemon()
        let number = String(repeating: "1234567890", count: 6)
        fake.answer("contact.safetyNumber") { _, _ in ["number": .string(number), "qr": "█"] }
        fake.answer("contact.get") { _, _ in Cast.contacts[0].json }
        fake.answer("contact.verify") { _, _ in
            Contact(id: Cast.anna, displayName: "Anna", relation: .friend, trust: .verified).json
        }
        let shown = CommandRun("verify", "Anna", daemon: fake)
        #expect(shown.code == .done)
        #expect(shown.output.contains("    12345  67890  12345  67890\n"))
        #expect(shown.output.contains("kibo verify \(Cast.anna.prefix(13)) --yes"))
        #expect(fake.requests("contact.verify").isEmpty, "showing is not comparing")
        #expect(CommandRun("verify", "Anna", "12345", "67890", daemon: fake).output.contains("verified"))
        #expect(fake.requests("contact.verify").last == ["id": .string(Cast.anna), "number": "12345 67890"])
        _ = CommandRun("verify", "Anna", "--yes", daemon: fake)
        #expect(fake.requests("contact.verify").last == ["id": .string(Cast.anna)])
    }
}
