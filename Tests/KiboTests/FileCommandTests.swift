import Basics
import ControlProtocol
import Testing

@testable import Media
@testable import kibo

struct FileCommandTests {
    @Test("Transfers are listed with ids that tell them apart, from those not shown too")
    func list() {
        let run = CommandRun("transfers", daemon: FakeDaemon())
        #expect(run.output.contains("\n019ac0df-0000  song.mp3") && run.output.contains("50 %, 256 B/s, 0:02 left"))
        #expect(run.output.contains("019ac0de-1111  report.pdf") && run.output.contains("019ac0de-1112  photos"))
    }

    @Test("Where cutting is not enough, columns are left out that can be spared")
    func narrow() {
        let run = CommandRun("transfers", daemon: FakeDaemon(), columns: 50)
        for line in run.output.split(separator: "\n") { #expect(DisplayWidth.of(String(line)) <= 50) }
        #expect(run.output.contains("019ac0de-1111") && run.output.contains("offered"))
        #expect(!run.output.contains("WHEN"))
        #expect(CommandRun("transfers", daemon: FakeDaemon(), columns: 120).output.contains("WHEN"))
    }

    @Test("Getting accepts by name or prefix, follows the events, and ends with the path")
    func get() throws {
        for word in ["report.pdf", "019ac0de-1111", Cast.report] {
            let daemon = FakeDaemon()
            daemon.answer("transfer.accept") { params, connection in
                connection.push(
                    .transferProgress, Cast.transfer(Cast.report, "report.pdf", .incoming, .active, done: 5).json)
                connection.push(.transferChanged, Cast.transfer(Cast.song, "song.mp3", .outgoing, .failed).json)
                connection.push(
                    .transferChanged,
                    Cast.transfer(Cast.report, "report.pdf", .incoming, .done, done: 1024, path: "/d/report (1).pdf")
                        .json)
                return Cast.transfer(params.string("id"), "report.pdf", .incoming, .active).json
            }
            let run = CommandRun("get", word, "--to", "/tmp", daemon: daemon)
            #expect(run.code == .done, "\(word): \(run.errors)")
            #expect(run.output == "Done: report.pdf, 1.0 KiB\n/d/report (1).pdf\n")
            #expect(daemon.requests("transfer.accept") == [["id": .string(Cast.report), "path": "/tmp"]])
            let json = CommandRun("get", word, "--json", daemon: daemon)
            #expect(try Transfer(json: JSONParser.parse(json.output)).state == .done)
        }
    }

    @Test("Several files are taken at once; one that is refused doesn't hold up the others")
    func getSeveral() throws {
        let daemon = FakeDaemon()
        daemon.answer("transfer.accept") { params, connection in
            let id = params.string("id")
            if id == Cast.photos { throw RPCError(ControlError(.noSpace, "there is no room for it")) }
            let done = Cast.transfer(id, "report.pdf", .incoming, .done, done: 1024, path: "/d/report.pdf")
            connection.push(.transferChanged, done.json)
            return done.json
        }
        let run = CommandRun("get", "photos", "report.pdf", Cast.report, daemon: daemon)
        #expect(run.code == .failed)
        #expect(daemon.requests("transfer.accept").count == 2)
        #expect(run.errors.contains("photos: there is no room") && run.output.contains("Done: report.pdf"))
        let none = CommandRun("get", daemon: daemon)
        #expect(none.code == .usage && none.errors.contains("TRANSFER"))
    }

    @Test("Files that were left out of a folder are listed with the reasons")
    func leftOut() {
        let daemon = FakeDaemon()
        var done = Cast.transfer(Cast.photos, "photos", .incoming, .done, done: 1024, path: "/d/photos")
        done.skipped = 2
        daemon.answer("transfer.accept") { [done] _, connection in
            connection.push(.transferChanged, done.json)
            return done.json
        }
        daemon.answer("transfer.get") { [done] _, _ in
            var whole = done
            whole.problems = [
                TransferProblem(path: "run\u{1B}.exe", reason: .typeNotAllowed),
                TransferProblem(path: "b/secret", reason: .notAllowed, detail: "can't be read"),
            ]
            return whole.json
        }
        let run = CommandRun("get", "photos", daemon: daemon)
        #expect(run.code == .done, "\(run.errors)")
        #expect(run.errors.contains("2 files were left out:\n") && !run.errors.contains("\u{1B}"))
        #expect(
            run.errors.contains("  b/secret: can't be read\n  run\\u{1b}.exe: this type of file is not taken\n"),
            "\(run.errors)")
    }

    @Test("Pausing says how to go on, and also tells of transfers that the other side holds or offers afresh")
    func pause() {
        let daemon = FakeDaemon()
        var held = Cast.transfer(Cast.song, "song.mp3", .outgoing, .paused)
        held.pausedBy = .us
        daemon.answer("transfer.pause") { [held] _, _ in held.json }
        let run = CommandRun("pause", "song", daemon: daemon)
        #expect(run.code == .done && run.output.contains("kibo resume \(Cast.song)"))
        held.pausedBy = .peer
        daemon.answer("transfer.resume") { [held] _, _ in held.json }
        #expect(CommandRun("resume", "song", daemon: daemon).output == "song.mp3 is still paused by Anna.\n")
        daemon.answer("transfer.resume") { _, _ in Cast.transfer(Cast.report, "song.mp3", .outgoing, .offered).json }
        let fresh = CommandRun("resume", "song", daemon: daemon)
        #expect(fresh.code == .done && fresh.output.contains("offered again: \(Cast.report)"))
        daemon.answer("transfer.list") { [held] _, _ in ["transfers": [held.json]] }
        #expect(CommandRun("transfers", daemon: daemon).output.contains("paused by Anna"))
    }

    @Test("Of a sender who is offline it is said who may have the file meanwhile")
    func keptByCourier() {
        let daemon = FakeDaemon()
        var (anna, bella) = (Cast.contacts[0], Cast.contacts[1])
        var file = Cast.transfer(Cast.report, "report.pdf", .incoming, .offered)
        file.peer = anna.id
        func shown() -> String {
            daemon.answer("contact.list") { [anna, bella] _, _ in ["contacts": [anna.json, bella.json]] }
            daemon.answer("transfer.list") { [file] _, _ in ["transfers": [file.json]] }
            return CommandRun("transfers", daemon: daemon).output
        }
        (anna.presence, bella.presence) = (.offline, .online)
        #expect(shown().contains("offered, Anna is offline"))
        file.keptBy = [bella.id]
        #expect(shown().contains("offered, Bella may have it") && !shown().contains("Anna is offline"))
        (file.state, file.bytesDone, file.rate) = (.active, file.size / 2, 1 << 20)
        #expect(shown().contains("/s") && !shown().contains("offline"))
        bella.presence = .offline
        #expect(shown().contains("Anna is offline"))
        (file.state, anna.presence) = (.offered, .online)
        #expect(!shown().contains("offline") && !shown().contains("have it"))
    }

    @Test("A file that goes out to a group is shown with the group, not with ourselves")
    func toGroup() {
        let daemon = FakeDaemon.withGroup()
        var file = Cast.transfer(Cast.report, "report.pdf", .outgoing, .done)
        file.peer = Cast.own
        file.conversation = Cast.group().conversation
        daemon.answer("transfer.list") { [file] _, _ in ["transfers": [file.json]] }
        let output = CommandRun("transfers", daemon: daemon).output
        #expect(output.contains("to :\(Cast.group().name)") && !output.contains("to you"), "\(output)")
        file.conversation = nil
        daemon.answer("transfer.list") { [file] _, _ in ["transfers": [file.json]] }
        #expect(CommandRun("transfers", daemon: daemon).output.contains("to a group"))
    }

    @Test("Where the source is another one or gone, each side is told what it can do")
    func changedSource() {
        let daemon = FakeDaemon()
        var failed = Cast.transfer(Cast.report, "report.pdf", .incoming, .failed)
        failed.reason = .invalid
        failed.detail = "it has changed since it was offered"
        failed.changed = true
        let push = { (transfer: Transfer) in
            daemon.answer("transfer.accept") { _, connection in
                connection.push(.transferChanged, transfer.json)
                return Cast.transfer(transfer.id, transfer.name, .incoming, .active).json
            }
        }
        push(failed)
        let run = CommandRun("get", "report.pdf", daemon: daemon)
        #expect(run.errors.contains("Failed: report.pdf: it has changed since it was offered\n"), "\(run.errors)")
        #expect(run.errors.contains("Ask Anna to send it again.") && !run.errors.contains("kibo resume"))
        failed.changed = false
        failed.reason = .notFound
        push(failed)
        #expect(CommandRun("get", "report.pdf", daemon: daemon).errors.contains("Ask Anna to send it again."))
    }

    @Test("Several requests and files are declined at once, and one that can't be doesn't hold up the others")
    func declineSeveral() {
        let daemon = FakeDaemon()
        daemon.answer("transfer.list") { _, _ in
            [
                "transfers": [
                    Cast.transfer(Cast.report, "report.pdf", .incoming, .offered).json,
                    Cast.transfer(Cast.photos, "photos", .incoming, .offered).json,
                ]
            ]
        }
        daemon.answer("transfer.decline") { params, _ in
            Cast.transfer(params.string("id"), "x", .incoming, .declined).json
        }
        let run = CommandRun("decline", "report.pdf", "nothing", "photos", daemon: daemon)
        #expect(run.code == .failed && run.errors.contains("nothing"))
        #expect(
            daemon.requests("transfer.decline") == [["id": .string(Cast.report)], ["id": .string(Cast.photos)]])
        #expect(CommandRun("decline", daemon: daemon).code == .usage)
    }

    @Test("A transfer that fails says why and how to go on")
    func failure() {
        let daemon = FakeDaemon()
        daemon.answer("transfer.accept") { params, connection in
            var failed = Cast.transfer(Cast.report, "report.pdf", .incoming, .failed)
            failed.reason = .noSpace
            failed.detail = "3 MiB are missing"
            connection.push(.transferChanged, failed.json)
            return Cast.transfer(params.string("id"), "report.pdf", .incoming, .active).json
        }
        let run = CommandRun("get", "report.pdf", daemon: daemon)
        #expect(run.code == .failed)
        #expect(
            run.errors.contains("report.pdf: 3 MiB are missing") && run.errors.contains("kibo resume \(Cast.report)"))
    }

    @Test("Getting checks what it can before it asks for anything")
    func getMistakes() {
        let daemon = FakeDaemon()
        #expect(CommandRun("get", "song.mp3", daemon: daemon).errors.contains("is a file that you sent"))
        #expect(CommandRun("get", "nothing", daemon: daemon).code == .notFound)
        #expect(CommandRun("get", "report.pdf", "--to", "/nonexistent", daemon: daemon).code == .failed)
        #expect(
            CommandRun("get", "report.pdf", "--to", "/etc/hostname", daemon: daemon).errors.contains("not a directory"))
        #expect(CommandRun("get", "019ac0de", daemon: daemon).errors.contains("may mean any of 2 transfers"))
        let unknown = CommandRun("get", "019ac0de-3333-7000-8000-000000000001", daemon: daemon)
        #expect(unknown.code == .notFound)
        #expect(!daemon.methods.contains("transfer.accept"))
    }

    @Test("Resume and cancel work without waiting")
    func resumeAndCancel() {
        let daemon = FakeDaemon()
        daemon.answer("transfer.resume") { _, _ in Cast.transfers[0].json }
        daemon.answer("transfer.cancel") { _, _ in Cast.transfer(Cast.song, "song.mp3", .outgoing, .cancelled).json }
        #expect(CommandRun("resume", "song", "--no-wait", daemon: daemon).output.contains("song.mp3 continues"))
        #expect(CommandRun("cancel", "song.mp3", daemon: daemon).output == "Cancelled: song.mp3.\n")
    }

    @Test("The bar says how far, how fast and how long, and fits the terminal")
    func progressLine() {
        let wide = CommandRunConsole.terminal(columns: 200)
        let transfer = Cast.transfers[0]
        let line = ProgressLine.text(transfer, on: wide)
        #expect(line == "song.mp3  ██████████░░░░░░░░░░   50 %  512 B of 1.0 KiB  256 B/s  0:02 left")
        for columns in 12...90 {
            let text = ProgressLine.text(transfer, on: CommandRunConsole.terminal(columns: columns))
            #expect(DisplayWidth.of(text) < max(columns, 9))
        }
        #expect(ProgressLine.percent(Cast.transfer("x", "x", .incoming, .active, done: 1023)) == 99)
        #expect(ProgressLine.percent(Cast.transfer("x", "x", .incoming, .active, done: .max)) == 100)
        #expect(ProgressLine.percent(Cast.transfer("x", "x", .incoming, .active, done: -5)) == 0)
    }

    @Test("Lines that are drawn over are taken back whole, and the cursor comes back")
    func liveRegion() {
        var out = ""
        let console = Console(output: { out += $0 }, errors: { _ in }, isTerminal: true, size: { (80, 24) })
        let region = LiveRegion(console)
        region.draw("a\nb\n")
        region.draw("a\nb")
        region.draw("c")
        region.clear()
        region.end()
        region.end()
        #expect(
            out == "\u{1B}[?25la\u{1B}[K\nb\u{1B}[K\n\u{1B}[2A\rc\u{1B}[K\n\u{1B}[J\u{1B}[1A\r\u{1B}[J\u{1B}[?25h")
        out = ""
        LiveRegion(Console(output: { out += $0 }, errors: { _ in })).draw("a")
        #expect(out == "")
    }
}

/// A terminal of a width, whose output is not read.
enum CommandRunConsole {
    static func terminal(columns: Int) -> Console {
        Console(output: { _ in }, errors: { _ in }, isTerminal: true, size: { (columns, 24) })
    }
}
