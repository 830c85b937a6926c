import Basics
import ControlProtocol
import Testing

struct JSONTests {
    @Test("Written values are read back unchanged", arguments: 0..<64)
    func roundTrip(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let value = Self.value(depth: 0, using: &random)
        let encoded = value.encoded
        #expect(!encoded.contains(UInt8(ascii: "\n")))
        #expect(try JSONParser.parse(encoded) == value)
        #expect(value.encodedCount == encoded.count)
    }

    @Test("Every escape and every kind of number is understood")
    func reading() throws {
        let text =
            #" { "a\/\"\\\b\f\n\r\t\u00e4\ud83d\ude00" : [ -0, 9223372036854775807, 1.5e3, true, false, null, "" ] } "#
        let expected: JSONValue = [
            "a/\"\\\u{8}\u{C}\n\r\tä😀": [0, .integer(.max), .double(1500), true, false, nil, ""]
        ]
        #expect(try JSONParser.parse(text) == expected)
    }

    @Test(
        "Text that is not JSON is refused, and so are repeated names and numbers out of range",
        arguments: [
            "", " ", "{", "}", "[1,]", "{\"a\":1,}", "nul", "'a'", "{\"a\":1,\"a\":2}", "{\"a\":1} x", "01", "+1", ".5",
            "9223372036854775808", "1e999", "\"\u{1}\"", "\"\\x\"", "\"\\ud800\"", "{1:2}", "{\"a\\u0000b\":1}", "NaN",
        ])
    func malformed(text: String) {
        #expect(throws: JSONError.self) { try JSONParser.parse(text) }
    }

    @Test(
        "Bytes that are not UTF-8 are refused",
        arguments: [
            [0x22, 0xFF, 0x22], [0x22, 0xC0, 0x80, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22], [0x22, 0xE2, 0x82, 0x22],
        ] as [[UInt8]])
    func notUTF8(bytes: [UInt8]) {
        #expect(throws: JSONError.self) { try JSONParser.parse(bytes) }
    }

    @Test("Nesting stops at the limit, and thousands of brackets do no harm")
    func depth() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        #expect(throws: Never.self) { try JSONParser.parse(nested(ProtocolLimits.jsonDepth)) }
        #expect(throws: JSONError.tooDeep) { try JSONParser.parse(nested(ProtocolLimits.jsonDepth + 1)) }
        #expect(throws: JSONError.self) { try JSONParser.parse(String(repeating: "[", count: 1 << 20)) }
        #expect(throws: JSONError.self) { try JSONParser.parse(String(repeating: "{\"a\":", count: 100_000)) }
    }

    @Test("The size limit is exact to the byte")
    func size() throws {
        #expect(throws: Never.self) { try JSONParser.parse("[1]", maximumBytes: 3) }
        #expect(throws: JSONError.tooLarge(limit: 2)) { try JSONParser.parse("[1]", maximumBytes: 2) }
    }

    @Test("Control characters, NUL among them, are escaped in the ways that JSON knows")
    func writing() throws {
        #expect(
            JSONValue.string("a\u{0}\u{1F}\"\\\u{8}\t\n\u{C}\r\u{7F}ä").text
                == #""a\u0000\u001f\"\\\b\t\n\f\r"# + "\u{7F}ä\"")
        #expect(try JSONParser.parse(#""\u0000""#) == "\u{0}")
        #expect(
            JSONValue.array([.integer(.min), .integer(0), .double(.nan), .double(0.5)]).text
                == "[-9223372036854775808,0,null,0.5]")
    }

    @Test("The encoded size of a value is told without encoding it", arguments: 0..<0x80)
    func count(code: UInt8) {
        let text = String(UnicodeScalar(code))
        for value: JSONValue in [
            .string(text), [.string(text + "ä😀"), .integer(.min), .double(-0.5), .double(.nan)], [], [:],
            .object([text: true, "b": false, "c": nil]),
        ] {
            #expect(value.encodedCount == value.encoded.count)
        }
    }

    @Test("Objects keep their order, and equality does not depend on it")
    func objects() {
        var object: JSONObject = ["b": 1, "a": 2]
        #expect(JSONValue.object(object).text == #"{"b":1,"a":2}"#)
        #expect(object == ["a": 2, "b": 1])
        #expect(object.hashValue == (["a": 2, "b": 1] as JSONObject).hashValue)
        #expect(object != ["a": 2, "b": 2])
        object["b"] = 3
        object["c"] = 4
        object["a"] = nil
        object["none"] = nil
        #expect(JSONValue.object(object).text == #"{"b":3,"c":4}"#)
    }

    /// Returns a random value of any kind. Strings have many characters that need escapes.
    private static func value(depth: Int, using random: inout SeededGenerator) -> JSONValue {
        switch Int.random(in: 0..<(depth < 4 ? 8 : 6), using: &random) {
        case 0: return .null
        case 1: return .bool(Bool.random(using: &random))
        case 2: return .integer(Int64(bitPattern: random.next()) >> Int64.random(in: 0..<64, using: &random))
        case 3: return .double(Double.random(in: -1e6...1e6, using: &random))
        case 4, 5: return .string(string(using: &random))
        case 6:
            return .array(
                (0..<Int.random(in: 0..<5, using: &random)).map { _ in value(depth: depth + 1, using: &random) })
        default:
            var object = JSONObject()
            for index in 0..<Int.random(in: 0..<5, using: &random) {
                object["\(index)ä\""] = value(depth: depth + 1, using: &random)
            }
            return .object(object)
        }
    }

    private static func string(using random: inout SeededGenerator) -> String {
        let alphabet = ["\u{0}", "\u{1F}", "\"", "\\", "a", "ä", "€", "😀", "\u{2028}", "\u{202E}", "/", "\n"]
        return (0..<Int.random(in: 0..<12, using: &random)).map { _ in
            alphabet[Int.random(in: 0..<alphabet.count, using: &random)]
        }.joined()
    }
}
