import Vocabulary

/// The values that a parameter or a field may hold: the check and the JSON Schema are both made from this.
public indirect enum ValueType: Hashable, Sendable {
    /// One line for people (a name, a query): that many characters, no control or bidirectional characters.
    case label(minimum: Int, maximum: Int)
    /// What people write: text of several lines, limited in bytes or characters, or one line. It may have marks of
    /// direction and the tag characters of flags.
    case text(TextLimit)
    /// Words about a reason, for people: the daemon's or a peer's.
    case words
    /// Letters for machines, such as a position or an idempotency key.
    case token(maximumBytes: Int)
    /// A path on this host, absolute: the daemon's working directory is not the client's.
    case path
    /// A file: its path, or `upload:` and the id of an upload.
    case file
    /// A file extension without its dot, or `*` for any.
    case fileType
    /// Whose files go into which folder: `WHO=/FOLDER`, see ``FolderRule``.
    case folderRule
    /// A program with its arguments, or nothing: words with quotes, and placeholders, some of which must be there.
    case command(required: [String], allowed: [String])
    /// An account, `kibo1…`.
    case account
    /// A UUID as 8-4-4-4-12.
    case uuid
    /// `host:port`, numbers only.
    case address
    /// A whole number.
    case integer(ClosedRange<Int64>)
    /// Milliseconds since 1970 UTC.
    case time
    /// A size in bytes.
    case bytes
    case boolean
    /// One of these words.
    case choice([String])
    /// A list of at least and at most so many.
    case list(ValueType, minimum: Int, maximum: Int)
    /// A list in a result.
    case results(ValueType)
    /// An object that ``Catalogue/objects`` describes.
    case object(String)
    /// The same, or an empty text.
    case emptyOr(ValueType)
    /// The same, or null.
    case nullable(ValueType)
    /// An object that has no name of its own, with these fields.
    case fields([FieldSpec])
    /// Any object at all.
    case anything
    /// Any JSON value at all: its limits depend on something else.
    case value

    /// How long a text may be.
    public enum TextLimit: Hashable, Sendable {
        /// In bytes of UTF-8.
        case bytes(Int)
        /// In characters as people count them.
        case characters(Int)
        /// In such characters, on one line.
        case line(Int)
    }

    /// The name of a person or a thing, as one line.
    static let name = ValueType.label(minimum: 0, maximum: 128)

    /// One line that came from elsewhere, such as an address.
    static let line = ValueType.label(minimum: 0, maximum: 256)

    /// How many there are.
    static let count = ValueType.integer(0 ... .max)

    /// Why something was refused or has failed.
    static let reason = ValueType.choice(Reason.ofContract.map(\.rawValue))

    /// All words of an enumeration.
    static func choice<Choice: RawRepresentable & CaseIterable>(of type: Choice.Type) -> ValueType
    where Choice.RawValue == String {
        .choice(type.allCases.map(\.rawValue))
    }

    /// The type in a few words, for documents.
    public var summary: String {
        switch self {
        case .label(let minimum, let maximum): "line of \(minimum)–\(maximum) characters"
        case .text(.bytes(let limit)):
            limit < 1 << 10 ? "text of at most \(limit) bytes" : "text of at most \(limit >> 10) KiB"
        case .text(.characters(let limit)): "text of at most \(limit) characters"
        case .text(.line(let limit)): "text of one line, at most \(limit) characters"
        case .words: "text of at most \(ProtocolLimits.wordsBytes >> 10) KiB"
        case .token: "token"
        case .path: "absolute path"
        case .file: "absolute path, or upload:ID"
        case .fileType: "file extension without its dot, or *"
        case .folderRule: "account id or *, =, absolute path"
        case .command: "command"
        case .account: "account id"
        case .uuid: "UUID"
        case .address: "host:port"
        case .integer(let range):
            if range.upperBound == .max {
                range.lowerBound == .min ? "integer" : "integer from \(range.lowerBound)"
            } else {
                "integer \(range.lowerBound)–\(range.upperBound)"
            }
        case .time: "time in ms"
        case .bytes: "bytes"
        case .boolean: "boolean"
        case .choice(let words):
            // A text that looks like a number has its quotes, or clients send a number.
            words.map { Int($0) == nil ? $0 : "\"\($0)\"" }.joined(separator: ", ")
        case .list(let element, _, let maximum): "list of at most \(maximum): \(element.summary)"
        case .results(let element): "list: \(element.summary)"
        case .object(let name): name
        case .nullable(let type): "\(type.summary), or null"
        case .emptyOr(let type): "\(type.summary), or empty"
        case .fields(let fields): FieldSpec.signature(fields)
        case .anything: "object"
        case .value: "any value"
        }
    }

    /// The type as a JSON Schema (draft 7, as OpenRPC wants it).
    public var schema: JSONObject {
        switch self {
        case .label(let minimum, let maximum):
            ["type": "string", "minLength": .integer(Int64(minimum)), "maxLength": .integer(Int64(maximum))]
        case .text(.characters(let limit)), .text(.line(let limit)):
            ["type": "string", "maxLength": .integer(Int64(limit))]
        case .text(.bytes(let limit)): ["type": "string", "description": .string("at most \(limit) bytes of UTF-8")]
        case .words: ["type": "string", "description": .string("at most \(ProtocolLimits.wordsBytes) bytes of UTF-8")]
        case .token(let limit): ["type": "string", "minLength": 1, "maxLength": .integer(Int64(limit))]
        case .path: ["type": "string", "pattern": "^/"]
        case .file: ["type": "string", "pattern": "^(/|upload:)"]
        case .fileType:
            [
                "type": "string", "pattern": .string("^(\\*|[A-Za-z0-9_+-]{1,\(ProtocolLimits.fileTypeBytes)})$"),
                "description": "a file extension without its dot, or * for any",
            ]
        case .folderRule:
            [
                "type": "string", "pattern": "^(\\*|kibo1[a-z0-9]+)=/",
                "description": "WHO=/FOLDER, where WHO is an account id or * for every friend",
            ]
        case .command(_, let allowed):
            [
                "type": "string", "maxLength": .integer(Int64(ProtocolLimits.commandCharacters)),
                "description": .string(
                    "a program with its arguments"
                        + (allowed.isEmpty ? "" : "; placeholders: " + allowed.joined(separator: ", "))),
            ]
        case .account: ["type": "string", "pattern": "^kibo1[a-z0-9]+$"]
        case .uuid: ["type": "string", "format": "uuid"]
        case .address: ["type": "string", "pattern": ":[0-9]{1,5}$"]
        case .integer(let range):
            {
                var schema: JSONObject = ["type": "integer"]
                if range.lowerBound != .min { schema["minimum"] = .integer(range.lowerBound) }
                if range.upperBound != .max { schema["maximum"] = .integer(range.upperBound) }
                return schema
            }()
        case .time: ["type": "integer", "description": "milliseconds since 1970 UTC"]
        case .bytes: ["type": "integer", "minimum": 0]
        case .boolean: ["type": "boolean"]
        case .choice(let words): ["type": "string", "enum": .strings(words)]
        case .list(let element, let minimum, let maximum):
            [
                "type": "array", "items": .object(element.schema), "minItems": .integer(Int64(minimum)),
                "maxItems": .integer(Int64(maximum)),
            ]
        case .results(let element): ["type": "array", "items": .object(element.schema)]
        case .object(let name): ["$ref": .string("#/components/schemas/\(name)")]
        case .nullable(.value): [:]
        case .nullable(let type): ["oneOf": [.object(type.schema), ["type": "null"]]]
        case .emptyOr(let type): ["anyOf": [.object(type.schema), ["type": "string", "maxLength": 0]]]
        case .fields(let fields): FieldSpec.schema(fields)
        case .anything: ["type": "object"]
        case .value: [:]
        }
    }

    /// The allowed values, for a sentence that refuses another one: "must be …".
    var allowed: String {
        switch self {
        case .boolean: "true or false"
        case .integer(let range): "a whole number from \(range.lowerBound) to \(range.upperBound)"
        case .choice(let words): "one of " + words.joined(separator: ", ")
        case .list(let element, let minimum, let maximum):
            "a list of \(minimum) to \(maximum), each \(element.allowed)"
        case .path: "an absolute path"
        case .file: "an absolute path, or upload: and the id of an upload"
        case .folderRule: "an account id or *, then = and an absolute path"
        case .command(let required, let allowed):
            "a program with its arguments"
                + (required.isEmpty ? "" : ", \(required.joined(separator: ", ")) among them")
                + ", or empty; arguments may be \(allowed.joined(separator: ", "))"
        default: "a \(summary)"
        }
    }
}
