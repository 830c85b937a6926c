// Compiled with: Sources/WebGateway/Gate/Gate.swift Sources/WebGateway/Gate/Route.swift Sources/WebGateway/Gate/ByteRange.swift Sources/WebGateway/Gate/GatewayAddress.swift Sources/WebGateway/Gate/Limits.swift

import CMicrohttpd
import Glibc
import HTTP

/// Sends requests as a browser or another program of this user may: libmicrohttpd parses them, as in the worker, and the gate
/// judges them. The first byte sets in which pieces the rest comes.
enum FuzzTarget {
    private static let gate = Gate(name: "kibo-abcdefghijkl", port: 15_427)

    static let seeds: [[UInt8]] = {
        let host = "Host: \(gate.host):15427\r\n"
        let page = "\(host)Sec-Fetch-Site: same-origin\r\n"
        let own = "\(page)Origin: http://\(gate.host):15427\r\nX-Kibo: 1\r\nCookie: a=b; kibo-15427=\(cookie)\r\n"
        let json = "Content-Type: application/json\r\n"
        return [
            "\u{0}GET / HTTP/1.1\r\n\(host)Sec-Fetch-Site: none\r\nUser-Agent: Test/1\r\n\r\n",
            "\u{1}GET /assets/main-AB12.js HTTP/1.1\r\n\(page)\r\nGET /login HTTP/1.1\r\n\(own)\r\n",
            "\u{0}POST /rpc HTTP/1.1\r\n\(own)\(json)Content-Length: 2\r\n\r\n{}GET /login HTTP/1.1\r\n\(own)\r\n",
            "\u{7}PUT /upload/a1?at=77 HTTP/1.1\r\n\(own)Content-Length: 3\r\n\r\nabc",
            "\u{0}GET /events?since=12&epoch=e1 HTTP/1.1\r\n\(own)Last-Event-ID: 12.e1\r\n\r\n",
            "\u{0}GET /file/t1/4?save=1 HTTP/1.1\r\n\(own)Range: bytes=2-9\r\n\r\nGET /thumb/t1/7/320 HTTP/1.1\r\n\(own)\r\n",
            "\u{0}GET /picture/a/b HTTP/1.1\r\n\(own)\r\nGET /export/c1 HTTP/1.1\r\n\(own)\r\n",
            "\u{0}GET /go/\(cookie) HTTP/1.1\r\nHost: 127.0.0.1:15427\r\nSec-Fetch-Site: none\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\n\r\n",
            "\u{0}GET / HTTP/1.1\nHost: \(gate.host)\n\n",
            "\u{0}POST /rpc HTTP/1.1\r\n\(own)Transfer-Encoding: chunked\r\n\r\n2\r\n{}",
            "\u{0}GET / HTTP/1.1\r\n\(host)Host: evil.example\r\n Folded: x\r\nA:b\r\n\r\n", "\u{0}bytes=-5",
            "\u{0}/file/t1?save=1",
        ].map { Array($0.utf8) }
    }()

    private static let cookie = String(repeating: "A", count: 43)

    static func run(_ bytes: [UInt8]) {
        guard let first = bytes.first else { return }
        let rest = bytes.dropFirst()
        Server.serve(Array(rest), inPiecesOf: first == 0 ? max(1, rest.count) : Int(first))
        readWords(String(decoding: rest.prefix(2_000), as: UTF8.self))
    }

    /// Parts of a head, read by themselves.
    private static func readWords(_ text: String) {
        for size in [Int64(0), 1, 10, .max] {
            guard case .part(let first, let count) = ByteRange(text, size: size) else { continue }
            require(first >= 0 && count > 0 && first <= size - count, "a range lies in its file")
        }
        for cookie in gate.cookies(in: text) {
            require(
                text.contains(gate.cookieName + "=" + cookie) && !cookie.contains(";"), "a cookie stands in its field")
        }
        if let route = Route(target: text) { check(route) }
    }

    /// Checks that the parts of a target, which the worker hands on, have no byte that another parser would understand.
    fileprivate static func check(_ route: Route) {
        switch route {
        case .page, .login, .logout, .daemon, .rpc: break
        case .asset(let name): require(Route.isAssetName(name) && !name.contains("/"), "the name of an asset")
        case .events(let since, let epoch, _):
            require(since.map { $0 >= 0 } ?? true, "a number")
            require(epoch.map(Route.isID) ?? true, "an epoch")
        case .open(let ticket): require(Route.isID(ticket), "a ticket")
        case .upload(let id, let offset): require(Route.isID(id) && offset >= 0, "an upload")
        case .file(let id, let entry, _): require(Route.isID(id) && entry ?? 0 >= 0, "a file")
        case .thumbnail(let id, let entry, let side):
            require(Route.isID(id) && entry ?? 0 >= 0 && (side == 320 || side == 1280), "a thumbnail")
        case .picture(let id, let digest): require(Route.isID(id) && Route.isID(digest), "a picture")
        case .export(let id): require(Route.isID(id), "a conversation")
        }
    }

    private static func behindLineEnd(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        require(bytes.starts(with: [0x0D, 0x0A]) || bytes.starts(with: [0, 0x0A]), "a line has its end")
        return bytes.dropFirst(2)
    }

    /// Looks at a head that came through the library.
    /// - Parameter bytes: what was sent from where this head begins.
    /// - Returns: the request, and how many bytes it has with its body; nil if the gate refuses it.
    fileprivate static func admit(_ head: RequestHead, from bytes: ArraySlice<UInt8>) -> (Admitted, size: Int)? {
        guard let admitted = try? gate.admit(head) else { return nil }
        // Written as browsers write it: what the library has read is what stands there, and nothing was left out. A value of
        // another server's cookie may be no UTF-8. The library takes NUL LF for CR LF and leaves no trace of it.
        let line = "\(head.method) \(head.target) HTTP/1.1"
        require(bytes.starts(with: line.utf8), "the first line")
        var names: Set<String> = []
        var left = bytes.dropFirst(line.utf8.count)
        for field in head.fields {
            left = behindLineEnd(left)
            let line = left.prefix { $0 != 0x0D && $0 != 0 }
            let value = String(decoding: line.dropFirst(field.name.utf8.count + 2), as: UTF8.self)
            require(
                String(decoding: line, as: UTF8.self).lowercased().hasPrefix(field.name + ": "), "the name of a field")
            require(value.utf8.elementsEqual(field.value.utf8), "the value of a field")
            require(names.insert(field.name).inserted, "a field stands once")
            left = left.dropFirst(line.count)
        }
        left = behindLineEnd(behindLineEnd(left))
        require(head.size == left.startIndex - bytes.startIndex, "the size of a head")
        require(names.contains("host") && names.contains("sec-fetch-site"), "what each request carries")
        if admitted.method == .get {
            require(admitted.length ?? 0 == 0, "GET has no body")
        } else {
            require(names.contains("x-kibo"), "what no form can send")
        }
        if let route = admitted.route { check(route) }
        let (size, overflow) = head.size.addingReportingOverflow(Int(admitted.length ?? 0))
        require(!overflow && admitted.length ?? 0 >= 0, "a body has a length")
        return (admitted, size)
    }
}

/// The library, as the worker uses it. Each request that comes through the gate is answered, and the next one on its connection
/// has to begin where it ends. Only the fuzzer's thread calls it.
private enum Server {
    /// The bytes that this run sends, and how many of them the requests so far have taken.
    nonisolated(unsafe) private static var bytes: [UInt8] = []
    nonisolated(unsafe) private static var place = 0
    nonisolated(unsafe) private static var current: (admitted: Admitted, size: Int)?
    nonisolated(unsafe) private static var bodyBytes = 0
    nonisolated(unsafe) private static var connections = 0
    nonisolated(unsafe) private static var target = ""

    nonisolated(unsafe) private static let response = MHD_create_response_from_buffer(0, nil, .RESPMEM_PERSISTENT)
    nonisolated(unsafe) private static let library: OpaquePointer = {
        signal(SIGPIPE, SIG_IGN)
        var calls = kibo_http_calls(
            access: { _, connection, _, method, version, bytes, count, state in
                guard let connection, let method, let version else { return .NO }
                let size = count?.pointee ?? 0
                count?.pointee = 0
                return Server.access(connection, method, version, size) ? .YES : .NO
            },
            completed: { _, _, _, _ in Server.end() },
            connection: { _, _, _, code in Server.connections += code == .CONNECTION_NOTIFY_STARTED ? 1 : -1 },
            begun: { _, target, _ in
                Server.target = target.map { String(cString: $0) } ?? ""
                return nil
            })
        guard let library = kibo_http_start(&calls, nil, 4, WebLimits.connectionMemory, 10, nil, nil) else {
            fatalError("no server")
        }
        return library
    }()

    static func serve(_ input: [UInt8], inPiecesOf count: Int) {
        bytes = input
        place = 0
        var ends: [CInt] = [-1, -1]
        guard socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0, &ends) == 0 else {
            fatalError("no sockets")
        }
        var address = sockaddr(sa_family: sa_family_t(AF_UNIX), sa_data: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
        guard MHD_add_connection(library, ends[1], &address, 2) == .YES else { fatalError("no connection") }
        var sent = 0
        while sent < input.count, connections > 0 || sent == 0 {
            let written = input[sent..<min(input.count, sent + count)].withUnsafeBytes {
                write(ends[0], $0.baseAddress, $0.count)
            }
            guard written > 0 else { break }
            sent += written
            MHD_run(library)
        }
        close(ends[0])
        var turns = 0
        while turns == 0 || connections > 0 {
            MHD_run(library)
            turns += 1
            require(turns < 10_000, "a connection ends with its client")
        }
        end()
    }

    private static func access(
        _ connection: OpaquePointer, _ method: UnsafePointer<CChar>, _ version: UnsafePointer<CChar>, _ count: Int
    ) -> Bool {
        if let current {
            bodyBytes += count
            require(bodyBytes <= current.size, "a body is not longer than it was said")
            guard count == 0 else { return true }
            require(Int64(bodyBytes) == current.admitted.length ?? 0, "a body comes whole")
            place += current.size
            return MHD_queue_response(connection, 200, response) == .YES
        }
        let head = RequestHead(connection, target: target, method: method, version: version, limit: WebLimits.fields)
        // The library skips empty lines before a head.
        while place < bytes.count, bytes[place] == 0x0D || bytes[place] == 0x0A { place += 1 }
        guard let found = FuzzTarget.admit(head, from: bytes[min(place, bytes.count)...]) else { return false }
        current = found
        bodyBytes = 0
        return true
    }

    private static func end() { current = nil }
}
