import ControlProtocol
import Vocabulary

/// The part of docs/CONTROL-API.md that is made from the catalogue.
enum CatalogueMarkdown {
    static let begin = "<!-- From here to the end marker this is written from the catalogue; see the last section. -->"
    static let end = "<!-- End of what is written from the catalogue. -->"

    static var text: String {
        var out = "\(begin)\n\n## Objects\n"
        for object in Catalogue.objects {
            out += "\n### \(object.name)\n\n\(object.summary)\n\n| Field | Type | Meaning |\n|---|---|---|\n"
            for field in object.fields { out += row(field, name: field.name + (field.isRequired ? "" : "?")) }
        }
        out += "\n## Methods\n\n| Method | Parameters → result | Conversations | While locked |\n|---|---|---|---|\n"
        for method in Catalogue.methods {
            out +=
                "| `\(method.name)` | `\(escape(method.signature))` → `\(escape(method.result.signature))` | "
                + "\(method.effect == .none ? "–" : method.effect.rawValue) | \(method.whileLocked.rawValue) |\n"
        }
        for method in Catalogue.methods { out += section(method) }
        out += "\n## Settings\n\n| Key | Type | Default | Meaning |\n|---|---|---|---|\n"
        for setting in SettingsCatalogue.all {
            let type = escape(setting.type.summary)
            out +=
                "| `\(setting.key)` | \(type) | `\(escape(setting.standardNote ?? setting.standard.text))` | \(escape(setting.doc)) |\n"
        }
        out += "\n## Events\n\n| Type | Kept | Data | Data of a deletion | While locked |\n|---|---|---|---|---|\n"
        for event in EventType.allCases {
            out +=
                "| `\(event.rawValue)` | \(event.isDurable ? "yes" : "no") | \(event.object) | "
                + "\(event.deletion.map { "`\(FieldSpec.signature($0))`" } ?? "–") | \(event.isSentWhileLocked ? "yes" : "no") |\n"
        }
        out += "\n## Error kinds\n\n| Kind | Worth trying again |\n|---|---|\n"
        for kind in Reason.ofContract { out += "| `\(kind.rawValue)` | \(kind.isRetryable ? "yes" : "no") |\n" }
        out += codes("Hints", HintCode.self)
        out += codes("What the doctor finds", DoctorFinding.self)
        out += codes("What the doctor advises", DoctorAdvice.self)
        out += codes("Steps of a message's story", StoryStep.self)
        out += codes("How a message stands", StoryState.self)
        out += codes("Why a device was not reached", DialProblem.self)
        out += codes("Why a file was left out", LeftOutCause.self)
        out += codes("What is wrong in a file of an address book", CardProblem.self)
        return out + "\n\(end)"
    }

    /// A table of codes, which clients word.
    private static func codes<Code: ContractCode>(_ title: String, _ codes: Code.Type) -> String {
        codes.allCases.map(\.rawValue).reduce("\n## \(title)\n\n| Code | Meaning |\n|---|---|\n") {
            $0 + "| `\($1.code)` | \(escape($1.doc)) |\n"
        }
    }

    private static func section(_ method: MethodSpec) -> String {
        var out = "\n### \(method.name)\n\n\(method.summary)\n"
        if !method.parameters.isEmpty {
            out += "\n| Parameter | Type | Meaning |\n|---|---|---|\n"
            for parameter in method.parameters { out += row(parameter, name: parameter.signature) }
        }
        for group in method.exactlyOne { out += "\nExactly one of \(names(group)).\n" }
        for group in method.atLeastOne { out += "\nAt least one of \(names(group)).\n" }
        switch method.result {
        case .object(let name): out += "\nResult: \(name).\n"
        case .text(let text): out += "\nResult: a string, \(text).\n"
        case .document(let name): out += "\nResult: a document of \(name).\n"
        case .fields(let fields) where fields.isEmpty: out += "\nResult: `{}`.\n"
        case .fields(let fields):
            out += "\n| Result | Type | Meaning |\n|---|---|---|\n"
            for field in fields { out += row(field, name: field.name + (field.isRequired ? "" : "?")) }
        }
        if !method.errors.isEmpty { out += "\nRefusals: \(names(method.errors.map(\.rawValue))).\n" }
        return out
    }

    /// A row for the field, and one for each field of an object that has no name of its own.
    private static func row(_ field: FieldSpec, name: String) -> String {
        let row = "| `\(escape(name))` | \(escape(field.type.summary)) | \(escape(field.doc)) |\n"
        return field.type.innerFields.reduce(row) { rows, inner in
            rows + Self.row(inner, name: "\(name).\(inner.name)" + (inner.isRequired ? "" : "?"))
        }
    }

    private static func names(_ words: [String]) -> String { words.map { "`\($0)`" }.joined(separator: ", ") }

    /// A bar would end the cell, so it is escaped.
    private static func escape(_ text: String) -> String {
        text.split(separator: "|", omittingEmptySubsequences: false).joined(separator: "\\|")
    }
}

extension ValueType {
    /// The fields of the object without a name, if this type is one or a list of them.
    fileprivate var innerFields: [FieldSpec] {
        switch self {
        case .fields(let fields): fields
        case .results(let type), .list(let type, _, _), .nullable(let type), .emptyOr(let type): type.innerFields
        default: []
        }
    }
}
