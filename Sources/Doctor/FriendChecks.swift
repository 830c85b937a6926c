import Basics
import ControlProtocol
import Messaging
import Network
import Reactor
import Runtime

/// What friends' devices tell: whether they are here, know us, and can dial us.
@ReactorActor struct FriendChecks {
    let network: PeerNetwork
    let contacts: ContactIndex

    /// Whether friends were here a moment ago and no peer is now: if there were several friends, the network is cut beyond this host,
    /// where the host can't see it. Nil where there is nothing to say.
    func company() -> DoctorCheck? {
        guard !network.sessions.all.contains(where: \.isMet), network.directory.shown.isEmpty else { return nil }
        let lost = contacts.all.values.filter { contact in
            contact.relation == .friend && contact.device.map { network.dialler.isLost($0) } == true
        }
        guard !lost.isEmpty else { return nil }
        let names = lost.map(\.displayName).sorted()
        guard names.count > 1 else {
            return .good("company", .friendLost, ["name": .string(names[0])])
        }
        return .bad(
            "company", .friendsLost, ["names": .strings(names)], .examineNetwork,
            ["host": .optional(lost.compactMap(\.lastAddress).first.map { "\($0.host)" })])
    }

    /// Which friends can't recognise our announcements in a mode that isn't open. Nil in the open mode.
    func recognition(_ mode: DiscoveryModeSetting) -> DoctorCheck? {
        guard mode != .open, let without = network.keys.friendsWithoutOurs else { return nil }
        let friends = contacts.all.values.count { $0.relation == .friend }
        let about: JSONObject = ["mode": .string(mode.rawValue)]
        guard !without.isEmpty else { return .good("keys", friends == 0 ? .keysForNobody : .keysGiven, about) }
        let names = without.map { contacts.entry($0)?.displayName ?? "\($0)" }.sorted()
        return .bad(
            "keys", .keysMissing, ["mode": .string(mode.rawValue), "names": .strings(names)], .beOpen)
    }

    /// Whether our data directory, or a friend's, is in use twice. Nil where nothing says so.
    func copies() -> DoctorCheck? {
        if let place = network.copies.ownCopy {
            return .bad("copies", .ownCopy, ["place": .string("\(place)")], .setUpAnew)
        }
        let friends = network.copies.friends
        guard !friends.isEmpty else { return nil }
        let texts = friends.map { friend in
            let name = contacts.entry(friend.account)?.displayName ?? "\(friend.account)"
            return "\(name) at \(friend.places.map(\.description).joined(separator: " and "))"
        }
        return .bad(
            "copies", .copiesOfContacts, ["names": .strings(texts)], .tellOfCopy)
    }

    /// Asks friends to dial us, one after another until one has reached us. Friends on this host tell nothing: no firewall
    /// is between us.
    func ask(_ reach: ReachService) async -> [FriendAnswers.Friend] {
        var friends: [FriendAnswers.Friend] = []
        let sessions = network.sessions.all.filter { $0.relation == .friend && $0.isMet && isElsewhere($0) }
        for session in sessions.prefix(DoctorLimits.askedFriends) {
            let answer = await reach.ask(session)
            let name = contacts.entry(session.peer.account)?.displayName ?? "a friend"
            friends.append(.init(name: name, answer: answer, hasDialled: !session.connection.isDialled))
            if answer?.body.outcome == .reached { break }
        }
        return friends
    }

    /// Whether a session's peer is on another host. A daemon that uses loopback only has no others.
    private func isElsewhere(_ session: PeerSession) -> Bool {
        guard !network.doorway.choice.isLoopbackOnly, let remote = session.connection.remoteAddress?.host else {
            return true
        }
        return session.connection.localAddress?.host != remote && !remote.isLoopback
            && !network.doorway.watch.current.contains { $0.address == remote }
    }

    /// No session opens with a peer whose clock is weeks from ours. Nil where there is none.
    func distantClock(_ now: WallTime) -> DoctorCheck? {
        guard let peer = network.clockNotice.foremost else { return nil }
        return .bad(
            "clock", .clocksTooFar,
            [
                "name": .string(contacts.entry(peer.account)?.displayName ?? "\(peer.account)"),
                "days": .integer(Int64(clamping: peer.days.magnitude)), "behind": .bool(peer.days < 0),
                "now": .string(String(now.utcText.prefix(10))),
            ], .setClocks)
    }

    /// The device whose clock is so far off that it isn't recognised, with its name and the minutes.
    var wrongClock: (name: String?, minutes: Int)? {
        network.discovery?.wrongClocks.min { $0.key < $1.key }.map { device, minutes in
            (contacts.account(of: device).flatMap { contacts.entry($0)?.displayName }, minutes)
        }
    }
}

/// What the friends that were asked have found out. A value without I/O.
struct FriendAnswers {
    struct Friend {
        let name: String
        let answer: ReachService.Answer?
        /// The friend has connected to us by itself, which shows that it can.
        let hasDialled: Bool
        /// Whether that still counts: a firewall may have closed since, and then dialling us fails now.
        var canDial: Bool { hasDialled && answer?.body.outcome != .failed }
        var isReached: Bool { canDial || answer?.body.outcome == .reached }
    }

    let all: [Friend]

    /// - Parameter port: where we listen.
    func reachable(port: UInt16?) -> DoctorCheck {
        guard !all.isEmpty else {
            return .good("reachable", .noFriendConnected)
        }
        if let friend = all.first(where: { $0.answer?.body.outcome == .reached }) {
            return .good(
                "reachable", .reached,
                ["name": .string(friend.name), "address": .string(friend.answer?.body.address.map { "\($0)" } ?? "")])
        }
        if let friend = all.first(where: \.canDial) {
            return .good("reachable", .wasDialled, ["name": .string(friend.name)])
        }
        if let friend = all.first(where: { $0.answer?.body.outcome == .failed }), let body = friend.answer?.body {
            return .bad(
                "reachable", .notReached,
                [
                    "name": .string(friend.name), "address": .string(body.address.map { "\($0)" } ?? "?"),
                    "detail": .string(body.detail ?? "no answer"),
                ], .letConnectionsIn, ["port": .integer(Int64(port ?? 0))])
        }
        return .good("reachable", .noFriendCanDial, ["names": .strings(all.map(\.name))])
    }

    /// - Parameter wrong: a device whose clock is more than half an hour off: then devices don't recognise each other.
    func clock(_ wrong: (name: String?, minutes: Int)?) -> DoctorCheck {
        if let (name, minutes) = wrong {
            return .bad(
                "clock", .clockFarOff,
                [
                    "name": .optional(name), "minutes": .integer(Int64(abs(minutes))), "behind": .bool(minutes < 0),
                ], .setClocks)
        }
        let answered = all.compactMap { friend in friend.answer.map { (friend.name, $0.clockAhead) } }
        guard let (name, ahead) = answered.max(by: { abs($0.1.milliseconds) < abs($1.1.milliseconds) }) else {
            return .good("clock", .clockNotCompared)
        }
        let seconds = abs(ahead.milliseconds) / 1000
        if seconds < 1 { return .good("clock", .clockAgrees, ["name": .string(name)]) }
        let parameters: JSONObject = [
            "name": .string(name), "seconds": .integer(seconds), "behind": .bool(ahead < .zero),
        ]
        guard ahead > DoctorLimits.clockApart || ahead < .zero - DoctorLimits.clockApart else {
            return .good("clock", .clockApart, parameters)
        }
        return .bad("clock", .clockApart, parameters, .setClocks)
    }
}
