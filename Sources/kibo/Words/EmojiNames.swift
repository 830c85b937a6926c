/// The names by which people call emoji, as other messengers have them: `thumbsup`, `:+1:`.
enum EmojiNames {
    /// The emoji of a name, with colons around it or without; nil for a word that is none.
    static func emoji(_ word: String) -> String? {
        let name = name(of: word)
        return table.first { $0.names.contains(name) }?.emoji
    }

    /// The names that begin like a word, with colons before it or without, each once for its emoji.
    static func names(beginning word: String) -> [String] {
        let name = name(of: word)
        // A second colon ends the name.
        if word.count > 2, word.last == ":" { return emoji(word) == nil ? [] : [name] }
        return table.compactMap { entry in entry.names.first { $0.hasPrefix(name) } }.sorted()
    }

    /// All names, for completion.
    static let all = table.flatMap(\.names)

    /// Whether a word can only be meant as a name: it has nothing but what names have.
    static func isName(_ word: String) -> Bool {
        !word.isEmpty && word.utf8.allSatisfy { $0 < 0x80 }
    }

    private static func name(of word: String) -> String {
        let name = word.lowercased().drop { $0 == ":" }
        return String(name.last == ":" ? name.dropLast() : name)
    }

    private static let table: [(names: [String], emoji: String)] = [
        (["thumbsup", "+1", "like", "yes"], "👍"), (["thumbsdown", "-1", "no"], "👎"), (["heart", "love"], "❤️"),
        (["joy", "laugh", "lol"], "😂"), (["rofl"], "🤣"), (["smile"], "😄"), (["grin"], "😁"), (["blush"], "😊"),
        (["wink"], "😉"), (["slight_smile"], "🙂"), (["upside_down"], "🙃"), (["heart_eyes"], "😍"), (["kiss"], "😘"),
        (["thinking"], "🤔"), (["neutral"], "😐"), (["eye_roll"], "🙄"), (["sweat_smile"], "😅"),
        (["sunglasses", "cool"], "😎"),
        (["cry", "sad"], "😢"), (["sob"], "😭"), (["scream"], "😱"), (["open_mouth", "wow"], "😮"), (["confused"], "😕"),
        (["angry"], "😠"), (["rage"], "😡"), (["sleeping"], "😴"), (["sick"], "🤒"), (["shushing"], "🤫"), (["hug"], "🤗"),
        (["party"], "🥳"), (["tada"], "🎉"), (["confetti"], "🎊"), (["clap"], "👏"), (["pray", "thanks"], "🙏"),
        (["wave", "hello", "bye"], "👋"), (["ok_hand"], "👌"), (["ok"], "🆗"), (["muscle"], "💪"), (["raised_hands"], "🙌"),
        (["handshake", "deal"], "🤝"), (["fingers_crossed"], "🤞"), (["victory"], "✌️"), (["fist"], "✊"),
        (["point_up"], "☝️"),
        (["shrug"], "🤷"), (["facepalm"], "🤦"), (["eyes"], "👀"), (["brain"], "🧠"), (["fire"], "🔥"), (["star"], "⭐"),
        (["sparkles"], "✨"), (["100"], "💯"), (["check", "done"], "✅"), (["x", "cross"], "❌"), (["question"], "❓"),
        (["exclamation"], "❗"), (["warning"], "⚠️"), (["bulb", "idea"], "💡"), (["rocket"], "🚀"), (["bug"], "🐛"),
        (["coffee"], "☕"), (["tea"], "🍵"), (["beer"], "🍺"), (["beers", "cheers"], "🍻"), (["cake"], "🍰"),
        (["pizza"], "🍕"),
        (["gift"], "🎁"), (["balloon"], "🎈"), (["trophy"], "🏆"), (["bell"], "🔔"), (["mute"], "🔇"), (["pin"], "📌"),
        (["calendar"], "📅"), (["hourglass"], "⏳"), (["clock"], "🕒"), (["email"], "📧"), (["phone"], "📞"),
        (["lock"], "🔒"),
        (["key"], "🔑"), (["sun"], "☀️"), (["rain"], "🌧️"), (["snow"], "❄️"), (["rainbow"], "🌈"), (["dog"], "🐶"),
        (["cat"], "🐱"), (["broken_heart"], "💔"), (["skull"], "💀"), (["ghost"], "👻"), (["robot"], "🤖"),
        (["see_no_evil"], "🙈"),
    ]
}
