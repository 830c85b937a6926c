import Basics

/// The checks of ``Catalogue/validate(method:params:)``.
package enum Validation {
    static func check(_ params: JSONObject, against method: MethodSpec) throws(RPCError) {
        for field in params.fields where !method.parameters.contains(where: { $0.name == field.name }) {
            let signature = method.parameters.isEmpty ? "takes none" : "takes \(method.signature)"
            throw .invalidParams("unknown parameter \(field.name): \(method.name) \(signature)", field: field.name)
        }
        for parameter in method.parameters {
            let given = params[parameter.name]
            guard let value = given, !value.isNull else {
                // Null is a value only if the type says so; leaving a parameter out is not the same.
                var takesNull = false
                if case .nullable = parameter.type { takesNull = given != nil }
                if parameter.isRequired, !takesNull {
                    throw .invalidParams("the parameter \(parameter.name) is missing", field: parameter.name)
                }
                continue
            }
            try check(value, parameter.type, parameter.name)
        }
        for group in method.exactlyOne + method.atLeastOne {
            let given = group.filter { params[$0].map { !$0.isNull } ?? false }
            if given.isEmpty {
                throw .invalidParams("one of the parameters \(words(group)) is missing", field: group.first)
            }
            if given.count > 1, method.exactlyOne.contains(group) {
                throw .invalidParams("only one of the parameters \(words(group)) may be given", field: given.last)
            }
        }
    }

    private static func words(_ names: [String]) -> String { names.joined(separator: ", ") }

    /// Checks one value; the fields of an object stay unchecked.
    ///
    /// - Parameter name: the name of the parameter that has it.
    package static func check(_ value: JSONValue, _ type: ValueType, _ name: String) throws(RPCError) {
        switch type {
        case .integer, .time, .bytes:
            guard let number = value.integer else { throw wrongType(name, "an integer", value) }
            let range =
                switch type {
                case .integer(let range): range
                case .bytes: 0...Int64.max
                default: Int64.min...Int64.max
                }
            guard range.contains(number) else {
                throw invalid("\(name) must be from \(range.lowerBound) to \(range.upperBound)", name)
            }
        case .boolean:
            guard value.bool != nil else { throw wrongType(name, "a boolean", value) }
        case .list(let element, let minimum, let maximum):
            guard let elements = value.array else { throw wrongType(name, "an array", value) }
            guard elements.count >= minimum else { throw invalid("\(name) must hold at least \(minimum)", name) }
            guard elements.count <= maximum else { throw tooLarge("\(name) may hold at most \(maximum)", name) }
            for element_ in elements { try check(element_, element, name) }
        case .object, .fields, .anything:
            guard value.object != nil else { throw wrongType(name, "an object", value) }
        case .results(let element):
            guard let elements = value.array else { throw wrongType(name, "an array", value) }
            for element_ in elements { try check(element_, element, name) }
        case .nullable(let type): try check(value, type, name)
        case .emptyOr(let type): if value.string != "" { try check(value, type, name) }
        case .value: break
        case .label, .text, .words, .token, .path, .file, .fileType, .folderRule, .command, .account, .uuid, .address,
            .choice:
            guard let text = value.string else { throw wrongType(name, "a string", value) }
            // Text that people write may hold anything; no other text needs a NUL, and C's strings end there.
            if case .text(.bytes) = type {
            } else if text.utf8.contains(0) {
                throw invalid("\(name) must not contain the character U+0000", name)
            }
            try check(text, type, name)
        }
    }

    private static func check(_ text: String, _ type: ValueType, _ name: String) throws(RPCError) {
        switch type {
        case .label(let minimum, let maximum):
            guard ForeignText.isOptionalLabel(text, maximumCharacters: maximum) else {
                let rule = "must be one line of at most \(maximum) characters without control characters"
                throw invalid("\(name) \(rule)", name)
            }
            guard minimum == 0 || (text.count >= minimum && ForeignText.isLabel(text, maximumCharacters: maximum))
            else {
                throw invalid(
                    minimum == 1 ? "\(name) must not be empty" : "\(name) must have at least \(minimum) characters",
                    name)
            }
        case .text(.line(let limit)):
            guard ForeignText.isOptionalLine(text, maximumCharacters: limit) else {
                throw invalid(
                    "\(name) must be one line of at most \(limit) characters without control characters", name)
            }
        case .text(.bytes(let limit)):
            guard text.utf8.count <= limit else { throw tooLarge("\(name) may have at most \(limit) bytes", name) }
        case .words:
            guard text.utf8.count <= ProtocolLimits.wordsBytes else {
                throw tooLarge("\(name) may have at most \(ProtocolLimits.wordsBytes) bytes", name)
            }
        case .text(.characters(let limit)):
            // A character can be made of many code points; eight bytes for each is more than any script needs.
            guard text.utf8.count <= limit * 8, text.count <= limit else {
                throw tooLarge("\(name) may have at most \(limit) characters", name)
            }
        case .token(let limit):
            guard !text.isEmpty, text.utf8.count <= limit else {
                throw invalid("\(name) must have 1 to \(limit) bytes", name)
            }
        case .file where text.hasPrefix(Parameters.uploadPrefix):
            guard UUIDv7(String(text.dropFirst(Parameters.uploadPrefix.count))) != nil else {
                throw invalid("\(name) names no upload", name)
            }
        case .path, .file:
            guard text.utf8.first == UInt8(ascii: "/") else {
                throw invalid("\(name) must be an absolute path", name, hint: .givePathFromRoot)
            }
            guard text.utf8.count <= ProtocolLimits.pathBytes else {
                throw invalid("\(name) may have at most \(ProtocolLimits.pathBytes) bytes", name)
            }
        case .fileType:
            let isExtension =
                1...ProtocolLimits.fileTypeBytes ~= text.utf8.count
                && text.utf8.allSatisfy { isLetter($0) || 0x30...0x39 ~= $0 || "_+-".utf8.contains($0) }
            guard text == "*" || isExtension else {
                throw invalid(
                    "\(name) must be a file extension without its dot, or *", name, hint: .giveExtension)
            }
        case .folderRule:
            guard let rule = FolderRule(text) else {
                throw invalid("\(name) must be \(type.allowed)", name)
            }
            try check(rule.folder, .path, name)
        case .command(let required, let allowed):
            guard text.count <= ProtocolLimits.commandCharacters else {
                throw tooLarge("\(name) may have at most \(ProtocolLimits.commandCharacters) characters", name)
            }
            do throws(CommandWords.Problem) {
                try CommandWords.check(text, required: required, allowed: allowed)
            } catch {
                throw invalid("\(name) is not a command: \(error.text)", name)
            }
        case .account:
            guard AccountID(text) != nil else {
                throw invalid(
                    "\(name) is not an account id", name, hint: .giveAccountID)
            }
        case .uuid:
            guard UUIDv7(text) != nil else { throw invalid("\(name) is not a UUID", name) }
        case .address:
            guard let address = SocketAddress(text), address.port != 0 else {
                throw invalid(
                    "\(name) is not an address", name, hint: .giveAddress)
            }
        case .choice(let words):
            guard words.contains(text) else { throw invalid("\(name) must be one of \(Self.words(words))", name) }
        default: break
        }
    }

    private static func isLetter(_ byte: UInt8) -> Bool { 0x61...0x7A ~= byte | 0x20 }

    private static func wrongType(_ name: String, _ expected: String, _ value: JSONValue) -> RPCError {
        .invalidParams("\(name) must be \(expected), not \(value.kindName)", field: name)
    }

    private static func invalid(_ message: String, _ name: String, hint: HintCode? = nil) -> RPCError {
        RPCError(ControlError(.invalid, message, hint: hint, field: name))
    }

    private static func tooLarge(_ message: String, _ name: String) -> RPCError {
        RPCError(ControlError(.tooLarge, message, field: name))
    }
}
