import Reactor
import Store
import Transfer

/// An observer that is told how transfers get on.
@ReactorActor package protocol TransferObserver: AnyObject {
    /// - Parameters:
    ///   - rate: bytes a second; 0 where nothing moves any more.
    ///   - progress: nil where the row says how far the transfer came.
    func progressed(_ row: TransferRow, rate: Int64, _ progress: TransferProgress?)
}
