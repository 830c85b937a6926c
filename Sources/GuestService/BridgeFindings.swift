import ControlProtocol
import LocalSend

/// What was found out about a bridge that serves: whether devices can find this host, and connect to it.
struct BridgeFindings {
    /// What this host is called in the lists of others.
    var name: String
    var port: UInt16
    /// Whether it speaks without encryption.
    var isPlain = false
    /// Whether it has a socket for datagrams.
    var hasDatagrams = true
    /// Interfaces on which our own announcement has not come back, by name.
    var silent: [String] = []
    /// Interfaces on which it can't hear multicast, by name.
    var unjoined: [String] = []
    /// Whether a device has connected just now.
    var isReached = false
    /// Whether no device is near, as far as we hear.
    var isAlone = false
    /// What is known of this host's firewall, for the bridge's ports.
    var firewall: DoctorCheck

    /// Whether datagrams come in wherever they can be heard.
    private var isHeard: Bool { hasDatagrams && silent.isEmpty }

    /// What `system.doctor` says.
    var check: DoctorCheck {
        let usual = JSONValue.integer(Int64(DeviceInfo.usualPort))
        var check = DoctorCheck(
            name: "localsend", ok: true,
            findings: [.init(.localsendOn, ["name": .string(name), "port": .integer(Int64(port))])])
        if port != DeviceInfo.usualPort {
            check.findings.append(.init(.localsendPortTaken, ["port": usual]))
            check.advice.append(.init(.freeLocalsendPort, ["port": usual]))
        }
        if isPlain {
            check.findings.append(.init(.localsendPlain))
            check.advice.append(.init(.encryptLocalsend))
        }
        if !unjoined.isEmpty {
            check.findings.append(.init(.localsendUnjoined, ["interfaces": .strings(unjoined)]))
        } else if !hasDatagrams {
            check.findings.append(.init(.localsendDeaf, ["port": usual]))
            if port == DeviceInfo.usualPort { check.advice.append(.init(.freeLocalsendPort, ["port": usual])) }
        } else if silent.isEmpty {
            check.findings.append(.init(.localsendHeard, ["port": usual]))
        }
        if hasDatagrams, !silent.isEmpty {
            check.findings.append(.init(.localsendUnheard, ["interfaces": .strings(silent)]))
        }
        check.findings += firewall.findings
        if isReached { check.findings.append(.init(.localsendReached)) }
        let advice = opening
        check.advice += advice
        if hasDatagrams, !silent.isEmpty, advice.isEmpty {
            check.advice.append(.init(.letLocalsendThrough, ["port": usual]))
        }
        check.ok = isHeard && unjoined.isEmpty && advice.isEmpty
        if isAlone { check.findings.append(.init(.localsendAlone)) }
        // Those that can't be heard don't hear this host, either, until it has asked them.
        if !unjoined.isEmpty || isAlone && (check.ok || !hasDatagrams) { check.advice.append(.init(.scanForDevices)) }
        return check
    }

    /// How to open the firewall; empty where nothing shows that it is closed, or where something shows that it isn't.
    private var opening: [Remark<DoctorAdvice>] {
        if isReached, silent.isEmpty, hasDatagrams || !unjoined.isEmpty { return [] }
        // What lets the datagrams in is most likely the profile, or was made for this app's usual port, which is TCP's, too.
        let isUnreadable = firewall.findings.contains { $0.code == .ufwUnreadable }
        return isHeard && port == DeviceInfo.usualPort && isUnreadable ? [] : firewall.advice
    }
}
