import ControlProtocol
import Testing

@testable import Media
@testable import kibo

struct SettingsCommandTests {
    private let daemon = FakeDaemon()

    init() {
        daemon.answer("settings.list") { _, _ in
            ["settings": .array(SettingsCatalogue.all.map { $0.setting($0.key == "messages.keepDays" ? 7 : nil).json })]
        }
        daemon.answer("settings.get") { params, _ in
            if params.string("key") == "files.allowedTypes" {
                return Setting(
                    key: "files.allowedTypes", value: ["pdf"], standard: ["*"], type: "array", description: "what",
                    limits: ["items": ["enum": ["pdf", "png", "*"]]]
                ).json
            }
            return try Self.spec(params).setting(nil).json
        }
        daemon.answer("settings.set") { params, _ in
            if params.string("key") == "files.allowedTypes" {
                return Setting(
                    key: "files.allowedTypes", value: params["value"] ?? .null, standard: ["*"], type: "array",
                    description: "what"
                ).json
            }
            let spec = try Self.spec(params)
            if let value = params["value"], let problem = spec.problem(with: value) { throw RPCError(problem) }
            return spec.setting(params["value"]).json
        }
    }

    private static func spec(_ params: Parameters) throws(RPCError) -> SettingSpec {
        do { return try SettingsCatalogue.setting(params.string("key")) } catch { throw RPCError(error) }
    }

    @Test("All settings are shown with their values and meaning, and defaults are marked")
    func list() throws {
        let run = CommandRun("settings", daemon: daemon)
        let lines = run.output.split(separator: "\n")
        #expect(run.code == .done && lines.count == 1 + SettingsCatalogue.all.count)
        #expect(lines.contains { $0.hasPrefix("messages.order ") && $0.contains("sent (default)") })
        #expect(lines.contains { $0.hasPrefix("messages.keepDays ") && $0.contains(" 7  ") })
        #expect(!run.output.contains("`"))
        let json = CommandRun("settings", "--json", daemon: daemon)
        #expect(try JSONParser.parse(json.output)["settings"]?.array?.count == SettingsCatalogue.all.count)
    }

    @Test("One setting is shown with its limits")
    func show() throws {
        let run = CommandRun("settings", "messages.keepDays", daemon: daemon)
        #expect(run.output.hasPrefix("messages.keepDays: 0 (default)\n"))
        #expect(run.output.contains("allowed: a whole number from 0 to 36500"))
        #expect(CommandRun("settings", "messages.order", daemon: daemon).output.contains("allowed: sent, arrival\n"))
        #expect(CommandRun("settings", "presence.typing", daemon: daemon).output.contains("allowed: yes or no\n"))
        #expect(daemon.requests("settings.set").isEmpty)
        let unknown = CommandRun("settings", "messages.colour", daemon: daemon)
        #expect(unknown.code == .notFound && unknown.errors.contains("To see them: kibo settings"))
    }

    @Test("The first word of settings lists those that begin with it")
    func prefix() throws {
        let expected = SettingsCatalogue.all.map(\.key).filter { $0.hasPrefix("messages.") }
        for word in ["messages", "messages."] {
            let run = CommandRun("settings", word, daemon: daemon)
            let lines = run.output.split(separator: "\n")
            #expect(run.code == .done && lines.count == 1 + expected.count, "\(run.errors)")
            for (line, key) in zip(lines.dropFirst(), expected) { #expect(line.hasPrefix(key + " ")) }
        }
        let json = try JSONParser.parse(CommandRun("--json", "settings", "messages", daemon: daemon).output)
        #expect(json["settings"]?.array?.compactMap { $0["key"]?.string } == expected)
        #expect(CommandRun("settings", "mess", daemon: daemon).code == .notFound)
        #expect(CommandRun("settings", "messages", "7", daemon: daemon).code == .notFound)
        #expect(CommandRun("settings", "messages", "--reset", daemon: daemon).code == .notFound)
    }

    @Test("Words become values of the setting's type")
    func set() {
        for (key, word, value): (String, String, JSONValue) in [
            ("messages.order", "arrival", "arrival"), ("messages.keepDays", "30", 30),
            ("presence.typing", "off", false), ("presence.typing", "YES", true),
            ("files.allowedTypes", "pdf, png,", ["pdf", "png"]),
        ] {
            let run = CommandRun("settings", key, word, daemon: daemon)
            #expect(run.code == .done && run.output.hasPrefix("\(key) is now "), "\(run.errors)")
            #expect(daemon.requests("settings.set").last == ["key": .string(key), "value": value])
        }
        let reset = CommandRun("settings", "messages.order", "--reset", daemon: daemon)
        #expect(reset.output == "messages.order is back to its default, sent.\n")
        #expect(daemon.requests("settings.set").last == ["key": "messages.order", "value": nil])
    }

    @Test("Sizes are written and read with units; lists are changed word by word")
    func sizesAndLists() {
        let list = CommandRun("settings", daemon: daemon)
        #expect(list.output.contains("16 MiB (default)") && list.output.contains("4 GiB (default)"))
        #expect(list.output.contains("image, audio, document (default)"))
        let key = "files.autoDownloadMaxBytes"
        #expect(
            CommandRun("settings", key, daemon: daemon).output.contains(
                "allowed: a size in bytes, or like 16MiB, from 0 to 4 TiB\n"))
        for (word, bytes): (String, Int64) in [
            ("1000", 1000), ("16M", 16 << 20), ("1.5 GiB", 3 << 29), ("2kb", 2048), ("7b", 7), ("1TIB", 1 << 40),
        ] {
            let run = CommandRun("settings", key, word, daemon: daemon)
            #expect(run.code == .done, "\(word): \(run.errors)")
            #expect(daemon.requests("settings.set").last?["value"] == .integer(bytes), "\(word)")
        }
        #expect(CommandRun("settings", key, "1000", daemon: daemon).output == "\(key) is now 1000 B.\n")
        #expect(CommandRun("settings", key, "1025", daemon: daemon).output == "\(key) is now 1025 B.\n")
        #expect(CommandRun("settings", key, "0", daemon: daemon).output == "\(key) is now 0.\n")
        #expect(CommandRun("settings", key, "1536k", daemon: daemon).output == "\(key) is now 1.5 MiB.\n")
        let count = daemon.requests("settings.set").count
        for word in ["16 parsecs", "M", "-1M", "1e3M", "1.2.3M", "9999999T", "16Mi", "messages"] {
            #expect(CommandRun("settings", key, "--", word, daemon: daemon).code == .usage, "\(word)")
        }
        #expect(CommandRun("settings", "messages.keepDays", "1k", daemon: daemon).code == .usage, "days are no bytes")
        #expect(daemon.requests("settings.set").count == count)
        let kinds = "files.autoDownloadKinds"
        for (word, value): (String, JSONValue) in [
            ("+video", ["image", "audio", "document", "video"]), ("-audio,image", ["document"]),
            ("+video,-image", ["audio", "document", "video"]), ("", []), ("+image", ["audio", "document", "image"]),
        ] {
            let run = CommandRun("settings", kinds, "--", word, daemon: daemon)
            #expect(run.code == .done, "\(word): \(run.errors)")
            #expect(daemon.requests("settings.set").last?["value"] == value, "\(word)")
        }
        #expect(CommandRun("settings", kinds, "--", "", daemon: daemon).output == "\(kinds) is now none.\n")
        #expect(CommandRun("settings", kinds, "picture", daemon: daemon).errors.contains("image"))
    }

    @Test("Folders are given to people by their names; ids, * and what is no rule go to the daemon as they are")
    func folders() {
        daemon.answer("contact.list") { _, _ in ["contacts": .array(Cast.contacts.map(\.json))] }
        let key = "files.folders"
        for (word, value): (String, JSONValue) in [
            ("Anna=/srv/an=a", [.string("\(Cast.anna)=/srv/an=a")]), ("*=/srv", ["*=/srv"]),
            ("+*=/srv, +anna=/srv/a", ["*=/srv", .string("\(Cast.anna)=/srv/a")]),
            ("\(Cast.anna)=/x", [.string("\(Cast.anna)=/x")]),
        ] {
            let run = CommandRun("settings", key, "--", word, daemon: daemon)
            #expect(run.code == .done, "\(word): \(run.errors)")
            #expect(daemon.requests("settings.set").last?["value"] == value, "\(word)")
        }
        let count = daemon.requests("settings.set").count
        #expect(CommandRun("settings", key, "Nobody=/srv", daemon: daemon).code == .notFound)
        #expect(daemon.requests("settings.set").count == count)
        #expect(CommandRun("settings", key, "/srv", daemon: daemon).code == .usage)
    }

    @Test("A word that is no value is refused here, one outside the limits by the daemon; both say what is allowed")
    func mistakes() {
        let word = CommandRun("settings", "presence.typing", "perhaps", daemon: daemon)
        #expect(word.code == .usage && word.errors.contains("must be yes or no, not \"perhaps\""))
        #expect(CommandRun("settings", "messages.keepDays", "a week", daemon: daemon).code == .usage)
        #expect(daemon.requests("settings.set").isEmpty)
        let limit = CommandRun("settings", "messages.keepDays", "40000", daemon: daemon)
        #expect(limit.code == .usage && limit.errors.contains("from 0 to 36500"))
        #expect(CommandRun("settings", "--reset", daemon: daemon).code == .usage)
        #expect(CommandRun("settings", "messages.order", "sent", "--reset", daemon: daemon).code == .usage)
    }
}
