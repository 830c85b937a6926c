import Testing
import Vocabulary

@testable import ControlProtocol

@Suite("Role web hears and names no paths, whatever the catalogue has")
struct RoleTests {
    private static let secret = "/srv/anna/secret"

    /// A value of a type with a path in each place that may have one.
    private func sample(_ type: ValueType) -> JSONValue {
        switch type {
        case .path, .file: .string(Self.secret)
        case .words: .string("\(Self.secret) can't be read")
        case .anything:
            ["path": .string(Self.secret), "inner": [["text": .string("in \(Self.secret)")]], "name": "Anna"]
        case .value: .string(Self.secret)
        case .boolean: true
        case .integer, .time, .bytes: 5
        case .list(let element, _, _), .results(let element): [sample(element), sample(element)]
        case .nullable(let type), .emptyOr(let type): sample(type)
        case .fields(let fields): sample(fields)
        case .object(let name): sample(Catalogue.objects.first { $0.name == name }?.fields ?? [])
        case .label, .text, .token, .fileType, .folderRule, .command, .account, .uuid, .address, .choice: "x"
        }
    }

    private func sample(_ fields: [FieldSpec]) -> JSONValue {
        .object(JSONObject(fields.map { ($0.name, sample($0.type)) }))
    }

    private func names(_ value: JSONValue) -> Set<String> {
        switch value {
        case .object(let object): object.fields.reduce(into: []) { $0.formUnion(names($1.value).union([$1.name])) }
        case .array(let elements): elements.reduce(into: []) { $0.formUnion(names($1)) }
        default: []
        }
    }

    @Test("No result of a method has a path, and nothing else is missing")
    func results() {
        for method in Catalogue.methods {
            let value: JSONValue
            switch method.result {
            case .object(let name): value = sample(.object(name))
            case .fields(let fields): value = sample(fields)
            case .text, .document: continue
            }
            let heard = Role.web.hears(value, of: method.name)
            #expect(!heard.text.contains("secret"), "\(method.name): \(heard.text)")
            #expect(names(heard) == names(value), "\(method.name)")
            #expect(Role.full.hears(value, of: method.name) == value)
        }
    }

    @Test("No event has a path")
    func events() {
        for event in EventType.allCases {
            let value = sample(.object(event.object))
            let heard = Role.web.hears(value, of: event) ?? value
            #expect(!heard.text.contains("secret"), "\(event.rawValue): \(heard.text)")
            #expect(Role.full.hears(value, of: event) == nil)
        }
    }

    @Test("A refusal keeps its kind, and loses a sentence and parameters that name a path")
    func refusals() {
        let told = RPCError(
            ControlError(
                .noSpace, "there is no space for \(Self.secret)", hint: .freeSpace,
                parameters: ["path": .string(Self.secret), "name": "Anna"], field: "path"))
        let heard = Role.web.hears(told)
        #expect(!heard.json.text.contains("secret"))
        #expect(heard.kind == .noSpace && heard.hint == .freeSpace && heard.field == "path")
        #expect(heard.parameters["name"] == "Anna")
        #expect(Role.full.hears(told) == told)
        let plain = RPCError(ControlError(.notFriends, "Anna is not a friend"))
        #expect(Role.web.hears(plain) == plain)
    }

    @Test("Every parameter that takes a path is refused with its name, and the refusal is declared")
    func requests() throws {
        for method in Catalogue.methods where method.roles.contains(.web) {
            for parameter in method.parameters where parameter.type.takesPath {
                let objection = Role.web.objection(to: method, [parameter.name: sample(parameter.type)])
                #expect(objection?.kind == .notAllowed && objection?.field == parameter.name, "\(method.name)")
                #expect(method.errors.contains(.notAllowed), "\(method.name)")
                #expect(Role.full.objection(to: method, [parameter.name: sample(parameter.type)]) == nil)
                #expect(Role.web.objection(to: method, [parameter.name: nil]) == nil)
            }
        }
        let update = try #require(Catalogue.method("account.update"))
        #expect(Role.web.objection(to: update, ["avatarPath": ""]) == nil)
        let shutdown = try #require(Catalogue.method("system.shutdown"))
        #expect(Role.web.objection(to: shutdown, [:])?.kind == .notAllowed)
    }

    @Test("Settings that hold a path or a command are hidden, and can't be set")
    func settings() throws {
        let set = try #require(Catalogue.method("settings.set"))
        for spec in SettingsCatalogue.all {
            let objection = Role.web.objection(to: set, ["key": .string(spec.key), "value": nil])
            #expect((objection?.kind == .notAllowed) == spec.isHost, "\(spec.key)")
            let json = spec.setting(nil).json
            let heard = Role.web.hears(json, of: "settings.get")
            #expect(heard["value"] == (spec.isHost ? .null : json["value"]))
            #expect(heard["default"] == (spec.isHost ? .null : json["default"]))
            #expect(heard["key"] == json["key"])
        }
        #expect(
            SettingsCatalogue.all.filter(\.isHost).map(\.key)
                == [
                    "notifications.hook", "files.downloadDirectory", "files.folders", "invite.emailCommand",
                    "invite.smsCommand",
                ])
    }

    @Test("A slash names a path where it begins a word")
    func words() {
        for text in ["/", "/ ", "and/or", "3/4", "a / b", "https://example.org/a/b", "5 MB/s", "", "192.168.1.0/24"] {
            #expect(!PathPlaces.names(text), "\(text)")
        }
        for text in ["/srv", "in /srv/a", "\"/srv\"", "(/a)", "„/a", "~/a", "./a", "file:/a", "a=/b", "no /é"] {
            #expect(PathPlaces.names(text), "\(text)")
        }
    }
}
