import Vocabulary

extension Catalogue {
    /// This interface as an OpenRPC 1.2.6 document, which `system.schema` answers.
    ///
    /// - Parameter version: the daemon's version.
    public static func openRPC(version: String) -> JSONValue {
        [
            "openrpc": "1.2.6",
            "info": [
                "title": "Kibo control interface", "version": .string(version),
                "description": "JSON-RPC 2.0, one object or batch a line, over a Unix socket.",
            ],
            "methods": .array(methods.map(describe)),
            "components": ["schemas": .object(schemas)],
            "x-events": .array(EventType.allCases.map(describe)),
        ]
    }

    private static func describe(_ method: MethodSpec) -> JSONValue {
        var result: JSONObject = ["name": "result"]
        switch method.result {
        case .object(let name): result["schema"] = ["$ref": .string("#/components/schemas/\(name)")]
        case .text(let text): result["schema"] = ["type": "string", "description": .string(text)]
        case .document(let name): result["schema"] = ["type": "object", "description": .string(name)]
        case .fields(let fields): result["schema"] = .object(FieldSpec.schema(fields))
        }
        // Every refusal has one code, and an error's code may stand only once with a method: the kinds stand in its data.
        let kinds = (method.errors + generalErrors).reduce(into: [Reason]()) { kinds, kind in
            if !kinds.contains(kind) { kinds.append(kind) }
        }
        var described: JSONObject = [
            "name": .string(method.name), "summary": .string(method.summary), "paramStructure": "by-name",
            "x-effect": .string(method.effect.rawValue), "x-whileLocked": .string(method.whileLocked.rawValue),
            "x-descriptor": .bool(method.passesDescriptor),
            "x-roles": .strings(method.roles.map(\.rawValue)),
            "params": .array(method.parameters.map(describe)), "result": .object(result),
            "errors": [
                [
                    "code": .integer(RPCError.refusedCode), "message": "refused",
                    "data": [
                        "kinds": .array(
                            kinds.map { ["kind": .string($0.contract), "retryable": .bool($0.isRetryable)] })
                    ],
                ]
            ],
        ]
        // OpenRPC's parameters stand each for itself, so that what holds for several is said beside them, in the words of JSON Schema.
        let groups =
            method.exactlyOne.map { group(of: $0, "oneOf") } + method.atLeastOne.map { group(of: $0, "anyOf") }
        if !groups.isEmpty { described["x-params"] = ["type": "object", "allOf": .array(groups)] }
        return .object(described)
    }

    private static func group(of names: [String], _ word: String) -> JSONValue {
        .object(JSONObject([(word, .array(names.map { ["required": [.string($0)]] }))]))
    }

    private static func describe(_ parameter: FieldSpec) -> JSONValue {
        [
            "name": .string(parameter.name), "description": .string(parameter.doc),
            "required": .bool(parameter.isRequired), "schema": .object(parameter.schema),
        ]
    }

    private static func describe(_ event: EventType) -> JSONValue {
        [
            "name": .string(event.rawValue), "durable": .bool(event.isDurable),
            "whileLocked": .bool(event.isSentWhileLocked),
            "data": ["$ref": .string("#/components/schemas/\(event.object)")],
            "deletion": event.deletion.map { .object(FieldSpec.schema($0)) } ?? .null,
        ]
    }

    private static var schemas: JSONObject {
        JSONObject(
            objects.map { object in
                var schema = FieldSpec.schema(object.fields)
                schema["description"] = .string(object.summary)
                return (object.name, .object(schema))
            })
    }
}
