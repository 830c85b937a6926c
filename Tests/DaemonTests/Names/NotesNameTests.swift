import Basics
import ControlProtocol
import Messaging
import Testing
import Vocabulary

@testable import Control
@testable import Store

/// Goal: what is meant for the notes to oneself goes to nobody else, and nobody loses a name to them.
@Suite("The name of the notes")
struct NotesNameTests {
    private func account(_ number: UInt8) throws -> AccountID {
        try #require(AccountID(bytes: [UInt8](repeating: number, count: 32)))
    }

    /// Friends by name and alias, groups by name, and the user.
    private func lookup(_ people: [(name: String, alias: String)], groups: [String] = []) throws -> NameLookup {
        var lookup = NameLookup()
        for (index, person) in people.enumerated() {
            lookup.add(
                ContactNameRow(
                    account: try account(UInt8(index + 1)), displayName: person.name, alias: person.alias,
                    relation: .friend, trust: .verified, namedAt: WallTime(milliseconds: 0)))
        }
        for (number, name) in groups.enumerated() {
            let row = GroupRow(
                id: UUIDv7(high: 0x019a_c0de_0000_7000, low: UInt64(number)), root: [], name: name, state: .member,
                createdAt: WallTime(milliseconds: 0))
            lookup.add(row, conversation: nil, members: 3, addedBy: "Mallory")
        }
        lookup.add(notesOf: try account(99), conversation: nil)
        return lookup
    }

    private static let thieves = [("@me", ""), ("Anna", "@ME"), ("me", ""), ("Notes", "")]

    @Test("@me means the notes to oneself, and neither a person's nor a group's name takes it or is taken by it")
    func word() throws {
        for word in ["@me", "@ME", " @me ", "＠ｍｅ"] {
            for isStrict in [false, true] {
                let found = try lookup(Self.thieves, groups: ["@me", "Notes"]).resolve(word, isStrict: isStrict)
                #expect(found.kind == .notes && found.word == "@me" && found.relation == nil, "\(word)")
            }
        }
        #expect(try lookup(Self.thieves).resolve(account(99).description, isStrict: true).kind == .notes)
        // The words for it in a sentence are those of the people and groups that are called so.
        let lookup = try lookup(Self.thieves, groups: ["Me too"])
        #expect(try lookup.resolve("Notes", isStrict: true).id == account(4).description)
        #expect(try lookup.resolve("me", isStrict: true).id == account(3).description)
        #expect(try self.lookup([], groups: ["@me"]).resolve(":@me", isStrict: true).kind == .group)
        #expect(!NameWord("@me").canBeAlias && !NameWord(" @ME").canBeAlias && NameWord("@meta").canBeAlias)
    }

    @Test("Where nobody is called notes, the right word is offered and not followed")
    func question() throws {
        for word in ["Notes", "notes", "note"] {
            do {
                let found = try lookup([("Anna Berg", "")]).resolve(word, isStrict: false)
                Issue.record("\(found)")
            } catch let error as ControlError {
                #expect(error.hint == .nearestName && error.candidates.map(\.word) == ["@me"], "\(word)")
            }
        }
    }

    @Test("Whoever is called @me is found by alias or id, never by that, where notes can't be meant")
    func claim() throws {
        var people = NameLookup()
        people.add(
            ContactNameRow(
                account: try account(1), displayName: "@me", alias: "", relation: .friend, trust: .unverified,
                namedAt: WallTime(milliseconds: 0)))
        do {
            let found = try people.resolve("@me", isStrict: false)
            Issue.record("\(found)")
        } catch {
            #expect(error.kind == .notFound && error.candidates.map(\.name) == ["@me"])
        }
    }
}
