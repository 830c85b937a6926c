import ControlProtocol
import Reactor

/// One examination at a time: a client that asks during one gets its result.
@ReactorActor final class Examinations {
    private var waiting: [CheckedContinuation<[DoctorCheck], Never>] = []
    private var isUnderWay = false

    func examine(_ body: @ReactorActor () async -> [DoctorCheck]) async -> [DoctorCheck] {
        if isUnderWay { return await withCheckedContinuation { waiting.append($0) } }
        isUnderWay = true
        let result = await body()
        isUnderWay = false
        let others = waiting
        waiting = []
        for continuation in others { continuation.resume(returning: result) }
        return result
    }
}
