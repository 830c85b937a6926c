import Basics
import ControlProtocol
import LocalSend
import Vocabulary

/// What devices offer to the user, and how far it has come. A value: what the bridge says, the user's word, what became of files
/// and the time come in.
package struct OfferTable: Sendable {
    /// How it is with a file that the user wants.
    private enum FileState: Hashable, Sendable {
        case expected
        case coming
        /// It is whole, and is being looked at.
        case finishing
        /// The path is that of the file, or of the outermost folder that it lies in.
        case kept(path: String)
        case lost

        var isOpen: Bool {
            switch self {
            case .expected, .coming, .finishing: true
            case .kept, .lost: false
            }
        }
    }

    private struct Entry: Sendable {
        var offer: GuestOffer
        let id: UUIDv7
        /// By which the bridge knows it.
        let number: Int
        var endedAt: Instant?
        /// The wanted files by their places in the offer.
        var files: [Int: FileState] = [:]
        /// The numbers of the outermost folders that files lie in, by the places of these.
        let roots: [Int: Int]
        /// Where these folders are, by their numbers.
        var folders: [Int: String] = [:]
        /// Why the offer is to end as something else than taken, once no file is open.
        var ending: (state: GuestOffer.State, lost: LostFile?)?
    }

    /// An offer that has no open files any more.
    package struct Settled: Sendable {
        package let id: UUIDv7
        package let device: String
        /// Where the files are that came whole, and the folders with some, in the order of the offer.
        package let paths: [String]
    }

    /// In the order in which they came.
    private var entries: [Entry] = []

    package init() {}

    /// All of them, the oldest first.
    package var offers: [GuestOffer] { entries.map(\.offer) }
    package var waiting: Int { entries.count { $0.offer.state == .waiting } }
    /// Whether files of an offer come in.
    package var isReceiving: Bool { entries.contains { $0.offer.state == .receiving } }

    // MARK: Offers

    /// A device offers something.
    /// - Parameters:
    ///   - offer: as the user sees it, in state `waiting`.
    ///   - number: by which the bridge knows it.
    ///   - names: those of its files, as the device names them, in the order of the offer.
    /// - Returns: false if the bridge may not do that: more wait than may, or there is such a number.
    package mutating func add(_ offer: GuestOffer, id: UUIDv7, number: Int, names: [OfferedName] = []) -> Bool {
        guard waiting < LocalSendLimits.waiting, open(number) == nil else { return false }
        entries.append(Entry(offer: offer, id: id, number: number, roots: Self.roots(of: names)))
        return true
    }

    /// Numbers the outermost folders, and says which files lie in them.
    private static func roots(of names: [OfferedName]) -> [Int: Int] {
        var numbers: [[UInt8]: Int] = [:]
        var roots: [Int: Int] = [:]
        for (place, name) in names.enumerated() {
            guard let root = name.root else { continue }
            let number = numbers[root] ?? numbers.count
            numbers[root] = number
            roots[place] = number
        }
        return roots
    }

    /// The offer, while it waits for the user.
    /// - Throws: a refusal of kind `not_found`.
    package func waiting(_ id: UUIDv7) throws(ControlError) -> GuestOffer {
        try entries[place(of: id, in: [.waiting])].offer
    }

    /// The text of an offer is in the notes.
    /// - Returns: the number by which the bridge knows the offer; nil if it is over.
    package mutating func textIsKept(_ id: UUIDv7, now: Instant) -> Int? {
        guard let place = try? place(of: id, in: [.waiting]) else { return nil }
        end(place, .taken, now: now)
        return entries[place].number
    }

    /// The user wants files of an offer.
    /// - Parameter items: their places; nil for all that may be taken.
    /// - Returns: the number by which the bridge knows it, and the places.
    /// - Throws: a refusal: `not_found`, `busy` while files of another offer come in, `type_not_allowed`, or `invalid`.
    package mutating func take(_ id: UUIDv7, items: [Int]?) throws(ControlError) -> (number: Int, items: [Int]) {
        let place = try place(of: id, in: [.waiting])
        guard !isReceiving else {
            throw ControlError(.busy, "files of another offer are coming in; take this one when they are here")
        }
        let wanted = try Self.wanted(items, of: entries[place].offer)
        for item in wanted { entries[place].files[item] = .expected }
        let all = entries[place].offer.items
        entries[place].offer.items = wanted.map { all[$0] }
        entries[place].offer.files = Int64(wanted.count)
        entries[place].offer.size = Self.bytes(of: entries[place].offer.items)
        entries[place].offer.state = .receiving
        entries[place].offer.until = nil
        return (entries[place].number, wanted)
    }

    /// The bytes of all of them; saturating, because devices say any number.
    package static func bytes(of items: [GuestOffer.Item]) -> Int64 {
        items.reduce(0) { sum, item in
            let (result, overflow) = sum.addingReportingOverflow(item.size)
            return overflow ? .max : result
        }
    }

    /// The places of the files that the user wants.
    package static func wanted(_ items: [Int]?, of offer: GuestOffer) throws(ControlError) -> [Int] {
        guard let items else {
            let allowed = offer.items.indices.filter { offer.items[$0].refusal == nil }
            guard !allowed.isEmpty else {
                throw ControlError(
                    offer.items.first?.refusal ?? .typeNotAllowed, "the settings for files let none of them in")
            }
            return allowed
        }
        let wanted = Set(items).sorted()
        for item in wanted {
            guard offer.items.indices.contains(item) else {
                throw ControlError(.invalid, "the offer has no file \(item)", field: "items")
            }
            if let refusal = offer.items[item].refusal {
                throw ControlError(
                    refusal, "the settings for files don't let \(offer.items[item].name) in", field: "items")
            }
        }
        return wanted
    }

    /// The user declines an offer, or ends one whose files come.
    /// - Returns: the number by which the bridge knows it, and whether it waited.
    /// - Throws: a refusal of kind `not_found`.
    package mutating func decline(_ id: UUIDv7, now: Instant) throws(ControlError) -> (number: Int, waited: Bool) {
        let place = try place(of: id, in: [.waiting, .receiving])
        let waited = entries[place].offer.state == .waiting
        if waited { end(place, .declined, now: now) } else { lose(place, .declined, nil) }
        return (entries[place].number, waited)
    }

    /// An offer is over, as the bridge says.
    package mutating func isOver(_ number: Int, _ ending: BridgeReport.Ending, now: Instant) {
        guard let place = open(number) else { return }
        guard entries[place].offer.state == .waiting else {
            let isSilent = ending == .silent
            return lose(
                place, .failed,
                LostFile(
                    isSilent ? .offline : .cancelled, isSilent ? "nothing came any more" : "the device has ended it"))
        }
        end(place, ending == .expired ? .expired : .withdrawn, now: now)
    }

    /// The bridge has ended.
    package mutating func bridgeEnded(now: Instant) {
        for place in entries.indices {
            switch entries[place].offer.state {
            case .waiting: end(place, .withdrawn, now: now)
            case .receiving: lose(place, .failed, LostFile(.cancelled, "LocalSend was stopped here"))
            default: break
            }
        }
    }

    // MARK: Files

    /// A file begins to come.
    /// - Returns: nil if it is not wanted.
    package mutating func begin(_ item: Int, of number: Int) -> GuestOffer.Item? {
        guard let place = open(number), entries[place].files[item] == .expected,
            let found = entries[place].offer.items.first(where: { $0.number == item })
        else { return nil }
        entries[place].files[item] = .coming
        return found
    }

    /// The number of the outermost folder that a file is in; nil if it is in none. Files with the same number belong in
    /// the same directory, and those with different numbers don't.
    package func root(of item: Int, of number: Int) -> Int? { open(number).flatMap { entries[$0].roots[item] } }

    /// A file is whole, and is about to be looked at.
    /// - Returns: false if it is not wanted any more.
    package mutating func finish(_ item: Int, of number: Int) -> Bool {
        guard let place = open(number), entries[place].files[item] == .coming else { return false }
        entries[place].files[item] = .finishing
        return true
    }

    /// What became of a file: the path where it is, or the outermost folder with it; or why it is lost.
    package mutating func ended(_ item: Int, of number: Int, _ result: Result<String, LostFile>) {
        guard let place = open(number), entries[place].files[item]?.isOpen == true else { return }
        switch result {
        case .success(let path):
            entries[place].files[item] = .kept(path: path)
            // A folder that was moved away meanwhile has another path now, and only the last one counts.
            if let root = entries[place].roots[item] { entries[place].folders[root] = path }
            entries[place].offer.filesDone += 1
        case .failure(let lost):
            entries[place].files[item] = .lost
            if entries[place].ending == nil { entries[place].ending = (.failed, lost) }
        }
    }

    /// Why a file is not kept.
    package struct LostFile: Error, Hashable, Sendable {
        package let reason: Reason
        /// In words for people.
        package let detail: String

        package init(_ reason: Reason, _ detail: String) {
            self.reason = reason
            self.detail = detail
        }
    }

    /// So many bytes of an offer have come.
    /// - Returns: the offer.
    package mutating func came(_ bytes: Int64, of number: Int) -> GuestOffer? {
        guard let place = open(number), entries[place].offer.state == .receiving else { return nil }
        entries[place].offer.bytesDone = min(bytes, entries[place].offer.size)
        return entries[place].offer
    }

    /// An offer that has no open files any more and was not reported yet. It ends with ``settle(_:problem:now:)``.
    package func settled() -> Settled? {
        guard
            let entry = entries.first(where: { entry in
                entry.offer.state == .receiving && !entry.files.values.contains(where: \.isOpen)
            })
        else { return nil }
        var told: Set<Int> = []
        let paths = entry.files.sorted { $0.key < $1.key }.compactMap { item, state -> String? in
            guard case .kept(let path) = state else { return nil }
            guard let root = entry.roots[item] else { return path }
            return told.insert(root).inserted ? entry.folders[root] : nil
        }
        return Settled(id: entry.id, device: entry.offer.device.name, paths: paths)
    }

    /// An offer is over, and what came of it is in the notes.
    /// - Parameter problem: why it is not in the notes; nil if it is.
    package mutating func settle(_ id: UUIDv7, problem: LostFile?, now: Instant) {
        guard let place = try? place(of: id, in: [.receiving]) else { return }
        let (state, lost) = entries[place].ending ?? (.taken, nil)
        let why = problem ?? lost
        (entries[place].offer.problem, entries[place].offer.detail) = (why?.reason, why?.detail)
        end(place, problem == nil ? state : .failed, now: now)
    }

    // MARK: Time

    /// Forgets offers that are over for long, and beyond a few those that were over first.
    /// - Returns: whether there were any.
    package mutating func forget(now: Instant) -> Bool {
        let count = entries.count
        entries.removeAll { entry in entry.endedAt.map { now - $0 >= GuestLimits.endedLife } ?? false }
        while entries.count(where: { $0.endedAt != nil }) > GuestLimits.ended,
            let oldest = entries.enumerated().compactMap({ place, entry in entry.endedAt.map { (place, $0) } })
                .min(by: { $0.1 < $1.1 })?.0
        {
            entries.remove(at: oldest)
        }
        return entries.count < count
    }

    // MARK: Parts

    private func place(of id: UUIDv7, in states: Set<GuestOffer.State>) throws(ControlError) -> Int {
        guard let place = entries.firstIndex(where: { $0.id == id && states.contains($0.offer.state) }) else {
            throw ControlError(.notFound, "there is no such offer, or it is over", field: "offer")
        }
        return place
    }

    private func open(_ number: Int) -> Int? {
        entries.firstIndex { $0.number == number && !$0.offer.state.isOver }
    }

    private mutating func end(_ place: Int, _ state: GuestOffer.State, now: Instant) {
        entries[place].offer.state = state
        entries[place].offer.until = nil
        entries[place].endedAt = now
        // A stranger's thousand names are not to be kept and told for nothing.
        if [.declined, .withdrawn, .expired].contains(state) {
            entries[place].offer.items = []
            entries[place].offer.text = nil
        }
    }

    /// Nothing more comes of an offer whose files came.
    private mutating func lose(_ place: Int, _ state: GuestOffer.State, _ lost: LostFile?) {
        // Where no file is open, all is here, and only the notes are being written.
        guard entries[place].files.values.contains(where: \.isOpen) else { return }
        entries[place].ending = entries[place].ending ?? (state, lost)
        for (item, file) in entries[place].files where file == .expected || file == .coming {
            entries[place].files[item] = .lost
        }
    }
}
