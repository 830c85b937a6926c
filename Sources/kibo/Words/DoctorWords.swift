import Basics
import ControlProtocol

/// Says what the doctor has found, in the words of the command line.
enum DoctorWords {
    /// The findings, on one line.
    static func findings(of check: DoctorCheck) -> String {
        check.findings.map { text($0.code, Values($0.parameters)) }.joined(separator: "; ")
    }

    /// The remedies; nil where there are none.
    static func advice(of check: DoctorCheck) -> String? {
        check.advice.isEmpty ? nil : check.advice.map { text($0.code, Values($0.parameters)) }.joined(separator: " ")
    }

    private static func text(_ finding: DoctorFinding, _ p: Values) -> String {
        switch finding {
        case .noAccount: "there is no account yet, so Kibo neither listens nor announces itself"
        case .accountLocked: "it is locked, so Kibo neither listens nor announces itself"
        case .accountOpen: "it is there, and open"
        case .recoveryCodeShown:
            "the recovery code was last shown on \(Humane.format(p.parameters["at"]?.integer ?? 0, "%Y-%m-%d"))"
        case .backupMade: "the last one was made on \(Humane.format(p.parameters["at"]?.integer ?? 0, "%Y-%m-%d"))"
        case .backupOld:
            "the last one was made on \(Humane.format(p.parameters["at"]?.integer ?? 0, "%Y-%m-%d")), more than 30 days ago"
        case .backupNone: "none was ever made: if this disk is lost, so are your messages"
        case .couriersNone: "no friend keeps messages for you while you are away"
        case .couriersKeep: "messages are kept for you while you are away by \(p.names)"
        case .couriersRefuse: "named by you, but keeping nothing for others: \(p.names)"
        case .couriersUnknown: "named by you, but not met since, or their Kibo is too old: \(p.names)"
        case .friendsWithoutCourier:
            "their couriers are not your friends, so what you write waits here while they are away: \(p.names)"
        case .recoveryCodeUnseen: "the recovery code was never shown: if this disk is lost, so is the account"
        case .noInterface: "none"
        case .interfacesMissing: "\(p["names"]) is configured, but missing or down; it is used once it is up"
        case .alone: "nobody can be reached from \(p["address"]) of \(p["name"]): its mask leaves no room for others"
        case .otherSubnet:
            "other Kibos are on the same cable in another subnet, at \(p["addresses"]): they can't be reached from here"
        case .interface: p.interface
        case .listens: "TCP \(p["addresses"])"
        case .portTaken: "not \(p["port"]), which perhaps another user's Kibo has"
        case .nothingListens: "nothing listens: \(p["detail"])"
        case .announcementsOff: "they are switched off (discovery in the configuration, or --no-discovery)"
        case .announcementsSilent: "none, because discovery.mode is silent; Kibo dials friends when it hears them"
        case .announcementsBack: "our own came back on every interface, UDP port \(p["port"])"
        case .announcementsVeiled: "discovery.mode is contacts: only friends who have our keys can tell whose they are"
        case .announcementsLost: "our own did not come back on \(p["interfaces"]), UDP port \(p["port"])"
        case .realmWithoutKey:
            "announcements of a realm have come since the start; its members can't be reached without its key"
        case .otherRealm: "announcements of another realm, or of none, have come since the start"
        case .noFriendConnected: "not tried, because no friend who could dial us from another host is connected"
        case .noFriendCanDial:
            "not checked: no answer from \(p.names), whose Kibo tries this once in ten seconds; run this again later"
        case .reached: "\(p.name) reached us at \(p["address"])"
        case .wasDialled: "\(p.name) has connected to us"
        case .notReached: "\(p.name) can't reach us at \(p["address"]): \(p["detail"])"
        case .clockFarOff:
            "\(p.whose) is about \(p["minutes"]) minutes \(p.offset) ours; if it gets much more, announcements for contacts only are not recognised"
        case .clocksTooFar:
            "\(p.whose) is about \(p["days"]) days \(p.offset) ours, which says \(p["now"]): Kibo can't connect until the clocks agree to within a few weeks"
        case .clockApart: "\(p.whose) is \(p["seconds"]) s \(p.offset) ours"
        case .clockAgrees: "it agrees with \(p.whose)"
        case .clockNotCompared: "not compared: no friend is connected"
        case .notWritable: "\(p.place) can't be written to"
        case .freeUnknown: "the free space can't be read"
        case .free: "\(p.size) are free for \(p.place)"
        case .diskFull: "it is full: nothing can be stored in \(p["path"]), and messages from others are refused"
        case .putOffDay: "over today's limit, so their messages wait on their side: \(p.names)"
        case .putOffRoom: "the disk is nearly full, so these people's messages wait on their side: \(p.names)"
        case .nobodyPutOff: "nobody is over the daily limit, and there is room"
        case .databaseSound: "\(p.size), sound, checked in \(p["milliseconds"]) ms"
        case .databaseDamaged: "it is damaged: \(p["detail"])"
        case .databaseNotFinished: "\(p.size); not all could be checked in \(p["seconds"]) s"
        case .databaseUnreadable: "it can't be checked: \(p["detail"])"
        case .databaseNotChecked: "it can't be checked right now"
        case .permissionsFine: "data, keys and control socket belong to you, and others can't read them"
        case .foreignOwner: "\(p["path"]) belongs to another user"
        case .openToOthers: "\(p["path"]) can be read by others (mode \(p["mode"]))"
        case .friendLost:
            "\(p.name) disappeared without a goodbye, and no other peer can be heard; if they should be here, check the switch and the router"
        case .friendsLost: "disappeared without a goodbye: \(p.names); no other peer can be heard"
        case .ownCopy: "this device's data is also in use by another Kibo (\(p["place"]))"
        case .copiesOfContacts: "these contacts' data are in use at two places at once: \(p.names)"
        case .keysForNobody: "no friends have keys yet"
        case .keysGiven: "all friends have the keys \(p.keyUse)"
        case .keysMissing:
            "discovery.mode is \(p["mode"]), and these friends have not said that they have the keys \(p.keyUse): \(p.names)"
        case .firewallUnknown: "it can't be checked"
        case .firewallUnreadable:
            "neither ufw nor firewalld is on; this user can't read nftables (sudo nft list ruleset shows it)"
        case .ufwOpen: "ufw is on, and lets \(p["ports"]) in"
        case .ufwUnreadable: "ufw is on; its rules can't be read by this user"
        case .ufwClosed: "ufw is on, and has no rule for \(p["ports"])"
        case .firewalldOpen: "firewalld is on, and lets \(p["ports"]) in"
        case .firewalldClosed: "firewalld is on, and doesn't let \(p["ports"]) into its default zone"
        case .nftablesOpen: "nftables blocks nothing"
        case .nftablesLetsThrough: "nftables lets the ports through (\(p["chains"]))"
        case .chainsNotFollowed: "chains that it jumps to were not checked"
        case .nftablesKeepsOut: "nftables blocks incoming packets (\(p["chains"])) and has no rule for our ports"
        case .nftablesKeepsIn: "nftables blocks outgoing packets (\(p["chains"])) and has no rule for our ports"
        case .reachedAllTheSame: "friends can still reach us"
        case .notificationsWork: "the desktop shows them"
        case .noSessionBus: "they are switched on, but kibod has no session bus to reach a desktop"
        case .noNotifier: "they are switched on, but kibo-notify is not installed beside kibod"
        case .notificationsFail: "the desktop refuses them: \(p["detail"])"
        case .callsRingInWindow: "they ring in an open Kibo window"
        case .callsRingOnDesktop: "they ring as a desktop notification, because no Kibo window is open"
        case .callsCantRing:
            "they can't ring here: no Kibo window is open, and the desktop shows no notifications; callers are told"
        case .localsendOn: "phones and other devices see this computer as \"\(p["name"])\", at TCP port \(p["port"])"
        case .localsendFails: "it is switched on, and doesn't work: \(p["detail"])"
        case .localsendMissing: "it is switched on, but kibo-localsend is not installed beside kibod"
        case .localsendPortTaken:
            "not \(p["port"]), which another program has, so devices that were given this computer's address by hand don't find it"
        case .localsendPlain: "localsend.plain is on, so anybody on the network can read along"
        case .localsendHeard: "its announcements came back on every interface, UDP port \(p["port"])"
        case .localsendUnheard: "its announcements did not come back on \(p["interfaces"])"
        case .localsendUnjoined:
            "the system refuses multicast on \(p["interfaces"]), so devices there don't find this computer by themselves"
        case .localsendDeaf: "it can't use UDP port \(p["port"]), so devices don't find this computer by themselves"
        case .localsendReached: "a device has just connected"
        case .localsendAlone: "no device with LocalSend is seen now"
        case .configurationInUse: "what is on the disk is in use"
        case .configurationNotInUse: "what is on the disk is not in use: \(p["detail"])"
        case .configurationPending: "what was read takes effect when the daemon starts again: \(p["names"])"
        case .hookRuns: p["waiting"] == "0" ? "it works" : "it works; \(p["waiting"]) events wait for it"
        case .hookFails: p.hookTrouble
        }
    }

    private static func text(_ advice: DoctorAdvice, _ p: Values) -> String {
        switch advice {
        case .makeAccount: "Make one: kibo setup"
        case .unlock: "Unlock it: kibo unlock"
        case .makeBackup:
            "Make one on another disk: kibo backup FILE. To have one made every day: systemctl --user enable --now kibo-backup.timer"
        case .nameCourier: "Name another friend: kibo courier add"
        case .writeCodeDown: "Write the code down and keep it where nobody else finds it: kibo recovery show"
        case .useOtherInterfaces: "Kibo is configured to use \(p["interfaces"]) only; see: ip address"
        case .joinNetwork: "Plug in a cable or join a wireless network; see: ip address"
        case .leaveLoopback: "This host has no network except loopback; see: ip address"
        case .setMask: "Give all hosts of a network the same subnet, such as 192.168.1.x/24 for each; see: ip address"
        case .plugIn: "No cable is plugged in, or the other end is off; see: ip link"
        case .freePort:
            "See which program has the port (ss -lntup) and end it, or start kibod with another one; Kibo tries again every few seconds."
        case .addByAddress:
            "Other hosts don't find this one by themselves; friends can be added by address: kibo add ADDRESS"
        case .letAnnouncementsThrough:
            "A firewall on this host probably drops them. UDP port \(p["port"]) must be open in both directions; see the firewall check."
        case .letConnectionsIn: "Open TCP port \(p["port"]); the firewall check says how."
        case .setClocks: "Set both clocks from the network: timedatectl set-ntp true; see: timedatectl status"
        case .seeOwner: "See who owns it: ls -ld, and whether its disk is there"
        case .freeSome: "Free some space: Kibo needs \(p.size); see: df -h"
        case .freeDisk: "Free some space; Kibo then continues by itself. See: df -h \(p["path"])"
        case .waitOrAllowMore:
            "Their messages come when the day is over. To take them now: kibo settings messages.dailyBytes BYTES; to stop them: kibo block NAME"
        case .recoverDatabase:
            "Stop kibod (\(DaemonUnit.own.command("stop"))), then save what can be read: \(DaemonUnit.own.repair)"
        case .examineDisk: "Check the disk: dmesg | tail"
        case .takeOwnership: "Give it back: sudo chown -R \"$USER\" '\(p["path"])'"
        case .closePath: "Close it: chmod go= '\(p["path"])'"
        case .examineNetwork:
            "The network beyond this host may be broken: check the switch, the router and its client isolation, and try: ping \(p.host)"
        case .setUpAnew:
            "The data directory was copied. Stop Kibo on one of the two hosts, remove the copied data directory there, and set that host up again: kibo setup. Until then messages reach only one of the two."
        case .tellOfCopy:
            "Their data directory was copied. Tell them to stop Kibo on one of the two hosts; what you send reaches the one that is connected."
        case .beOpen: "Friends get the keys when you connect. Stay open until then: kibo settings discovery.mode open"
        case .openPorts: "Open the ports: \(p["commands"])"
        case .useSession:
            "Start kibod in your desktop's session (systemctl --user restart kibod), or: kibo settings notifications.desktop auto"
        case .installNotifier: "Install kibo-notify beside kibod, or: kibo settings notifications.desktop auto"
        case .installLocalsend: "Install kibo-localsend beside kibod, or: kibo localsend off"
        case .letLocalsendThrough:
            "A firewall on this host probably drops them. UDP port \(p["port"]) must be open in both directions; see: sudo nft list ruleset"
        case .freeLocalsendPort:
            "If another user's Kibo has port \(p["port"]), leave it. Otherwise find the program (ss -lntup), end it, then: kibo localsend off && kibo localsend on"
        case .encryptLocalsend: "If all your devices can encrypt: kibo settings localsend.plain false"
        case .scanForDevices:
            "Open LocalSend on the phone. Some networks keep devices from finding each other; then: kibo localsend scan"
        case .startNotificationServer:
            "Check that a notification server is running: busctl --user status org.freedesktop.Notifications"
        case .keepWindowOpen:
            "Keep a window open (kibo web, or kibo chat), or check that a notification server is running in your session"
        case .readConfiguration:
            "Correct it if it is wrong, then let the daemon read it: kibo reload"
        case .restartDaemon: "Start it again: \(p["commands"])"
        case .tryHook: "Try it: echo '{\"event\":\"message\"}' | \(p["command"])"
        case .openPortsInNftables: "Open the ports: \(p["commands"]); and write it into /etc/nftables.conf to keep it."
        }
    }
}

extension DoctorWords {
    /// The parameters of a remark, in words.
    fileprivate struct Values {
        let parameters: JSONObject

        init(_ parameters: JSONObject) { self.parameters = parameters }

        /// As it is; lists with commas.
        subscript(name: String) -> String { parameters[name].map(Self.text) ?? "" }

        private static func text(_ value: JSONValue) -> String {
            value.string ?? value.integer.map { "\($0)" } ?? value.array?.map(text).joined(separator: ", ") ?? ""
        }

        var name: String { parameters["name"]?.string ?? "a friend" }

        /// How the hook command fails, and what waits for it.
        var hookTrouble: String {
            let times = self["times"] == "1" ? "it has failed" : "it has failed \(self["times"]) times in a row"
            let waiting = self["waiting"] == "0" ? "" : "; \(self["waiting"]) events wait for it"
            return times + ": " + self["detail"] + waiting
                + (self["leftOut"] == "0" ? "" : "; \(self["leftOut"]) were left out")
        }
        var whose: String { name + "'s" }
        var offset: String { parameters["behind"] == true ? "behind" : "ahead of" }
        var host: String { parameters["host"]?.string ?? "a friend's host" }
        var size: String { Humane.size(parameters["bytes"]?.integer ?? 0) }
        /// Where nothing is announced, keys only open the door, to peers that still know where it is.
        var keyUse: String { self["mode"] == "silent" ? "they need for us to let them in" : "they need to find us" }
        /// `messages, in ~/…`
        var place: String { "\(self["what"]), in \(self["path"])" }

        private static let listed = 10

        /// The first of them, and how many more there are.
        var names: String {
            let names = (parameters["names"]?.array ?? []).compactMap(\.string)
            let shown = names.prefix(Self.listed).joined(separator: ", ")
            return names.count > Self.listed ? "\(shown) and \(names.count - Self.listed) more" : shown
        }

        var interface: String {
            var text = "\(self["name"]) \(self["address"])"
            if let broadcast = parameters["broadcast"]?.string { text += ", broadcast \(broadcast)" }
            if let group = parameters["group"]?.string { text += ", group \(group)" }
            return parameters["carrier"] == false ? text + ", without a carrier" : text
        }
    }
}
