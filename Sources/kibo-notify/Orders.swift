import CNotify
import ControlProtocol
import Glibc

/// The lines between kibod and this program. An order is `show` or `close`, and each is answered with `done` or `failed`
/// before the next one comes; lines in between tell what the user does.
@MainActor enum Orders {
    /// The most bytes of an order; kibod cuts what it shows.
    private static let lineBytes = 64 << 10
    private static var framer = LineFramer(limit: lineBytes)

    /// Reads what kibod has sent, and carries out the orders in it.
    nonisolated static func read() {
        MainActor.assumeIsolated {
            var buffer = [UInt8](repeating: 0, count: 1 << 14)
            let count = Glibc.read(STDIN_FILENO, &buffer, buffer.count)
            if count < 0, errno == EAGAIN || errno == EINTR { return }
            guard count > 0 else { return kibo_notify_stop() }
            framer.append(buffer[..<count])
            while let line = framer.next() {
                guard case .line(let bytes) = line, let order = (try? JSONParser.parse(bytes))?.object else {
                    return kibo_notify_stop()
                }
                obey(order)
            }
        }
    }

    private static func obey(_ order: JSONObject) {
        let tag = order["tag"]?.string ?? ""
        var problem: String?
        if order["do"]?.string == "close" {
            kibo_notify_close(tag)
        } else {
            problem = kibo_notify_show(
                tag, order["title"]?.string ?? "", order["body"]?.string ?? "", order["category"]?.string ?? "im",
                order["actions"]?.string, order["reply"]?.string, manner(order["rings"]?.string)
            ).map { String(cString: $0) }
        }
        say(problem.map { ["said": "failed", "why": .string($0)] } ?? ["said": "done"])
    }

    private static func manner(_ word: String?) -> kibo_notify_manner {
        switch word {
        case "aloud": KIBO_NOTIFY_RINGS
        case "silently": KIBO_NOTIFY_RINGS_SILENTLY
        default: KIBO_NOTIFY_TELLS
        }
    }

    /// Tells kibod that something has happened on the desktop.
    nonisolated static func told(
        _ what: UnsafePointer<CChar>?, _ tag: UnsafePointer<CChar>?, _ text: UnsafePointer<CChar>?
    ) {
        var line: JSONObject = ["said": .optional(what.map { String(cString: $0) })]
        if let tag { line["tag"] = .string(String(cString: tag)) }
        if let text { line["text"] = .string(String(cString: text)) }
        say(line)
    }

    /// Writes a line. The standard output may be the same socket as the input, which doesn't block.
    nonisolated static func say(_ line: JSONObject) {
        var bytes: [UInt8] = []
        JSONValue.object(line).append(to: &bytes)
        bytes.append(UInt8(ascii: "\n"))
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            if count > 0 { rest = rest.dropFirst(count) }
            if count < 0, errno == EAGAIN {
                var wait = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
                _ = poll(&wait, 1, -1)
            } else if count < 0, errno != EINTR {
                return
            }
        }
    }
}
