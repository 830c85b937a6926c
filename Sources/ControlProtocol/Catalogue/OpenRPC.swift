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
            "components": ["schemas": .object(schemas), "errors": .object(errors)],
            "x-events": .array(EventType.allCases.map(describe)),
        ]
    }

    private static func describe(_ method: MethodSpec) -> JSONValue {
        var result: JSONObject = ["name": "result"]
        switch method.result {
        case .object(let name): result["schema"] = ["$ref": .string("#/components/schemas/\(name)")]
        case .text(let text): result["schema"] = ["type": "string", "description": .string(text)]
        case .fields(let fields): result["schema"] = .object(objectSchema(fields))
        }
        return [
            "name": .string(method.name), "summary": .string(method.summary), "paramStructure": "by-name",
            "params": .array(method.parameters.map(describe)), "result": .object(result),
            "errors": .array(
                (method.errors + [.noAccount, .locked, .internal]).map {
                    ["$ref": .string("#/components/errors/\($0.rawValue)")]
                }),
        ]
    }

    private static func describe(_ parameter: FieldSpec) -> JSONValue {
        [
            "name": .string(parameter.name), "description": .string(parameter.doc),
            "required": .bool(parameter.isRequired), "schema": .object(schema(parameter)),
        ]
    }

    private static func describe(_ event: EventType) -> JSONValue {
        [
            "name": .string(event.rawValue), "durable": .bool(event.isDurable),
            "data": ["$ref": .string("#/components/schemas/\(event.object)")],
        ]
    }

    private static func schema(_ field: FieldSpec) -> JSONObject {
        var schema = field.type.schema
        if let standard = field.standard { schema["default"] = standard }
        return schema
    }

    private static func objectSchema(_ fields: [FieldSpec]) -> JSONObject {
        var properties = JSONObject()
        for field in fields {
            var schema = schema(field)
            // Beside a `$ref` everything else is ignored in draft 7.
            if schema["$ref"] == nil { schema["description"] = .string(field.doc) }
            properties[field.name] = .object(schema)
        }
        return [
            "type": "object", "properties": .object(properties),
            "required": .strings(fields.filter(\.isRequired).map(\.name)),
        ]
    }

    private static var schemas: JSONObject {
        JSONObject(
            objects.map { object in
                var schema = objectSchema(object.fields)
                schema["description"] = .string(object.summary)
                return (object.name, .object(schema))
            })
    }

    private static var errors: JSONObject {
        JSONObject(
            ErrorKind.allCases.map { kind in
                let error: JSONValue = [
                    "code": .integer(RPCError.refusedCode), "message": .string(kind.rawValue),
                    "data": ["kind": .string(kind.rawValue), "retryable": .bool(kind.isRetryable)],
                ]
                return (kind.rawValue, error)
            })
    }
}
