import ControlProtocol
import Testing

struct ObjectTests {
    /// Writes an object as JSON and reads it back, also with fields that this version doesn't know.
    private func check<Object: Equatable>(
        _ object: Object, _ json: JSONValue, _ read: (JSONValue) throws -> Object
    ) throws {
        let parsed = try JSONParser.parse(json.encoded)
        #expect(try read(parsed) == object)
        var extended = try #require(parsed.object)
        extended["fieldOfTheFuture"] = ["a": [1]]
        #expect(try read(.object(extended)) == object)
        #expect(throws: ShapeError.self) { try read("text") }
        #expect(throws: ShapeError.self) { try read([:]) }
    }

    @Test("Every object survives the way through JSON and ignores what it doesn't know")
    func roundTrips() throws {
        try check(Samples.account, Samples.account.json, Account.init(json:))
        try check(Samples.peer, Samples.peer.json, Peer.init(json:))
        try check(Samples.contact, Samples.contact.json, Contact.init(json:))
        try check(Samples.entry, Samples.entry.json, AddressBookEntry.init(json:))
        try check(Samples.backup, Samples.backup.json, BackupSummary.init(json:))
        try check(Samples.backups, Samples.backups.json, BackupStatus.init(json:))
        try check(Samples.imported, Samples.imported.json, AddressBookImport.init(json:))
        try check(Samples.attachment, Samples.attachment.json, Attachment.init(json:))
        try check(Samples.message, Samples.message.json, Message.init(json:))
        try check(Samples.found, Samples.found.json, Found.init(json:))
        try check(Samples.conversation, Samples.conversation.json, Conversation.init(json:))
        try check(Samples.group, Samples.group.json, Group.init(json:))
        try check(Samples.problem, Samples.problem.json, TransferProblem.init(json:))
        try check(Samples.transfer, Samples.transfer.json, Transfer.init(json:))
        try check(Samples.setting, Samples.setting.json, Setting.init(json:))
        try check(Samples.check, Samples.check.json, DoctorCheck.init(json:))
        try check(Samples.upload, Samples.upload.json, Upload.init(json:))
        try check(Samples.totals, Samples.totals.json, Totals.init(json:))
        try check(Samples.typing, Samples.typing.json, Typing.init(json:))
        try check(Samples.hello, Samples.hello.json, DaemonHello.init(json:))
        try check(Samples.status, Samples.status.json, DaemonStatus.init(json:))
    }

    /// The same object made of its single fields, down to the last one.
    private func apart(_ value: JSONValue) -> JSONValue {
        switch value {
        case .object(let object): .object(JSONObject(object.fields.map { ($0.name, apart($0.value)) }))
        case .array(let elements): .array(elements.map(apart))
        default: value
        }
    }

    @Test("An object is written in one pass as it is written field by field, and counted so")
    func writtenInOnePass() throws {
        var escaped = Samples.message
        escaped.text = "\"a\"\n\\ \u{0} ä 😀"
        for json in Array(Samples.objects.values) + [escaped.json, Samples.hello.json, Samples.status.json] {
            let expected = apart(json)
            #expect(json.encoded == expected.encoded)
            #expect(json.encodedCount == expected.encoded.count)
            #expect(json == expected)
            #expect(json.hashValue == expected.hashValue)
            var once = json
            once.encodeOnce()
            #expect(once.encoded == expected.encoded)
            #expect(once.encodedCount == expected.encoded.count)
            #expect(once == expected)
            // A field that is set afterwards counts.
            var object = try #require(once.object)
            object["fieldOfTheFuture"] = 1
            #expect(JSONValue.object(object).text == expected.text.dropLast() + #","fieldOfTheFuture":1}"#)
        }
    }

    @Test("The catalogue describes exactly the fields that the objects write")
    func catalogueFields() throws {
        for spec in Catalogue.objects {
            let sample = try #require(Samples.objects[spec.name]?.object, "no sample of \(spec.name)")
            #expect(Set(sample.names) == Set(spec.fields.map(\.name)), "\(spec.name)")
        }
        #expect(Catalogue.objects.count == Samples.objects.count)
        for (name, json) in [("system.hello", Samples.hello.json), ("system.status", Samples.status.json)] {
            guard case .fields(let fields)? = Catalogue.method(name)?.result else {
                Issue.record("\(name) has no fields")
                continue
            }
            #expect(json.object?.names == fields.map(\.name))
        }
    }

    @Test("A group knows the names of its members and of those who have left")
    func groupNames() {
        #expect(Samples.group.name(of: "kibo1b") == "Bob")
        #expect(Samples.group.name(of: "kibo1d") == "Dora")
        #expect(Samples.group.name(of: "kibo1z") == nil)
    }

    @Test("An error for a missing or wrong field names the object and the field and says what is expected")
    func errors() {
        var json = Samples.message.json.object ?? [:]
        json["state"] = "flying"
        #expect {
            try Message(json: .object(json))
        } throws: { error in
            "\(error)" == "Message.state must be one of queued, sent, delivered, read, failed, received"
        }
    }
}
