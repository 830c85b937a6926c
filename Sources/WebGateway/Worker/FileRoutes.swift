import ControlProtocol
import Glibc
import HTTP
import Reactor

/// The routes whose answers are files: the daemon opens them and hands their descriptors over.
@ReactorActor enum FileRoutes {
    /// Answers with what the daemon opens.
    static func answer(_ exchange: Exchange, _ request: Admitted, _ session: LoginSession) throws(GatewayError) {
        switch request.route {
        case .file(let transfer, let entry, let saves):
            open("transfer.open", parameters(transfer, entry), exchange, session) { result, size in
                FileAnswer(
                    name: result["name"]?.string ?? "file", mediaType: result["mediaType"]?.string ?? "", size: size,
                    range: request.range, saves: saves)
            }
        case .thumbnail(let transfer, let entry, let side):
            var parameters = parameters(transfer, entry)
            parameters["side"] = .string(String(side))
            openKept("transfer.thumbnail", parameters, exchange, session) { _ in true }
        case .picture(let id, let digest):
            openKept("picture.open", ["id": .string(id)], exchange, session) { $0["picture"]?.string == digest }
        case .export(let id):
            open("conversation.export", ["id": .string(id), "descriptor": true], exchange, session) { _, size in
                FileAnswer(name: "kibo-\(id).jsonl", mediaType: "", size: size, range: nil, saves: true)
            }
        default: throw .notFound
        }
    }

    private static func parameters(_ transfer: String, _ entry: Int64?) -> JSONObject {
        var parameters: JSONObject = ["id": .string(transfer)]
        if let entry { parameters["entry"] = .integer(entry) }
        return parameters
    }

    private static func open(
        _ method: String, _ parameters: JSONObject, _ exchange: Exchange, _ session: LoginSession,
        _ answer: @escaping @ReactorActor (JSONValue, Int64) -> FileAnswer
    ) {
        call(method, parameters, exchange, session) { result, descriptor, size in
            let answer = answer(result, size)
            guard let part = answer.part else {
                close(descriptor)
                return Reply(answer.status, answer.fields)
            }
            return Reply(
                answer.status, answer.fields, .file(descriptor: descriptor, offset: part.offset, count: part.count))
        }
    }

    /// A picture that was made here, which the browser may keep: another one has another target.
    private static func openKept(
        _ method: String, _ parameters: JSONObject, _ exchange: Exchange, _ session: LoginSession,
        _ isWanted: @escaping @ReactorActor (JSONValue) -> Bool
    ) {
        call(method, parameters, exchange, session) { result, descriptor, size in
            guard isWanted(result) else {
                close(descriptor)
                return .error(.notFound)
            }
            let fields = [
                (name: "Content-Type", value: "image/jpeg"),
                (name: "Content-Security-Policy", value: Reply.policy + "; sandbox"),
                (name: "Cache-Control", value: "private, max-age=31536000, immutable"),
            ]
            return Reply(200, fields, .file(descriptor: descriptor, offset: 0, count: size))
        }
    }

    private static func call(
        _ method: String, _ parameters: JSONObject, _ exchange: Exchange, _ session: LoginSession,
        _ reply: @escaping @ReactorActor (JSONValue, CInt, Int64) -> Reply
    ) {
        session.call(method, parameters) { outcome, descriptor in
            switch (outcome, descriptor) {
            case (.result(let result), let descriptor?):
                var status = stat()
                guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
                    close(descriptor)
                    return exchange.answer(.error(.failed))
                }
                exchange.answer(reply(result, descriptor, Int64(status.st_size)))
            case (.error(let error), _): exchange.answer(.refusal(error))
            default: exchange.answer(.error(.failed))
            }
        }
    }
}
