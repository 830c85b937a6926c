import Basics
import LocalSend
import Network
import Reactor

/// Asks one address after the other whether a LocalSend device is there, for networks that keep multicast away and for devices
/// that don't announce themselves. Each device that answers is talked with by a process of its own.
@ReactorActor final class DeviceScan {
    /// What is asked: an address, and how it is spoken with there.
    private struct Target: Hashable {
        let address: IPAddress
        let isEncrypted: Bool
    }

    private let program: String
    private let own: BridgeKeeper.Own
    private let mayBePlain: Bool
    private let choice: InterfaceChoice
    private let met: @ReactorActor (BridgeReport.Device) -> Void
    private let over: @ReactorActor (DeviceScan) -> Void

    /// The addresses that nobody has dialled yet, the next one last.
    private var rest: [Target]
    private var dials: [Target: Dial] = [:]
    /// Connections for which there was no process yet, the oldest first.
    private var reached: [(target: Target, socket: Descriptor)] = []
    private var talks: [Target: Errand] = [:]
    private var answered: Set<IPAddress> = []
    private var dialled: Set<IPAddress> = []
    private var deadlines: [Target: TimerToken] = [:]
    private var deadline: TimerToken?
    private var isOver = false

    /// How many addresses it has asked.
    var asked: Int { dialled.count }
    /// How many devices have answered.
    var found: Int { answered.count }

    /// Begins.
    /// - Parameters:
    ///   - program: what talks with the devices.
    ///   - own: what they are told about this host.
    ///   - mayBePlain: whether devices without TLS may be spoken with, too.
    ///   - met: is called for each device that has said who it is.
    ///   - over: is called once, when all have answered or have had their time, and not after ``stop()``.
    init(
        _ addresses: [IPAddress], program: String, own: BridgeKeeper.Own, mayBePlain: Bool, choice: InterfaceChoice,
        met: @escaping @ReactorActor (BridgeReport.Device) -> Void,
        over: @escaping @ReactorActor (DeviceScan) -> Void
    ) {
        (self.program, self.own, self.mayBePlain, self.choice) = (program, own, mayBePlain, choice)
        (self.met, self.over) = (met, over)
        rest = addresses.reversed().map { Target(address: $0, isEncrypted: true) }
        deadline = Reactor.shared.schedule(at: Reactor.shared.now + GuestLimits.scanTime) { [weak self] in
            self?.finish()
        }
        // Its owner has it by then, also if there is nothing to ask.
        Reactor.shared.post { self.goOn() }
    }

    /// Ends it without a word.
    func stop() {
        guard !isOver else { return }
        isOver = true
        deadline?.cancel()
        for dial in dials.values { dial.cancel() }
        for talk in talks.values { talk.end() }
        for deadline in deadlines.values { deadline.cancel() }
        (rest, dials, reached, talks, deadlines) = ([], [:], [], [:], [:])
    }

    private func finish() {
        guard !isOver else { return }
        stop()
        over(self)
    }

    private func goOn() {
        guard !isOver else { return }
        while talks.count < GuestLimits.scanTalks, !reached.isEmpty {
            let (target, socket) = reached.removeFirst()
            talk(target, socket)
        }
        while dials.count + reached.count + talks.count < GuestLimits.scanAtOnce, let target = rest.popLast() {
            dial(target)
        }
        if dials.isEmpty, reached.isEmpty, talks.isEmpty { finish() }
    }

    private func dial(_ target: Target) {
        let place = SocketAddress(target.address, port: DeviceInfo.usualPort)
        let way = choice.way(to: place)
        // What is not dialled doesn't count as asked.
        if case .barred = way { return }
        dialled.insert(target.address)
        dials[target] = Dial(place, way: way, timeout: GuestLimits.scanDialTime) { [weak self] socket in
            guard let self else { return }
            dials[target] = nil
            if let socket { reached.append((target, socket)) }
            goOn()
        }
    }

    private func talk(_ target: Target, _ socket: Descriptor) {
        let device = BridgeReport.Device(
            info: DeviceInfo(
                alias: "?", model: nil, kind: .desktop, fingerprint: "", port: DeviceInfo.usualPort,
                isEncrypted: target.isEncrypted),
            address: target.address)
        let order = GiveOrder.Errand(
            info: own.info, certificate: own.identity?.certificate, key: own.identity?.key, device: device, pin: nil,
            items: [], text: nil)
        // It had its connection; another one is not made for it.
        talks[target] = Errand(
            program, order, connected: socket, way: { .barred("a scan dials once") },
            heard: { [weak self] in if case .met(let said) = $0 { self?.hear(said, from: target) } },
            ended: { [weak self] _ in self?.ended(target) })
        // A process that keeps to its time has ended by then.
        deadlines[target] = Reactor.shared.schedule(at: Reactor.shared.now + GuestLimits.talkTime) { [weak self] in
            self?.talks[target]?.end()
        }
    }

    /// The process may have become the device's, so that only what it may say counts: who is at that address.
    private func hear(_ said: DeviceInfo, from target: Target) {
        guard !isOver, said.isEncrypted == target.isEncrypted, said.port == DeviceInfo.usualPort,
            !target.isEncrypted || Hex.decode(said.fingerprint)?.count == 32,
            said.fingerprint != own.info.fingerprint, answered.insert(target.address).inserted
        else { return }
        met(BridgeReport.Device(info: said, address: target.address))
    }

    private func ended(_ target: Target) {
        talks[target] = nil
        deadlines.removeValue(forKey: target)?.cancel()
        if mayBePlain, target.isEncrypted, !answered.contains(target.address) {
            rest.append(Target(address: target.address, isEncrypted: false))
        }
        goOn()
    }
}
