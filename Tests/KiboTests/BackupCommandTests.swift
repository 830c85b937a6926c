import ControlProtocol
import Glibc
import TestSupport
import Testing

@testable import kibo

/// `backup` and `restore` as people read them.
struct BackupCommandTests {
    private static func summary(damagedAt: Int64? = nil) -> BackupSummary {
        var summary = BackupSummary(path: "/b/anna.kibo")
        (summary.bytes, summary.madeAt, summary.account, summary.displayName) = (3 << 20, Cast.noon, Cast.own, "Anna")
        (summary.software, summary.schema, summary.hasPassphrase) = ("kibo 1", 1, true)
        (summary.takesPassphrase, summary.takesCode) = (true, true)
        (summary.people, summary.conversations, summary.messages) = (12, 1, 345)
        (summary.rows, summary.rowsAnnounced) = (damagedAt == nil ? 900 : 400, 900)
        (summary.complete, summary.damagedAt) = (damagedAt == nil, damagedAt)
        return summary
    }

    private func run(
        _ words: String..., daemon: FakeDaemon, typing: [String] = []
    ) -> (code: ExitCode, output: String, errors: String) {
        run(words, daemon: daemon, typing: typing)
    }

    private func run(
        _ words: [String], daemon: FakeDaemon, typing: [String] = [], isTerminal: Bool = false
    ) -> (code: ExitCode, output: String, errors: String) {
        final class Sink { var (text, errors, typing) = ("", "", [String]()) }
        let sink = Sink()
        sink.typing = typing
        let console = Console(
            output: { sink.text += $0 }, errors: { sink.errors += $0 }, isTerminal: isTerminal,
            askSecret: { _ in
                guard !sink.typing.isEmpty else { throw SecretPrompt.noTerminal() }
                return sink.typing.removeFirst()
            })
        let code = Kibo.run(["--socket", daemon.path] + words, console: console)
        return (code, sink.text, sink.errors)
    }

    private func daemon(locked: Bool = false) -> FakeDaemon {
        let daemon = FakeDaemon()
        daemon.answer("account.get") { _, _ in
            Account(
                id: Cast.own, displayName: "Anna", locked: locked, device: .init(id: "kibodev1a", name: "desk"),
                createdAt: Cast.noon
            ).json
        }
        return daemon
    }

    @Test("backup asks for the passphrase twice, and says what is in the file, what isn't, and how to bring it back")
    func make() throws {
        let fake = daemon()
        fake.answer("backup.create") { _, _ in Self.summary().json }
        let made = run("backup", "/b/anna.kibo", daemon: fake, typing: ["long enough", "long enough"])
        #expect(made.code == .done, "\(made.errors)")
        #expect(made.output.contains("/b/anna.kibo (3.0 MiB) and read it back"))
        #expect(made.output.contains("12 contacts, 1 conversation and 345 messages"))
        #expect(
            made.output.contains("Received files are not in it") && made.output.contains("kibo restore /b/anna.kibo"))
        #expect(fake.requests("backup.create") == [["path": "/b/anna.kibo", "passphrase": "long enough"]])
        #expect(run("backup", "/b/x", daemon: fake, typing: ["one long", "another"]).code == .usage)
        #expect(run("backup", daemon: fake).code == .usage)
        #expect(run("backup", "--keep", "2", "/b/x", daemon: fake).errors.contains("--to DIR"))
        #expect(run("backup", "/a", "/b", daemon: fake).code == .usage)
        #expect(fake.requests("backup.create").count == 1)
        let locked = run("backup", "/b/x", daemon: daemon(locked: true))
        #expect(locked.code == .noAccount && locked.errors.contains("kibo unlock"))
    }

    @Test("backup --to asks for nothing, and warns where nobody has seen the code that opens the file")
    func folder() throws {
        let fake = daemon()
        var shownAt: Int64?
        fake.answer("backup.rotate") { _, _ in ["backup": Self.summary().json, "removed": 2] }
        fake.answer("backup.status") { _, _ in
            var status = BackupStatus()
            status.codeShownAt = shownAt
            return status.json
        }
        let unseen = run("backup", "--to", "/b", daemon: fake)
        #expect(unseen.code == .done && unseen.output.contains("2 older backups removed"), "\(unseen.errors)")
        #expect(unseen.output.contains("never shown"))
        shownAt = Cast.noon
        #expect(!run("backup", "--to", "/b", "--keep", "3", daemon: fake).output.contains("never shown"))
        #expect(
            fake.requests("backup.rotate") == [["directory": "/b", "keep": 7], ["directory": "/b", "keep": 3]])
        for words in [["--keep", "0"], ["--keep", "x"], ["/b/x"], ["--passphrase-file", "-"]] {
            #expect(run(["backup", "--to", "/b"] + words, daemon: fake).code == .usage, "\(words)")
        }
        #expect(fake.requests("backup.rotate").count == 2)
    }

    @Test("On a terminal the wait says how far the backup is; elsewhere it says nothing")
    func progress() throws {
        for isTerminal in [true, false] {
            let fake = daemon()
            fake.answer("backup.create") { _, _ in
                // The command asks meanwhile.
                usleep(600_000)
                return Self.summary().json
            }
            fake.answer("backup.status") { _, _ in
                var status = BackupStatus()
                status.running = .init(step: .writing, done: 30, total: 40)
                return status.json
            }
            let made = run(
                ["backup", "/b/a"], daemon: fake, typing: ["long enough", "long enough"], isTerminal: isTerminal)
            #expect(made.code == .done, "\(made.errors)")
            #expect(made.output.contains("Making the backup: writing 75 %") == isTerminal, "\(made.output)")
            #expect(made.output.contains("Making the backup") == isTerminal)
            #expect(made.output.contains("Wrote"))
        }
    }

    @Test("backup check says whose it is and whether it is whole; a damaged one is a failure")
    func check() throws {
        let fake = daemon()
        let directory = try TemporaryDirectory()
        let path = directory.file("a.kibo")
        try TextFile.write([1], to: path)
        fake.answer("backup.check") { _, _ in Self.summary().json }
        let whole = run("backup", "check", path, daemon: fake, typing: ["secret"])
        #expect(whole.code == .done && whole.output.contains("A backup of Anna (\(Cast.own))"), "\(whole.errors)")
        #expect(whole.output.contains("It is whole: 12 contacts"))
        #expect(whole.output.contains("opens it, and so does the recovery code"))
        for (takes, words) in [((true, false), "the recovery code does not"), ((false, true), "it has no passphrase")] {
            fake.answer("backup.check") { _, _ in
                var summary = Self.summary()
                (summary.takesPassphrase, summary.takesCode) = takes
                return summary.json
            }
            #expect(run("backup", "check", path, daemon: fake, typing: ["secret"]).output.contains(words))
        }
        fake.answer("backup.check") { _, _ in
            throw ControlError(
                .invalid, "it is wrong at 13", hint: .retypeCode, parameters: ["places": [13], "path": .string(path)],
                field: "passphrase")
        }
        let mistyped = run("backup", "check", path, daemon: fake, typing: ["kiborecover1x"])
        #expect(mistyped.code == .failed)
        #expect(mistyped.errors.contains("character 1 of group 4") && mistyped.errors.contains("Then try again."))
        #expect(!mistyped.errors.contains("kibo recover"), "\(mistyped.errors)")
        fake.answer("backup.check") { _, _ in Self.summary(damagedAt: 70_000).json }
        let damaged = run("backup", "check", path, daemon: fake, typing: ["secret"])
        #expect(damaged.code == .failed)
        #expect(damaged.output.contains("damaged or cut at byte 70000") && damaged.output.contains("400 of 900 rows"))
        #expect(damaged.output.contains("--even-if-cut"))
        #expect(run("backup", "check", daemon: fake).errors.contains("kibo backup ./check"))
    }

    @Test("restore refuses beside an account; else it waits for the daemon and says what is back and what is missing")
    func restore() throws {
        let fake = daemon()
        let directory = try TemporaryDirectory()
        let path = directory.file("a.kibo")
        try TextFile.write([1], to: path)
        fake.answer("system.hello") { [unowned fake] _, _ in
            DaemonHello(
                version: "1", protocol: 1, api: 1, capabilities: [],
                account: fake.requests("backup.restore").isEmpty ? nil : Cast.own
            ).json
        }
        fake.answer("backup.restore") { _, _ in Self.summary(damagedAt: 70_000).json }
        let restored = run("restore", "--even-if-cut", path, daemon: fake, typing: ["secret"])
        #expect(restored.code == .done, "\(restored.errors)")
        #expect(fake.requests("backup.restore").first?["evenIfCut"] == true)
        #expect(restored.output.contains("You are Anna again: 12 contacts"))
        #expect(restored.output.contains("400 of 900 rows") && restored.output.contains("kibo passphrase"))
        #expect(restored.output.contains("must not run any more"))
        let again = run("restore", path, daemon: fake, typing: ["secret"])
        #expect(again.code == .failed && again.errors.contains("an account here already"))
        #expect(fake.requests("backup.restore").count == 1)
    }
}
