import Basics
import Crypto
import Glibc
import Vocabulary

/// One connection of a fetch, which asks its source for what the others don't bring. It belongs to a thread of its own.
final class DownloadSource {
    private let state: DownloadState
    private let plan: ReceivePlan
    private let connection: BulkConnection
    private let isAuthor: Bool
    private let stopSwitch = StopSwitch()
    private var wantsList = false

    /// Proof that a source sent wrong data, so that it is never asked again.
    private struct Lie: Error { let what: String }

    init(_ state: DownloadState, _ plan: ReceivePlan, _ connection: BulkConnection, isAuthor: Bool) {
        self.state = state
        self.plan = plan
        self.connection = connection
        self.isAuthor = isAuthor
    }

    func run() -> SourceEnd {
        let number = state.register(stopSwitch)
        stopSwitch.guardSocket(connection.socket)
        var end = SourceEnd.complete
        do { try go(number) } catch let lie as Lie {
            end = .lied(lie.what)
        } catch let failure as TransferFailure {
            end = .ended(stopSwitch.isStopped ? .cancelled : failure)
        } catch { end = .ended(.interrupted("\(error)")) }
        state.unregister(number)
        if wantsList { state.releaseList() }
        stopSwitch.release()
        connection.close()
        return end
    }

    private func go(_ number: Int) throws {
        let manifest = try claimList()
        let ciphers = [BulkCipher.Kind.aes256GCM, .chacha20Poly1305].filter(\.isAvailable)
        try connection.send(
            .pieces(
                PieceRequest(
                    transfer: plan.wireID, fileRoot: state.fileRoot, ciphers: ciphers, wantsList: manifest == nil)))
        let cipher: BulkCipher
        switch try connection.receive() {
        case .accept(let kind, var key, let sendsList):
            let secret = SecretBytes(moving: &key)
            guard ciphers.contains(kind), sendsList == (manifest == nil) else {
                throw TransferFailure.invalid("an answer that doesn't fit")
            }
            cipher = try BulkCipher(kind, key: secret)
        case .reject(let reason, let detail), .failed(let reason, let detail):
            throw TransferFailure.peer(reason, detail: detail)
        default: throw TransferFailure.invalid("no answer to the request for pieces")
        }
        let reader = RecordReader(connection, cipher: cipher, transfer: plan.wireID)
        let list: SharedFileList
        if let manifest {
            list = manifest
        } else {
            list = try receiveList(reader)
            state.offer(list)
            wantsList = false
        }
        while !state.join(number, isAuthor: isAuthor) {
            if stopSwitch.isStopped { throw TransferFailure.cancelled }
            usleep(DownloadState.tick)
        }
        var talk = DownloadTalk(state, plan, connection, reader, list, number)
        try talk.run()
    }

    /// The list, if another source gives or gave it; nil if this source is to give it.
    private func claimList() throws(TransferFailure) -> SharedFileList? {
        while true {
            switch state.claimList() {
            case .known(let list): return list
            case .take:
                wantsList = true
                return nil
            case .wait:
                if stopSwitch.isStopped { throw .cancelled }
                usleep(DownloadState.tick)
            }
        }
    }

    private func receiveList(_ reader: RecordReader) throws -> SharedFileList {
        var assembler = ManifestAssembler()
        var manifest: Manifest?
        while manifest == nil {
            let body = try page(reader, .manifest)
            do { manifest = try assembler.append(page: body[...]) } catch { throw Lie(what: "a list: \(error)") }
        }
        guard let manifest, ReceiverMachine.matches(manifest, plan.offer),
            !plan.isSealed || manifest == .nameless(size: plan.offer.size)
        else {
            throw Lie(what: "a list that is not what was offered")
        }
        let count = Int(clamping: ChunkLayout(manifest).count) * TreeHash.size
        var leaves: [UInt8] = []
        while leaves.count < count { leaves += try page(reader, .leaves) }
        guard let list = SharedFileList(manifest: manifest, leaves: leaves), list.fileRoot == state.fileRoot else {
            throw Lie(what: "a list with another root")
        }
        return list
    }

    private func page(_ reader: RecordReader, _ kind: RecordHeader.Kind) throws -> [UInt8] {
        let header = try reader.header()
        let body = Array(try reader.body(header))
        if header.kind == .failed { throw DownloadTalk.failure(body) }
        guard header.kind == kind, !body.isEmpty else { throw TransferFailure.invalid("a record of another kind") }
        return body
    }

    /// The exchange with a source once list and key are there.
    private struct DownloadTalk {
        let state: DownloadState
        let plan: ReceivePlan
        let connection: BulkConnection
        let reader: RecordReader
        let list: SharedFileList
        let number: Int
        /// How many chunks the source may still say that it has. It says each once, or again after it has lost it; one that
        /// goes on for ever would only cost work.
        var untold: UInt64

        init(
            _ state: DownloadState, _ plan: ReceivePlan, _ connection: BulkConnection, _ reader: RecordReader,
            _ list: SharedFileList, _ number: Int
        ) {
            self.state = state
            self.plan = plan
            self.connection = connection
            self.reader = reader
            self.list = list
            self.number = number
            untold = list.layout.count * 2 + 16
        }

        mutating func run() throws {
            while true {
                // This takes what the source got meanwhile.
                while !reader.isDry || connection.waits(milliseconds: 0) { try receiveNews(reader.header()) }
                switch state.turn(of: number) {
                case .complete:
                    try connection.send(.done)
                    return
                case .stopped: throw TransferFailure.cancelled
                case .wait: _ = connection.waits(milliseconds: TransferLimits.Swarm.lookMilliseconds)
                case .ask(.chunks(let indices)):
                    try ask(indices.map { $0..<$0 + 1 }, indices.count)
                case .ask(.any(let ranges, let count)): try ask(ranges, count)
                }
            }
        }

        private mutating func ask(_ ranges: [Range<UInt64>], _ count: Int) throws {
            try connection.send(.ask(ranges, count: count))
            var left = count
            while true {
                let header = try reader.header()
                switch header.kind {
                case .data:
                    left -= 1
                    guard left >= 0 else { throw TransferFailure.invalid("more chunks than were asked for") }
                    try receiveChunk(header)
                case .end:
                    _ = try reader.body(header)
                    state.answered(number)
                    return
                default: try receiveNews(header)
                }
            }
        }

        private mutating func receiveNews(_ header: RecordHeader) throws {
            let body = Array(try reader.body(header))
            if header.kind == .failed { throw Self.failure(body) }
            guard header.kind == .have, !body.isEmpty, body.count % 16 == 0 else {
                throw TransferFailure.invalid("a record that has no place here")
            }
            for start in stride(from: 0, to: body.count, by: 16) {
                let (first, count) = body.withUnsafeBytes { bytes in
                    (
                        UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self)),
                        UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: start + 8, as: UInt64.self))
                    )
                }
                let (end, overflow) = first.addingReportingOverflow(count)
                guard !overflow, end <= list.layout.count else { throw TransferFailure.invalid("no such chunk") }
                guard max(count, 1) <= untold else { throw TransferFailure.invalid("the same chunks again and again") }
                untold -= max(count, 1)
                state.has(number, first..<end)
            }
        }

        private func receiveChunk(_ header: RecordHeader) throws {
            guard let index = list.layout.index(file: header.file, chunk: header.chunk) else {
                throw TransferFailure.invalid("no such chunk")
            }
            let length = list.layout.length(file: header.file, chunk: header.chunk)
            guard header.plaintextBytes == length + TransferLimits.checksumBytes else {
                throw TransferFailure.invalid("the length of a chunk")
            }
            state.begins(index, from: number)
            guard let block = try state.block() else { throw TransferFailure.cancelled }
            do { try receive(header, index, length, block) } catch {
                state.giveBack(block)
                throw error
            }
        }

        private func receive(_ header: RecordHeader, _ index: UInt64, _ length: Int, _ block: ReceiveBlock) throws {
            let text: UnsafeMutableRawBufferPointer
            var checksum: Checksum
            if header.plaintextBytes >= TransferLimits.readAheadBytes {
                (text, checksum) = try reader.chunk(header, into: block.memory, clocks: state.clocks) {
                    state.arrived($0, of: index, from: number)
                }
            } else {
                text = try reader.body(header)
                checksum = Checksum(of: UnsafeRawBufferPointer(rebasing: text[..<length]))
            }
            let content = UnsafeRawBufferPointer(rebasing: text[..<length])
            guard checksum == Checksum(loadingFrom: UnsafeRawBufferPointer(rebasing: text[length...])) else {
                throw TransferFailure.invalid("a chunk's checksum")
            }
            guard TreeHash(chunk: content) == list.leaf(index) else { throw Lie(what: "chunk \(index) is another") }
            if let opening = state.opening {
                let offset = UInt64(header.chunk) * UInt64(TransferLimits.chunkBytes)
                opening.seal.apply(to: UnsafeMutableRawBufferPointer(rebasing: text[..<length]), at: offset)
                checksum = Checksum(of: content)
            }
            if header.chunk == 0, let inspector = plan.inspector {
                let reason: Reason?
                do {
                    reason = try inspector.refusal(ofContent: content, path: list.manifest.path(Int(header.file)))
                } catch { throw TransferFailure.interrupted("a file's type can't be told: \(error)") }
                if let reason { return try state.refuse(header.file, reason, from: number, in: block) }
            }
            var range = 0..<length
            if header.plaintextBytes < TransferLimits.readAheadBytes {
                guard let stored = block.store(content) else { throw TransferFailure.invalid("a chunk's length") }
                range = stored
            }
            try state.came(
                index, file: header.file, chunk: header.chunk, from: number, in: block, text: range,
                checksum: checksum)
        }

        static func failure(_ body: [UInt8]) -> TransferFailure {
            guard let map = (try? CBORDecoder.decode(body))?.mapValue,
                let (reason, detail) = BulkMessage.refusal(map)
            else { return .invalid("a failure that can't be read") }
            return .peer(reason, detail: detail)
        }
    }
}
