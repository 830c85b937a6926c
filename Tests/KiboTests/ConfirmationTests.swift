import Basics
import ControlProtocol
import Testing

@testable import kibo

/// What can't be taken back, or what others notice, asks first where there is a person to ask.
struct ConfirmationTests {
    private func daemon() -> FakeDaemon {
        let daemon = FakeDaemon()
        for method in ["contact.remove", "contact.block"] {
            daemon.answer(method) { params, _ in
                Contact(id: params.string("id"), displayName: "Annabel", relation: .none).json
            }
        }
        daemon.answer("message.delete") { _, _ in Cast.message("see you", .delivered).json }
        return daemon
    }

    @Test("Removing and blocking ask by the whole name, and take nothing but a yes for a yes")
    func people() {
        for command in ["remove", "block"] {
            let daemon = daemon()
            let asked = CommandRun(command, "bell", daemon: daemon, answers: ["n"])
            #expect(asked.code == .failed && asked.output.contains("Bella (\(Cast.annabel.prefix(13)))"))
            #expect(asked.output.hasSuffix("Nothing was changed.\n"))
            #expect(CommandRun(command, "bell", daemon: daemon, answers: []).code == .failed)
            #expect(CommandRun(command, "bell", daemon: daemon, answers: ["sure"]).code == .failed)
            #expect(daemon.requests("contact.\(command)").isEmpty)
            #expect(CommandRun(command, "bell", daemon: daemon, answers: ["Yes"]).code == .done)
            #expect(daemon.requests("contact.\(command)") == [["id": .string(Cast.annabel)]])
        }
    }

    @Test("Where no question is asked only a whole name counts, and fewer than three characters never suffice")
    func strictness() {
        let daemon = daemon()
        #expect(CommandRun("remove", "be", daemon: daemon, answers: ["y"]).code != .done)
        #expect(CommandRun("remove", "bell", "--yes", daemon: daemon, answers: []).code != .done)
        #expect(CommandRun("remove", "bell", daemon: daemon).code != .done)
        #expect(CommandRun("remove", "bell", "--json", daemon: daemon, answers: ["y"]).code != .done)
        #expect(daemon.requests("contact.remove").isEmpty)
        // A script goes on as before: it says the whole name.
        #expect(CommandRun("remove", "Bella", daemon: daemon).code == .done)
        #expect(CommandRun("remove", "Bella", "-y", daemon: daemon, answers: []).code == .done)
        #expect(daemon.requests("contact.remove").count == 2)
    }

    @Test("Deleting asks from whose sight, and says in words which it was")
    func deleting() {
        let daemon = daemon()
        daemon.answer("message.recent") { _, _ in ["messages": [Cast.message("see you", .delivered).json]] }
        let here = CommandRun("delete", "last", daemon: daemon, answers: ["here"])
        #expect(here.output.contains("you, in the chat Anna: see you\nDelete it only here, or for all? [here/all/N] "))
        #expect(here.output.contains("Deleted on this computer: see you\nThe others still have it."))
        #expect(
            CommandRun("delete", "last", daemon: daemon, answers: ["a"]).output.hasSuffix("Deleted for all: see you\n"))
        for answer in [[], ["", "here"], ["x"]] {
            #expect(
                CommandRun("delete", "last", daemon: daemon, answers: answer).output.hasSuffix("Nothing was deleted.\n")
            )
        }
        #expect(CommandRun("delete", "last", "--for", "all", daemon: daemon, answers: []).code == .done)
        #expect(CommandRun("delete", "last", daemon: daemon).output.hasPrefix("Deleted on this computer"))
        #expect(daemon.requests("message.delete").map { $0["for"] } == ["me", "all", "all", "me"])
    }

    @Test("What was deleted here can be deleted for all by its whole id")
    func deletingLater() {
        let daemon = daemon()
        daemon.answer("message.get") { _, _ in throw RPCError(ControlError(.notFound, "there is no such message")) }
        let id = "019ac0de-2222-7000-8000-000000000001"
        let run = CommandRun("delete", id, "--for", "all", daemon: daemon)
        #expect(run.output == "Deleted for all. You had already deleted it on this computer.\n")
        #expect(CommandRun("delete", id, daemon: daemon).code == .notFound)
        #expect(daemon.requests("message.delete") == [["id": .string(id), "for": "all"]])
    }

    @Test("An address book is replaced only when a person agrees, unless it is empty")
    func addressBook() {
        let daemon = daemon()
        var isEmpty = false
        daemon.answer("addressBook.list") { _, _ in
            isEmpty
                ? ["entries": [], "total": 0]
                : [
                    "entries": [AddressBookEntry(id: "019ac0de-0000-7000-8000-000000000009", name: "Zoë").json],
                    "total": 1,
                ]
        }
        daemon.answer("addressBook.import") { _, _ in AddressBookImport().json }
        let words = ["addressbook", "import", "/dev/null", "--replace"]
        let asked = CommandRun(words: words, daemon: daemon, answers: [])
        #expect(asked.errors.isEmpty)
        #expect(
            asked.code == .failed && asked.output.contains("Replace the 1 entry in your address book with /dev/null?"))
        #expect(daemon.requests("addressBook.import").isEmpty)
        #expect(CommandRun(words: words, daemon: daemon, answers: ["y"]).code == .done)
        #expect(CommandRun(words: words + ["--yes"], daemon: daemon, answers: []).code == .done)
        #expect(CommandRun(words: words, daemon: daemon).code == .done)
        isEmpty = true
        #expect(CommandRun(words: words, daemon: daemon, answers: []).code == .done)
        #expect(daemon.requests("addressBook.import").count == 4)
    }
}
