import Basics
import Control
import ControlProtocol
import Crypto
import Messaging
import PeerProtocol
import Reactor
import Store
import Vocabulary

/// The control methods of calls: clients begin, answer, carry and list calls with them.
@ReactorActor package struct CallHandlers: MethodArea {
    package let base: MethodBase
    private let calls: CallService

    package init(base: MethodBase, calls: CallService) {
        self.base = base
        self.calls = calls
    }

    package var methods: [String: Method] {
        [
            "call.start": { parameters, connection in
                await connection.lane.pass()
                return try await start(parameters).json
            },
            "call.accept": { parameters, _ in
                let seat = try seat(parameters)
                return try call(parameters) { id, machine, now, wall throws(CallObjection) in
                    try machine.accept(id, seat: seat, now: now, wall: wall)
                }
            },
            "call.decline": { parameters, _ in try await decline(parameters) },
            "call.hangup": { parameters, _ in
                try call(parameters) { id, machine, now, wall throws(CallObjection) in
                    try machine.hangUp(id, now: now, wall: wall)
                }
            },
            "call.take": { parameters, _ in
                let seat = try seat(parameters)
                return try call(parameters) { id, machine, now, wall throws(CallObjection) in
                    try machine.assign(id, seat: seat, now: now, wall: wall)
                }
            },
            "call.update": { parameters, _ in
                let seat = try required("seat", parameters)
                var sends: CallSends = []
                for word in parameters.strings("sends").compactMap(CallSource.init) { sends.insert(word.bit) }
                return try call(parameters) { [sends] id, machine, now, wall throws(CallObjection) in
                    try machine.update(id, seat: seat, sends: sends, now: now, wall: wall)
                }
            },
            "call.report": { parameters, _ in try report(parameters) },
            "call.signal": { parameters, _ in try signal(parameters) },
            "call.signals": { parameters, _ in try signals(parameters) },
            "call.list": { _, _ in ["calls": .array(calls.open.map(\.json))] },
            "call.history": { parameters, _ in try await history(parameters) },
        ]
    }

    // MARK: Beginning and ending

    private func start(_ parameters: Parameters) async throws -> Call {
        let conversation = try required("conversation", parameters)
        let seat = try seat(parameters)
        let media: CallMedia = parameters.choice("media") ?? .audio
        let now = clocks.wallTime
        let (audience, time) = try await store.commit { transaction in
            (
                try Audience.of(.conversation(conversation), in: transaction),
                transaction.clock.tick(at: now)
            )
        }
        var random = SodiumGenerator()
        let id = UUIDv7(at: now, using: &random)
        switch audience {
        case .friend(let contact):
            return try calls.start(
                id, with: contact.account, in: conversation, media: media, seat: seat, time: time)
        case .group(let group):
            guard let root = EntryHash(group.root) else { throw ControlError(CallObjection.noCall) }
            return try calls.start(id, in: root, media: media, seat: seat, time: time)
        case .notes:
            throw ControlError(
                .unsupported, "these are notes to yourself: there is nobody to call", field: "conversation")
        }
    }

    private func decline(_ parameters: Parameters) async throws -> JSONValue {
        let declined = try call(parameters) { id, machine, now, wall throws(CallObjection) in
            try machine.decline(id, now: now, wall: wall)
        }
        guard let text = parameters.optionalString("text"), !text.isEmpty,
            let conversation = declined.object?["conversation"]?.string.flatMap(UUIDv7.init)
        else { return declined }
        let account = try requireAccount()
        var draft = Draft(
            own: account.id, device: account.device, text: text, replyTo: nil, key: nil, now: clocks.wallTime)
        draft.target = .conversation(conversation)
        draft.voice = voice
        let said = draft
        _ = try await store.commit { try said.commit(in: $0) }
        return declined
    }

    // MARK: Windows

    private func report(_ parameters: Parameters) throws -> JSONValue {
        let seat = try required("seat", parameters)
        let closes = parameters.bool("closes")
        let peers = (parameters["peers"]?.array ?? []).compactMap(\.object)
        let connected = Set(
            peers.filter { $0["state"]?.string == "connected" }.compactMap {
                $0["device"]?.string.flatMap(DeviceID.init)
            })
        _ = try call(parameters) { id, machine, now, wall throws(CallObjection) in
            try closes
                ? machine.close(id, seat: seat, now: now, wall: wall)
                : machine.report(id, seat: seat, connected: connected, now: now, wall: wall)
        }
        return [:]
    }

    private func signal(_ parameters: Parameters) throws -> JSONValue {
        let seat = try required("seat", parameters)
        guard let device = DeviceID(parameters.string("device")) else {
            throw ControlError(.invalid, "device is not a device id", field: "device")
        }
        let kind: CallSignalKind = parameters.choice("kind") ?? .restart
        let (sdp, lines) = (parameters.optionalString("sdp"), parameters.strings("candidates"))
        guard (sdp != nil) == (kind == .offer || kind == .answer) else {
            throw ControlError(.invalid, "sdp goes with an offer or an answer, and only there", field: "sdp")
        }
        guard lines.isEmpty == (kind != .candidates) else {
            throw ControlError(.invalid, "candidates go with candidates, and only there", field: "candidates")
        }
        let addresses = calls.network.callAddresses(of: device)
        _ = try call(parameters) { id, machine, now, wall throws(CallObjection) in
            try machine.signal(
                id, seat: seat, to: device, kind, sdp: sdp, lines: lines, addresses: addresses, now: now, wall: wall)
        }
        return [:]
    }

    private func signals(_ parameters: Parameters) throws -> JSONValue {
        let after = UInt64(clamping: parameters.integer("after"))
        let (items, next) = try calls.signals(
            try required("id", parameters), seat: try required("seat", parameters), after: after)
        return [
            "signals": .array(items.map { CallSignal($0).json }), "next": .integer(Int64(clamping: next)),
        ]
    }

    // MARK: What stays

    private func history(_ parameters: Parameters) async throws -> JSONValue {
        let start = try position("before", parameters, ArrivalPosition.init)
        let limit = parameters.limit
        let messages = base.messages
        return try await store.read { transaction in
            let page = try transaction.recentCalls(before: start, limit: limit)
            var result: JSONObject = [
                "messages": .array(try page.messages.compactMap { try messages($0.id, transaction)?.json })
            ]
            if page.hasMore, let last = page.messages.last { result["next"] = .string(last.position.description) }
            return .object(result)
        }
    }

    // MARK: Parameters

    private func required(_ name: String, _ parameters: Parameters) throws -> UUIDv7 {
        guard let id = parameters.uuid(name) else { throw ControlError(.invalid, "\(name) is not a UUID", field: name) }
        return id
    }

    private func seat(_ parameters: Parameters) throws -> CallSeat {
        guard let fingerprint = CallFingerprint.bytes(parameters.string("fingerprint")) else {
            throw ControlError(.invalid, "fingerprint is not that of a SHA-256", field: "fingerprint")
        }
        return CallSeat(id: try required("seat", parameters), fingerprint: fingerprint)
    }

    private func call(
        _ parameters: Parameters,
        _ body: (UUIDv7, inout CallMachine, Instant, WallTime) throws(CallObjection) -> [CallEffect]
    ) throws -> JSONValue {
        let id = try required("id", parameters)
        return try calls.change(id) { machine, now, wall throws(CallObjection) in
            try body(id, &machine, now, wall)
        }.json
    }
}
