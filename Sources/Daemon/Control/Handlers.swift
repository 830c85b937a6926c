import Basics
import ControlProtocol
import Reactor
import Store
import Transfer

/// The methods of the control interface, each in an extension of its room.
@ReactorActor final class Handlers {
    unowned let context: ControlContext

    init(context: ControlContext) { self.context = context }

    /// Carries out one request whose line was well-formed.
    /// - Throws: `RPCError` for an unknown method or parameters, `ControlError` for a refusal.
    func handle(_ request: RPCRequest, on connection: ControlConnection) async throws -> JSONValue {
        if context.isLocked, Catalogue.method(request.method) != nil,
            !LockedMethods.answers(request.method, mayRead: mayReadLocked)
        {
            throw AccountKeeper.locked
        }
        let parameters = try Catalogue.validate(request)
        // Requests about conversations take effect in the order in which they came (CONTROL-API.md): a read sees what was
        // written before it on the same connection.
        let isWrite = Self.writes.contains(request.method)
        if isWrite {
            InteractivePriority.shared.claim()
            connection.writes += 1
        }
        defer { if isWrite { connection.writes -= 1 } }
        if Self.reads.contains(request.method) { try await settle(connection) }
        switch request.method {
        case "system.hello": return hello().json
        case "system.status": return try await status().json
        case "system.doctor": return await doctor()
        case "system.metrics": return try await metrics()
        case "system.schema": return Catalogue.openRPC(version: Kibod.version)
        case "system.shutdown": return shutdown()
        case "account.create": return try await createAccount(parameters).json
        case "account.update": return try await updateAccount(parameters).json
        case "account.get": return try await account().json
        case "account.unlock": return try await unlockAccount(parameters).json
        case "account.lock": return try await lockAccount().json
        case "account.changePassphrase": return try await changePassphrase(parameters).json
        case "account.link": return try accountLink()
        case "peer.list": return try await peers(parameters)
        case "peer.connect": return try await connect(parameters).json
        case "contact.list": return try await contacts(parameters)
        case "contact.get": return try await contact(parameters).json
        case "contact.request": return try await requestContact(parameters).json
        case "contact.accept": return try await acceptContact(parameters).json
        case "contact.decline": return try await declineContact(parameters).json
        case "contact.remove": return try await removeContact(parameters).json
        case "contact.block": return try await blockContact(parameters).json
        case "contact.unblock": return try await unblockContact(parameters).json
        case "contact.trustNewKey": return try await trustNewKey(parameters).json
        case "contact.safetyNumber": return try await safetyNumber(parameters)
        case "contact.verify": return try await verifyContact(parameters).json
        case "contact.update": return try await updateContact(parameters).json
        case "name.resolve": return try await resolveName(parameters)
        case "addressBook.import": return try await importAddressBook(parameters)
        case "addressBook.list": return try await addressBook(parameters)
        case "addressBook.remove": return try await removeEntries(parameters)
        case "addressBook.countries": return try await countries()
        case "invite.compose": return try await composeInvitations(parameters)
        case "invite.send": return try await sendInvitations(parameters)
        case "group.list": return try await groups()
        case "group.get": return try await group(parameters).json
        case "group.create": return try await createGroup(parameters).json
        case "group.update": return try await updateGroup(parameters).json
        case "group.add": return try await addToGroup(parameters).json
        case "group.remove": return try await removeFromGroup(parameters).json
        case "group.setRole": return try await setGroupRole(parameters).json
        case "group.leave": return try await leaveGroup(parameters).json
        case "conversation.list": return try await conversations(parameters)
        case "conversation.get": return try await conversation(parameters).json
        case "conversation.open": return try await openConversation(parameters).json
        case "message.send": return try await sendMessage(parameters, on: connection).json
        case "message.list": return try await messages(parameters)
        case "conversation.markRead": return try await markRead(parameters).json
        case "conversation.update": return try await updateConversation(parameters).json
        case "conversation.delete": return try await deleteConversation(parameters)
        case "conversation.export": return try await exportConversation(parameters)
        case "message.edit": return try await editMessage(parameters).json
        case "message.delete": return try await deleteMessage(parameters).json
        case "message.react": return try await react(parameters).json
        case "message.retry": return try await retryMessage(parameters).json
        case "message.why": return try await whyMessage(parameters)
        case "message.get": return try await message(parameters).json
        case "message.search": return try await searchMessages(parameters)
        case "transfer.send": return try await sendFiles(parameters, on: connection)
        case "transfer.list": return try await transfers(parameters)
        case "transfer.get": return try await transfer(parameters).json
        case "transfer.accept": return try await acceptTransfer(parameters).json
        case "transfer.decline": return try await declineTransfer(parameters).json
        case "transfer.cancel": return try await cancelTransfer(parameters).json
        case "transfer.pause": return try await pauseTransfer(parameters).json
        case "transfer.resume": return try await resumeTransfer(parameters).json
        case "typing.set": return try await setTyping(parameters, on: connection)
        case "presence.set": return try await setPresence(parameters, on: connection)
        case "settings.list": return listSettings()
        case "settings.get": return try setting(parameters).json
        case "settings.set": return try await setSetting(parameters).json
        case "events.subscribe": return try await subscribe(parameters, on: connection)
        case "events.ack": return try await acknowledgeEvents(parameters)
        case "events.unsubscribe": return try unsubscribe(parameters, on: connection)
        default:
            // The catalogue names a method that nobody carries out: a mistake in the program.
            throw RPCError.methodNotFound(request.method)
        }
    }

    private static let reads: Set<String> = [
        "conversation.list", "conversation.get", "conversation.export", "message.list", "message.get",
        "message.search", "message.why", "group.list", "group.get", "name.resolve",
    ]

    private static let writes: Set<String> = [
        "conversation.open", "conversation.markRead", "conversation.update", "conversation.delete", "message.send",
        "message.edit", "message.delete", "message.react", "message.retry", "transfer.send", "group.create",
        "group.update", "group.add", "group.remove", "group.setRole", "group.leave",
    ]

    /// Waits until what this connection asked for before is committed: reads have a snapshot of their own, and it begins
    /// when they do.
    private func settle(_ connection: ControlConnection) async throws {
        guard connection.writes > 0 else { return }
        await connection.lane.pass()
        try await context.store.write { _ in }
    }

    var composer: ObjectComposer { context.composer }

    /// Whether the history may be read, also while the account is locked.
    var mayReadLocked: Bool { context.settings[SettingsCatalogue.historyWhileLocked] }

    /// Whose account this is, or the refusal that everything gives which needs one. Whether it may be used while it is locked
    /// was asked before, of the method's name.
    func requireAccount() throws -> OwnAccount {
        guard let profile = context.profile else {
            throw ControlError(.noAccount, "there is no account yet", hint: "Make one with: kibo setup")
        }
        return OwnAccount(id: profile.account, device: profile.device)
    }
}

extension RPCError {
    /// What a client is told of any error. What is not foreseen is `internal`, with the details in the log only.
    init(describing error: any Error, method: String, log: Logger) {
        switch error {
        case let error as RPCError: self = error
        case let error as ControlError: self.init(error)
        case is CancellationError: self.init(ControlError(.cancelled, "the connection was closed"))
        case StoreError.full:
            self.init(
                ControlError(
                    .noSpace, "the disk that holds Kibo's data is full", hint: "Free some space, then try again."))
        default:
            log.error("a request failed", [("method", method), ("error", "\(error)")])
            self.init(
                ControlError(
                    .internal, "the daemon failed to do this", hint: "Its log says why: journalctl --user -u kibod"))
        }
    }
}
