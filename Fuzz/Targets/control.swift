import ControlProtocol

/// The control socket: lines, JSON, JSON-RPC and the parameters of every method, and what a client reads.
enum FuzzTarget {
    static let seeds: [[UInt8]] = [
        #"{"jsonrpc":"2.0","id":1,"method":"system.hello","params":{"client":"x"}}"# + "\n",
        #"[{"jsonrpc":"2.0","id":"a","method":"message.send","params":{"to":"x","text":"\ud83d\ude00"}},{"a":1e5}]"#
            + "\r\n",
        #"{"jsonrpc":"2.0","id":null,"method":"events.subscribe"}"# + "\n\n" + #"{"jsonrpc":"2.0","id":1,"result":{}}"#
            + "\n",
        #"{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"x","data":{"field":"y"}}}"# + "\n",
    ].map { Array($0.utf8) }

    static func run(_ bytes: [UInt8]) {
        var whole = LineFramer(limit: 300)
        whole.append(bytes)
        var pieces = LineFramer(limit: 300)
        var linesOfPieces: [LineFramer.Line] = []
        for byte in bytes {
            pieces.append([byte])
            while let line = pieces.next() { linesOfPieces.append(line) }
        }
        var lines: [LineFramer.Line] = []
        while let line = whole.next() { lines.append(line) }
        require(lines == linesOfPieces, "lines don't depend on how the bytes come")
        for case .line(let line) in lines { read(line) }
    }

    private static func read(_ line: [UInt8]) {
        if let value = try? JSONParser.parse(line) {
            var out: [UInt8] = []
            value.append(to: &out)
            require((try? JSONParser.parse(out)) == value, "JSON survives its writer")
            _ = try? RPCResponse(json: value)
            _ = try? Event(json: value)
            _ = try? Message(json: value)
            _ = try? Transfer(json: value)
            _ = try? Contact(json: value)
        }
        let items: [RPCIncoming.Item]
        switch RPCIncoming(line: line) {
        case .single(let item): items = [item]
        case .batch(let batch): items = batch
        }
        for case .request(let request) in items { _ = try? Catalogue.validate(request) }
    }
}
