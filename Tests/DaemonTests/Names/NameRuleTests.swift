import Basics
import ControlProtocol
import Messaging
import TestSupport
import Testing
import Vocabulary

@testable import Control
@testable import Daemon
@testable import Store

/// Goal: a name never leads to an account that has only taken it, and an action that can't be taken back is never
/// guessed.
@Suite("What a name means")
struct NameRuleTests {
    /// A person in the list of a test.
    private struct Person {
        var number: UInt8
        var name: String
        var alias = ""
        var relation = Relation.friend
        var isVerified = false
        /// The day since which the person has this name.
        var day: Int64 = 1

        var id: String { AccountID(bytes: [UInt8](repeating: number, count: 32))?.description ?? "" }
    }

    private static let anna = Person(number: 1, name: "Anna Berg", isVerified: true)

    private func lookup(_ people: [Person], groups: [String] = []) throws -> NameLookup {
        var lookup = NameLookup()
        for person in people {
            lookup.add(
                ContactNameRow(
                    account: try #require(AccountID(person.id)), displayName: person.name, alias: person.alias,
                    relation: person.relation, trust: person.isVerified ? .verified : .unverified,
                    namedAt: WallTime(milliseconds: person.day * 86_400_000)))
        }
        for (number, name) in groups.enumerated() {
            let row = GroupRow(
                id: UUIDv7(high: 0x019a_c0de_0000_7000, low: UInt64(number)), root: [], name: name, state: .member,
                createdAt: WallTime(milliseconds: 0))
            lookup.add(row, conversation: nil, members: 3, addedBy: "Mallory")
        }
        return lookup
    }

    /// Returns where a word leads: to a name, `(refused)` with the names that are listed, or `nobody`.
    private func answer(
        _ word: String, _ people: [Person], groups: [String] = [], isStrict: Bool = false
    ) throws -> String {
        do {
            let found = try lookup(people, groups: groups).resolve(word, isStrict: isStrict)
            return (found.kind == .group ? "group " : "") + found.name
        } catch let error as ControlError {
            let names = error.candidates.map { ($0.kind == .group ? "group " : "") + $0.name }
            switch error.kind {
            case .ambiguous: return "refused: " + names.joined(separator: ", ")
            default:
                return "nobody"
                    + (names.isEmpty || error.hint == .nearestName ? "" : ": " + names.joined(separator: ", "))
            }
        }
    }

    @Test("A friend that takes a name gets nothing that is for its bearer, verified or not")
    func takenOver() throws {
        let thief = Person(number: 2, name: "Anna", day: 9)
        // The bearer is found by her first name until another friend has it as the whole name: then the word is
        // refused.
        #expect(try answer("Anna", [Self.anna]) == "Anna Berg")
        #expect(try answer("Anna", [Self.anna, thief]) == "refused: Anna Berg, Anna")
        #expect(try answer("Anna", [Person(number: 1, name: "Anna Berg"), thief]) == "refused: Anna Berg, Anna")
        #expect(try answer("Anna Berg", [Self.anna, thief]) == "Anna Berg")
        // Two friends have exactly this name: the verified one that has had it longer is meant; without such a friend
        // the word is refused.
        let double = Person(number: 2, name: "Anna Berg", day: 9)
        #expect(try answer("Anna Berg", [double, Self.anna]) == "Anna Berg")
        #expect(try lookup([double, Self.anna]).resolve("Anna Berg", isStrict: false).id == Self.anna.id)
        #expect(
            try answer("Anna Berg", [Person(number: 1, name: "Anna Berg"), double]) == "refused: Anna Berg, Anna Berg")
        let verifiedThief = Person(number: 2, name: "Anna Berg", isVerified: true, day: 9)
        for victim in [Self.anna, Person(number: 1, name: "Anna Berg")] {
            #expect(try answer("Anna Berg", [victim, verifiedThief]).hasPrefix("refused"))
        }
        // A new friend with a name that is only longer changes nothing.
        #expect(
            try answer("Anna", [Person(number: 1, name: "Anna"), Person(number: 2, name: "Anna Zorn", day: 9)])
                == "Anna")
        #expect(try answer("Ann", [Person(number: 1, name: "Ann", day: 9), Person(number: 2, name: "Anna")]) == "Ann")
    }

    @Test("Look-alikes count as the name: case, accents, width, signs without a glyph, spaces")
    func lookAlikes() throws {
        for name in [
            "anna berg", "ÀNNA BÉRG", "Ａｎｎａ Berg", "An\u{200B}na Berg", "Anna\u{00AD} Berg", "Anna\u{2060} Berg",
            "Anna  Berg ",
            "\u{2800}Anna\u{3000}Berg", "A\u{0301}nna Berg", "Anna Berg\u{FE0F}", "An\u{200D}na Berg",
        ] {
            let thief = Person(number: 2, name: name, day: 9)
            // The bearer's spelling leads to the bearer; the thief's spelling doesn't lead to the thief.
            #expect(try lookup([Self.anna, thief]).resolve("Anna Berg", isStrict: false).id == Self.anna.id, "\(name)")
            #expect(try answer("Anna Berg", [Self.anna, thief], isStrict: true).hasPrefix("refused"), "\(name)")
            let typed = try? lookup([Self.anna, thief]).resolve(name, isStrict: false).id
            #expect(typed == nil || typed == Self.anna.id, "\(name)")
        }
    }

    @Test("Names are found without their accents, but a name as it is typed goes first")
    func accents() throws {
        let zoe = Person(number: 1, name: "Zoë Ångström")
        for word in ["zoe", "ZOË", "zoe angstrom", "Zoë Ångström", "zoë  ångström", "zo"] {
            #expect(try answer(word, [zoe]) == zoe.name, "\(word)")
        }
        #expect(try answer("strasse", [Person(number: 1, name: "Straße")]) == "Straße")
        let plain = Person(number: 2, name: "Zoe")
        #expect(try answer("Zoe", [Person(number: 1, name: "Zoë"), plain]) == "Zoe")
        #expect(try answer("Zoë", [Person(number: 1, name: "Zoë"), plain]) == "Zoë")
        // A friend that took the name later doesn't get what went to the other one.
        #expect(
            try answer("Zoe", [Person(number: 1, name: "Zoë"), Person(number: 2, name: "Zoe", day: 9)])
                == "refused: Zoë, Zoe")
    }

    @Test("An alias leads to the contact that got it, whatever others call themselves")
    func aliases() throws {
        let ben = Person(number: 3, name: "Benjamin Kay", alias: "Ben")
        let thief = Person(number: 4, name: "Ben", isVerified: true, day: 0)
        for word in ["Ben", "ben", " BEN "] {
            #expect(try lookup([thief, ben]).resolve(word, isStrict: false).id == ben.id)
            #expect(try lookup([thief, ben]).resolve(word, isStrict: true).id == ben.id)
        }
        #expect(try answer("Benjamin Kay", [thief, ben]) == "Ben")
        // Two contacts with one alias can't be told apart, so the word is refused.
        #expect(try answer("Ben", [ben, Person(number: 5, name: "X", alias: "ben")]).hasPrefix("refused"))
        // The beginning of an alias doesn't count like a whole alias or name.
        let long = Person(number: 6, name: "Cleo", alias: "Ben from the workshop")
        #expect(try answer("Ben", [long, thief]).hasPrefix("refused"))
        #expect(try answer("Ben", [long]) == "Ben from the workshop")
    }

    @Test(
        "A group is meant if the word says so, or if nothing else fits; its beginning counts only if the word says so")
    func groups() throws {
        let anna = Person(number: 1, name: "Anna")
        #expect(try answer("Anna", [anna], groups: ["Anna"]) == "Anna")
        #expect(try answer(":Anna", [anna], groups: ["Anna"]) == "group Anna")
        #expect(try answer("Anna", [Self.anna], groups: ["Anna"]) == "refused: Anna Berg, group Anna")
        #expect(try answer("hikers", [anna], groups: ["Hikers"]) == "group Hikers")
        #expect(try answer("Hik", [anna], groups: ["Hikers"]) == "nobody")
        #expect(try answer(":Hik", [anna], groups: ["Hikers"]) == "group Hikers")
        // Her friendship has ended, and she is not even known any more: her name leads nowhere.
        #expect(try answer("Anna", [], groups: ["Annapurna", "Anna and friends"]) == "nobody")
        #expect(try answer("Hikers", [], groups: ["Hikers", "hikers"]).hasPrefix("refused"))
        #expect(try answer(":hikers", [], groups: ["Hikers", "hikers"]).hasPrefix("refused"))
        for strict in ["Anna", "anna"] {
            #expect(try answer(strict, [anna], groups: ["Anna"], isStrict: true).hasPrefix("refused"))
        }
    }

    @Test("A group's exact name means it, though others begin with it; if two groups have the name, none is meant")
    func wholeGroups() throws {
        for isStrict in [false, true] {
            #expect(try answer(":Anna", [], groups: ["Anna", "Anna Berg"], isStrict: isStrict) == "group Anna")
            #expect(
                try answer(":anna", [Self.anna], groups: ["Anna Berg", "Anna"], isStrict: isStrict) == "group Anna")
            #expect(
                try answer(":Anna", [], groups: ["Anna", "Anna", "Anna Berg"], isStrict: isStrict)
                    == "refused: group Anna, group Anna")
        }
        #expect(try answer(":Ann", [], groups: ["Anna", "Anna Berg"]) == "refused: group Anna, group Anna Berg")
    }

    @Test("A group whose name fits another one too is offered by a short beginning of its id")
    func groupWords() throws {
        // The first three were made at different moments; the last two differ only at the end.
        let ids: [(UInt64, UInt64)] = [
            (0x019a_c0de_0000_7000, 1), (0x019a_c0de_1111_7000, 2), (0x019a_c0de_2222_7000, 3),
            (0x019a_c0de_2222_7000, 4),
        ]
        var lookup = NameLookup()
        for (high, low) in ids {
            let row = GroupRow(
                id: UUIDv7(high: high, low: low), root: [], name: "Boat", state: .member,
                createdAt: WallTime(milliseconds: 0))
            lookup.add(row, conversation: nil, members: 3, addedBy: nil)
        }
        do {
            _ = try lookup.resolve(":Boat", isStrict: false)
            Issue.record("one of four was taken")
        } catch {
            #expect(error.candidates.map(\.word.utf8.count) == [14, 14, 37, 37])
            for named in error.candidates {
                #expect(try lookup.resolve(named.word, isStrict: true).id == named.id)
                #expect(try lookup.resolve(named.id, isStrict: true).id == named.id)
            }
        }
    }

    @Test("A word that reads as a group, an id, an address or a number can't become an alias")
    func aliasesRefused() {
        for alias in [
            ":Hikers", " :Hikers", "\u{200B}:Hikers", "：Hikers", "kibo1qqqqqqqqq", "KIBO1qq", Self.anna.id,
            "01901234-0000-7000-8000-000000000001", "+49 170 1234567", "anna@example.org",
        ] {
            #expect(!NameWord(alias).canBeAlias, "\(alias)")
        }
        for alias in ["Anna", "Anna 2", "Kibo", "a: b", "Zoë", "Room 101", "@home"] {
            #expect(NameWord(alias).canBeAlias, "\(alias)")
        }
    }

    @Test("The refusal tells an unanswered request from a missing one; without a request there is none to answer")
    func noFriends() throws {
        for (relation, text): (Relation, String) in [
            (.requested, "Ben has not answered your request yet"),
            (.incoming, "Ben asks to be your friend, and is none yet"), (.blocked, "you have blocked Ben"),
            (.none, "Ben is no friend of yours"),
        ] {
            let people = try lookup([Person(number: 3, name: "Ben", relation: relation)])
            #expect(try people.noFriend("ben")?.message == text)
            #expect(try people.noFriend(":ben") == nil && people.noFriend("Cleo") == nil)
        }
        let people = try lookup([Person(number: 3, name: "Ben", relation: .none)])
        #expect(try people.noFriend("Ben")?.hint == .addContact)
        #expect(try people.noFriend("Ben")?.parameters["word"] == "Ben")
        #expect(
            try lookup([Self.anna]).noRequest("Anna")?.message
                == "there is no request of Anna Berg to answer, nor one of yours to take back")
        #expect(try lookup([Self.anna]).noRequest("Zoe") == nil)
    }

    @Test("A contact named like an id, an address or a number is not found by that name")
    func claims() throws {
        let id = Self.anna.id
        for name in [
            id, String(id.prefix(13)), String(id.prefix(13)).uppercased(), "anna@example.org", "+49 170 1234567",
            "01901234-0000-7000-8000-000000000001", "ｋｉｂｏ１ｑｑｑｑｑｑｑｑ",
        ] {
            let thief = Person(number: 2, name: name, day: 0)
            let found = try? lookup([Self.anna, thief], groups: [name]).resolve(name, isStrict: false).id
            #expect(found == nil || found == Self.anna.id, "\(name)")
            #expect(try answer(name, [thief], groups: [name]).hasPrefix("nobody"), "\(name)")
        }
        for strict in [true, false] {
            for word in [id, id.uppercased(), String(id.prefix(13)), String(id.prefix(30))] {
                #expect(try lookup([Self.anna]).resolve(word, isStrict: strict).id == id)
            }
        }
        #expect(try answer(String(id.prefix(10)), [Self.anna]) == "Anna Berg")
        #expect(try answer(String(id.prefix(10)), [Self.anna], isStrict: true) == "refused: Anna Berg")
        #expect(try answer("kibo1", [Self.anna]) == "nobody")
        // An alias may be anything, because the user chose it.
        #expect(
            try answer("+49 170 1234567", [Person(number: 3, name: "Cleo", alias: "+49 170 1234567")])
                == "+49 170 1234567")
        // The beginning of a group's id is also a friend's name here: the word is refused.
        let group = try lookup([], groups: ["Boat"]).resolve(":Boat", isStrict: true).id
        #expect(try answer(String(group.prefix(13)), [], groups: ["Boat"]) == "group Boat")
        #expect(
            try answer(String(group.prefix(13)), [Person(number: 2, name: String(group.prefix(13)))], groups: ["Boat"])
                .hasPrefix("refused"))
    }

    @Test("An action that can't be taken back needs a whole name that fits only one")
    func strict() throws {
        #expect(try answer("Anna Berg", [Self.anna], isStrict: true) == "Anna Berg")
        #expect(try answer("anna berg", [Self.anna], isStrict: true) == "Anna Berg")
        #expect(try answer("Anna", [Self.anna], isStrict: true) == "refused: Anna Berg")
        let double = Person(number: 2, name: "Anna Berg", day: 9)
        #expect(try answer("Anna Berg", [Self.anna, double], isStrict: true).hasPrefix("refused"))
        var asking = Person(number: 3, name: "anna berg", relation: .incoming)
        asking.day = 9
        #expect(try answer("Anna Berg", [Self.anna, asking], isStrict: true).hasPrefix("refused"))
        #expect(try answer("Anna Berg", [Self.anna, asking]) == "Anna Berg")
    }

    @Test("Each candidate has a word that leads to it alone, also if others have names made for it")
    func words() throws {
        let people = [
            Self.anna, Person(number: 2, name: "Anna Berg", alias: "Bella"), Person(number: 3, name: "Bella"),
            Person(number: 4, name: "Cleo", alias: ":Hikers"), Person(number: 5, name: "Dora", alias: "dora"),
            Person(number: 6, name: "Dora", alias: "Dora"),
        ]
        let lookup = try lookup(people, groups: ["Hikers", "Boat", "boat", "Anna Berg"])
        var words: Set<String> = []
        for word in ["Anna Berg", "Bella", "Dora", ":Boat", "Hikers"] {
            var found: [Named] = []
            do { found = [try lookup.resolve(word, isStrict: true)] } catch { found = error.candidates }
            for named in found {
                #expect(try lookup.resolve(named.word, isStrict: true).id == named.id, "\(named)")
                words.insert(named.word)
            }
        }
        #expect(words.contains("Bella") && words.contains(":Hikers") && words.contains(":Anna Berg"))
        #expect(words.contains { $0.hasPrefix("kibo1") && $0.utf8.count == 13 })
    }

    @Test("An empty word finds nothing, and the list of candidates is bounded")
    func bounds() throws {
        for word in [":", " ", "\u{200B}", "\u{2800}"] {
            #expect(try answer(word, [Self.anna], groups: ["Boat"]) == "nobody", "\(word)")
        }
        let many = (0..<100).map { Person(number: UInt8($0), name: "Anna") }
        let lookup = try lookup(many)
        do {
            _ = try lookup.resolve("Anna", isStrict: false)
            Issue.record("one of a hundred was taken")
        } catch {
            #expect(error.candidates.count == ProtocolLimits.nameCandidates && error.message.contains("100"))
        }
    }

    // MARK: Suggestions

    /// Returns the name that is suggested for a word that fits nothing; empty for none.
    private func suggestion(_ word: String, _ people: [Person], groups: [String] = []) throws -> String {
        do {
            let found = try lookup(people, groups: groups).resolve(word, isStrict: false)
            return "found \(found.name)"
        } catch let error as ControlError {
            guard error.hint == .nearestName else { return "" }
            #expect(error.kind == .notFound && error.candidates.count == 1)
            let near = try #require(error.candidates.first)
            // The word that is offered means the same, also where nothing is guessed.
            #expect(try lookup(people, groups: groups).resolve(near.word, isStrict: true).id == near.id)
            return (near.kind == .group ? "group " : "") + near.name
        }
    }

    @Test("The nearest name is suggested: of people and groups, by whole names, words of them and aliases")
    func suggestions() throws {
        let people = [
            Self.anna, Person(number: 2, name: "Ben"), Person(number: 3, name: "Zoë", alias: "Mum"),
            Person(number: 4, name: "李明"),
        ]
        for (word, name) in [
            ("Bem", "Ben"), ("Anan", "Anna Berg"), ("anna bregg", "Anna Berg"), ("Berq", "Anna Berg"),
            ("Berg", "Anna Berg"),
            ("Mun", "Mum"), ("Zoo", "Mum"), (":Hikrs", "group Hikers"), ("Hikrs", "group Hikers"), (":Bem", ""),
            ("Quentin", ""), ("Bo", ""), ("李", "found 李明"), ("anan@example.org", ""), ("+49 30 123456", ""),
            ("kibo1bem", ""),
            (String(repeating: "Ben", count: 40), ""),
        ] {
            #expect(try suggestion(word, people, groups: ["Hikers"]) == name, "\(word)")
        }
    }

    @Test("A stranger can't push in front of a friend, nor a newer name in front of an older one")
    func suggestedFriend() throws {
        let ben = Person(number: 2, name: "Ben", day: 5)
        let stranger = Person(number: 3, name: "Bea", relation: .incoming, day: 1)
        #expect(try suggestion("Bem", [stranger, ben]) == "Ben")
        #expect(try suggestion("Bem", [ben, stranger]) == "Ben")
        let newer = Person(number: 4, name: "Bel", day: 9)
        #expect(try suggestion("Bem", [newer, ben]) == "Ben")
        #expect(try suggestion("Bem", [newer, Person(number: 5, name: "Bex", isVerified: true, day: 20)]) == "Bex")
    }

    @Test("Ten thousand contacts with hostile names are looked through in a moment")
    func suggestedAmongMany() throws {
        let long = String(repeating: "Bxn ", count: 32)
        let many = (0..<10_000).map { NamedCandidate(id: "kibo1\($0)", alias: long, name: long) }
        let ben = NamedCandidate(id: "kibo1ben", name: "Ben")
        let start = ThreadTime.now
        #expect(NameRule("Bem", isStrict: false).nearest(among: many + [ben])?.id == "kibo1ben")
        #expect(NameRule("Benn Ba", isStrict: false).nearest(among: many) == nil)
        // The thread's own time, of a debug build; a release build takes 20 ms.
        #expect(ThreadTime.now - start < .seconds(20))
        #expect(
            NameRule("Bem", isStrict: false).nearest(
                among: Array(repeating: many[0], count: ProtocolLimits.suggestedNames) + [ben]) == nil)
    }
}
