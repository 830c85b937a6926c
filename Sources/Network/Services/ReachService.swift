import Basics
import PeerProtocol
import Reactor
import Runtime

/// Dials friends back who ask for it, and asks friends to dial us.
@ReactorActor package final class ReachService {
    private let environment: Environment
    /// The interface through which an address may be dialled; nil while there is no network.
    private let way: @ReactorActor (SocketAddress) -> InterfaceChoice.Way?
    private var asking: [UInt64: CheckedContinuation<Answer?, Never>] = [:]
    private var asked: [UInt64: (account: AccountID, at: WallTime)] = [:]
    private var number: UInt64 = 0
    private var dials: [ObjectIdentifier: BackDial] = [:]

    /// What a friend found out.
    package struct Answer: Sendable {
        package let body: ReachBody
        /// How far the friend's clock is ahead of ours; the round trip is halved.
        package let clockAhead: Duration
    }

    package init(environment: Environment, way: @escaping @ReactorActor (SocketAddress) -> InterfaceChoice.Way?) {
        self.environment = environment
        self.way = way
    }

    /// Asks a friend to dial us. Returns nil without an answer in time.
    package func ask(_ session: PeerSession) async -> Answer? {
        number += 1
        let number = number
        asked[number] = (session.peer.account, environment.clocks.wallTime)
        _ = Reactor.shared.schedule(at: environment.clocks.now + NetworkLimits.reachAnswer) { [weak self] in
            self?.finish(number, nil)
        }
        return await withCheckedContinuation { continuation in
            asking[number] = continuation
            session.tell(.reachRequest(ReachRequestBody(number: number)))
        }
    }

    /// Takes a friend's report of how its dial went.
    package func came(_ body: ReachBody, from session: PeerSession) {
        // Only the friend that was asked can answer.
        guard let (account, begin) = asked[body.number], account == session.peer.account else { return }
        let now = environment.clocks.wallTime
        let middle = begin.milliseconds / 2 + now.milliseconds / 2
        let (ahead, overflow) = body.time.milliseconds.subtractingReportingOverflow(middle)
        finish(body.number, Answer(body: body, clockAhead: .milliseconds(overflow ? .max / 2 : ahead)))
    }

    private func finish(_ number: UInt64, _ answer: Answer?) {
        asked[number] = nil
        asking.removeValue(forKey: number)?.resume(returning: answer)
    }

    // MARK: For friends

    /// Dials a friend that asks for it, and tells it how that went.
    func dialBack(_ session: PeerSession, _ number: UInt64) {
        guard let host = session.connection.remoteAddress?.host, let port = session.peer.listenPort,
            dials.count < NetworkLimits.backDials
        else { return answer(session, number, .notTried, nil, nil) }
        let address = SocketAddress(host, port: port)
        var device: String?
        switch way(address) {
        case .barred?: return answer(session, number, .notTried, nil, nil)
        case .through(let name)?: device = name
        case .free?, nil: break
        }
        let dial = BackDial(address, through: device) { [weak self, weak session] dial, error in
            self?.dials[ObjectIdentifier(dial)] = nil
            guard let session else { return }
            self?.answer(session, number, error == nil ? .reached : .failed, address, error)
        }
        dials[ObjectIdentifier(dial)] = dial
        dial.start()
    }

    private func answer(
        _ session: PeerSession, _ number: UInt64, _ outcome: ReachBody.Outcome, _ address: SocketAddress?,
        _ detail: String?
    ) {
        session.tell(
            .reach(
                ReachBody(
                    number: number, outcome: outcome, time: environment.clocks.wallTime, address: address?.description,
                    detail: detail)))
    }
}

/// A connection that is closed as soon as it is made, because we only want to know that it can be made.
@ReactorActor private final class BackDial: StreamHandler {
    private let address: SocketAddress
    private let device: String?
    private var socket: StreamSocket?
    private var done: (@ReactorActor (BackDial, String?) -> Void)?

    init(
        _ address: SocketAddress, through device: String?, done: @escaping @ReactorActor (BackDial, String?) -> Void
    ) {
        self.address = address
        self.device = device
        self.done = done
    }

    func start() {
        do {
            socket = try StreamSocket.connect(
                to: address, through: device, timeout: NetworkLimits.backDial, handler: self)
        } catch {
            let text = "\(error)"
            Reactor.shared.post { self.finish(text) }
        }
    }

    func streamDidConnect() { finish(nil) }
    func streamDidReceive(_ bytes: ArraySlice<UInt8>) {}
    func streamDidEnd() {}
    func streamDidClose(_ error: SocketError?) { finish(error.map { "\($0)" } ?? "closed") }

    private func finish(_ error: String?) {
        guard let done else { return }
        self.done = nil
        socket?.close()
        socket = nil
        done(self, error)
    }
}
