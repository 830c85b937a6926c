import Basics
import Glibc

/// The content of a long history: authors and times. It is the same for the same seed, and is made a piece at a time.
struct HistoryPlan {
    /// A message before it has ids.
    struct Draft: Sendable {
        /// The number of its conversation.
        let conversation: Int
        let isOwn: Bool
        let text: String
        let at: WallTime
        /// The name of the file that comes with it; nil for a message without one.
        let file: String?
    }

    static let wordsInUse = 20_000
    /// The share of conversations that end with unread messages.
    static let unreadShare = 0.4
    private static let years = 3
    /// The most messages that one person writes in a row.
    private static let longestRun = 8
    /// One in this many messages has a file.
    private static let messagesPerFile = 100
    /// One message in so many is long.
    private static let messagesPerEssay = 500

    let messages: Int
    let conversations: Int
    let vocabulary = ZipfText(words: wordsInUse)
    let hanVocabulary = ZipfText(words: wordsInUse, script: .han)
    /// The share of conversations in Chinese, in percent.
    private let hanPercent: Int
    private let start: WallTime
    private let step: Duration
    private var random = SeededGenerator(seed: 3)
    private var made = 0
    private var run: (conversation: Int, isOwn: Bool, left: Int) = (0, false, 0)

    /// - Parameters:
    ///   - hanPercent: the share of conversations in Chinese; the longest is never one unless all are.
    ///   - end: when the last message was written; the first was written years before.
    init(messages: Int, conversations: Int, hanPercent: Int = 10, end: WallTime) {
        self.messages = messages
        self.conversations = conversations
        self.hanPercent = hanPercent
        let span = Duration.seconds(Self.years * 365 * 86_400)
        start = end + (.zero - span)
        step = span / messages
    }

    /// The number of unread messages at the end of a conversation.
    func unread(_ conversation: Int) -> Int {
        Double(conversation) < Double(conversations) * Self.unreadShare ? 1 + conversation % 20 : 0
    }

    /// The next messages in the order of their times; empty when all have been made.
    mutating func next(_ count: Int) -> [Draft] {
        (0..<min(count, messages - made)).map { _ in
            defer { made += 1 }
            if run.left == 0 {
                run = (pickConversation(), random.next() & 1 == 0, Int.random(in: 1...Self.longestRun, using: &random))
            }
            run.left -= 1
            var length = 1 + min(Int.random(in: 0..<30, using: &random), Int.random(in: 0..<30, using: &random))
            if made % Self.messagesPerEssay == 0 { length = 200 }
            let hasFile = made % Self.messagesPerFile == 7
            let isHan = (run.conversation * 7 + 99) % 100 < hanPercent
            let text = (isHan ? hanVocabulary : vocabulary).text(length, using: &random)
            return Draft(
                conversation: run.conversation, isOwn: run.isOwn, text: text, at: start + step * made,
                file: hasFile ? vocabulary.text(3, using: &random) + ".pdf" : nil)
        }
    }

    /// Picks a conversation. Half of all messages are spread evenly; the other half follows Zipf's law, so that the
    /// first conversation is very long.
    private mutating func pickConversation() -> Int {
        let even = Int.random(in: 0..<conversations, using: &random)
        if random.next() & 1 == 0 { return even }
        // This approximates the inverse of the harmonic sum.
        let share = Double.random(in: 0..<1, using: &random)
        return min(conversations, Int(pow(Double(conversations), share))) - 1
    }
}
