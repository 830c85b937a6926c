import Basics
import ControlProtocol
import Testing

struct SettingsTests {
    private static let account = AccountID(bytes: [UInt8](repeating: 7, count: 32))?.description ?? ""

    @Test("Every default is a value that the setting itself takes, and each key stands there once")
    func defaults() {
        for spec in SettingsCatalogue.all {
            #expect(spec.problem(with: spec.standard) == nil, "\(spec.key)")
            #expect(spec.setting(nil).value == spec.standard)
            #expect(!spec.doc.hasSuffix("."))
        }
        #expect(Set(SettingsCatalogue.all.map(\.key)).count == SettingsCatalogue.all.count)
    }

    @Test("A value beyond a limit or of another type is refused; the refusal names the setting and what is allowed")
    func limits() throws {
        let cases: [(String, JSONValue, String?)] = [
            ("messages.keepDays", 0, nil), ("messages.keepDays", 36_500, nil),
            ("messages.keepDays", 36_501, "messages.keepDays must be a whole number from 0 to 36500, not 36501"),
            ("messages.keepDays", -1, "messages.keepDays must be a whole number from 0 to 36500, not -1"),
            ("messages.keepDays", "7", "messages.keepDays must be a whole number from 0 to 36500, not \"7\""),
            (
                "messages.keepDays", .double(7.5),
                "messages.keepDays must be a whole number from 0 to 36500, not a number"
            ),
            ("messages.order", "arrival", nil),
            ("messages.order", "Arrival", "messages.order must be one of sent, arrival, not \"Arrival\""),
            ("messages.order", ["sent"], "messages.order must be one of sent, arrival, not an array"),
            ("presence.typing", false, nil),
            ("files.allowedTypes", ["*"], nil), ("files.allowedTypes", [], nil),
            ("files.allowedTypes", ["PDF", "c++"], nil),
            ("files.autoDownloadKinds", ["video"], nil), ("files.autoDownload", "verified", nil),
            (
                "files.allowedTypes", [".pdf"],
                "files.allowedTypes must be a list of 0 to 256, each a file extension without its dot, or *, not [\".pdf\"]"
            ),
            (
                "files.autoDownloadKinds", ["film"],
                "files.autoDownloadKinds must be a list of 0 to 6, each one of document, image, audio, video, other, folder, "
                    + "not [\"film\"]"
            ),
            ("files.maxSendBytes", .integer(1 << 42), nil),
            (
                "files.maxSendBytes", .integer((1 << 42) + 1),
                "files.maxSendBytes must be a whole number from 0 to 4398046511104, not 4398046511105"
            ),
            (
                "files.downloadDirectory", "Downloads",
                "files.downloadDirectory must be an absolute path, not \"Downloads\""
            ),
            ("files.folders", ["*=/srv/drop", .string(Self.account + "=/srv/a=b")], nil), ("files.folders", [], nil),
            (
                "files.folders", ["Anna=/srv"],
                "files.folders must be a list of 0 to 64, each an account id or *, then = and an absolute path, not [\"Anna=/srv\"]"
            ),
            (
                "files.folders", ["*=srv"],
                "files.folders must be a list of 0 to 64, each an account id or *, then = and an absolute path, not [\"*=srv\"]"
            ),
            ("presence.typing", 1, "presence.typing must be true or false, not 1"),
        ]
        for (key, value, message) in cases {
            let problem = try SettingsCatalogue.setting(key).problem(with: value)
            #expect(problem?.message == message)
            if let problem { #expect(problem.kind == .invalid && problem.field == "value" && problem.hint != nil) }
        }
    }

    @Test("An unknown key is not found, with a hint")
    func unknown() {
        #expect {
            try SettingsCatalogue.setting("messages.colour")
        } throws: { error in
            let error = error as? ControlError
            return error?.kind == .notFound && error?.field == "key" && error?.hint == .seeSettings
        }
    }

    @Test("Stored values are read with their types; a value that this version can't use counts as not set")
    func stored() {
        #expect(SettingsCatalogue.messagesOrder.value(stored: nil) == .sent)
        #expect(SettingsCatalogue.messagesOrder.value(stored: "\"arrival\"") == .arrival)
        #expect(SettingsCatalogue.messagesOrder.value(stored: "\"by colour\"") == .sent)
        #expect(SettingsCatalogue.messagesOrder.value(stored: "arrival") == .sent, "not JSON")
        #expect(SettingsCatalogue.keepDays.value(stored: "7") == 7)
        #expect(SettingsCatalogue.keepDays.value(stored: "99999") == 0)
        #expect(SettingsCatalogue.typing.value(stored: "false") == false)
    }

    @Test("A setting tells its type and limits in the words of JSON Schema")
    func objects() throws {
        let days = SettingsCatalogue.keepDays.spec.setting(7)
        #expect(days.type == "integer" && days.limits == ["minimum": 0, "maximum": 36_500])
        #expect(days.value == 7 && days.standard == 0)
        #expect(SettingsCatalogue.typing.spec.setting(nil).limits == nil)
        #expect(SettingsCatalogue.messagesOrder.spec.setting(nil).limits == ["enum": ["sent", "arrival"]])
    }

    @Test("settings.set needs a value or null; a call without it is refused")
    func parameters() throws {
        let null = try Catalogue.validate(method: "settings.set", params: ["key": "messages.keepDays", "value": nil])
        #expect(null["value"] == nil)
        for value: JSONValue in [7, true, "x", ["a"], [:]] {
            let given = try Catalogue.validate(method: "settings.set", params: ["key": "k", "value": value])
            #expect(given["value"] == value)
        }
        #expect {
            try Catalogue.validate(method: "settings.set", params: ["key": "messages.keepDays"])
        } throws: { error in
            (error as? RPCError)?.code == -32_602 && (error as? RPCError)?.field == "value"
        }
    }

    @Test("A mistyped key is answered with the nearest one, also without its area")
    func nearest() {
        for (key, nearest) in [
            ("files.allowdTypes", "files.allowedTypes"), ("allowedTypes", "files.allowedTypes"),
            ("alowedtypes", "files.allowedTypes"), ("FILES.ALLOWEDTYPES", "files.allowedTypes"),
            ("presence.tping", "presence.typing"), ("files.downloadDir", "files.downloadDirectory"),
            ("downloadDir", "files.downloadDirectory"), ("files.auto", nil),
            ("nonsense", nil), ("", nil), (String(repeating: "files.", count: 10_000), nil),
        ] as [(String, String?)] {
            do {
                _ = try SettingsCatalogue.setting(key)
                Issue.record("\(key) is a setting")
            } catch {
                #expect(error.kind == .notFound && error.parameters["nearest"]?.string == nearest, "\(key)")
                #expect(error.hint == (nearest == nil ? .seeSettings : .nearestSetting))
            }
        }
    }
}
