import Basics
import Messaging
import Reactor
import Store

/// What the other rooms and the clients bring about in the network.
extension PeerNetwork {
    /// A contact's row is another one since the last commit.
    /// - Parameter before: as it was until then.
    func contactChanged(_ row: ContactRow, before: ContactIndex.Entry?) {
        let wasHeld = before.map { $0.relation == .friend && $0.trust == .changed } ?? false
        if let entry = contacts.entry(row.account) { presence.know(row.account, entry) }
        if let session = session(with: row.account) {
            session.relationChanged()
            if wasHeld, !contacts.isHeld(row.account) { session.released() }
            // Whoever becomes a contact within a session was nobody whose address is kept when it began.
            if let address = session.dialAddress, row.relation != .none {
                met(session.peer.device, at: address)
                if row.lastAddress != address.description { presence.remember(session.peer, at: address) }
            }
        }
        // Whoever becomes a contact within a session has shown their card before there was a row to keep it in.
        if row.card == nil, let card = session(with: row.account)?.card { keep(card) }
        if row.relation != .friend {
            services.typing.sessionEnded(row.account)
            services.avatars.named(nil, by: row.account)
        } else if let digest = session(with: row.account)?.card?.profile.avatarDigest {
            services.avatars.named(digest, by: row.account)
        }
        updatePresence(of: row.account)
        discovery?.contactsChanged()
        keys.contactChanged(row, before: before)
        dialler.contactsChanged()
        let devices = directory.devices(of: row.account)
        if row.relation == .blocked {
            for device in Set(devices.map(\.device) + [row.device].compactMap { $0 }) { dialler.giveUp(device) }
        } else if before?.relation == .blocked {
            // They were not looked at while they were blocked.
            for entry in devices { entry.address.map { dialler.heard(entry.device, at: $0, isNew: true) } }
        }
        if row.relation == .friend { services.transfers.peerAppeared(row.account) }
    }

    /// Where others can dial us, with the host's own addresses where we listen on all of them.
    var reachableAddresses: [SocketAddress] {
        guard let listen = listenAddresses.first else { return [] }
        guard listen.host == .any else { return [listen] }
        // IPv4 first; a link-local address means nothing without its interface.
        let usable = watch.current.filter { !$0.hasLinkLocalGroup }.map(\.address)
        let hosts = usable.filter(\.isFour) + usable.filter { !$0.isFour }
        return hosts.prefix(DaemonLimits.linkAddresses).map { SocketAddress($0, port: listen.port) }
    }

    /// Opens a session with whoever is at an address, or finds the one that is open.
    func meet(_ address: SocketAddress) async -> Result<PeerDirectory.Entry, ConnectionFailure> {
        if let open = sessions.at(address), let entry = directory.entry(open.peer.device),
            entry.isShown, entry.displayName != nil
        {
            return .success(entry)
        }
        return await withCheckedContinuation { continuation in
            meetings.add(address, continuation)
            dialler.meet(address)
        }
    }

    /// A person doesn't want to wait for the next attempt.
    func retry(_ account: AccountID) { outbox.retry(account) }

    /// How it looks for what waits for an account.
    func prospect(of account: AccountID) -> Prospect {
        let isConnected = session(with: account) != nil
        let outlook = outbox.devices(of: account).compactMap(dialler.outlook).min { $0.order < $1.order }
        return Prospect(isConnected: isConnected, dial: outlook)
    }
}
