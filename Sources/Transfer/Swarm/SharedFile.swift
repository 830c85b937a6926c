import Basics

/// What a member has of a group's file and gives to others: shared by the threads that give it and the one that fetches.
public final class SharedFile: @unchecked Sendable {  // Owner: the monitor guards every field but the constants.
    public let transfer: UUIDv7
    public let list: SharedFileList
    private let monitor = Monitor()
    private let clocks: any Clocks
    private var giver: UploadChooser
    private var have: PlaceSet
    private var _path: String
    private var _version = 0
    private var _bytesGiven: UInt64 = 0
    private var _hasChanged = false

    /// - Parameters:
    ///   - path: the file or folder, or its part; absolute.
    ///   - have: nil for all chunks.
    ///   - isAuthor: gives what it has given least.
    public init(
        transfer: UUIDv7, list: SharedFileList, path: String, have: PlaceSet? = nil, isAuthor: Bool, seed: UInt64,
        clocks: any Clocks = SystemClocks()
    ) {
        self.transfer = transfer
        self.list = list
        self.clocks = clocks
        _path = path
        self.have = have ?? PlaceSet(allBelow: list.layout.count)
        giver = UploadChooser(places: list.layout.count, isAuthor: isAuthor, seed: seed, now: clocks.now)
    }

    /// Where it lies now.
    public var path: String { locked { _path } }
    /// Bytes of content given so far.
    public var bytesGiven: UInt64 { locked { _bytesGiven } }
    /// Whether a chunk was not what the list says any more: somebody has changed the file.
    public var hasChanged: Bool { locked { _hasChanged } }

    /// It has been renamed to its place.
    func moved(to path: String) { locked { _path = path } }

    /// These are on disk from now on.
    func add(_ runs: [ChunkRun]) {
        guard !runs.isEmpty else { return }
        locked {
            for run in runs { have.insert(run.first..<run.first + UInt64(run.count)) }
            _version += 1
        }
    }

    func remove(_ places: Range<UInt64>) { locked { for place in places { have.remove(place) } } }

    /// What is there and was not told yet; nil if that is nothing new since the version that the caller knows.
    func news(since version: inout Int, told: inout PlaceSet) -> [Range<UInt64>] {
        locked {
            guard version != _version + 1 else { return [] }
            version = _version + 1
            var new = have
            new.subtract(told)
            told.formUnion(new)
            return new.ranges()
        }
    }

    func choose(_ ranges: [Range<UInt64>], count: Int) -> [UInt64] {
        locked { giver.choose(ranges, count: count, have: have, now: clocks.now) }
    }

    func gave(_ place: UInt64, bytes: Int, isWhole: Bool) {
        locked {
            giver.gave(place, isWhole: isWhole, now: clocks.now)
            if isWhole { _bytesGiven += UInt64(bytes) }
        }
    }

    /// What lies there is not what the list says.
    func lost(_ place: UInt64) {
        locked {
            have.remove(place)
            _hasChanged = true
        }
    }

    private func locked<Result>(_ body: () -> Result) -> Result {
        monitor.lock()
        defer { monitor.unlock() }
        return body()
    }
}
