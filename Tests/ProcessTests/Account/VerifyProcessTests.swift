import Basics
import ControlProtocol
import Crypto
import TestSupport
import Testing
import Vocabulary

/// Safety numbers and links between real daemons.
@Suite("Comparing keys with a contact", .serialized)
struct VerifyProcessTests {
    @Test("Both sides see the same number; typing, scanning or comparing it verifies, and a wrong one doesn't")
    func verify() throws {
        let (anna, bert) = try MessageProcessTests.friends()
        let (annaID, bertID) = (try anna.account.id, try bert.account.id)
        let number = try #require(
            try anna.call("contact.safetyNumber", ["id": .string(bertID)])["number"]?.string)
        #expect(try bert.call("contact.safetyNumber", ["id": .string(annaID)])["number"]?.string == number)
        #expect(number.count == 60)
        let accounts = [try #require(AccountID(annaID)), try #require(AccountID(bertID))]
        #expect(SafetyNumber(accounts[0], accounts[1]).digits == number)

        func verify(_ number: String?) throws -> Reason? {
            var params: JSONObject = ["id": .string(bertID)]
            if let number { params["number"] = .string(number) }
            return try anna.refusal("contact.verify", params)
        }
        let turned = (number.first == "1" ? "2" : "1") + String(number.dropFirst())
        let mistyped = String(bertID.dropLast()) + (bertID.last == "q" ? "p" : "q")
        let wrong = [
            turned, String(number.dropLast()), "", "kibo:\(annaID)", "kibo:\(bertID)?safety=\(turned)",
            "kibo:\(bertID)?safety=12", "kibo:\(mistyped)",
        ]
        for text in wrong { #expect(try verify(text) == .invalid, "\(text)") }
        #expect(try anna.contact(bertID)?.trust == .unverified)
        let events = try anna.connect()
        _ = try events.call("events.subscribe", ["types": ["contact.changed"]])
        #expect(try verify(number) == nil)
        let event = try #require(try events.nextEvent(timeout: Patience.usual))
        #expect(try Contact(json: event.data).trust == .verified)
        // This is the code that Bert shows to be scanned.
        #expect(try verify("kibo:\(bertID)?safety=\(number)") == nil)
        #expect(try verify(try #require(bert.call("account.link")["uri"]?.string)) == nil)
        #expect(try verify(nil) == nil)
        #expect(try anna.contact(bertID)?.trust == .verified)
        // The verification on one side says nothing about the other side.
        #expect(try bert.contact(annaID)?.trust == .unverified)
        anna.kill()
        try anna.start()
        #expect(try anna.contact(bertID)?.trust == .verified)
        #expect(try anna.refusal("contact.verify", ["id": .string(annaID)]) == .notFound)
    }

    @Test("The own link has id, name and address, and a peer adds its account by it")
    func link() throws {
        let anna = try DaemonProcess.launch(name: "Anna Blå & Co")
        let bert = try DaemonProcess.launch(name: "Bert")
        let uri = try #require(try anna.call("account.link")["uri"]?.string)
        #expect(uri.hasPrefix("kibo:\(try anna.account.id)?name=Anna%20Bl%C3%A5%20%26%20Co&addr=127.0.0.1:"))
        let contact = try Contact(json: bert.call("contact.request", ["uri": .string(uri)]))
        #expect(contact.id == (try anna.account.id) && contact.displayName == "Anna Blå & Co")
        try Patience.until("Anna to be asked", report: anna.logTail + bert.logTail) {
            try anna.contact(bert.account.id)?.relation == .incoming
        }
    }
}
