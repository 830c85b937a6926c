// The room that holds what a daemon sends against the catalogue. It may use the control protocol, and does no I/O.

import ControlProtocol
import Vocabulary

/// What the catalogue allows a daemon to send: every name, type and word, all required fields, and nothing else.
///
/// A client of a later version has to skip what it doesn't know; a test of this version may not, because what the
/// daemon sends without declaring it is a promise that nobody has made.
public enum ContractCheck {
    /// How something broke the contract.
    public struct Breach: Error, CustomStringConvertible {
        public let description: String
    }

    /// Checks what a method has answered.
    /// - Parameter role: what the connection has said that it is.
    public static func check(result: JSONValue, of name: String, role: Role = .full) throws(Breach) {
        guard let method = Catalogue.method(name) else { throw Breach(description: "\(name) has an answer") }
        switch method.result {
        case .object(let object): try check(result, .object(object), name, role)
        case .fields(let fields): try check(result, .fields(fields), name, role)
        case .text: try check(result, .text(.bytes(ProtocolLimits.replyBytes)), name, role)
        case .document: try check(result, .anything, name, role)
        }
    }

    /// Checks the error of a method. The method must declare its kind, unless every method may answer with it.
    public static func check(error: RPCError, of name: String) throws(Breach) {
        guard error.code == RPCError.refusedCode else { return }
        try check(error.data ?? .null, .object("Refusal"), "\(name) refused", .full)
        guard let method = Catalogue.method(name), let kind = error.kind else { return }
        guard (method.errors + Catalogue.generalErrors).contains(kind) else {
            throw Breach(description: "\(name) does not declare the refusal \(kind.rawValue): \(error.message)")
        }
    }

    /// Checks the parameters of an `event` notification.
    public static func check(event: JSONValue, role: Role = .full) throws(Breach) {
        try check(event, .fields(Event.fields), "event", role)
        guard let type = event["type"]?.string.flatMap(EventType.init), let data = event["data"] else { return }
        guard (event["seq"]?.integer != nil) == type.isDurable else {
            throw Breach(description: "\(type.rawValue) has a number, or lacks one")
        }
        if let deletion = type.deletion, event["change"]?.string == ChangeKind.delete.rawValue {
            try check(data, .fields(deletion), type.rawValue, role)
        } else {
            try check(data, .object(type.object), type.rawValue, role)
        }
    }

    private static func check(
        _ value: JSONValue, _ type: ValueType, _ place: String, _ role: Role
    ) throws(Breach) {
        switch type {
        case .path where role == .web:
            guard value.isNull else { throw Breach(description: "\(place) is a path for a connection of role web") }
        case .words where role == .web && value.isNull: return
        case .nullable(let type):
            if !value.isNull { try check(value, type, place, role) }
        case .object(let name):
            guard let object = Catalogue.objects.first(where: { $0.name == name }) else {
                throw Breach(description: "\(place): there is no object \(name)")
            }
            try check(value, .fields(object.fields), place, role)
        case .fields(let fields):
            guard let object = value.object else {
                throw Breach(description: "\(place) is \(value.kindName) and no object")
            }
            for field in object.fields where !fields.contains(where: { $0.name == field.name }) {
                throw Breach(description: "\(place) has \(field.name), which is not declared")
            }
            for field in fields {
                if let value = object[field.name] {
                    try check(value, field.type, "\(place).\(field.name)", role)
                } else if field.isRequired {
                    throw Breach(description: "\(place) lacks \(field.name)")
                }
            }
        case .results(let element), .list(let element, _, _):
            guard let elements = value.array else {
                throw Breach(description: "\(place) is \(value.kindName) and no list")
            }
            for value in elements { try check(value, element, place + "[]", role) }
        default:
            do {
                // An interface of another network namespace has no index here: its name is left out.
                let isAddress = type == .address || type == .emptyOr(.address)
                try Validation.check(isAddress ? value.withoutScope : value, type, place)
            } catch {
                throw Breach(description: "\(error.message): \(value.text.prefix(100))")
            }
        }
    }
}

/// Holds everything that a client receives against the catalogue.
final class ContractWitness: ControlWitness {
    private var methods: [RPCID: String] = [:]

    private var role = Role.full

    func asked(_ method: String, _ params: JSONObject, id: RPCID) {
        methods[id] = method
        if method == "system.hello", params["role"] == "web" { role = .web }
    }

    func received(_ line: JSONValue) throws {
        for json in line.array ?? [line] {
            if json["method"]?.string == Event.method {
                try ContractCheck.check(event: json["params"] ?? .null, role: role)
                continue
            }
            // The answer to a hand-written request has an id that this client hasn't given out.
            let response = try RPCResponse(json: json)
            guard let method = methods.removeValue(forKey: response.id) else { continue }
            switch response.outcome {
            case .result(let value): try ContractCheck.check(result: value, of: method, role: role)
            case .error(let error): try ContractCheck.check(error: error, of: method)
            }
        }
    }
}

extension JSONValue {
    /// `[fe80::1%eth1]:5` without `%eth1`; everything else as it is.
    fileprivate var withoutScope: JSONValue {
        guard let text = string, let percent = text.firstIndex(of: "%"), let end = text.firstIndex(of: "]") else {
            return self
        }
        return .string(String(text[..<percent] + text[end...]))
    }
}
