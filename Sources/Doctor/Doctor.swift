import Account
import ControlProtocol
import Messaging
import Network
import Reactor
import Runtime

/// Looks at everything that may keep two users from reaching each other, and says what to do about it.
@ReactorActor package struct Doctor {
    private let environment: Environment
    private let contacts: ContactIndex
    private let current: CurrentAccount
    private let network: NetworkNode
    private let reach: ReachService
    private let socketPath: String
    private let more: @ReactorActor () async -> [DoctorCheck]
    private let examinations = Examinations()

    /// - Parameter more: the checks of services that this module doesn't know.
    package init(
        environment: Environment, contacts: ContactIndex, current: CurrentAccount, network: NetworkNode,
        reach: ReachService, socketPath: String, more: @escaping @ReactorActor () async -> [DoctorCheck]
    ) {
        self.environment = environment
        self.contacts = contacts
        self.current = current
        self.network = network
        self.reach = reach
        self.socketPath = socketPath
        self.more = more
    }

    /// Runs all checks. A client that asks while they run gets the same result.
    package func examine() async -> [DoctorCheck] { await examinations.examine { await look() } }

    /// The checks in the order in which a user would go about them. They take a few seconds, and a large database up to half a
    /// minute.
    private func look() async -> [DoctorCheck] {
        let host = HostChecks(environment: environment, socketPath: socketPath)
        var checks = [account]
        if let open = network.current {
            let network = NetworkChecks(
                network: open, configuration: network.opened ?? network.configuration, environment: environment)
            let friends = FriendChecks(network: open, contacts: contacts)
            checks += [network.interfaces(), network.port()]
            let announcements = await network.announcements()
            checks.append(announcements)
            let mode = environment.settings[SettingsCatalogue.discoveryMode]
            checks += [friends.company(), friends.recognition(mode), friends.copies()].compactMap(\.self)
            let answers = FriendAnswers(all: await friends.ask(reach))
            checks.append(answers.reachable(port: open.doorway.addresses.first?.port))
            checks.append(
                await network.firewall(
                    isReached: answers.all.contains(where: \.isReached),
                    isHeard: announcements.ok || open.discovery == nil))
            checks.append(friends.distantClock(environment.clocks.wallTime) ?? answers.clock(friends.wrongClock))
        } else if let failure = network.failure, current.keys != nil {
            checks.append(.nothingListens(because: failure.message))
        }
        if current.profile != nil { checks.append(await host.recovery()) }
        checks += await host.disks()
        // Names are not told while the account is locked.
        if !current.isLocked { checks.append(await host.intake()) }
        if let account = current.profile?.account, !current.isLocked {
            checks.append(await CourierCheck(own: account, store: environment.store).look())
        }
        checks.append(await host.database())
        checks.append(await host.permissions())
        return checks + (await more())
    }

    private var account: DoctorCheck {
        guard current.profile != nil else {
            return .bad("account", .noAccount, .makeAccount)
        }
        return current.isLocked
            ? .bad("account", .accountLocked, .unlock)
            : .good("account", .accountOpen)
    }
}

extension DoctorCheck {
    static func nothingListens(because detail: String) -> DoctorCheck {
        bad("port", .nothingListens, ["detail": .string(detail)], .freePort)
    }

    static func good(_ name: String, _ finding: DoctorFinding, _ parameters: JSONObject = [:]) -> DoctorCheck {
        DoctorCheck(name: name, ok: true, findings: [.init(finding, parameters)])
    }

    static func bad(_ name: String, _ finding: DoctorFinding, _ advice: DoctorAdvice) -> DoctorCheck {
        bad(name, finding, [:], advice)
    }

    /// - Parameters:
    ///   - parameters: the values in the finding's text.
    ///   - more: of the advice.
    static func bad(
        _ name: String, _ finding: DoctorFinding, _ parameters: JSONObject, _ advice: DoctorAdvice,
        _ more: JSONObject = [:]
    ) -> DoctorCheck {
        DoctorCheck(
            name: name, ok: false, findings: [.init(finding, parameters)], advice: [.init(advice, more)])
    }
}
