import Basics
import ControlProtocol
import TestSupport
import Testing

@testable import kibo

/// `recovery` and `recover` as people read them.
struct RecoveryCommandTests {
    private static let code = "kiborecover1" + String(repeating: "q", count: 59)

    private static func account(locked: Bool = false, hasPassphrase: Bool = false) -> Account {
        Account(
            id: Cast.own, displayName: "Anna", locked: locked, hasPassphrase: hasPassphrase,
            device: .init(id: "kibodev1a", name: "desk"), createdAt: Cast.noon)
    }

    /// - Parameters:
    ///   - secrets: what is typed where nothing is shown.
    ///   - answers: what is typed elsewhere; nil where there is no terminal.
    private func run(
        _ words: String..., daemon: FakeDaemon, secrets: [String] = [], answers: [String]? = nil
    ) -> (code: ExitCode, output: String, errors: String) {
        final class Sink { var (text, errors, secrets, answers) = ("", "", [String](), [String]()) }
        let sink = Sink()
        (sink.secrets, sink.answers) = (secrets, answers ?? [])
        let console = Console(
            output: { sink.text += $0 }, errors: { sink.errors += $0 }, canAsk: answers != nil,
            askSecret: { _ in
                guard !sink.secrets.isEmpty else { throw SecretPrompt.noTerminal() }
                return sink.secrets.removeFirst()
            }, input: { sink.answers.isEmpty ? nil : sink.answers.removeFirst() })
        let code = Kibo.run(["--socket", daemon.path] + words, console: console)
        return (code, sink.text, sink.errors)
    }

    private func daemon(_ account: Account) -> FakeDaemon {
        let daemon = FakeDaemon()
        daemon.answer("account.get") { _, _ in account.json }
        daemon.answer("recovery.code") { _, _ in ["code": .string(Self.code), "qr": " ▀\n▄█"] }
        return daemon
    }

    @Test("show says what the code is, asks first where a person is, and asks for a passphrase if there is one")
    func show() throws {
        let plain = daemon(Self.account())
        let shown = run("recovery", "show", daemon: plain, answers: ["y"])
        #expect(shown.code == .done, "\(shown.errors)")
        #expect(shown.output.contains("kibo reco ver1 qqqq qqqq qqqq\n") && shown.output.contains("▄█"))
        #expect(shown.output.contains("Anyone who has this code has your account."))
        #expect(plain.requests("recovery.code") == [[:]])
        let not = run("recovery", "show", daemon: plain, answers: [""])
        #expect(not.code == .failed && !not.output.contains("qqqq"))
        #expect(plain.requests("recovery.code").count == 1)
        // Where nobody can be asked, it is printed, without a picture.
        let printed = run("recovery", "show", daemon: plain)
        #expect(printed.code == .done && printed.output.contains("qqqq") && !printed.output.contains("▄█"))

        let sealed = daemon(Self.account(hasPassphrase: true))
        #expect(run("recovery", "show", "--yes", daemon: sealed, secrets: ["long enough"], answers: []).code == .done)
        #expect(sealed.requests("recovery.code") == [["passphrase": "long enough"]])
        let locked = run("recovery", "show", daemon: daemon(Self.account(locked: true, hasPassphrase: true)))
        #expect(locked.code == .noAccount && locked.errors.contains("kibo unlock"))
    }

    @Test("check says whether the code is right, and where to look if it is not")
    func check() throws {
        let fake = daemon(Self.account())
        func answer(_ result: RecoveryCheck, _ places: [Int64] = []) -> (code: ExitCode, output: String, errors: String)
        {
            fake.answer("recovery.check") { _, _ in
                ["result": .string(result.rawValue), "places": .array(places.map { .integer($0) })]
            }
            return run("recovery", "check", daemon: fake, secrets: [Self.code])
        }
        #expect(answer(.right).code == .done)
        #expect(fake.requests("recovery.check") == [["code": .string(Self.code)]])
        let other = answer(.other)
        #expect(other.code == .failed && other.output.contains("another account"))
        #expect(answer(.damaged, [13, 71]).output.contains("character 1 of group 4 and character 3 of group 18"))
        #expect(answer(.damaged).output.contains("71 characters"))
        #expect(answer(.none).output.contains("kiborecover1"))
        let count = fake.requests("recovery.check").count
        #expect(run("recovery", "check", daemon: fake).errors.contains("--code-file"))
        #expect(fake.requests("recovery.check").count == count)
        let directory = try TemporaryDirectory()
        try TextFile.write(Array("\(Self.code)\n".utf8), to: directory.file("code"))
        #expect(run("recovery", "check", "--code-file", directory.file("code"), daemon: fake).code == .failed)
        #expect(fake.requests("recovery.check").last == ["code": .string(Self.code)])
    }

    @Test(
        "recover takes the code from a file or the terminal, never from its words, and only where there is no account")
    func recover() throws {
        let fake = FakeDaemon()
        #expect(run("recover", "--name", "Anna", daemon: fake, secrets: [Self.code]).errors.contains("already"))
        fake.answer("system.hello") { _, _ in DaemonHello(version: "9.9", protocol: 1, account: nil).json }
        fake.answer("account.recover") { _, _ in Self.account().json }
        let made = run("recover", "--name", "Anna", daemon: fake, secrets: [Self.code])
        #expect(made.code == .done, "\(made.errors)")
        #expect(made.output.contains("again") && made.output.contains("kibo requests"))
        #expect(fake.requests("account.recover") == [["code": .string(Self.code), "displayName": "Anna"]])
        #expect(run("recover", Self.code, "--name", "Anna", daemon: fake).code == .usage)
        fake.answer("account.recover") { _, _ in
            throw ControlError(
                .invalid, "it is wrong at 13", hint: .retypeCode, parameters: ["places": [13]], field: "code")
        }
        let wrong = run("recover", "--name", "Anna", daemon: fake, secrets: ["x"])
        #expect(wrong.code != .done && wrong.errors.contains("character 1 of group 4"), "\(wrong.errors)")
    }
}
