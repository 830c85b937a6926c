import Basics
import ControlProtocol
import TestSupport
import Testing
import Vocabulary

@testable import kibo

@Suite("The words of the command line for codes")
struct WordsTests {
    private static let anna = Message.Line.Person(id: Cast.anna, name: "Anna")
    private static let dora = Message.Line.Person(id: Cast.dora, name: "Dora")
    private static let me = Message.Line.Person(id: Cast.own, name: "Me", own: true)

    @Test("Where the other side has no room, the story of a message names its disk")
    func fullDisk() {
        let now = WallTime(milliseconds: 0)
        let whose: JSONObject = ["name": "Ben", "reason": "no_space"]
        #expect(
            StoryWords.state(Remark(.notTaken, whose), of: "x", now: now) == "Ben's disk is full. Kibo keeps trying.")
        #expect(StoryWords.step(Remark(.notTaken, whose), now: now).hasPrefix("Ben's disk was full"))
        let busy: JSONObject = ["name": "Ben", "reason": "busy"]
        #expect(
            StoryWords.state(Remark(.notTaken, busy), of: "x", now: now)
                == "Ben is connected but could not take it: busy. Kibo will try again.")
    }

    @Test("Each change of a group is a sentence with its actor and its subject")
    func lines() {
        typealias Line = Message.Line
        let many = (1...5).map { Line.Person(id: "kibo1\($0)", name: "P\($0)") }
        let lines: [(Line, String)] = [
            (Line(.created, by: Self.anna, value: "Boat"), "Anna made the group “Boat”"),
            (
                Line(.created, by: Self.me, subjects: [Self.anna, Self.dora], value: "Boat"),
                "You made the group “Boat” with Anna and Dora"
            ),
            (Line(.added, by: Self.anna, subjects: [Self.me]), "Anna added you"),
            (Line(.added, by: Self.anna, subjects: many, more: 7), "Anna added P1, P2, P3, P4, P5 and 7 others"),
            (Line(.removed, by: Self.me, subjects: [Self.dora]), "You removed Dora"),
            (Line(.roleChanged, by: Self.anna, subjects: [Self.dora], role: .owner), "Anna made Dora an owner"),
            (Line(.roleChanged, by: Self.anna, subjects: [Self.me], role: .admin), "Anna made you an admin"),
            (
                Line(.roleChanged, by: Self.anna, subjects: [Self.me], role: .member),
                "Anna made you an ordinary member"
            ),
            (Line(.left, by: Self.anna), "Anna left"),
            (Line(.renamed, by: Self.me, value: "Raft"), "You renamed the group to “Raft”"),
            (Line(.described, by: Self.anna, value: "On Sundays"), "Anna changed the description: On Sundays"),
            (Line(.described, by: Self.anna), "Anna removed the description"),
            (Line(.avatarChanged, by: Self.anna), "Anna changed the group's avatar"),
            (Line(.avatarChanged, by: Self.anna, gone: true), "Anna removed the group's avatar"),
            (
                Line(.historyChanged, by: Self.anna, count: 20),
                "Anna decided that new members see the last 20 messages"
            ),
            (
                Line(.historyChanged, by: Self.anna, count: 0),
                "Anna decided that new members see only what is written after they join"
            ),
            (Line(.inherited, by: Self.me), "You are now the group's owner"),
            (
                Line(.removed, by: Self.anna, subjects: [Self.dora], undone: true),
                "Undone by a removal made at the same time: Anna removed Dora"
            ),
        ]
        for (line, text) in lines { #expect(line.words == text) }
        #expect(
            Line(.forked, by: Self.dora).words.hasPrefix("Dora's device has signed two different entries"))
        #expect(Set(lines.map(\.0.action)).union([.forked]) == Set(LineAction.allCases))
    }

    @Test("A line is shown by its words, an old one by its English; foreign text in it is escaped")
    func shown() {
        var message = Cast.said("Anna, Dora", by: Cast.anna, kind: .system)
        message.line = Message.Line(.added, by: Self.anna, subjects: [.init(id: Cast.dora, name: "Do\u{1B}ra")])
        #expect(Words.excerpt(message) == "Anna added Do\\u{1b}ra")
        message.line = nil
        #expect(Words.excerpt(message) == "Anna, Dora")
        let text = ExportText(people: People(own: Cast.own), own: "Me")
        message.line = Message.Line(.left, by: Self.anna)
        #expect(text.text(message).hasSuffix("  Anna left\n"))
        #expect(text.text(Cast.said("one\ntwo")).hasSuffix("  Me: one\n    two\n"))
    }

    /// A command of this program, of the daemon, or of the system.
    private static var command: Regex<Substring> {
        /(?:kibo|kibod|kibo-media|free|chmod|mkdir|ls|realpath|mv|tar|journalctl)(?: |,|$)/
    }

    @Test("Each hint has words, which leave no gap that the error could fill, and name a command")
    func hints() {
        for hint in HintCode.allCases {
            let error = RPCError(
                ControlError(
                    .invalid, "no", hint: hint,
                    parameters: [
                        "name": "Anna B", "group": "Boat", "id": "019ac0de", "seconds": 4, "least": 7, "most": 15,
                        "ids": "a\nb", "key": "invite.text", "example": "mail", "default": "no",
                    ]))
            let text = HintWords.text(of: error)
            #expect(!text.isEmpty && !text.contains("WHO -") && !text.contains("{}"), "\(hint)")
            #expect(
                [.tryInAMoment, .waitBeforeTrying].contains(hint) || text.contains(Self.command),
                "\(hint) names no command: \(text)")
        }
        func text(_ hint: HintCode, _ parameters: JSONObject = [:]) -> String {
            HintWords.text(of: RPCError(ControlError(.invalid, "no", hint: hint, parameters: parameters)))
        }
        #expect(text(.unblock, ["name": "Anna B"]) == "To unblock them: kibo unblock 'Anna B'")
        #expect(text(.unblock) == "To unblock them: kibo unblock WHO")
        #expect(
            text(.addContact, ["name": "Anna B", "word": "kibo1q"])
                == "Ask them to be your friend first: kibo add kibo1q")
        #expect(text(.leaveInstead, ["group": "Boat"]) == "To leave: kibo group leave :Boat")
    }

    @Test("A hint of a later daemon is no hint, and takes nothing else away")
    func later() {
        let error = RPCError(
            code: RPCError.refusedCode, message: "no", data: ["kind": "invalid", "hint": "of_a_later_version"])
        #expect(error.hint == nil && HintWords.text(of: error).isEmpty && error.kind == .invalid)
    }
}
