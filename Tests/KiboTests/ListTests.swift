import Basics
import ControlProtocol
import Testing
import Vocabulary

@testable import Control
@testable import kibo

/// Lists that fit the terminal, names that mean what waits, and errors as sentences.
struct ListTests {
    private func daemon(_ transfers: [Transfer]) -> FakeDaemon {
        let daemon = FakeDaemon()
        daemon.answer("transfer.list") { _, _ in ["transfers": .array(transfers.map(\.json))] }
        daemon.answer("transfer.get") { params, _ in
            guard let found = transfers.first(where: { $0.id == params.string("id") }) else {
                throw RPCError(ControlError(.notFound, "there is no such transfer"))
            }
            return found.json
        }
        daemon.answer("transfer.accept") { params, _ in
            Cast.transfer(params.string("id"), "x", .incoming, .queued).json
        }
        return daemon
    }

    private static func transfer(_ number: Int, _ state: TransferState, peer: String = Cast.anna) -> Transfer {
        var transfer = Cast.transfer(
            "019ac0de-111\(number)-7000-8000-000000000001", "minutes of the last meeting in the big hall.pdf",
            .incoming,
            state)
        transfer.peer = peer
        return transfer
    }

    @Test("A list of transfers fits 80 columns, and no state is cut")
    func width() {
        var failed = Self.transfer(1, .failed)
        failed.detail = "the other side: not everything that was offered could be read at the place where it was"
        var paused = Self.transfer(2, .paused)
        paused.pausedBy = .both
        let daemon = daemon([failed, paused, Self.transfer(3, .queued, peer: Cast.annabel)])
        for columns in [80, 60] {
            let run = CommandRun("transfers", daemon: daemon, columns: columns)
            let lines = run.output.split(separator: "\n").map(String.init)
            for line in lines { #expect(DisplayWidth.of(line) <= columns, "\(line)") }
            #expect(run.output.contains("failed: ") && run.output.contains("paused by you and Anna"))
            #expect(run.output.contains("queued"))
        }
        let wide = CommandRun("transfers", daemon: daemon).output
        #expect(wide.contains("queued, Bella is offline"))
    }

    @Test("A name means what waits to be taken, and --all means all of it")
    func waiting() {
        let daemon = daemon([
            Self.transfer(1, .done), Self.transfer(2, .failed), Self.transfer(3, .offered), Self.transfer(4, .queued),
        ])
        let one = CommandRun("get", "minutes of", "--no-wait", daemon: daemon)
        #expect(one.code == .done, "\(one.errors)")
        #expect(daemon.requests("transfer.accept").map { $0["id"] } == [.string(Self.transfer(3, .offered).id)])
        #expect(CommandRun("get", "--all", "--no-wait", daemon: daemon).code == .done)
        #expect(daemon.requests("transfer.accept").count == 2)
        #expect(CommandRun("get", "--no-wait", daemon: daemon).code == .usage)
        #expect(CommandRun("get", "minutes", "--all", daemon: daemon).code == .usage)
        #expect(CommandRun("get", "--all", daemon: self.daemon([])).output == "No file is offered to you.\n")
    }

    @Test("What is held back is not taken by --all, and said; --any-type takes it too")
    func heldBack() {
        var held = Self.transfer(4, .offered)
        (held.heldBack, held.unlisted) = (.type, ["zip"])
        let daemon = daemon([Self.transfer(3, .offered), held])
        let hint = "1 file is held back because of its type. To take it too: kibo get --all --any-type\n"
        let run = CommandRun("get", "--all", "--no-wait", daemon: daemon)
        #expect(run.code == .done && run.output.hasSuffix(hint), "\(run.output)")
        #expect(daemon.requests("transfer.accept").count == 1)
        #expect(CommandRun("get", "--all", daemon: self.daemon([held])).output == hint)
        let all = CommandRun("get", "--all", "--any-type", "--no-wait", daemon: daemon)
        #expect(all.code == .done && !all.output.contains("held back"))
        #expect(daemon.requests("transfer.accept").last?["anyway"] == true)
    }

    @Test(
        "A value of the wrong kind ends with 2 and says what is allowed, whoever notices it",
        arguments: [
            ("presence.typing", "perhaps"), ("messages.keepDays", "-1"), ("messages.keepDays", "99999999"),
            ("messages.keepDays", "x"), ("messages.order", "random"), ("files.maxSendBytes", "1 QiB"),
        ])
    func settings(_ key: String, _ value: String) {
        let daemon = FakeDaemon()
        daemon.answer("settings.get") { params, _ in
            guard let spec = try? SettingsCatalogue.setting(params.string("key")) else { return [:] }
            return spec.setting(nil).json
        }
        daemon.answer("settings.set") { params, _ in
            guard let spec = try? SettingsCatalogue.setting(params.string("key")), let value = params["value"],
                let problem = spec.problem(with: value)
            else { return [:] }
            throw RPCError(problem)
        }
        let run = CommandRun("settings", key, "--", value, daemon: daemon)
        #expect(run.code == .usage, "\(run.errors)")
        #expect(run.errors.contains(key), "\(run.errors)")
    }

    @Test("Clauses become sentences, and names stay as they are")
    func sentences() {
        for (clause, sentence) in [
            ("there is no such message", "There is no such message."), ("report.pdf: gone", "report.pdf: gone."),
            ("anna is not here", "anna is not here."), ("what now?", "What now?"), ("", ""),
            ("\"x\" may mean any of 2", "\"x\" may mean any of 2."), ("It is done.", "It is done."),
        ] {
            #expect(Sentence.of(clause) == sentence)
        }
        let run = CommandRun("peers", "one", "two", daemon: FakeDaemon())
        #expect(run.code == .usage && run.errors.hasPrefix("kibo: Unexpected argument \"two\".\n"))
    }

    @Test("Counters are printed as they are, and the help lists the exit codes")
    func metrics() {
        let daemon = FakeDaemon()
        daemon.answer("system.metrics") { _, _ in "# TYPE kibo_up gauge\nkibo_up 1\n" }
        #expect(CommandRun("metrics", daemon: daemon).output == "# TYPE kibo_up gauge\nkibo_up 1\n")
        let help = CommandRun("help", daemon: nil).output
        for code in ExitCode.allCases { #expect(help.contains("  \(code.rawValue)  ") || code.rawValue > 9) }
        #expect(help.contains("130  ended by Ctrl-C"))
    }
}
