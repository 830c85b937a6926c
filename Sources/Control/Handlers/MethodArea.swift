import Basics
import ControlProtocol
import Messaging
import Reactor
import Runtime
import Store

/// Carries out one method whose parameters have been checked.
package typealias Method = @ReactorActor (Parameters, any Caller) async throws -> JSONValue

/// Carries out a method whose result a descriptor may go with.
package typealias DescriptorMethod = @ReactorActor (Parameters) async throws -> Outcome

/// The result of a request, and the descriptor that goes with it.
package struct Outcome: Sendable {
    let result: JSONValue
    let descriptor: Descriptor?

    package init(_ result: JSONValue) { (self.result, descriptor) = (result, nil) }

    /// A result that says that a descriptor comes with it.
    package init(_ fields: JSONObject, with descriptor: Descriptor) {
        var fields = fields
        fields["descriptor"] = true
        result = .object(fields)
        self.descriptor = descriptor
    }
}

/// The methods of one subject, with the few shells that they ask.
@ReactorActor package protocol MethodArea {
    var base: MethodBase { get }
    /// Whether all its methods are refused while there is no account. They are, unless the area says otherwise.
    var needsAccount: Bool { get }
    /// The methods by their names in the catalogue.
    var methods: [String: Method] { get }
    /// Those that pass descriptors.
    var descriptorMethods: [String: DescriptorMethod] { get }
}

/// What nearly every method needs: the account, the store, and the objects that clients see.
@ReactorActor package struct MethodBase {
    package let environment: Environment
    let account: any AccountView
    let composer: ObjectComposer

    package init(environment: Environment, account: any AccountView, composer: ObjectComposer) {
        self.environment = environment
        self.account = account
        self.composer = composer
    }

    package var profile: AccountRow? { account.profile }
    package var isLocked: Bool { account.isLocked }
    /// Reads a message as clients see it; nil if there is none.
    package var messages: @Sendable (UUIDv7, ReadTransaction) throws -> Message? {
        { [composer] in try composer.message($0, in: $1) }
    }
    /// Whether the history may be read, also while the account is locked.
    var mayReadLocked: Bool { environment.settings[SettingsCatalogue.historyWhileLocked] }
}

/// The client that asks, as methods see it.
@ReactorActor package protocol Caller: EventReceiver {
    /// Whether the client is still connected.
    var isOpen: Bool { get }
    /// Requests of this client that change conversations and are not answered yet.
    var writes: Int { get set }
    /// Orders requests that prepare something on disk before the store knows of them.
    var lane: AsyncMutex { get }
    var subscriptions: ClientSubscriptions { get }
    /// Makes a subscription of a client that is still there.
    func subscribe(_ make: (Int64) -> Subscription) throws -> Subscription
    /// Takes a role for good.
    func assume(_ role: Role) throws
    /// - Throws: a refusal if as many descriptors wait for this client as may.
    func checkDescriptors() throws
}

extension MethodArea {
    package var needsAccount: Bool { true }
    package var descriptorMethods: [String: DescriptorMethod] { [:] }
    package var store: Store { base.environment.store }
    package var settings: Settings { base.environment.settings }
    package var workers: Workers { base.environment.workers }
    package var clocks: any Clocks { base.environment.clocks }
    var composer: ObjectComposer { base.composer }
    package var voice: GroupVoice? { base.account.voice }

    /// The account's ids, or the refusal of a method that needs an account. The caller has already checked whether the
    /// method is allowed while the account is locked.
    package func requireAccount() throws -> OwnAccount {
        guard let profile = base.profile else { throw ControlError.noAccount }
        return OwnAccount(id: profile.account, device: profile.device)
    }

    func uuid(_ name: String, _ parameters: Parameters) throws -> UUIDv7 {
        guard let id = parameters.uuid(name) else { throw ControlError(.invalid, "\(name) is not a UUID", field: name) }
        return id
    }

    func account(_ name: String, _ parameters: Parameters) throws -> AccountID {
        guard let id = parameters.account(name) else {
            throw ControlError(.invalid, "\(name) is not an account id", field: name)
        }
        return id
    }

    /// The place in a list that an earlier reply named; nil if the client gives none.
    package func position<Position>(
        _ name: String, _ parameters: Parameters, _ read: (String) -> Position?
    ) throws -> Position? {
        guard let text = parameters.optionalString(name) else { return nil }
        guard let position = read(text) else {
            throw ControlError(.invalid, "\(name) is not a position of this list", hint: .giveNext, field: name)
        }
        return position
    }
}
