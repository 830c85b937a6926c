import Basics
import Testing

@testable import Transfer

@Suite("Runs of chunks")
struct ChunkRunTests {
    private func run(_ indices: Range<UInt64>) -> ChunkRun {
        var runs: [ChunkRun] = []
        for index in indices { runs.append(index, checksum: Checksum(high: index, low: ~index)) }
        return runs[0]
    }

    @Test("Adjacent runs become one, others stay apart, and no chunk changes its checksum")
    func joined() {
        var runs: [ChunkRun] = []
        runs.append(joining: [run(3..<5), run(5..<6)])
        runs.append(joining: [run(6..<9), run(10..<12)])
        runs.append(joining: [run(1..<3)])
        #expect(runs == [run(3..<9), run(10..<12), run(1..<3)])
        #expect(runs[0].checksum(5) == Checksum(high: 8, low: ~8))
    }
}
