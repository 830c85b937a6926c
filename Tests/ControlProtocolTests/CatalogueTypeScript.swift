import ControlProtocol
import Vocabulary

/// The catalogue as TypeScript: the files of `Web/src/contract`, which the web client is checked against.
enum CatalogueTypeScript {
    /// The text of each file, by its name.
    static var files: [String: String] {
        [
            "codes.ts": codes, "types.ts": types, "methods.ts": methods, "settings.ts": settings, "events.ts": events,
        ]
    }

    private static let head =
        "// Written from the catalogue: run DocumentTests with KIBO_WRITE_DOCS=1, change nothing here.\n"

    /// The closed enumerations of the contract, in the order of the file.
    private static let enumerations: [(name: String, words: [String])] = [
        ("Reason", Reason.ofContract.map(\.rawValue)), ("HintCode", words(HintCode.self)),
        ("DoctorFinding", words(DoctorFinding.self)), ("DoctorAdvice", words(DoctorAdvice.self)),
        ("StoryStep", words(StoryStep.self)), ("StoryState", words(StoryState.self)),
        ("DialProblem", words(DialProblem.self)), ("LeftOutCause", words(LeftOutCause.self)),
        ("CardProblem", words(CardProblem.self)),
        ("Relation", words(Relation.self)), ("Trust", words(Trust.self)), ("Presence", words(Presence.self)),
        ("AutoDownload", words(AutoDownload.self)), ("ConversationKind", words(ConversationKind.self)),
        ("MessageKind", words(MessageKind.self)), ("MessageState", words(MessageState.self)),
        ("AttachmentKind", words(AttachmentKind.self)), ("LineAction", words(LineAction.self)),
        ("TransferState", words(TransferState.self)), ("TransferDirection", words(TransferDirection.self)),
        ("HoldReason", words(HoldReason.self)), ("TransferPause", words(TransferPause.self)),
        ("TransferSide", words(TransferSide.self)),
        ("GroupRole", words(GroupRole.self)),
        ("GroupStanding", words(GroupStanding.self)), ("EventType", words(EventType.self)),
    ]

    private static func words<Word: RawRepresentable & CaseIterable>(_ type: Word.Type) -> [String]
    where Word.RawValue == String {
        type.allCases.map(\.rawValue)
    }

    private static func words<Code: ContractCode>(_ type: Code.Type) -> [String] { type.allCodes }

    private static var codes: String {
        enumerations.reduce(head) { text, enumeration in
            let stem = enumeration.name.prefix(1).lowercased() + enumeration.name.dropFirst()
            let list = stem.hasSuffix("Code") ? stem + "s" : stem + "Codes"
            return text + "\nexport const \(list) = [\n" + wrapped(enumeration.words.map { "\"\($0)\"" })
                + "] as const;\nexport type \(enumeration.name) = (typeof \(list))[number];\n"
        }
    }

    /// The words in lines of at most 120 characters.
    private static func wrapped(_ words: [String]) -> String {
        var lines = [""]
        for word in words {
            if !lines[lines.count - 1].isEmpty, lines[lines.count - 1].count + word.count > 115 { lines.append("") }
            lines[lines.count - 1] += (lines[lines.count - 1].isEmpty ? "  " : " ") + word + ","
        }
        return lines.map { $0 + "\n" }.joined()
    }

    private static var types: String {
        var body = "\nexport type AccountId = string;\nexport type Uuid = string;\n"
        body += "/** Milliseconds since 1970 UTC. */\nexport type Time = number;\nexport type Bytes = number;\n"
        body += "export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };\n"
        for object in Catalogue.objects {
            body += "\n/** \(object.summary) */\nexport interface \(object.name) {\n"
            body += object.fields.map { "  /** \($0.doc) */ \(property($0));\n" }.joined() + "}\n"
        }
        return head + imported(from: "codes", in: body) + body
    }

    private static var methods: String {
        var body = "\nexport interface Methods {\n"
        for method in Catalogue.methods {
            body += "  /** \(method.summary) */\n  \"\(method.name)\": {\n"
            body += "    params: \(object(method.parameters));\n    result: \(result(method.result));\n  };\n"
        }
        body +=
            "}\n\nexport type Method = keyof Methods;\nexport type Params<M extends Method> = Methods[M][\"params\"];\n"
        body += "export type Result<M extends Method> = Methods[M][\"result\"];\n"
        body +=
            "\n/** What a method does with conversations: requests that do something take effect in their order. */\n"
        body += "export const methodEffects: Record<Method, \"none\" | \"reads\" | \"writes\"> = {\n"
        body += Catalogue.methods.map { "  \"\($0.name)\": \"\($0.effect.rawValue)\",\n" }.joined()
        body += "};\n"
        return head + imported(from: "codes", in: body) + imported(from: "types", in: body) + body
    }

    private static var settings: String {
        var body = "\nexport interface Settings {\n"
        for setting in SettingsCatalogue.all {
            body += "  /** \(setting.doc) */\n  \"\(setting.key)\": \(word(setting.type));\n"
        }
        body += "}\n\nexport type SettingKey = keyof Settings;\nexport const settingKeys: readonly SettingKey[] = [\n"
        return head + imported(from: "codes", in: body) + body + wrapped(SettingsCatalogue.all.map { "\"\($0.key)\"" })
            + "];\n"
    }

    private static var events: String {
        var body = "\n/** The object that an event of each type brings. */\nexport interface EventData {\n"
        for event in EventType.allCases { body += "  \"\(event.rawValue)\": \(event.object);\n" }
        body += "}\n\n/** What is left of an object that was deleted. */\nexport interface DeletionData {\n"
        for event in EventType.allCases {
            if let deletion = event.deletion { body += "  \"\(event.rawValue)\": \(object(deletion));\n" }
        }
        body += "}\n\n/** The types whose events are numbered, kept and replayed. */\n"
        body += "export const keptEvents: readonly EventType[] = [\n"
        body += wrapped(EventType.allCases.filter(\.isDurable).map { "\"\($0.rawValue)\"" }) + "];\n"
        body += """

            interface EventHead {
              subscription: number;
              seq: number | null;
              at: Time;
            }

            /** An event as `events.subscribe` brings it, told apart by `type` and `change`. */
            export type ContractEvent =
              | { [T in EventType]: EventHead & { type: T; change: "insert" | "update"; data: EventData[T] } }[EventType]
              | {
                  [T in keyof DeletionData]: EventHead & { type: T; change: "delete"; data: DeletionData[T] };
                }[keyof DeletionData]
              | {
                  [T in Exclude<EventType, keyof DeletionData>]: EventHead & { type: T; change: "delete"; data: EventData[T] };
                }[Exclude<EventType, keyof DeletionData>];

            """
        return head + imported(from: "codes", in: body) + imported(from: "types", in: body) + body
    }

    /// The import of the names of that file which the text uses.
    private static func imported(from file: String, in body: String) -> String {
        let names =
            file == "codes"
            ? enumerations.map(\.name)
            : ["AccountId", "Bytes", "Json", "Time", "Uuid"] + Catalogue.objects.map(\.name)
        let code = body.split(separator: "\n").map { line in
            line.range(of: "*/").map { String(line[$0.upperBound...]) } ?? String(line)
        }
        let used = names.filter { name in
            code.contains {
                $0.split { !($0.isLetter || $0.isNumber || $0 == "_" || $0 == "\"" || $0 == ".") }.contains {
                    $0 == name
                }
            }
        }
        return used.isEmpty ? "" : "import type {\n" + wrapped(used.sorted()) + "} from \"./\(file)\";\n"
    }

    private static func property(_ field: FieldSpec) -> String {
        field.name + (field.isRequired ? "" : "?") + ": " + word(field.type)
    }

    private static func object(_ fields: [FieldSpec]) -> String {
        fields.isEmpty ? "Record<string, never>" : "{ " + fields.map(property).joined(separator: "; ") + " }"
    }

    private static func result(_ result: ResultSpec) -> String {
        switch result {
        case .object(let name): name
        case .fields(let fields): object(fields)
        case .text: "string"
        case .document: "Json"
        }
    }

    private static func word(_ type: ValueType) -> String {
        switch type {
        // A page has role web: it hears null for each path, and for words that name one.
        case .path, .nullable(.path), .list(.folderRule, _, _): "null"
        case .words, .nullable(.words): "string | null"
        case .label, .text, .token, .file, .fileType, .folderRule, .command, .address: "string"
        case .account: "AccountId"
        case .uuid: "Uuid"
        case .integer: "number"
        case .time: "Time"
        case .bytes: "Bytes"
        case .boolean: "boolean"
        case .choice(let words):
            enumerations.first { $0.words == words }?.name ?? words.map { "\"\($0)\"" }.joined(separator: " | ")
        case .list(let element, _, _), .results(let element): "Array<\(word(element))>"
        case .object(let name): name
        case .emptyOr(let type): word(type)
        case .nullable(.value), .value: "Json"
        case .nullable(let type): "\(word(type)) | null"
        case .fields(let fields): object(fields)
        case .anything: "{ [name: string]: Json }"
        }
    }
}
