import Basics
import ControlProtocol
import PeerProtocol
import TestSupport
import Testing
import Vocabulary

/// Two friends, each with a window: a connection that hears of calls, a name for its seat and a certificate.
final class CallScene {
    /// What stands for a browser's window.
    final class Window {
        let daemon: DaemonProcess
        private(set) var events: ControlClient
        let seat: String
        let fingerprint: [UInt8]
        private let notifies: Bool
        private var subscription: Int64 = 0

        init(_ daemon: DaemonProcess, number: UInt64, notifies: Bool) throws {
            self.daemon = daemon
            self.notifies = notifies
            seat = UUIDv7(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_0000 | number).description
            fingerprint = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 32)
            events = try daemon.connect()
            try subscribe()
        }

        /// The window goes, and hears nothing any more.
        func leave() throws {
            _ = try events.call("events.unsubscribe", ["subscription": .integer(subscription)])
        }

        /// Comes back after its daemon was started again.
        func reconnect() throws {
            events = try daemon.connect()
            try subscribe()
        }

        private func subscribe() throws {
            let types: [JSONValue] = ["call.changed", "message.added", "message.changed"]
            let answer = try events.call("events.subscribe", ["types": .array(types), "notifies": .bool(notifies)])
            subscription = answer["subscription"]?.integer ?? 0
        }

        var seatParameters: JSONObject {
            ["seat": .string(seat), "fingerprint": .string(CallFingerprint.text(fingerprint))]
        }

        /// The session description of this window.
        var sdp: String {
            let lines = [
                "v=0", "o=- 1 2 IN IP4 127.0.0.1", "s=-", "t=0 0", "a=ice-ufrag:abcd",
                "a=ice-pwd:abcdefghijklmnopqrstuv",
                "a=fingerprint:sha-256 \(CallFingerprint.text(fingerprint))", "m=audio 9 UDP/TLS/RTP/SAVPF 111",
                "c=IN IP4 0.0.0.0", "m=video 9 UDP/TLS/RTP/SAVPF 96", "m=video 9 UDP/TLS/RTP/SAVPF 96",
            ]
            return lines.map { $0 + "\r\n" }.joined()
        }

        func call(_ method: String, _ id: String, _ more: JSONObject = [:]) throws -> JSONValue {
            var params: JSONObject = ["id": .string(id)]
            for field in more.fields { params[field.name] = field.value }
            return try daemon.call(method, params)
        }

        func accept(_ id: String) throws -> Call {
            var params = seatParameters
            params["media"] = "audio"
            return try Call(json: call("call.accept", id, params))
        }

        func report(_ id: String, isConnected: Bool = true) throws {
            let peers: [JSONValue] = try (open(id)?.participants ?? []).map {
                ["device": .string($0.device), "state": .string(isConnected ? "connected" : "new")]
            }
            _ = try call("call.report", id, ["seat": .string(seat), "peers": .array(peers)])
        }

        /// - Parameter other: the account of the receiver; nil for the only one.
        func signal(
            _ id: String, _ kind: String, sdp: String? = nil, candidates: [String] = [], to other: String? = nil
        ) throws {
            let device =
                try open(id)?.participants.first { other == nil || $0.account == other }?.device ?? ""
            var params: JSONObject = ["seat": .string(seat), "device": .string(device), "kind": .string(kind)]
            if let sdp { params["sdp"] = .string(sdp) }
            if !candidates.isEmpty { params["candidates"] = .strings(candidates) }
            _ = try call("call.signal", id, params)
        }

        func signals(_ id: String) throws -> [CallSignal] {
            try (call("call.signals", id, ["seat": .string(seat)])["signals"]?.array ?? []).map {
                try CallSignal(json: $0)
            }
        }

        /// The call, if it is not over.
        func open(_ id: String? = nil) throws -> Call? {
            try (daemon.call("call.list")["calls"]?.array ?? []).map { try Call(json: $0) }
                .first { id == nil || $0.id == id }
        }

        /// Waits until the call stands so.
        @discardableResult
        func wait(_ state: CallStage, _ id: String? = nil) throws -> Call {
            try Patience.until("a call to be \(state) at \(daemon.name)", report: daemon.logTail) {
                try open(id).flatMap { $0.state == state ? $0 : nil }
            }
        }

        func waitForEnd(_ id: String) throws {
            try Patience.until("the call to end at \(daemon.name)", report: daemon.logTail) { try open(id) == nil }
        }

        /// What stays of the call, once it does.
        func record(_ id: String) throws -> Message {
            try Patience.until("the record at \(daemon.name)", report: daemon.logTail) {
                try (daemon.call("call.history")["messages"]?.array ?? []).map { try Message(json: $0) }
                    .first { $0.id == id }
            }
        }

        /// Waits for an event in which the call has ended.
        func ending(_ id: String) throws -> CallEnding? {
            while let event = try events.nextEvent(timeout: Patience.usual) {
                guard event.isOf(.callChanged) else { continue }
                let call = try Call(json: event.data)
                if call.id == id, call.state == .ended { return call.reason }
            }
            return nil
        }

        var totals: Totals { get throws { try Totals(json: daemon.call("conversation.totals")) } }
    }

    let anna: Window
    let bert: Window
    let conversation: String

    /// - Parameter environment: of Bert's daemon.
    convenience init(bertNotifies: Bool = true, environment: [String: String] = [:]) throws {
        var options = DaemonProcess.Options(discoveryPort: try FreePort.udp(), logLevel: .debug)
        let anna = try DaemonProcess.launch(name: "Anna", options: options)
        options.environment = environment
        let bert = try DaemonProcess.launch(name: "Bert", options: options)
        try anna.befriend(bert)
        try self.init(anna, bert, bertNotifies: bertNotifies)
    }

    init(_ anna: DaemonProcess, _ bert: DaemonProcess, bertNotifies: Bool = true) throws {
        self.anna = try Window(anna, number: 1, notifies: true)
        self.bert = try Window(bert, number: 2, notifies: bertNotifies)
        conversation = try anna.conversation(with: bert)
        try waitForSession()
    }

    func waitForSession() throws {
        for (daemon, other) in [(anna.daemon, bert.daemon), (bert.daemon, anna.daemon)] {
            let id = try other.account.id
            try Patience.until("\(other.name) to be here for \(daemon.name)", report: daemon.logTail) {
                try daemon.contact(id)?.presence == .online
            }
        }
    }

    func start(_ window: Window, in conversation: String) throws -> Call {
        var params = window.seatParameters
        params["conversation"] = .string(conversation)
        params["media"] = "audio"
        return try Call(json: window.daemon.call("call.start", params))
    }

    func start() throws -> Call { try start(anna, in: conversation) }

    /// Anna calls, and it rings at Bert's.
    func ring() throws -> String {
        let call = try start()
        try bert.wait(.incoming, call.id)
        try anna.wait(.ringing, call.id)
        return call.id
    }

    /// Both talk.
    func talk() throws -> String {
        let id = try ring()
        _ = try bert.accept(id)
        try anna.wait(.connecting, id)
        for window in [anna, bert] { try window.report(id) }
        try anna.wait(.active, id)
        try bert.wait(.active, id)
        return id
    }

    /// Both have one record of the call, with this outcome.
    func expect(_ id: String, _ outcome: CallOutcome, isMissed: Bool) throws {
        for window in [anna, bert] {
            let record = try window.record(id)
            #expect(record.call?.outcome == outcome, "\(window.daemon.name)")
            #expect(try record.sender == anna.daemon.account.id)
        }
        #expect(try bert.record(id).unread == isMissed)
        #expect(try anna.record(id).unread == false)
        #expect(try bert.totals.missedCalls == (isMissed ? 1 : 0))
        let chats = try bert.daemon.call("conversation.list")["conversations"]?.array ?? []
        #expect(chats.reduce(0) { $0 + ($1["missedCalls"]?.integer ?? 0) } == (isMissed ? 1 : 0))
        try Patience.until("the record to be delivered", report: anna.daemon.logTail) {
            try anna.record(id).state >= .delivered
        }
        for window in [anna, bert] {
            let all = (try window.daemon.call("call.history")["messages"]?.array ?? []).filter {
                $0["id"]?.string == id
            }
            #expect(all.count == 1)
        }
    }
}

extension MessageState {
    fileprivate static func >= (left: MessageState, right: MessageState) -> Bool { left.stored >= right.stored }
}
