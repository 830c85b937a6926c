import Testing
import Vocabulary

/// Databases of all versions, peers of all versions and clients know the words by these codes: a word keeps its codes
/// for ever, and a new word is a new row here.
@Suite struct CodeTests {
    struct Row: Equatable, CustomStringConvertible {
        let word: String
        let stored: Int64?
        let wire: UInt64?

        init(_ word: String, stored: Int64? = nil, wire: UInt64? = nil) {
            self.word = word
            self.stored = stored
            self.wire = wire
        }

        var description: String { "\(word) \(stored.map(String.init) ?? "–") \(wire.map(String.init) ?? "–")" }
    }

    /// Goal: every word has the codes that it has always had, and no word is missing.
    @Test func everyCode() {
        expect(
            Relation.self, Row("none", stored: 0), Row("requested", stored: 1), Row("incoming", stored: 2),
            Row("friend", stored: 3), Row("blocked", stored: 4))
        expect(Trust.self, Row("unverified", stored: 0), Row("verified", stored: 1), Row("changed", stored: 2))
        expect(Presence.self, Row("online", wire: 0), Row("away", wire: 1), Row("offline"))
        expect(
            ContactWord.self, Row("nothing", stored: 0), Row("asked", stored: 1), Row("accepted", stored: 2),
            Row("ended", stored: 3))
        expect(ContactPolicy.self, Row("ask"), Row("everyone"), Row("nobody"))
        expect(AutoDownload.self, Row("default", stored: 0), Row("never", stored: 1), Row("always", stored: 2))
        expect(
            ConversationKind.self, Row("direct", stored: 0, wire: 0), Row("group", stored: 1, wire: 1),
            Row("notes", stored: 2, wire: nil))
        expect(
            MessageKind.self, Row("text", stored: 0, wire: 0), Row("file", stored: 1, wire: 1),
            Row("call", stored: 2, wire: 2),
            Row("system", stored: 3))
        expect(
            MessageState.self, Row("queued", stored: 0), Row("sent", stored: 1), Row("delivered", stored: 2),
            Row("read", stored: 3), Row("failed", stored: 4), Row("received", stored: 5))
        expect(
            LineAction.self, Row("created", stored: 1), Row("added", stored: 2), Row("removed", stored: 3),
            Row("role_changed", stored: 4), Row("left", stored: 5), Row("renamed", stored: 6),
            Row("described", stored: 7), Row("avatar_changed", stored: 8), Row("history_changed", stored: 9),
            Row("inherited", stored: 10), Row("forked", stored: 11))
        expect(CallMedia.self, Row("audio", stored: 0, wire: 0), Row("video", stored: 1, wire: 1))
        expect(
            CallOutcome.self, Row("answered", stored: 0, wire: 0), Row("unanswered", stored: 1, wire: 1),
            Row("cancelled", stored: 2, wire: 2), Row("declined", stored: 3, wire: 3), Row("busy", stored: 4, wire: 4),
            Row("unreachable", stored: 5, wire: 5), Row("failed", stored: 6, wire: 6))
        expect(
            CallPhase.self, Row("calling", wire: 0), Row("ringing", wire: 1), Row("waiting", wire: 2),
            Row("joined", wire: 3), Row("away", wire: 4), Row("ended", wire: 5))
        expect(
            CallSignalKind.self, Row("offer", wire: 0), Row("answer", wire: 1), Row("candidates", wire: 2),
            Row("restart", wire: 3))
        expect(MessageOrder.self, Row("sent"), Row("arrival"))
        expect(
            GroupRole.self, Row("owner", stored: 2, wire: 2), Row("admin", stored: 1, wire: 1),
            Row("member", stored: 0, wire: 0))
        expect(
            GroupStanding.self, Row("arriving", stored: 0), Row("member", stored: 1), Row("left", stored: 2),
            Row("removed", stored: 3))
        expect(LogState.self, Row("held", stored: 0), Row("delivered", stored: 1))
        expect(ChangeKind.self, Row("insert", stored: 0), Row("update", stored: 1), Row("delete", stored: 2))
        expect(
            AttachmentKind.self, Row("document", stored: 1, wire: 1), Row("image", stored: 2, wire: 2),
            Row("audio", stored: 3, wire: 3), Row("video", stored: 4, wire: 4), Row("other", stored: 0, wire: 0),
            Row("folder", stored: 5, wire: 5))
        expect(TransferDirection.self, Row("in", stored: 0), Row("out", stored: 1))
        expect(
            TransferState.self, Row("offered", stored: 0), Row("queued", stored: 1), Row("active", stored: 2),
            Row("paused", stored: 3), Row("done", stored: 4), Row("declined", stored: 5), Row("cancelled", stored: 6),
            Row("failed", stored: 7))
        expect(TransferPause.self, Row("us", stored: 1), Row("peer", stored: 2), Row("both", stored: 3))
    }

    /// Goal: a code leads back to its word, and a number that no word has to none.
    @Test func codesLeadBack() {
        for state in TransferState.allCases { #expect(TransferState(stored: state.stored) == state) }
        for kind in AttachmentKind.allCases { #expect(kind.wire.flatMap(AttachmentKind.init(wire:)) == kind) }
        #expect(TransferState(stored: 8) == nil && TransferState(stored: -1) == nil)
        #expect(MessageKind(wire: 3) == nil && Presence(wire: 2) == nil && GroupRole(wire: .max) == nil)
        #expect(TransferPause(stored: 0) == nil)
    }

    /// Goal: every reason has the names that peers and clients have always had for it; what is unknown has one fallback.
    @Test func everyReason() {
        let names = [
            "not_found", "ambiguous", "already_exists", "invalid", "no_account", "locked", "wrong_passphrase",
            "not_friends", "blocked", "key_changed", "offline", "too_large", "type_not_allowed", "no_space",
            "not_allowed", "busy", "cancelled", "unsupported", "internal",
        ]
        #expect(Reason.allCases.map(\.rawValue) == names + ["source_changed"])
        #expect(Reason.ofContract.map(\.contract) == names)
        #expect(Reason.sourceChanged.contract == "invalid")
        #expect(Reason(code: "no_space") == .noSpace && Reason(code: "of_later_times") == .internal)
    }

    /// Goal: what peers say and databases hold of a file that is left out leads to its code, and other words to none.
    @Test func leftOut() {
        let words = [
            "symbolic links are not sent", "neither a file nor a folder", "a name that would not be taken everywhere",
            "its name differs only in case or form from another one there", "too deep in folders, or too long a path",
            "it can't be read", "files of this type are not sent", "it changed since it was offered",
            "it is not there any more",
        ]
        #expect(LeftOutCause.allCases.map(\.words) == words)
        #expect(words.map { LeftOutCause(words: $0) } == LeftOutCause.allCases)
        #expect(LeftOutCause(words: "") == nil && LeftOutCause(words: "something else") == nil)
    }

    /// Goal: a cancelled transfer tells by what is stored which side has cancelled it, unless a reason says why it ended.
    @Test func canceller() {
        let byPeer = "by the other side"
        #expect(TransferSide.canceller(.cancelled, reason: nil, detail: nil) == .us)
        #expect(TransferSide.canceller(.cancelled, reason: nil, detail: byPeer) == .peer)
        #expect(TransferSide.cancelledByPeer == byPeer)
        #expect(TransferSide.canceller(.cancelled, reason: nil, detail: "words of a peer") == nil)
        #expect(TransferSide.canceller(.cancelled, reason: .notFriends, detail: nil) == nil)
        #expect(TransferSide.canceller(.declined, reason: nil, detail: nil) == nil)
    }

    /// Goal: why a dial failed is said in one sentence, with what the code leaves open.
    @Test func dials() {
        #expect(DialProblem.notKibo.words(nil) == "what answers there is not Kibo")
        #expect(DialProblem.otherVersion.words("7").contains("version 7 of the protocol"))
        #expect(DialProblem.unreachable.words("no route").hasSuffix("(no route)"))
        #expect(Set(DialProblem.allCases.map(\.rawValue.code)).count == DialProblem.allCases.count)
    }

    /// Goal: what is wrong in a file of an address book is said in one phrase, with what the code leaves open.
    @Test func cards() {
        #expect(CardProblem.noWay.words(nil) == "neither telephone nor e-mail")
        #expect(CardProblem.base64.words("FN") == "FN is in base 64, which is not read")
        #expect(CardProblem.notEmail.words("a b").hasSuffix(": a b"))
        #expect(Set(CardProblem.allCases.map(\.rawValue.code)).count == CardProblem.allCases.count)
    }

    private func expect<Word: CaseIterable>(_ type: Word.Type, _ rows: Row...) {
        let found = type.allCases.map { word in
            Row(
                (word as? any RawRepresentable)?.rawValue as? String ?? "\(word)",
                stored: (word as? any StoredWord)?.stored, wire: (word as? any WireWord)?.wire)
        }
        #expect(found == rows, "\(type)")
    }
}
