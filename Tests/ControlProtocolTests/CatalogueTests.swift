import Basics
import ControlProtocol
import Testing
import Vocabulary

struct CatalogueTests {
    private let account = AccountID(bytes: [UInt8](repeating: 7, count: 32))?.description ?? ""
    private let uuid = "019ac0de-0000-7000-8000-000000000001"

    private func problem(_ method: String, _ params: JSONObject) -> RPCError? {
        do {
            try Catalogue.validate(method: method, params: params)
            return nil
        } catch {
            return error
        }
    }

    @Test("The catalogue has all methods of this version and no others")
    func names() {
        let expected = """
            system.hello system.status system.doctor system.metrics system.schema rpc.discover system.reload system.shutdown account.create account.get account.update account.unlock \
            account.lock account.changePassphrase account.link recovery.code recovery.check account.recover backup.create backup.rotate \
            backup.status backup.check backup.restore peer.list peer.connect \
            contact.list contact.get contact.request contact.accept contact.remove contact.block \
            contact.unblock contact.trustNewKey contact.safetyNumber contact.verify contact.update \
            contact.decline contact.declineAll name.resolve roster.make roster.check \
            courier.list courier.add courier.remove courier.parcels courier.drop \
            guest.list guest.scan guest.take guest.decline guest.give code.read \
            addressBook.import addressBook.list addressBook.remove addressBook.countries invite.compose invite.send \
            conversation.list conversation.get conversation.totals \
            conversation.open conversation.markRead conversation.markUnread conversation.update conversation.delete conversation.export \
            message.send message.list message.recent message.media message.get message.edit message.delete message.react message.retry message.why \
            call.start call.accept call.decline call.hangup call.update call.signal call.signals call.take call.report \
            call.list call.history \
            group.create group.get group.list group.update group.add group.remove group.setRole group.leave \
            message.search transfer.send transfer.list transfer.get \
            transfer.accept transfer.decline transfer.cancel transfer.pause transfer.resume \
            transfer.open transfer.entries transfer.reveal transfer.thumbnail picture.open \
            upload.begin upload.put upload.open upload.finish upload.cancel upload.list presence.set typing.set \
            settings.list settings.get settings.set events.subscribe events.ack events.unsubscribe
            """
        #expect(Catalogue.methods.map(\.name) == expected.split(separator: " ").map(String.init))
        #expect(problem("backup.open", [:])?.code == -32_601)
        #expect(problem("", [:])?.code == -32_601)
    }

    @Test("Unknown, missing and mistyped parameters are refused with −32602 and the field")
    func shape() {
        for (method, params, field): (String, JSONObject, String) in [
            ("account.get", ["x": 1], "x"),
            ("contact.get", ["id": .string(account), "colour": nil], "colour"),
            ("contact.get", [:], "id"),
            ("contact.get", ["id": nil], "id"),
            ("contact.get", ["id": 5], "id"),
            ("message.list", ["conversation": .string(uuid), "limit": "5"], "limit"),
            ("message.list", ["conversation": .string(uuid), "limit": .double(5)], "limit"),
            ("conversation.list", ["archived": 1], "archived"),
            ("transfer.send", ["to": .string(account), "paths": "/a"], "paths"),
            ("transfer.send", ["to": .string(account), "paths": [1]], "paths"),
            ("contact.request", ["note": "hi"], "id"),
            ("contact.request", ["id": .string(account), "address": "127.0.0.1:1"], "address"),
            ("message.send", ["text": "hi"], "conversation"),
            ("message.send", ["to": .string(account)], "text"),
        ] {
            let found = problem(method, params)
            #expect(found?.code == -32_602, "\(method) \(params)")
            #expect(found?.field == field, "\(method) \(params)")
        }
    }

    @Test("Values at a limit are taken; values beyond it are refused with the kind and the field")
    func limits() {
        func text(_ count: Int, _ sign: Character = "x") -> JSONValue { .string(String(repeating: sign, count: count)) }
        let to = JSONValue.string(account)
        let paths = JSONValue.array(Array(repeating: "/a", count: SharedLimits.attachments))
        let tooMany = JSONValue.array(Array(repeating: "/a", count: SharedLimits.attachments + 1))
        let path = JSONValue.string("/" + String(repeating: "a", count: ProtocolLimits.pathBytes))
        let cases: [(String, JSONObject, Reason?, String)] = [
            ("message.send", ["to": to, "text": text(65_536)], nil, ""),
            ("message.send", ["to": to, "text": text(65_537)], .tooLarge, "text"),
            ("message.send", ["to": to, "text": text(32_769, "ä")], .tooLarge, "text"),
            ("conversation.list", ["query": "a\u{0}b"], .invalid, "query"),
            ("message.send", ["to": to, "text": "a\nb\u{202E}"], nil, ""),
            ("message.send", ["to": to, "files": paths], nil, ""),
            ("message.send", ["to": to, "files": tooMany], .tooLarge, "files"),
            ("transfer.send", ["to": to, "paths": []], .invalid, "paths"),
            ("transfer.send", ["to": to, "paths": ["a"]], .invalid, "paths"),
            ("transfer.send", ["to": to, "paths": [path]], .invalid, "paths"),
            ("transfer.send", ["to": "kibo1qqqq", "paths": [path]], .invalid, "to"),
            ("message.send", ["to": "", "text": "a"], .invalid, "to"),
            ("message.get", ["id": "019ac0de"], .invalid, "id"),
            ("peer.connect", ["address": "127.0.0.1"], .invalid, "address"),
            ("peer.connect", ["address": "127.0.0.1:0"], .invalid, "address"),
            ("peer.connect", ["address": "[::1]:9"], nil, ""),
            ("account.create", ["displayName": ""], .invalid, "displayName"),
            ("account.create", ["displayName": "   "], .invalid, "displayName"),
            ("account.create", ["displayName": "Al\nx"], .invalid, "displayName"),
            ("account.create", ["displayName": "A"], nil, ""),
            ("account.create", ["displayName": "李"], nil, ""),
            ("account.create", ["displayName": text(50, "ä")], nil, ""),
            ("account.create", ["displayName": text(51)], .invalid, "displayName"),
            ("contact.request", ["id": to, "note": text(500, "€")], nil, ""),
            ("contact.request", ["id": to, "note": text(501)], .tooLarge, "note"),
            ("transfer.list", ["limit": 500, "state": "done", "direction": "in"], nil, ""),
            ("transfer.list", ["limit": 501], .invalid, "limit"),
            ("transfer.list", ["limit": 0], .invalid, "limit"),
            ("transfer.list", ["state": "flying"], .invalid, "state"),
            ("events.subscribe", ["types": ["message.added", "gap"], "since": 0], nil, ""),
            ("events.subscribe", ["types": ["nothing"]], .invalid, "types"),
            ("events.subscribe", ["since": -1], .invalid, "since"),
        ]
        for (method, params, kind, field) in cases {
            let found = problem(method, params)
            #expect(found?.kind == kind, "\(method) \(field)")
            if kind != nil {
                #expect(found?.code == -32_000)
                #expect(found?.field == field)
            }
        }
    }

    @Test("Parameters are read with their types and standard values")
    func parameters() throws {
        let given = try Catalogue.validate(
            method: "events.subscribe", params: ["types": ["gap"], "consumer": nil, "since": 5])
        #expect(given.strings("types") == ["gap"])
        #expect(given.optionalString("consumer") == nil && !given.has("consumer"))
        #expect(given.optionalInteger("since") == 5 && given.has("since"))
        #expect(given.bool("ephemeral"))
        let list = try Catalogue.validate(method: "transfer.list", params: ["state": "paused"])
        #expect(list.limit == 50)
        #expect(list.choice("state") == TransferState.paused)
        let message = try Catalogue.validate(
            method: "message.send", params: ["to": .string(account), "replyTo": .string(uuid), "text": ""])
        #expect(message.account("to")?.description == account)
        #expect(message.uuid("replyTo")?.description == uuid)
        #expect(message.uuid("conversation") == nil)
        #expect(
            try Catalogue.validate(method: "peer.connect", params: ["address": "127.0.0.1:80"]).address("address")?.port
                == 80)
    }

    @Test("The OpenRPC document is complete: every reference leads to a definition")
    func openRPC() throws {
        let document = Catalogue.openRPC(version: "1.2.3")
        let text = document.text
        #expect(text.utf8.count < ProtocolLimits.lineBytes)
        #expect(try JSONParser.parse(text) == document)
        let components = try #require(document["components"])
        var references: Set<String> = []
        func collect(_ value: JSONValue) {
            switch value {
            case .array(let elements): elements.forEach(collect)
            case .object(let object):
                if let reference = object["$ref"]?.string { references.insert(reference) }
                object.fields.forEach { collect($0.value) }
            default: break
            }
        }
        collect(document)
        #expect(references.count > 8)
        for reference in references {
            let parts = reference.split(separator: "/").map(String.init)
            #expect(parts.count == 4 && components[parts[2]]?[parts[3]] != nil, "\(reference)")
        }
        #expect(document["methods"]?.array?.count == Catalogue.methods.count)
        for (method, spec) in zip(document["methods"]?.array ?? [], Catalogue.methods) {
            // OpenRPC wants each code once; the kinds are those that the daemon may answer.
            let errors = method["errors"]?.array ?? []
            #expect(Set(errors.compactMap { $0["code"]?.integer }).count == errors.count, "\(spec.name)")
            let kinds = (errors.first?["data"]?["kinds"]?.array ?? []).compactMap { $0["kind"]?.string }
            #expect(Set(kinds) == Set((spec.errors + Catalogue.generalErrors).map(\.contract)), "\(spec.name)")
            let groups = method["x-params"]?["allOf"]?.array ?? []
            #expect(groups.count { $0["oneOf"] != nil } == spec.exactlyOne.count, "\(spec.name)")
            #expect(groups.count { $0["anyOf"] != nil } == spec.atLeastOne.count, "\(spec.name)")
        }
    }
}
