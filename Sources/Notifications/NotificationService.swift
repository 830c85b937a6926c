import Basics
import Control
import ControlProtocol
import Messaging
import Reactor
import Runtime
import Store

/// Tells the user of messages and requests: on the desktop while no client does, and by the hook command.
@ReactorActor package final class NotificationService {
    private let environment: Environment
    private let log: Logger
    private let events: EventHub
    private let isLocked: @ReactorActor () -> Bool
    private let hook: HookRunner
    private var desktop: DesktopNotifications?
    private var ringer: CallRinger?
    private let socketPath: String
    /// Is called when ``canRing`` may have changed.
    package var ringsChanged: @ReactorActor () -> Void = {}
    /// The messages that were stored and are not looked up yet.
    private var waiting: [UUIDv7] = []
    /// Whether something has changed that a notification may be about.
    private var isStale = false
    private var isLooking = false
    private var timer: TimerToken?
    private var requests = RequestNews()
    private var requestTimer: TimerToken?
    private var lastLook: Instant?

    /// - Parameter isLocked: whether the account is locked.
    package init(
        environment: Environment, events: EventHub, socketPath: String, isLocked: @escaping @ReactorActor () -> Bool
    ) {
        self.environment = environment
        self.events = events
        self.isLocked = isLocked
        self.socketPath = socketPath
        log = environment.log.labelled("notify")
        hook = HookRunner(environment: environment, socketPath: socketPath)
        environment.metrics.declare(
            .notifications, ["helper_ended", "left_out", "refused", "shown", "told_by_client"])
    }

    /// Connects the buttons of notifications with the daemon's methods.
    package func begin(actions caller: OwnCaller) {
        let actions = NotificationActions(caller: caller, socketPath: socketPath, log: log) { [weak self] in
            self?.ringer?.notOpened($0)
        }
        let desktop = DesktopNotifications(
            environment: environment, acted: { actions.perform($0, $1) },
            changed: { [weak self] in self?.ringsChanged() })
        self.desktop = desktop
        ringer = CallRinger(environment: environment, events: events, desktop: desktop) { [weak self] in
            self?.showsOnDesktop == true
        }
        keepHelper()
        environment.settings.onChange(SettingsCatalogue.callsAllow) { [weak self] _ in self?.keepHelper() }
        environment.settings.onChange(SettingsCatalogue.notificationsDesktop) { [weak self] _ in
            self?.keepHelper()
            self?.ringsChanged()
        }
    }

    /// Keeps the helper running while calls may ring, because the daemon must know beforehand whether the desktop can
    /// ring.
    private func keepHelper() {
        let isWanted = showsOnDesktop && environment.settings[SettingsCatalogue.callsAllow] != .nobody
        desktop?.keep(isWanted)
    }

    package func stop() {
        timer?.cancel()
        requestTimer?.cancel()
        desktop?.stop()
    }

    private var words: NotificationWords { environment.settings[SettingsCatalogue.notificationsShow] }

    private var showsOnDesktop: Bool {
        environment.settings[SettingsCatalogue.notificationsDesktop] != .off && desktop?.isInstalled == true
    }

    // MARK: Calls

    /// Whether a call would be shown on the desktop now.
    package var canRing: Bool { showsOnDesktop && desktop?.canRing == true }

    /// Takes a call whose state has changed or that is over.
    package func callChanged(_ call: Call) { ringer?.changed(call) }

    /// Notes that a client that shows calls that ring has come or gone.
    package func ringersChanged() { ringer?.windowsChanged() }

    // MARK: What has come

    /// Takes the events of a commit. It only notes what is to be looked up.
    package func committed(_ records: [EventRecord]) {
        let isWanted = showsOnDesktop || hook.isWanted
        let hasTold = desktop?.isEmpty == false
        guard isWanted || hasTold else { return }
        for record in records {
            switch (record.object, record.change) {
            case (.message(let id), .insert): if isWanted { waiting.append(id) }
            case (.message, _), (.conversation, _): if hasTold { isStale = true }
            // While the account is locked, its messages are not to be read on the desktop either.
            case (.account, _):
                guard isLocked() else { continue }
                if hasTold { desktop?.withdrawAll() }
                ringer?.forget()
            default: break
            }
        }
        let tooMany = waiting.count - NotificationLimits.waiting
        if tooMany > 0 {
            waiting.removeFirst(tooMany)
            environment.metrics.count(.notifications, "left_out", by: UInt64(clamping: tooMany))
        }
        arrange()
    }

    /// Notes that a contact has changed: it may ask to be a friend, or ask no more.
    package func contactChanged(_ row: ContactRow, before: ContactIndex.Entry?) {
        let place = NotificationPlace.request(row.account)
        guard row.relation == .incoming else {
            if before?.relation == .incoming { requestGone(row.account) }
            return
        }
        guard before?.relation != .incoming, hook.isWanted || showsOnDesktop else { return }
        guard requests.came(row.account, now: environment.clocks.now) else { return armRequests() }
        if hook.isWanted {
            hook.put(HookInput.request(row, events.composer, words, at: environment.clocks.wallTime))
        }
        guard showsOnDesktop, events.notifiers == 0 else { return }
        let body = words == .none ? NotificationText.hiddenRequest : NotificationText.request
        desktop?.add(
            Notification(
                place: place,
                title: words == .none ? NotificationText.hiddenTitle : NotificationText.title(row.shownName), body: body
            ))
    }

    /// Notes that an account no longer asks, or is no longer a contact.
    package func requestGone(_ account: AccountID) {
        desktop?.withdraw(.request(account))
        if requests.went(account) { desktop?.withdraw(.requests) }
    }

    /// Tells that a device that is no peer offers something.
    package func guestOffers(_ offer: GuestOffer) {
        guard showsOnDesktop, events.notifiers == 0 else { return }
        desktop?.add(
            Notification(
                place: .guests, title: NotificationText.hiddenTitle,
                body: words == .none ? NotificationText.hiddenGuest : NotificationText.guest(offer)))
    }

    /// No device offers anything any more.
    package func guestOffersNothing() { desktop?.withdraw(.guests) }

    private func armRequests() {
        requestTimer?.cancel()
        requestTimer = requests.nextDeadline.map { due in
            Reactor.shared.schedule(at: due) { [weak self] in self?.sumUpRequests() }
        }
    }

    private func sumUpRequests() {
        defer { armRequests() }
        guard let (fresh, all) = requests.sum(now: environment.clocks.now) else { return }
        if hook.isWanted { hook.put(HookInput.requests(fresh, at: environment.clocks.wallTime)) }
        guard showsOnDesktop, events.notifiers == 0 else { return }
        desktop?.add(
            Notification(
                place: .requests, title: NotificationText.hiddenTitle, body: NotificationText.requests(all)))
    }

    /// Tells that an account's words are put off from now on. No client shows that by itself.
    package func putOff(_ entry: PutOffBoard.Entry) {
        guard showsOnDesktop, !isLocked() else { return }
        environment.store.read {
            try $0.contact(entry.account)?.shownName
        } then: { [weak self] result in
            guard let self, showsOnDesktop, !isLocked() else { return }
            let name = words == .none ? nil : (try? result.get()) ?? nil
            let today = name == nil ? NotificationText.hiddenPutOff : NotificationText.putOffToday
            let isForRoom = entry.reason == .room
            desktop?.add(
                Notification(
                    place: .putOff(entry.account),
                    title: isForRoom
                        ? NotificationText.hiddenTitle
                        : name.map { NotificationText.title($0) } ?? NotificationText.hiddenTitle,
                    body: isForRoom ? NotificationText.putOffForRoom : today))
        }
    }

    // MARK: Looking

    private func arrange() {
        guard !isLooking, timer == nil, !waiting.isEmpty || isStale else { return }
        let due = lastLook.map { $0 + NotificationLimits.pause } ?? environment.clocks.now
        timer = Reactor.shared.schedule(at: max(due, environment.clocks.now)) { [weak self] in
            self?.timer = nil
            self?.look()
        }
    }

    private func look() {
        let page = Array(waiting.prefix(NotificationLimits.page))
        waiting.removeFirst(page.count)
        let told = isStale ? desktop?.told ?? [] : []
        (isLooking, isStale, lastLook) = (true, false, environment.clocks.now)
        let look = NotificationQuery(
            composer: events.composer, messages: page, told: told, words: words, hasHook: hook.isWanted)
        environment.store.read {
            try look.look(in: $0)
        } then: { [weak self] result in
            guard let self else { return }
            isLooking = false
            switch result {
            case .success(let news): apply(news)
            case .failure(let error): log.error("what came can't be looked up", [("error", "\(error)")])
            }
            arrange()
        }
    }

    private func apply(_ found: NotificationQuery.Found) {
        for place in found.seen { desktop?.withdraw(place) }
        for input in found.inputs { hook.put(input) }
        guard showsOnDesktop, !found.notifications.isEmpty else { return }
        guard events.notifiers == 0 else {
            return environment.metrics.count(.notifications, "told_by_client", by: UInt64(found.notifications.count))
        }
        for notification in found.notifications { desktop?.add(notification) }
    }

    // MARK: The doctor

    /// Returns what `system.doctor` says about notifications and the hook command; nothing if neither is wanted.
    package func checks() -> [DoctorCheck] {
        [desktopCheck(), hook.check()].compactMap(\.self)
    }

    private func desktopCheck() -> DoctorCheck? {
        let setting = environment.settings[SettingsCatalogue.notificationsDesktop]
        guard setting != .off, let desktop else { return nil }
        func bad(_ finding: DoctorFinding, _ parameters: JSONObject, _ advice: DoctorAdvice) -> DoctorCheck {
            DoctorCheck(
                name: "notifications", ok: false, findings: [.init(finding, parameters)], advice: [.init(advice)])
        }
        guard desktop.isInstalled, desktop.hasBus else {
            guard setting == .on else { return nil }
            return desktop.isInstalled
                ? bad(.noSessionBus, [:], .useSession) : bad(.noNotifier, [:], .installNotifier)
        }
        let problem = desktop.problem ?? (desktop.lacksServer ? "no notification server runs" : nil)
        if let problem {
            // Many hosts have a bus and no user before a screen.
            guard setting == .on else { return nil }
            return bad(.notificationsFail, ["detail": .string(problem)], .startNotificationServer)
        }
        return DoctorCheck(name: "notifications", ok: true, findings: [.init(.notificationsWork)])
    }
}
