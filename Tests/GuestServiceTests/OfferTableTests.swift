import Basics
import ControlProtocol
import LocalSend
import Testing
import Vocabulary

@testable import GuestService

/// Goal: whatever a device, the bridge and the user do, the user sees what has become of each offer, and no file counts twice.
@Suite("What devices offer to the user")
struct OfferTableTests {
    private let start = Instant(nanoseconds: 1_000_000_000_000)

    private static func id(_ number: UInt64) -> UUIDv7 {
        UUIDv7(high: 0x018B_CFE5_6800_7000, low: 0x8000_0000_0000_0000 | number)
    }

    private static func offer(
        _ id: UUIDv7, _ sizes: [Int64], text: String? = nil, refused: [Int: Reason] = [:]
    ) -> GuestOffer {
        let items = sizes.enumerated().map { place, size in
            GuestOffer.Item(number: Int64(place), name: "\(place).png", size: size, refusal: refused[place])
        }
        return GuestOffer(
            id: id.description,
            device: GuestDevice(
                id: "0123456789abcdef", name: "Nice Orange", model: nil, kind: .mobile, address: "10.9.0.1",
                encrypted: true),
            text: text, items: items, size: sizes.reduce(0, +), cameAt: 1, until: 60_001)
    }

    /// A table with an offer of files under the number 7.
    private func waiting(_ sizes: [Int64], refused: [Int: Reason] = [:]) -> (OfferTable, UUIDv7) {
        var table = OfferTable()
        let id = Self.id(1)
        #expect(table.add(Self.offer(id, sizes, refused: refused), id: id, number: 7) == true)
        return (table, id)
    }

    /// A table with an offer of which all files are to come.
    private func receiving(_ sizes: [Int64]) throws -> (OfferTable, UUIDv7) {
        var (table, id) = waiting(sizes)
        let taken = try table.take(id, items: nil)
        #expect(taken.number == 7 && taken.items == Array(sizes.indices))
        return (table, id)
    }

    /// The sort of refusal; nil if there is none.
    private func refusal(_ body: () throws -> Void) -> Reason? {
        do { try body() } catch { return (error as? ControlError)?.kind }
        return nil
    }

    private func lost(_ reason: Reason) -> Result<String, OfferTable.LostFile> {
        .failure(OfferTable.LostFile(reason, "words"))
    }

    // MARK: An offer that ends well

    @Test("The files that the user wants come one by one; then the offer is taken")
    func story() throws {
        var (table, id) = waiting([3, 0, 5])
        #expect(table.waiting == 1 && !table.isReceiving && table.settled() == nil)
        #expect(try table.waiting(id).items.count == 3)
        let taken = try table.take(id, items: [2, 0, 2])
        #expect(taken.number == 7 && taken.items == [0, 2])
        #expect(table.waiting == 0 && table.isReceiving && table.settled() == nil)
        let offer = try #require(table.offers.first)
        #expect(offer.state == .receiving && offer.items.map(\.number) == [0, 2])
        #expect(offer.size == 8 && offer.until == nil)
        #expect(table.begin(1, of: 7) == nil, "the user doesn't want it")
        #expect(table.begin(2, of: 7)?.name == "2.png")
        #expect(table.begin(2, of: 7) == nil, "it comes already")
        #expect(table.begin(0, of: 7)?.size == 3)
        #expect(table.came(6, of: 7)?.bytesDone == 6)
        #expect(table.came(100, of: 7)?.bytesDone == 8, "no more than all of it")
        #expect(table.finish(2, of: 7) == true)
        #expect(table.finish(2, of: 7) == false)
        table.ended(2, of: 7, .success("/files/2.png"))
        table.ended(2, of: 7, .success("/files/2.png"))
        #expect(table.offers.first?.filesDone == 1)
        #expect(table.settled() == nil, "a file is still coming")
        #expect(table.finish(0, of: 7) == true)
        #expect(table.settled() == nil, "it is being looked at")
        table.ended(0, of: 7, .success("/files/0.png"))
        let settled = try #require(table.settled())
        #expect(settled.id == id && settled.device == "Nice Orange")
        #expect(settled.paths == ["/files/0.png", "/files/2.png"], "in the order of the offer")
        #expect(table.isReceiving, "the notes are not written yet")
        table.settle(id, problem: nil, now: start)
        let ended = try #require(table.offers.first)
        #expect(ended.state == .taken && ended.filesDone == 2 && ended.problem == nil && ended.detail == nil)
        #expect(!table.isReceiving && table.settled() == nil && table.came(8, of: 7) == nil)
    }

    @Test(
        "A folder stands once among what came, with the path where it is now, at the place of its first file that came")
    func folders() throws {
        var table = OfferTable()
        let id = Self.id(1)
        let names = ["a/0", "1", "b/2", "a/x/3", "a\u{202E}/4", "b/5"].map { OfferedName($0, depth: 16) }
        #expect(table.add(Self.offer(id, [1, 1, 1, 1, 1, 1]), id: id, number: 7, names: names) == true)
        let roots = (0...6).map { table.root(of: $0, of: 7) }
        #expect(roots[0] == roots[3] && roots[2] == roots[5] && roots[1] == nil && roots[6] == nil)
        #expect(Set([roots[0], roots[2], roots[4]]).count == 3 && table.root(of: 0, of: 8) == nil)
        _ = try table.take(id, items: nil)
        let ends: [(Int, String?)] = [(5, "/b"), (3, "/a"), (4, "/a (1)"), (0, "/a (2)"), (2, nil), (1, "/1")]
        for (item, path) in ends {
            #expect(table.begin(item, of: 7) != nil)
            #expect(table.finish(item, of: 7) == true)
            table.ended(item, of: 7, path.map { .success($0) } ?? lost(.noSpace))
        }
        let settled = try #require(table.settled())
        #expect(settled.paths == ["/a (2)", "/1", "/a (1)", "/b"])
        #expect(table.offers.first?.filesDone == 5)
    }

    @Test("A thousand folders are a thousand paths")
    func thousandFolders() throws {
        var table = OfferTable()
        let id = Self.id(1)
        let names = (0..<1000).map { OfferedName("\($0)/a") }
        let offer = Self.offer(id, Array(repeating: 1, count: 1000))
        #expect(table.add(offer, id: id, number: 7, names: names) == true)
        _ = try table.take(id, items: nil)
        for item in 0..<1000 {
            #expect(table.root(of: item, of: 7) == item)
            _ = table.begin(item, of: 7)
            _ = table.finish(item, of: 7)
            table.ended(item, of: 7, .success("/\(item)"))
        }
        #expect(table.settled()?.paths == (0..<1000).map { "/\($0)" })
    }

    @Test("A text is taken once it is in the notes, unless the offer is over by then")
    func text() throws {
        var table = OfferTable()
        let (first, second) = (Self.id(1), Self.id(2))
        #expect(table.add(Self.offer(first, [], text: "hello"), id: first, number: 1) == true)
        #expect(table.add(Self.offer(second, [], text: "again"), id: second, number: 2) == true)
        #expect(try table.waiting(first).text == "hello")
        #expect(table.textIsKept(first, now: start) == 1)
        #expect(table.textIsKept(first, now: start) == nil)
        table.isOver(2, .expired, now: start)
        #expect(table.textIsKept(second, now: start) == nil)
        #expect(table.textIsKept(Self.id(9), now: start) == nil)
        #expect(table.offers.map(\.state) == [.taken, .expired])
    }

    // MARK: What is refused

    @Test("Files of one offer come at a time; the next offer waits for them, and then may be taken")
    func busy() throws {
        var (table, first) = try receiving([3])
        let second = Self.id(2)
        #expect(table.add(Self.offer(second, [4]), id: second, number: 8) == true)
        let early = refusal { _ = try table.take(second, items: nil) }
        #expect(early == .busy)
        #expect(table.offers.map(\.state) == [.receiving, .waiting])
        #expect(table.begin(0, of: 7) != nil)
        #expect(table.finish(0, of: 7) == true)
        table.ended(0, of: 7, .success("/files/0.png"))
        let still = refusal { _ = try table.take(second, items: nil) }
        #expect(still == .busy, "its notes are not written yet")
        table.settle(first, problem: nil, now: start)
        #expect(try table.take(second, items: nil).number == 8)
    }

    @Test("Offers and files that nobody knows change nothing")
    func unknown() throws {
        var (table, id) = try receiving([3])
        let before = table.offers
        let strange = Self.id(9)
        let refusals = [
            refusal { _ = try table.waiting(strange) }, refusal { _ = try table.waiting(id) },
            refusal { _ = try table.take(strange, items: nil) }, refusal { _ = try table.take(id, items: nil) },
            refusal { _ = try table.decline(strange, now: start) },
        ]
        #expect(refusals == [.notFound, .notFound, .notFound, .notFound, .notFound])
        table.isOver(99, .withdrawn, now: start)
        #expect(table.begin(0, of: 99) == nil)
        #expect(table.begin(5, of: 7) == nil)
        #expect(table.begin(-1, of: 7) == nil)
        #expect(table.finish(0, of: 7) == false, "it has not begun")
        #expect(table.finish(0, of: 99) == false)
        #expect(table.came(3, of: 99) == nil)
        table.ended(0, of: 99, .success("/files/0.png"))
        table.ended(5, of: 7, .success("/files/5.png"))
        table.settle(strange, problem: nil, now: start)
        #expect(table.offers == before && table.settled() == nil)
    }

    @Test("A number names one open offer; it may come again when that is over")
    func numbers() throws {
        var (table, id) = waiting([3])
        let other = Self.id(2)
        #expect(table.add(Self.offer(other, [4]), id: other, number: 7) == false)
        #expect(table.offers.count == 1)
        _ = try table.decline(id, now: start)
        #expect(table.add(Self.offer(other, [4]), id: other, number: 7) == true)
        table.isOver(7, .withdrawn, now: start)
        #expect(table.offers.map(\.state) == [.declined, .withdrawn])
    }

    @Test("What the settings refuse is left out when all is taken, and refused by name; so is what is not there")
    func refused() throws {
        var (table, id) = waiting([3, 4, 5], refused: [0: .typeNotAllowed, 2: .tooLarge])
        let cases: [([Int], Reason)] = [
            ([0], .typeNotAllowed), ([1, 2], .tooLarge), ([3], .invalid), ([-1], .invalid), ([1, .max], .invalid),
        ]
        for (items, reason) in cases {
            let found = refusal { _ = try table.take(id, items: items) }
            #expect(found == reason, "\(items)")
            #expect(table.waiting == 1 && !table.isReceiving)
        }
        #expect(try table.take(id, items: nil).items == [1])
        #expect(table.offers.first?.size == 4)
        var (other, hopeless) = waiting([3, 4], refused: [0: .tooLarge, 1: .typeNotAllowed])
        let all = refusal { _ = try other.take(hopeless, items: nil) }
        #expect(all == .tooLarge && other.waiting == 1)
    }

    // MARK: An offer that ends otherwise

    @Test("A declined offer is over")
    func declineWaiting() throws {
        var (table, id) = waiting([3])
        let declined = try table.decline(id, now: start)
        #expect(declined.number == 7 && declined.waited)
        #expect(table.offers.first?.state == .declined && table.offers.first?.until == nil)
        let again = refusal { _ = try table.decline(id, now: start) }
        let late = refusal { _ = try table.take(id, items: nil) }
        #expect(again == .notFound && late == .notFound)
    }

    @Test("An offer that the user ends while its files come keeps what was whole by then")
    func declineReceiving() throws {
        var (table, id) = try receiving([3, 4, 5])
        #expect(table.begin(0, of: 7) != nil)
        #expect(table.finish(0, of: 7) == true)
        table.ended(0, of: 7, .success("/files/0.png"))
        #expect(table.begin(1, of: 7) != nil)
        let declined = try table.decline(id, now: start)
        #expect(declined.number == 7 && !declined.waited)
        #expect(table.begin(2, of: 7) == nil)
        #expect(table.finish(1, of: 7) == false)
        table.ended(1, of: 7, lost(.cancelled))
        #expect(table.isReceiving)
        #expect(table.settled()?.paths == ["/files/0.png"])
        table.settle(id, problem: nil, now: start)
        let offer = try #require(table.offers.first)
        #expect(offer.state == .declined && offer.problem == nil && offer.filesDone == 1)
    }

    @Test(
        "How an offer ends while it waits, and why it fails while its files come",
        arguments: [
            (BridgeReport.Ending.withdrawn, GuestOffer.State.withdrawn, Reason.cancelled),
            (.expired, .expired, .cancelled), (.silent, .withdrawn, .offline),
        ])
    func over(_ ending: BridgeReport.Ending, _ state: GuestOffer.State, _ reason: Reason) throws {
        var (table, id) = waiting([3])
        table.isOver(7, ending, now: start)
        #expect(table.offers.first?.state == state && table.offers.first?.until == nil)
        #expect(table.offers.first?.problem == nil && table.settled() == nil && table.waiting == 0)
        (table, id) = try receiving([3, 4])
        #expect(table.begin(1, of: 7) != nil)
        table.isOver(7, ending, now: start)
        #expect(table.isReceiving && table.begin(0, of: 7) == nil)
        #expect(table.settled()?.paths.isEmpty == true)
        table.settle(id, problem: nil, now: start)
        #expect(table.offers.first?.state == .failed && table.offers.first?.problem == reason)
        #expect(table.offers.first?.detail?.isEmpty == false)
    }

    @Test("A file that is being looked at when its offer ends is kept all the same")
    func finishing() throws {
        var (table, id) = try receiving([3, 4])
        #expect(table.begin(0, of: 7) != nil)
        #expect(table.begin(1, of: 7) != nil)
        #expect(table.finish(0, of: 7) == true)
        table.isOver(7, .silent, now: start)
        #expect(table.settled() == nil)
        #expect(table.finish(1, of: 7) == false)
        table.bridgeEnded(now: start)
        #expect(table.settled() == nil && table.isReceiving)
        table.ended(0, of: 7, .success("/files/0.png"))
        #expect(table.settled()?.paths == ["/files/0.png"])
        table.settle(id, problem: nil, now: start)
        #expect(table.offers.first?.state == .failed && table.offers.first?.filesDone == 1)
    }

    @Test("With the bridge, what waits is withdrawn and what comes fails; what is over stays as it is")
    func bridgeEnded() throws {
        var (table, id) = try receiving([3])
        for number in 2...3 as ClosedRange<UInt64> {
            let other = Self.id(number)
            #expect(table.add(Self.offer(other, [4]), id: other, number: Int(number)) == true)
        }
        _ = try table.decline(Self.id(2), now: start)
        table.bridgeEnded(now: start)
        #expect(table.offers.map(\.state) == [.receiving, .declined, .withdrawn])
        #expect(table.settled()?.id == id)
        table.settle(id, problem: nil, now: start)
        #expect(table.offers.first?.state == .failed && table.offers.first?.problem == .cancelled)
    }

    @Test("The first file that is lost says why; notes that can't be written outweigh it")
    func problems() throws {
        var (table, id) = try receiving([3, 4, 5])
        for item in 0..<3 {
            #expect(table.begin(item, of: 7) != nil)
            #expect(table.finish(item, of: 7) == true)
        }
        table.ended(1, of: 7, lost(.typeNotAllowed))
        table.ended(0, of: 7, lost(.noSpace))
        table.ended(0, of: 7, .success("/files/0.png"))
        table.ended(2, of: 7, .success("/files/2.png"))
        #expect(table.offers.first?.filesDone == 1 && table.settled()?.paths == ["/files/2.png"])
        var other = table
        table.settle(id, problem: nil, now: start)
        #expect(table.offers.first?.state == .failed && table.offers.first?.problem == .typeNotAllowed)
        other.settle(id, problem: OfferTable.LostFile(.locked, "locked"), now: start)
        #expect(other.offers.first?.state == .failed && other.offers.first?.problem == .locked)
        #expect(other.offers.first?.detail == "locked")
        (table, id) = try receiving([3])
        _ = try table.decline(id, now: start)
        table.settle(id, problem: OfferTable.LostFile(.internal, "disk"), now: start)
        #expect(table.offers.first?.state == .failed && table.offers.first?.detail == "disk")
    }

    // MARK: Bounds

    @Test("Four offers wait; a fifth may when one of them is over, or its files come")
    func waitingBound() throws {
        var table = OfferTable()
        func add(_ number: UInt64) -> Bool {
            table.add(Self.offer(Self.id(number), [3]), id: Self.id(number), number: Int(number))
        }
        for number in 1...4 as ClosedRange<UInt64> { #expect(add(number) == true) }
        #expect(add(5) == false)
        #expect(table.waiting == 4 && table.offers.count == 4)
        table.isOver(2, .withdrawn, now: start)
        #expect(add(5) == true)
        #expect(add(6) == false)
        _ = try table.take(Self.id(1), items: nil)
        #expect(add(6) == true)
        #expect(table.waiting == 4)
    }

    @Test("Sixteen offers that are over are listed, for ten minutes; open ones stay")
    func forgetting() throws {
        var (table, coming) = try receiving([3])
        for number in 10..<30 as Range<UInt64> {
            let (id, now) = (Self.id(number), start + .seconds(Int64(number)))
            #expect(table.add(Self.offer(id, [3]), id: id, number: Int(number)) == true)
            _ = try table.decline(id, now: now)
        }
        let waiting = Self.id(99)
        #expect(table.add(Self.offer(waiting, [3]), id: waiting, number: 99) == true)
        #expect(table.forget(now: start + .seconds(30)) == true)
        let ended = (14..<30 as Range<UInt64>).map { Self.id($0) }
        let kept: [UUIDv7] = [coming] + ended + [waiting]
        #expect(table.offers.map(\.id) == kept.map(\.description))
        #expect(table.forget(now: start + .seconds(30)) == false)
        #expect(table.forget(now: start + .seconds(613)) == false)
        #expect(table.forget(now: start + .seconds(614)) == true)
        #expect(table.offers.count == 17)
        #expect(table.forget(now: start + .seconds(100_000)) == true)
        #expect(table.offers.map(\.id) == [coming, waiting].map(\.description))
    }

    // MARK: Whatever comes

    /// What the story knows of the offer whose files come.
    private struct Coming {
        enum Phase { case expected, coming, finishing }
        let id: UUIDv7
        let number: Int
        var open: [Int: Phase]
        var kept: Set<Int> = []

        /// Nothing more comes.
        mutating func lose() { open = open.filter { $0.value == .finishing } }
    }

    @Test("Whatever comes in whatever order: one offer's files at a time, and each file counts once", arguments: 0..<40)
    func anyOrder(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var table = OfferTable()
        var now = start
        var ids: [UUIDv7] = []
        var coming: Coming?
        var over: [String: GuestOffer] = [:]
        for step in 0..<400 as Range<UInt64> {
            now = now + .milliseconds(Int64.random(in: 0...9_000, using: &random))
            let number = Int.random(in: 1...6, using: &random)
            let item = Int.random(in: -1...4, using: &random)
            let id = ids.suffix(8).randomElement(using: &random) ?? Self.id(0)
            let state = table.offers.first { $0.id == id.description }?.state
            switch Int.random(in: 0..<13, using: &random) {
            case 0...2:
                let new = Self.id(step + 1)
                let count = Int.random(in: 1...4, using: &random)
                let waiting = table.waiting
                let isAdded = table.add(
                    Self.offer(new, Array(repeating: 10, count: count), refused: [3: .tooLarge]), id: new,
                    number: number)
                #expect(!isAdded || waiting < LocalSendLimits.waiting && coming?.number != number)
                if isAdded { ids.append(new) }
            case 3:
                let items: [Int]? = Bool.random(using: &random) ? nil : [0, item]
                var taken: (number: Int, items: [Int])?
                let why = refusal { taken = try table.take(id, items: items) }
                #expect(why != .busy || coming != nil)
                #expect(why != .notFound || state != .waiting)
                guard let answer = taken else { continue }
                #expect(state == .waiting && coming == nil && !answer.items.contains(3))
                coming = Coming(id: id, number: answer.number, open: [:])
                for place in answer.items { coming?.open[place] = .expected }
            case 4:
                guard Int.random(in: 0..<3, using: &random) == 0 else { continue }
                let declined = try? table.decline(id, now: now)
                #expect((declined != nil) == (state == .waiting || state == .receiving))
                if declined?.waited == false { coming?.lose() }
            case 5:
                guard Int.random(in: 0..<3, using: &random) == 0 else { continue }
                let endings: [BridgeReport.Ending] = [.withdrawn, .expired, .silent]
                table.isOver(number, endings.randomElement(using: &random) ?? .silent, now: now)
                if coming?.number == number { coming?.lose() }
            case 6...7:
                let place = coming?.number ?? number
                let isWanted = coming?.open[item] == .expected
                #expect((table.begin(item, of: place) != nil) == isWanted)
                if isWanted { coming?.open[item] = .coming }
            case 8...9:
                let place = coming?.number ?? number
                let isComing = coming?.open[item] == .coming
                #expect(table.finish(item, of: place) == isComing)
                if isComing { coming?.open[item] = .finishing }
            case 10:
                let isKept = Int.random(in: 0..<4, using: &random) > 0
                let isOpen = coming?.open[item] != nil
                table.ended(item, of: coming?.number ?? number, isKept ? .success("/files/\(item)") : lost(.noSpace))
                guard isOpen else { continue }
                coming?.open[item] = nil
                if isKept { coming?.kept.insert(item) }
            case 11:
                let bytes = Int64.random(in: 0...60, using: &random)
                if let offer = table.came(bytes, of: number) {
                    #expect(coming?.number == number && 0...offer.size ~= offer.bytesDone)
                }
                if Int.random(in: 0..<10, using: &random) == 0 {
                    table.bridgeEnded(now: now)
                    coming?.lose()
                    #expect(table.waiting == 0)
                }
            default:
                let settled = table.settled()
                #expect((settled != nil) == (coming?.open.isEmpty ?? false))
                if let settled {
                    #expect(settled.id == coming?.id)
                    #expect(settled.paths == coming?.kept.sorted().map { "/files/\($0)" })
                    table.settle(settled.id, problem: nil, now: now)
                    let offer = table.offers.first { $0.id == settled.id.description }
                    #expect(offer?.state.isOver == true && offer?.filesDone == Int64(coming?.kept.count ?? -1))
                    coming = nil
                }
                _ = table.forget(now: now)
                #expect(table.offers.count(where: \.state.isOver) <= 16)
            }
            let offers = table.offers
            let receiving = offers.filter { $0.state == .receiving }
            #expect(receiving.map(\.id) == (coming.map { [$0.id.description] } ?? []))
            #expect(receiving.allSatisfy { $0.filesDone == Int64(coming?.kept.count ?? -1) })
            #expect(table.isReceiving == (coming != nil) && table.waiting <= LocalSendLimits.waiting)
            for offer in offers where offer.state.isOver {
                #expect(over[offer.id] ?? offer == offer, "it changes after its end")
                over[offer.id] = offer
            }
        }
    }
}
