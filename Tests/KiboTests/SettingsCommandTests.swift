import ControlProtocol
import Testing

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

    @Test("All settings with their values, the default marked, and what they mean")
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

    @Test("One setting with its limits")
    func show() throws {
        let run = CommandRun("settings", "messages.keepDays", daemon: daemon)
        #expect(run.output.hasPrefix("messages.keepDays: 0 (default)\n"))
        #expect(run.output.contains("allowed: a whole number from 0 to 36500"))
        #expect(CommandRun("settings", "messages.order", daemon: daemon).output.contains("allowed: sent, arrival\n"))
        #expect(CommandRun("settings", "presence.typing", daemon: daemon).output.contains("allowed: yes or no\n"))
        #expect(daemon.requests("settings.set").isEmpty)
        let unknown = CommandRun("settings", "messages.colour", daemon: daemon)
        #expect(unknown.code == .notFound && unknown.errors.contains("kibo settings lists them"))
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
        #expect(reset.output == "messages.order is sent again, the default.\n")
        #expect(daemon.requests("settings.set").last == ["key": "messages.order", "value": nil])
    }

    @Test("What can't be a value is refused here, what is outside the limits by the daemon; both say what is allowed")
    func mistakes() {
        let word = CommandRun("settings", "presence.typing", "perhaps", daemon: daemon)
        #expect(word.code == .usage && word.errors.contains("must be yes or no, not \"perhaps\""))
        #expect(CommandRun("settings", "messages.keepDays", "a week", daemon: daemon).code == .usage)
        #expect(daemon.requests("settings.set").isEmpty)
        let limit = CommandRun("settings", "messages.keepDays", "40000", daemon: daemon)
        #expect(limit.code == .failed && limit.errors.contains("from 0 to 36500"))
        #expect(CommandRun("settings", "--reset", daemon: daemon).code == .usage)
        #expect(CommandRun("settings", "messages.order", "sent", "--reset", daemon: daemon).code == .usage)
    }
}
