import Basics
import Control
import ControlProtocol
import Reactor
import Runtime
import Store

/// Rings on the desktop for calls while no window of Kibo does. A call in a muted chat is only shown.
@ReactorActor final class CallRinger {
    private let environment: Environment
    private let log: Logger
    private let events: EventHub
    private let mayShow: @ReactorActor () -> Bool
    private let desktop: DesktopNotifications
    /// The calls that ring, whether or not the desktop shows them.
    private var ringing: [UUIDv7: Call] = [:]
    private var shown: Set<UUIDv7> = []
    private var timer: TimerToken?

    /// - Parameter mayShow: whether the settings want notifications.
    init(
        environment: Environment, events: EventHub, desktop: DesktopNotifications,
        mayShow: @escaping @ReactorActor () -> Bool
    ) {
        self.environment = environment
        self.events = events
        self.desktop = desktop
        self.mayShow = mayShow
        log = environment.log.labelled("notify")
    }

    /// Takes a call whose state has changed or that is over.
    func changed(_ call: Call) {
        guard let id = UUIDv7(call.id) else { return }
        guard call.state == .incoming else {
            ringing[id] = nil
            if shown.remove(id) != nil { desktop.withdraw(.call(id)) }
            return
        }
        ringing[id] = call
        show()
    }

    /// Notes that a window has come or gone. What rang in one that has gone rings here, unless it comes back after a reload.
    func windowsChanged() {
        guard !events.rings, !ringing.isEmpty else { return }
        timer?.cancel()
        let due = environment.clocks.now + NotificationLimits.windowComesBack
        timer = Reactor.shared.schedule(at: due) { [weak self] in self?.show() }
    }

    private func show() {
        guard mayShow(), !events.rings else { return }
        for (id, call) in ringing where shown.insert(id).inserted { lookUp(id, call) }
    }

    /// Forgets all calls, which have ended because the account is locked.
    func forget() { (ringing, shown) = ([:], []) }

    /// Shows that the browser did not open for a call, which rings on.
    func notOpened(_ notification: Notification) {
        guard case .call(let id) = notification.place, ringing[id] != nil else { return }
        shown.insert(id)
        desktop.add(
            Notification(
                place: notification.place, title: notification.title, body: NotificationText.notOpened,
                ring: notification.ring))
    }

    private func lookUp(_ id: UUIDv7, _ call: Call) {
        let words = environment.settings[SettingsCatalogue.notificationsShow]
        let account = call.participants.first.flatMap { AccountID($0.account) }
        let conversation = call.conversation.flatMap { UUIDv7($0) }
        environment.store.read { transaction in
            (
                name: try account.flatMap { try transaction.contact($0)?.shownName },
                isMuted: try conversation.flatMap { try transaction.conversationRecord($0)?.row.muted } ?? false
            )
        } then: { [weak self] result in
            guard let self, ringing[id] != nil else { return }
            switch result {
            case .success(let caller):
                let name = words == .none ? nil : caller.name
                desktop.add(
                    Notification(
                        place: .call(id), title: name.map(NotificationText.calls) ?? NotificationText.hiddenCall,
                        body: call.media == .video ? NotificationText.withPicture : "",
                        ring: caller.isMuted ? .silently : .aloud))
            case .failure(let error): log.error("who calls can't be looked up", [("error", "\(error)")])
            }
        }
    }
}
