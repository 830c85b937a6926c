import Basics
import ControlProtocol
import Testing
import Vocabulary

@testable import Media
@testable import kibo

struct ProfileCommandTests {
    private let account = Account(
        id: Cast.own, displayName: "Mal\u{1B}[2J", statusText: "At sea\u{202E}", email: "m@example.org",
        avatar: "/data/avatars/0a.jpg", device: .init(id: "kibodev1m", name: "desk"), createdAt: 1, presence: .away)

    private func daemon() -> FakeDaemon {
        let daemon = FakeDaemon()
        let account = account
        daemon.answer("account.get") { _, _ in account.json }
        daemon.answer("account.update") { params, _ in
            var changed = account
            changed.statusText = params.optionalString("statusText") ?? changed.statusText
            changed.email = params.optionalString("email").map { $0.isEmpty ? nil : $0 } ?? changed.email
            return changed.json
        }
        daemon.answer("settings.get") { params, _ in
            try SettingsCatalogue.setting(params.string("key")).setting(nil).json
        }
        return daemon
    }

    @Test("The own profile shows its fields, who sees them and how to set them; nothing in it plays with the terminal")
    func show() {
        let run = CommandRun("profile", daemon: daemon())
        #expect(run.code == .done, "\(run.errors)")
        #expect(
            run.output == """
                Name      Mal\\u{1b}[2J
                Status    At sea\\u{202e}
                E-mail    m@example.org  seen by friends
                Phone     none, set it with --phone
                Avatar    /data/avatars/0a.jpg
                Presence  away
                Id        \(Cast.own)

                """)
    }

    @Test("Options change what they name, an empty word takes it away, and the answer shows what was changed")
    func change() {
        let daemon = daemon()
        let run = CommandRun("profile", "--status", "Back", "--email", "", daemon: daemon)
        #expect(run.code == .done, "\(run.errors)")
        #expect(daemon.requests("account.update") == [["statusText": "Back", "email": ""]])
        #expect(
            run.output == """
                Status  Back
                E-mail  none, set it with --email

                Friends see it now, or when they are back.

                """)
        #expect(CommandRun("profile", "--avatar", "", daemon: daemon).code == .done)
        #expect(daemon.requests("account.update").last == ["avatarPath": ""])
        let missing = CommandRun("profile", "--avatar", "/no/such/face.png", daemon: daemon)
        #expect(missing.code == .failed && missing.errors.contains("/no/such/face.png: No such file or directory"))
    }

    @Test("A refusal of the daemon is said with its hint; the parameters are the contract's")
    func refused() {
        let daemon = daemon()
        daemon.answer("account.update") { _, _ in
            throw RPCError(
                ControlError(.tooLarge, "a picture may have 40 million", hint: .shrinkPicture, field: "avatarPath"))
        }
        let run = CommandRun("profile", "--name", "Anna", daemon: daemon)
        #expect(
            run.code == .failed
                && run.errors.hasPrefix(
                    "kibo: A picture may have 40 million.\n      Make it smaller, then: kibo profile --avatar ")
        )
        let short = CommandRun("profile", "--name", "", daemon: daemon)
        #expect(short.code == .failed && short.errors.contains("The name must not be empty."))
    }

    @Test("Another person's profile is shown, and can't be changed")
    func others() {
        let daemon = daemon()
        daemon.answer("contact.get") { params, _ in
            Contact(
                id: params.string("id"), displayName: "Annabel", alias: "Bella", statusText: "Out\u{1B}c",
                email: "bel@example.org", relation: .friend, lastSeen: Cast.noon - 300_000
            ).json
        }
        let run = CommandRun("profile", "Bella", daemon: daemon)
        #expect(run.code == .done, "\(run.errors)")
        #expect(
            run.output == """
                Name      Annabel
                Alias     Bella
                Status    Out\\u{1b}c
                E-mail    bel@example.org
                Phone     not shown
                Avatar    not shown
                Relation  friend
                Presence  seen 5 min ago
                Id        \(Cast.annabel)

                """)
        #expect(CommandRun("profile", "Bella", "--name", "x", daemon: daemon).code == .usage)
        #expect(CommandRun("profile", "Zoe", daemon: daemon).code == .notFound)
    }

    @Test("Presence is shown and set, with a status, and only to a value that there is")
    func presence() {
        let daemon = daemon()
        daemon.answer("presence.set") { params, _ in ["state": .string(params.string("state"))] }
        #expect(
            CommandRun("presence", daemon: daemon).output
                == "Friends see you away. To be online again: kibo presence online\n")
        #expect(CommandRun("presence", "online", "--status", "", daemon: daemon).output == "Friends see you online.\n")
        #expect(CommandRun("presence", "away", daemon: daemon).code == .done)
        #expect(
            daemon.requests("presence.set") == [["state": "online", "statusText": ""], ["state": "away"]])
        let other = CommandRun("presence", "invisible", daemon: daemon)
        #expect(other.code == .usage && other.errors.contains("online or away"))
        #expect(CommandRun("presence", "--status", "Hm", daemon: daemon).code == .done)
        #expect(daemon.requests("account.update") == [["statusText": "Hm"]])
    }

    @Test("--json prints what the daemon answers")
    func json() throws {
        #expect(try JSONParser.parse(CommandRun("--json", "profile", daemon: daemon()).output) == account.json)
    }
}
