import Basics
import ControlProtocol
import TestSupport
import Testing

@Suite("Names between real daemons", .serialized)
struct NameProcessTests {
    /// The texts that a daemon has got from another so far.
    private func texts(_ daemon: DaemonProcess, from other: DaemonProcess) throws -> [String] {
        let list = try daemon.call("message.list", ["conversation": .string(try daemon.conversation(with: other))])
        return try (list["messages"]?.array ?? []).map { try Message(json: $0) }.filter { $0.kind != .system }.map(
            \.text)
    }

    /// Goal: a message for Anna Berg, whom Ben has verified, never goes to a person or group that took her name later.
    /// When she is gone, her name leads nowhere else.
    @Test("A friend that takes a name and a group with that name get nothing that is for its bearer")
    func taken() throws {
        let all = try FriendshipProcessTests.people("Ben", "Anna Berg", "Mallory")
        let (ben, anna, mallory) = (all[0], all[1], all[2])
        try ben.befriend(anna)
        try ben.befriend(mallory)
        let (annaID, malloryID) = (try anna.account.id, try mallory.account.id)
        _ = try ben.call("contact.verify", ["id": .string(annaID)])
        #expect(try ben.kibo("send", "Anna", "one").text.contains("Anna Berg"))

        // A group has that name, and then a friend has it.
        _ = try mallory.call(
            "group.create", ["name": "Anna", "members": [.string(try ben.account.id)]])
        try Patience.until("Ben to be in the group", report: ben.logTail) {
            try ben.kibo("group", "list").text.contains("Anna")
        }
        let grouped = try ben.kibo("send", "Anna", "two")
        #expect(
            !grouped.isDone && grouped.text.contains(":Anna ") && grouped.text.contains("Mallory added you"),
            "\(grouped)")
        #expect(try ben.kibo("send", ":Anna", "for the group").text.contains("the group Anna"))
        _ = try mallory.call("account.update", ["displayName": "Anna Berg"])
        try Patience.until("Mallory to be called so", report: ben.logTail) {
            try ben.contact(malloryID)?.displayName == "Anna Berg"
        }
        let sent = try ben.kibo("send", "Anna Berg", "three")
        #expect(sent.isDone && sent.text.contains("Anna Berg (\(annaID.prefix(13)), verified)"), "\(sent)")
        for words in [["remove", "Anna Berg"], ["block", "anna berg"], ["forget", "Anna Berg", "--yes"]] {
            let refused = try ben.kibo(words)
            #expect(refused.code == 1 && refused.text.contains("may mean any of"), "\(refused)")
        }
        #expect(try ben.contact(annaID)?.relation == .friend && ben.contact(malloryID)?.relation == .friend)
        #expect(try texts(ben, from: mallory).isEmpty && texts(ben, from: anna) == ["one", "three"])

        // The candidates tell the two apart, and the word of each leads to it.
        do {
            _ = try ben.call("name.resolve", ["name": "Anna Berg", "for": "contact", "strict": true])
            Issue.record("one of two was taken")
        } catch ClientError.refused(let error) {
            let named = Named.candidates(of: error)
            #expect(error.kind == .ambiguous && named.map(\.id) == [annaID, malloryID])
            #expect(named.map(\.trust) == [.verified, .unverified])
            for one in named {
                let found = try ben.call("name.resolve", ["name": .string(one.word), "for": "contact", "strict": true])
                #expect(try Named(json: found).id == one.id)
            }
        }

        // The friendship ends: the name is still hers, and neither the group nor the other friend takes her place.
        _ = try ben.call("contact.remove", ["id": .string(annaID)])
        for word in ["Anna", "Anna Berg"] {
            let refused = try ben.kibo("send", word, "four")
            #expect(!refused.isDone, "\(refused)")
        }
        #expect(try texts(ben, from: mallory).isEmpty)
        #expect(try ben.kibo("send", String(malloryID.prefix(13)), "five").isDone, "an id still leads to its account")
        // An alias can't be a word that has another meaning.
        for alias in [":Anna", annaID, "anna@example.org", "+49 170 1234567"] {
            let refused = try ben.kibo("alias", String(malloryID.prefix(13)), alias)
            #expect(refused.text.contains("An alias can't begin with a colon or look like an id."), "\(refused)")
        }
        #expect(try ben.kibo("alias", String(malloryID.prefix(13)), "Mallory").isDone)
        // This friend has sent no request, so there is none to accept or decline.
        let accepted = try ben.kibo("accept", "Mallory")
        #expect(accepted.text.contains("There is no request of Mallory to answer"), "\(accepted)")
        #expect(try ben.kibo("remove", "Mallory").text.contains("Removed Mallory: you are not friends any more."))
    }
}
