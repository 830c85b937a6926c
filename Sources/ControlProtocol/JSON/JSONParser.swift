internal import CJansson

/// Why a text is not JSON.
public enum JSONError: Error, Equatable, Sendable {
    /// The text is not JSON (RFC 8259), or has a name twice in one object; the text says what is wrong, in English.
    ///
    /// - Parameters:
    ///   - byte: how many bytes of the text were read until then.
    ///   - line: the line of the text, from 1.
    case malformed(String, byte: Int, line: Int)
    /// Arrays and objects within each other beyond ``Limits/jsonDepth``.
    case tooDeep
    /// More bytes than the caller allows.
    case tooLarge(limit: Int)
}

/// Parses JSON (RFC 8259) by way of jansson, which checks UTF-8, escapes and numbers.
///
/// Stricter than the RFC: a name may occur only once in an object, integers must fit 64 bits, and other numbers a
/// Double.
public enum JSONParser {
    /// The value that is the whole text.
    ///
    /// - Parameter maximumBytes: a longer text is refused without being looked at.
    public static func parse(
        _ text: some Collection<UInt8>, maximumBytes: Int = ProtocolLimits.lineBytes
    ) throws(JSONError) -> JSONValue {
        guard text.count <= maximumBytes else { throw .tooLarge(limit: maximumBytes) }
        let result =
            text.withContiguousStorageIfAvailable { parse(UnsafeBufferPointer(rebasing: $0[...])) }
            ?? Array(text).withUnsafeBufferPointer { parse($0) }
        return try result.get()
    }

    /// Does the same as ``parse(_:maximumBytes:)`` for a string.
    public static func parse(
        _ text: String, maximumBytes: Int = ProtocolLimits.lineBytes
    ) throws(JSONError) -> JSONValue {
        try parse(text.utf8, maximumBytes: maximumBytes)
    }

    private static func parse(_ bytes: UnsafeBufferPointer<UInt8>) -> Result<JSONValue, JSONError> {
        guard let base = bytes.baseAddress, !bytes.isEmpty else {
            return .failure(.malformed("the text is empty", byte: 0, line: 1))
        }
        var error = json_error_t()
        let flags = JSON_REJECT_DUPLICATES | JSON_DECODE_ANY | JSON_ALLOW_NUL
        let root = base.withMemoryRebound(to: CChar.self, capacity: bytes.count) {
            json_loadb($0, bytes.count, Int(flags), &error)
        }
        guard let root else { return .failure(describe(&error)) }
        defer { json_decref(root) }
        guard let value = value(of: root, depth: 0) else { return .failure(.tooDeep) }
        return .success(value)
    }

    /// The value of a node; nil beyond ``Limits/jsonDepth``. (jansson itself stops at 2,048 levels, before the stack is
    /// in danger.)
    private static func value(of node: UnsafeMutablePointer<json_t>, depth: Int) -> JSONValue? {
        switch node.pointee.type {
        case JSON_OBJECT:
            guard depth < ProtocolLimits.jsonDepth else { return nil }
            var fields: [JSONObject.Field] = []
            fields.reserveCapacity(json_object_size(node))
            var iterator = json_object_iter(node)
            while let current = iterator {
                // jansson refuses names with a NUL, so a C string holds each name whole.
                guard let name = json_object_iter_key(current), let child = json_object_iter_value(current),
                    let value = value(of: child, depth: depth + 1)
                else { return nil }
                fields.append(JSONObject.Field(String(cString: name), value))
                iterator = json_object_iter_next(node, current)
            }
            return .object(JSONObject(distinct: fields))
        case JSON_ARRAY:
            guard depth < ProtocolLimits.jsonDepth else { return nil }
            let count = json_array_size(node)
            var elements: [JSONValue] = []
            elements.reserveCapacity(count)
            for index in 0..<count {
                guard let child = json_array_get(node, index), let value = value(of: child, depth: depth + 1) else {
                    return nil
                }
                elements.append(value)
            }
            return .array(elements)
        case JSON_STRING: return .string(text(of: node))
        case JSON_INTEGER: return .integer(Int64(json_integer_value(node)))
        case JSON_REAL: return .double(json_real_value(node))
        case JSON_TRUE: return .bool(true)
        case JSON_FALSE: return .bool(false)
        default: return .null
        }
    }

    private static func text(of node: UnsafeMutablePointer<json_t>) -> String {
        let length = json_string_length(node)
        guard length > 0, let start = json_string_value(node) else { return "" }
        return start.withMemoryRebound(to: UInt8.self, capacity: length) {
            String(decoding: UnsafeBufferPointer(start: $0, count: length), as: UTF8.self)
        }
    }

    private static func describe(_ error: inout json_error_t) -> JSONError {
        let text = withUnsafeBytes(of: &error.text) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        return .malformed(text, byte: max(0, Int(error.position)), line: max(1, Int(error.line)))
    }
}

extension JSONError: CustomStringConvertible {
    /// The error on one line, with the place.
    public var description: String {
        switch self {
        case .malformed(let text, let byte, let line): "\(text) (\(line > 1 ? "in line \(line)" : "at byte \(byte)"))"
        case .tooDeep: "arrays and objects within each other are too deep"
        case .tooLarge(let limit): "more than \(limit) bytes"
        }
    }
}
