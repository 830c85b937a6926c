import Basics
import PeerProtocol
import Reactor

/// What becomes of sessions, dials and announcements when the host's networks change.
extension PeerNetwork {
    /// Of those that are used, each once.
    var interfaceNames: [String] { Set(watch.current.map(\.name)).sorted() }

    func watchInterfaces() {
        listener.link = { [watch] in watch.link(of: $0) }
        watch.start { [weak self] in self?.changed($0) }
    }

    private func changed(_ change: NetworkWatch.Change) {
        discovery?.interfacesChanged(hasNews: !change.came.isEmpty || change.hasSlept)
        // A session from an address that is no longer ours is dead: no need to wait until its keep-alive finds out.
        let lost = Set(change.went.map(\.address)).subtracting(watch.current.map(\.address))
        for session in sessions.all {
            guard let local = session.connection.localAddress, lost.contains(local.host) else { continue }
            session.connection.end(.interrupted("our address has gone"))
        }
        BulkLines.shared.cut(lost)
        if !change.came.isEmpty || change.hasSlept { dialler.networkChanged() }
    }

    /// The device answers at another address too.
    func heard(_ device: DeviceID, alsoAt address: SocketAddress) {
        presence.change { directory, _ in
            directory.heard(device, alsoAt: address)
            return []
        }
    }

    // MARK: Announcements

    func heard(_ device: DeviceID, at address: SocketAddress, isNew: Bool) {
        presence.change { $0.announced(device, from: address, at: $1) }
        // Who is blocked is not even looked at: a dial would show that we are here.
        guard !contacts.isBlocked(device) else { return }
        dialler.heard(device, at: address, isNew: isNew)
        // Of contacts no others are asked for the card; friends are dialled in any case.
        if isNew, contacts.account(of: device) != nil { dialler.look(at: device) }
    }

    func left(_ device: DeviceID, isGoodbye: Bool) {
        // A datagram never ends a session; the session's own end tells the rest.
        presence.change { $0.unannounced(device, at: $1) }
        dialler.left(device, isGoodbye: isGoodbye)
    }
}
