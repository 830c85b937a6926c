import ControlProtocol
import Testing

struct RPCTests {
    private func parse(_ text: String) -> RPCIncoming { RPCIncoming(line: text.utf8) }

    /// The code and id of the refusal that a line gets.
    private func refusal(_ text: String) -> (Int64, RPCID)? {
        guard case .single(.refused(let response)) = parse(text), case .error(let error) = response.outcome else {
            return nil
        }
        return (error.code, response.id)
    }

    @Test("Requests and notifications are read with every kind of id")
    func requests() {
        #expect(
            parse(#"{"jsonrpc":"2.0","id":7,"method":"a","params":{"b":1}}"#)
                == .single(.request(RPCRequest(id: .integer(7), method: "a", params: ["b": 1]))))
        #expect(
            parse(#"{"jsonrpc":"2.0","id":"x","method":"a"}"#)
                == .single(.request(RPCRequest(id: .string("x"), method: "a"))))
        #expect(
            parse(#"{"jsonrpc":"2.0","id":null,"method":"a"}"#)
                == .single(.request(RPCRequest(id: .null, method: "a"))))
        #expect(parse(#"{"jsonrpc":"2.0","method":"a"}"#) == .single(.request(RPCRequest(id: nil, method: "a"))))
    }

    @Test(
        "Everything that is no request gets the code and the id that JSON-RPC prescribes",
        arguments: [
            ("{", -32_700, RPCID.null),
            (#"{"a":1,"a":2}"#, -32_700, .null),
            ("1", -32_600, .null),
            ("[]", -32_600, .null),
            (#"{"id":1,"method":"a"}"#, -32_600, .integer(1)),
            (#"{"jsonrpc":"1.0","id":1,"method":"a"}"#, -32_600, .integer(1)),
            (#"{"jsonrpc":"2.0","id":1}"#, -32_600, .integer(1)),
            (#"{"jsonrpc":"2.0","id":1,"method":2}"#, -32_600, .integer(1)),
            (#"{"jsonrpc":"2.0","id":1.5,"method":"a"}"#, -32_600, .null),
            (#"{"jsonrpc":"2.0","id":{},"method":"a"}"#, -32_600, .null),
            (#"{"jsonrpc":"2.0","id":1,"method":"a","params":[1]}"#, -32_602, .integer(1)),
            (#"{"jsonrpc":"2.0","id":1,"method":"a","params":"x"}"#, -32_600, .integer(1)),
        ] as [(String, Int64, RPCID)])
    func refusals(line: String, code: Int64, id: RPCID) throws {
        let found = try #require(refusal(line))
        #expect(found.0 == code)
        #expect(found.1 == id)
    }

    @Test("An id that is too long to be kept is refused")
    func longID() {
        let id = String(repeating: "x", count: ProtocolLimits.requestIDBytes + 1)
        #expect(refusal(#"{"jsonrpc":"2.0","id":"\#(id)","method":"a"}"#)?.0 == -32_600)
    }

    @Test("Batches are taken apart element by element; a batch that is too large is refused as a whole")
    func batches() {
        guard case .batch(let items) = parse(#"[{"jsonrpc":"2.0","id":1,"method":"a"},3]"#) else {
            Issue.record("not a batch")
            return
        }
        #expect(items.first == .request(RPCRequest(id: .integer(1), method: "a")))
        guard case .refused(let response)? = items.last else {
            Issue.record("not refused")
            return
        }
        #expect(response.id == .null)
        let large = "[" + Array(repeating: "1", count: ProtocolLimits.batchRequests + 1).joined(separator: ",") + "]"
        #expect(refusal(large)?.0 == -32_600)
    }

    @Test("Requests and replies read back as they were written")
    func roundTrips() throws {
        let request = RPCRequest(id: .string("a\n"), method: "m", params: ["x": [1, nil]])
        var bytes: [UInt8] = []
        request.append(to: &bytes)
        #expect(bytes.removeLast() == UInt8(ascii: "\n"))
        #expect(RPCIncoming(line: bytes) == .single(.request(request)))

        let refused = ControlError(
            .tooLarge, "too much", hint: .giveContent, parameters: ["name": "Anna"], field: "text")
        for response in [
            RPCResponse(id: .integer(1), result: ["a": 1]), RPCResponse(id: .null, result: nil),
            RPCResponse(id: .string("x"), error: RPCError(refused)),
        ] {
            var line: [UInt8] = []
            response.append(to: &line)
            #expect(try RPCResponse(json: JSONParser.parse(line)) == response)
        }
        let error = RPCError(refused)
        #expect(
            error.code == -32_000 && error.kind == .tooLarge && error.hint == .giveContent
                && error.parameters["name"] == "Anna" && error.field == "text")
        #expect(!error.isRetryable)
        #expect(RPCError(ControlError(.offline, "away")).isRetryable)
    }

    @Test("A batch of replies is one array in one line; a batch of notifications alone gets no line")
    func batchReplies() throws {
        var line: [UInt8] = []
        RPCResponse.appendBatch([], to: &line)
        #expect(line.isEmpty)
        RPCResponse.appendBatch(
            [RPCResponse(id: .integer(1), result: 2), RPCResponse(id: .integer(3), result: 4)], to: &line)
        #expect(line.removeLast() == UInt8(ascii: "\n"))
        #expect(try JSONParser.parse(line).array?.count == 2)
    }

    @Test("An event made around encoded data equals one made around a value")
    func events() throws {
        let event = Event(
            subscription: 1, seq: 123, at: 456, type: "message.added", change: .insert, data: ["text": "a\nb"])
        var line: [UInt8] = []
        event.appendLine(to: &line)
        #expect(line.removeLast() == UInt8(ascii: "\n"))
        let json = try JSONParser.parse(line)
        #expect(json["method"] == "event" && json["jsonrpc"] == "2.0" && json["id"] == nil)
        #expect(try Event(json: json["params"] ?? nil) == event)
        var passing: [UInt8] = []
        Event.appendLine(
            subscription: 2, seq: nil, at: 1, type: "gap", change: "insert", encodedData: Array(#"{"from":1}"#.utf8),
            to: &passing)
        #expect(
            String(decoding: passing, as: UTF8.self) == #"""
                {"jsonrpc":"2.0","method":"event","params":{"subscription":2,"seq":null,"at":1,"type":"gap","change":"insert","data":{"from":1}}}

                """#)
    }
}
