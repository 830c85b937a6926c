import Basics
import ControlProtocol

/// The giver's side of the protocol: what is asked of the device, one request after the other (LocalSend protocol 2.1, section 4).
/// A value: answers, failures and the user's word come in, and what is to be done comes out.
public struct Handover: Sendable {
    /// What is asked of the device.
    public enum Request: Hashable, Sendable {
        /// Who it is. It is told who this host is.
        case register
        /// Whether its user wants it.
        case prepare
        case upload(item: Int, session: String, token: String)
        /// That nothing more comes.
        case cancel(session: String?)
    }

    /// What is to be done next.
    public enum Step: Hashable, Sendable {
        case ask(Request)
        case over(GiveReport.Ending, status: Int?)
    }

    /// Why a request has no answer.
    public enum Failure: Hashable, Sendable {
        case unreachable
        case otherCertificate
        case silent
        case broken
        /// The file is another one than was offered.
        case changed
    }

    private enum Phase: Hashable, Sendable {
        case greeting
        case preparing
        case giving(session: String)
        case cancelling(GiveReport.Ending, status: Int?)
        case over
    }

    private let count: Int
    private let isText: Bool
    private var phase = Phase.preparing
    /// The tokens of the files that are still to be given, the next one last.
    private var rest: [(item: Int, token: String)] = []

    /// The places of the files that the device wants; nil until it has said so.
    public private(set) var taken: [Int]?
    /// The places of the files that it has.
    public private(set) var given: [Int] = []

    /// What the device has said of itself when it was asked who it is.
    public private(set) var met: DeviceInfo?

    /// - Parameter count: how many files are offered; 1 for a text.
    public init(count: Int, isText: Bool) {
        self.count = count
        self.isText = isText
    }

    /// Asks who a device is, and nothing else.
    public static var greeting: Handover {
        var greeting = Handover(count: 0, isText: false)
        greeting.phase = .greeting
        return greeting
    }

    /// The first thing to ask.
    public var first: Request { phase == .greeting ? .register : .prepare }

    /// The device has answered what was asked last.
    /// - Parameter body: what stands in the answer, of at most ``LocalSendLimits/answerBytes``.
    public mutating func answered(_ status: Int, _ body: [UInt8]) -> Step {
        switch phase {
        case .greeting: greeted(status, body)
        case .preparing: prepared(status, body)
        case .giving(let session): uploaded(status, session)
        case .cancelling(let ending, let status): end(ending, status)
        case .over: .over(.broken, status: nil)
        }
    }

    /// There is no answer to what was asked last.
    public mutating func failed(_ failure: Failure) -> Step {
        switch phase {
        case .greeting: end(failure == .unreachable ? .unreachable : failure == .silent ? .silent : .broken, nil)
        case .preparing:
            switch failure {
            case .unreachable: end(.unreachable, nil)
            case .otherCertificate: end(.otherCertificate, nil)
            case .silent: cancel(session: nil, .expired, nil)
            case .broken: end(.broken, nil)
            case .changed: cancel(session: nil, .changed, nil)
            }
        case .giving(let session):
            switch failure {
            case .unreachable: end(.unreachable, nil)
            case .otherCertificate: end(.otherCertificate, nil)
            case .silent: end(.silent, nil)
            // The device may have closed on purpose, or not have noticed yet.
            case .broken: cancel(session: session, .broken, nil)
            case .changed: cancel(session: session, .changed, nil)
            }
        case .cancelling(let ending, let status): end(ending, status)
        case .over: .over(.broken, status: nil)
        }
    }

    /// The user ends it. It doesn't wait for the last answer any more.
    public mutating func stop() -> Step {
        switch phase {
        case .greeting: end(.stopped, nil)
        case .preparing: cancel(session: nil, .stopped, nil)
        case .giving(let session): cancel(session: session, .stopped, nil)
        case .cancelling(let ending, let status): end(ending, status)
        case .over: .over(.stopped, status: nil)
        }
    }

    // MARK: Answers

    private mutating func greeted(_ status: Int, _ body: [UInt8]) -> Step {
        guard status == 200 else { return end(.refused, status) }
        met = (try? JSONParser.parse(body, maximumBytes: LocalSendLimits.announcementBytes)).flatMap { DeviceInfo($0) }
        return end(met == nil ? .broken : .done, status)
    }

    private mutating func prepared(_ status: Int, _ body: [UInt8]) -> Step {
        switch status {
        case 200: break
        // Of files, none was wanted.
        case 204: return end(isText ? .done : .declined, status)
        case 401: return end(.pinNeeded, status)
        case 403: return end(.declined, status)
        case 409: return end(.busy, status)
        case 429: return end(.tooMany, status)
        case 507: return end(.noRoom, status)
        default: return end(.refused, status)
        }
        guard let json = try? JSONParser.parse(body, maximumBytes: LocalSendLimits.answerBytes),
            let files = json["files"]?.object
        else { return end(.broken, status) }
        // There may be any number of them.
        let tokens = Dictionary(files.fields.map { ($0.name, $0.value) }) { first, _ in first }
        var wanted: [(item: Int, token: String)] = []
        for item in 0..<count {
            guard let token = tokens[Self.id(of: item)] else { continue }
            guard let token = token.string, Self.isWord(token) else { return end(.broken, status) }
            wanted.append((item, token))
        }
        taken = wanted.map(\.item)
        guard !wanted.isEmpty else { return end(isText ? .done : .declined, status) }
        guard let session = json["sessionId"]?.string, Self.isWord(session) else { return end(.broken, status) }
        rest = wanted.reversed()
        phase = .giving(session: session)
        return next(session)
    }

    private mutating func uploaded(_ status: Int, _ session: String) -> Step {
        guard let last = rest.last else { return end(.broken, status) }
        switch status {
        case 200, 204: break
        case 403, 404, 409, 410: return end(.cancelled, status)
        case 507: return cancel(session: session, .noRoom, status)
        default: return cancel(session: session, .refused, status)
        }
        rest.removeLast()
        given.append(last.item)
        return next(session)
    }

    private mutating func next(_ session: String) -> Step {
        guard let next = rest.last else { return end(.done, nil) }
        return .ask(.upload(item: next.item, session: session, token: next.token))
    }

    private mutating func cancel(session: String?, _ ending: GiveReport.Ending, _ status: Int?) -> Step {
        phase = .cancelling(ending, status: status)
        return .ask(.cancel(session: session))
    }

    private mutating func end(_ ending: GiveReport.Ending, _ status: Int?) -> Step {
        phase = .over
        return .over(ending, status: status)
    }

    /// Whether a text may be a session or a token: it is sent back in the first line of requests.
    private static func isWord(_ text: String) -> Bool { 1...LocalSendLimits.wordBytes ~= text.utf8.count }

    // MARK: What is sent

    /// By which the device names the file at a place of the offer.
    private static func id(of item: Int) -> String { "\(item)" }

    /// The path and the query of a request.
    public static func target(of request: Request, pin: String?) -> String {
        let base = "/api/localsend/v2/"
        func query(_ fields: [(String, String?)]) -> String {
            let parts = fields.compactMap { name, value in value.map { "\(name)=\(PercentCode.encode($0))" } }
            return parts.isEmpty ? "" : "?" + parts.joined(separator: "&")
        }
        switch request {
        case .register: return base + "register"
        case .prepare: return base + "prepare-upload" + query([("pin", pin)])
        case .upload(let item, let session, let token):
            return base + "upload"
                + query([("sessionId", session), ("fileId", id(of: item)), ("token", token)])
        case .cancel(let session): return base + "cancel" + query([("sessionId", session)])
        }
    }

    /// The body of the request that offers it all.
    public static func offer(_ errand: GiveOrder.Errand) -> [UInt8] {
        var files = JSONObject()
        func add(_ item: GiveOrder.Item, _ place: Int, preview: String?) {
            let id = id(of: place)
            files[id] = [
                "id": .string(id), "fileName": .string(item.name), "size": .integer(item.size),
                "fileType": .string(item.type), "preview": .optional(preview),
            ]
        }
        if let text = errand.text { add(textItem(text), 0, preview: text) }
        for (place, item) in errand.items.enumerated() { add(item, place, preview: nil) }
        return JSONValue.object(["info": .object(errand.info.json), "files": .object(files)]).encoded
    }

    /// A text as the file that it is to devices that show none.
    static func textItem(_ text: String) -> GiveOrder.Item {
        GiveOrder.Item(name: "text.txt", size: Int64(text.utf8.count), type: "text/plain")
    }
}
