import Basics
import Glibc
import LocalSend
import Reactor

/// Says by datagrams who this host is, and hears who the others are. It answers by datagrams only, so that it dials nobody.
@ReactorActor final class Announcer {
    private static let group = SocketAddress(.v4(0xE000_00A7), port: DeviceInfo.usualPort)

    private let own: DeviceInfo
    private let links: [BridgeOrder.Link]
    private let heard: @ReactorActor (ArraySlice<UInt8>, IPAddress) -> Announcement?
    private let echoed: @ReactorActor (UInt32) -> Void
    private var echoes: OwnEchoes
    private var socket: DatagramSocket?
    private var answer: TimerToken?

    /// - Parameters:
    ///   - descriptor: of a UDP socket that is bound.
    ///   - heard: takes in a datagram.
    ///     Returns what it says, if that counts.
    ///   - echoed: gets the interface on which an announcement of ours has come back, once for each time that all were asked.
    init(
        _ descriptor: CInt, own: DeviceInfo, links: [BridgeOrder.Link],
        heard: @escaping @ReactorActor (ArraySlice<UInt8>, IPAddress) -> Announcement?,
        echoed: @escaping @ReactorActor (UInt32) -> Void
    ) throws(SocketError) {
        self.own = own
        self.links = links
        self.heard = heard
        self.echoed = echoed
        echoes = OwnEchoes(links: links, own: own)
        socket = try DatagramSocket(adopting: descriptor) { [weak self] in self?.receive($0, $1) }
        for pause in BridgeLimits.announcements {
            Reactor.shared.schedule(at: Reactor.shared.now + pause) { [weak self] in self?.announce() }
        }
    }

    /// Asks all who they are.
    func announce() {
        echoes.begin()
        send(wantsAnswers: true)
    }

    private func receive(_ bytes: ArraySlice<UInt8>, _ source: Datagram.Source) {
        guard links.contains(where: { $0.index == source.interfaceIndex }) else { return }
        switch echoes.hear(bytes, from: source.address.host, on: source.interfaceIndex) {
        case .first: return echoed(source.interfaceIndex)
        case .again: return
        case .ofOthers: break
        }
        guard let announcement = heard(bytes, source.address.host), announcement.wantsAnswers,
            answer == nil
        else { return }
        answer = Reactor.shared.schedule(at: Reactor.shared.now + BridgeLimits.answerPause) { [weak self] in
            self?.answer = nil
            self?.send(wantsAnswers: false)
        }
    }

    private func send(wantsAnswers: Bool) {
        let datagram = Announcement(own, wantsAnswers: wantsAnswers).datagram
        for link in links {
            // A datagram may be lost; the next one that asks is answered again.
            try? socket?.send(datagram, to: Self.group, interfaceIndex: link.index, from: link.address)
        }
    }
}
