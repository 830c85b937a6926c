import AddressBook
import Basics
import CLinux
import Control
import ControlProtocol
import Media
import Reactor

/// Imports and lists the address book, and sends invitations.
@ReactorActor package struct AddressBookHandlers: MethodArea {
    package let base: MethodBase
    package let needsAccount = false
    private let addressBook: AddressBookService

    package init(base: MethodBase, addressBook: AddressBookService) {
        self.base = base
        self.addressBook = addressBook
    }

    package var methods: [String: Method] {
        [
            "addressBook.import": { parameters, _ in try await importFile(parameters) },
            "addressBook.list": { parameters, _ in try await list(parameters) },
            "addressBook.remove": { parameters, _ in try await remove(parameters) },
            "addressBook.countries": { _, _ in try await countries() },
            "invite.compose": { parameters, _ in try await compose(parameters) },
            "invite.send": { parameters, _ in try await send(parameters) },
        ]
    }

    // MARK: Importing

    private func importFile(_ parameters: Parameters) async throws -> JSONValue {
        _ = try requireAccount()
        let path = parameters.string("path")
        let country = try await defaultCountry(parameters.optionalString("defaultCountry"))
        let replaces = parameters.bool("replace")
        let (file, entries, count) = try await workers.imports.run {
            let file = try AddressBookFile.read(path)
            guard !(file.isCut && replaces) else {
                throw ControlError(
                    .invalid, "\(path) ends in the middle of a card; nothing was replaced",
                    hint: .exportWhole, parameters: ["path": .string(path)], field: "path")
            }
            var count = NumberCount()
            let entries = file.cards.map { AddressEntry($0, country: country?.country, count: &count) }
            return (file, entries, count)
        }
        let rows = AddressBookRows(entries: entries, replaces: replaces)
        var result = try await store.commit { try rows.commit(in: $0) }
        if result.added + result.updated + result.removed > 0 {
            addressBook.changed(added: result.added, updated: result.updated, removed: result.removed)
        }
        result.skipped = Int64(file.skipped)
        result.numbersWithoutCountry = Int64(count.needCountry)
        result.country = country?.country.region
        result.countryFrom = country?.source.rawValue
        result.problems = file.problems.map {
            AddressBookImport.Problem(
                line: Int64($0.line), name: $0.name, problem: $0.problem, detail: $0.detail)
        }
        result.problemCount = Int64(file.problemCount)
        // The memory of ten thousand entries goes back to the system.
        _ = try? await workers.imports.run { kibo_trim_memory() }
        return result.json
    }

    /// Refuses where libkibo-text.so can't be used: this would read no number, and store words that no search finds once the library
    /// is there.
    private nonisolated static func requireText() throws {
        guard let problem = SearchText.problem else { return }
        throw ControlError(.internal, problem, hint: .seeLog)
    }

    /// The first use of the tables of countries takes some time, so another thread does it.
    private func defaultCountry(_ given: String?) async throws -> DefaultCountry? {
        let phone = base.profile?.phone
        return try await workers.imports.run {
            try Self.requireText()
            guard let given else { return DefaultCountry(ownPhone: phone) }
            guard let country = Country(given) else {
                throw ControlError(
                    .invalid, "there is no country \(given)",
                    hint: .giveCountry, parameters: ["country": .string(given)], field: "defaultCountry")
            }
            return DefaultCountry(country: country, source: .parameter)
        }
    }

    private func countries() async throws -> JSONValue {
        let phone = base.profile?.phone
        return try await workers.imports.run {
            try Self.requireText()
            let standard = DefaultCountry(ownPhone: phone)
            let countries: [JSONValue] = Country.all.map {
                [
                    "region": .string($0.region), "name": .string($0.name), "callingCode": .string("\($0.callingCode)"),
                    "trunkPrefix": .string($0.trunkPrefix),
                ]
            }
            return [
                "countries": .array(countries), "default": .optional(standard?.country.region),
                "defaultFrom": .optional(standard?.source.rawValue),
            ]
        }
    }

    // MARK: Listing

    private func list(_ parameters: Parameters) async throws -> JSONValue {
        _ = try requireAccount()
        let text = parameters.optionalString("query") ?? ""
        let onKibo = parameters.optionalBool("onKibo")
        let limit = parameters.limit
        let after = try position("after", parameters, AddressBookPosition.init)
        let matches = addressBook.matches
        return try await store.read { transaction in
            let matched = matches.matched
            // The library that folds it may have to be loaded.
            let query = SearchText.query(text)
            let names = try transaction.addressNames(containing: query).filter { entry in
                onKibo.map { $0 == matched.contains(entry.number) } ?? true
            }
            let places = names.map { (place: AddressBookPosition($0), entry: $0) }.sorted { $0.place < $1.place }
            var page = PageBuilder(limit: limit)
            var last: AddressBookPosition?
            var hasMore = false
            for (place, entry) in places where after.map({ $0 < place }) ?? true {
                guard let row = try transaction.addressEntry(number: entry.number) else { continue }
                let object = AddressBookEntry(row, accounts: matches.accounts(of: entry.number))
                guard page.accept(object.json) else {
                    hasMore = true
                    break
                }
                last = place
            }
            var result: JSONObject = ["entries": .array(page.objects), "total": .integer(Int64(places.count))]
            if hasMore, let last { result["next"] = .string(last.description) }
            return .object(result)
        }
    }

    private func remove(_ parameters: Parameters) async throws -> JSONValue {
        _ = try requireAccount()
        let ids = parameters.strings("entries").compactMap { UUIDv7($0) }
        let removed = try await store.commit { transaction in
            var removed: Int64 = 0
            for id in ids {
                guard let (number, _) = try transaction.addressEntry(id) else { continue }
                if try transaction.removeAddressEntry(number: number) { removed += 1 }
            }
            return removed
        }
        if removed > 0 { addressBook.changed(added: 0, updated: 0, removed: removed) }
        return ["removed": .integer(removed)]
    }

    // MARK: Inviting

    private func compose(_ parameters: Parameters) async throws -> JSONValue {
        let (inviter, invitees, failed) = try await invitees(parameters)
        let together = parameters.bool("together")
        guard !(together && inviter.text.isPersonal) else {
            throw ControlError(
                .invalid, "a text with {name} in it can't go to several people together",
                hint: .separateOrNameless, field: "together")
        }
        var result = Invitations()
        result.links = inviter.links(to: invitees, together: together)
        result.text = inviter.text.template
        result.recipients = invitees.map(\.recipient)
        result.failed = failed
        return result.composed
    }

    /// Sends one invitation after another; a failure is reported and does not stop the rest.
    private func send(_ parameters: Parameters) async throws -> JSONValue {
        let via: InviteVia = parameters.choice("via") ?? .email
        let key = via == .email ? SettingsCatalogue.inviteEmailCommand : SettingsCatalogue.inviteSMSCommand
        let words = (try? CommandWords.split(settings[key])) ?? []
        guard !words.isEmpty else {
            let example = via == .email ? "sendmail -t" : "gammu sendsms TEXT {phone}"
            throw ControlError(
                .unsupported, "no command is set that sends \(via == .email ? "e-mail" : "short messages")",
                hint: .setInviteCommand, parameters: ["key": .string(key.spec.key), "example": .string(example)])
        }
        let (inviter, invitees, failed) = try await invitees(parameters)
        var result = Invitations()
        result.failed = failed
        for invitee in invitees {
            // A lock or a client that goes away ends the sending.
            guard !base.isLocked, !Task.isCancelled else {
                let why = base.isLocked ? "the account was locked meanwhile" : "the client went away meanwhile"
                result.failed.append(
                    Inviter.Refused(
                        invitee.entry, invitee.name, base.isLocked ? .locked : .cancelled, why
                    ).failed)
                continue
            }
            do {
                let command = try inviter.command(words, for: invitee)
                _ = try await workers.commands.run { try command.run() }
            } catch let error as CommandRun.Failure {
                result.failed.append(Inviter.Refused(invitee.entry, invitee.name, .internal, error.text).failed)
                continue
            }
            let now = clocks.wallTime
            // The invitation is sent, so the note must be stored however often the disk refuses it.
            base.environment.commits.commit(.invited(invitee.entry)) { try $0.noteInvited(invitee.entry, at: now) }
            result.recipients.append(invitee.recipient)
        }
        // The client's next list shows these invitations, unless the disk is full: then the notes are stored later.
        try? await store.commit { _ in }
        result.sent = Int64(result.recipients.count)
        return result.delivered
    }

    private func invitees(
        _ parameters: Parameters
    ) async throws -> (Inviter, [Inviter.Invitee], [Inviter.Failed]) {
        let own = try requireAccount()
        let me = base.profile?.displayName ?? ""
        var text = parameters.optionalString("text") ?? settings[SettingsCatalogue.inviteText]
        // The usual text is for one person; a text for several goes without the name.
        if parameters.optionalString("text") == nil, parameters.bool("together") {
            text = text.replacing(" {name}", with: "").replacing("{name}", with: "")
        }
        guard text.contains(where: { !$0.isWhitespace }) else {
            throw ControlError(.invalid, "the invitation has no text", hint: .giveInviteText, field: "text")
        }
        let inviter = Inviter(
            via: parameters.choice("via") ?? .email, text: InviteText(text),
            subject: InviteText(parameters.optionalString("subject") ?? "{me} invites you to Kibo"), me: me,
            link: "kibo:\(own.id)", package: settings[SettingsCatalogue.invitePackageAddress],
            evenOnKibo: parameters.bool("evenOnKibo"))
        var ids: [UUIDv7] = []
        for id in parameters.strings("entries").compactMap({ UUIDv7($0) }) where !ids.contains(id) { ids.append(id) }
        let matches = addressBook.matches
        let judged = try await store.read { [ids] transaction in
            try ids.map { id in
                let entry = try transaction.addressEntry(id)
                let isOnKibo = entry.map { !matches.accounts(of: $0.number).isEmpty } ?? false
                return inviter.judge(id, entry?.row, isOnKibo: isOnKibo)
            }
        }
        var (invitees, failed): ([Inviter.Invitee], [Inviter.Failed]) = ([], [])
        for result in judged {
            switch result {
            case .success(let invitee): invitees.append(invitee)
            case .failure(let refused): failed.append(refused.failed)
            }
        }
        return (inviter, invitees, failed)
    }
}
