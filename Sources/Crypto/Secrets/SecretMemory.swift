import CSodium
import Glibc
import Threads

/// The memory of secrets: pages that are kept out of swap and core dumps as far as the system allows (mlock and
/// MADV_DONTDUMP), divided into slots that are zeroed when they are given back.
///
/// It is a pool because `mlock` counts whole pages and does not nest: unlocking one key would unlock its neighbours on
/// the page. The pool's pages stay locked for the life of the process. If the limit of locked memory (RLIMIT_MEMLOCK)
/// is used up, secrets are still zeroed but not locked.
final class SecretMemory: Sendable {
    static let shared = SecretMemory()

    /// Slot sizes in bytes: the first for keys and hashes, the second for key schedules, hash states and groups of
    /// derived keys. Anything larger has pages of its own. Slots and their addresses are multiples of 64, as libsodium's
    /// BLAKE2b state needs.
    private static let slotSizes = [64, 512]

    private let pageSize: Int
    private let slabSize: Int
    /// The addresses of the free slots of each size. Slabs are never freed, because the owner of the last secret may
    /// still read a freed slot's zeros.
    private let free = Lock([[UInt]](repeating: [], count: SecretMemory.slotSizes.count))

    init() {
        Sodium.require()
        pageSize = max(4096, sysconf(CInt(_SC_PAGESIZE)))
        slabSize = max(16_384, pageSize)
    }

    /// Zeroed room for `count` bytes, aligned to 64.
    func allocate(_ count: Int) -> UnsafeMutableRawPointer {
        guard let sizeClass = Self.slotSizes.firstIndex(where: { count <= $0 }) else {
            return lockedPages(roundedUp(count))
        }
        let free = free.withLock { $0[sizeClass].popLast() }
        if let slot = free.flatMap({ UnsafeMutableRawPointer(bitPattern: $0) }) { return slot }
        let slab = lockedPages(slabSize)
        let size = Self.slotSizes[sizeClass]
        let others = stride(from: size, through: slabSize - size, by: size).map { UInt(bitPattern: slab + $0) }
        self.free.withLock { $0[sizeClass] += others }
        return slab
    }

    /// Zeroes the room and makes it available again.
    func giveBack(_ pointer: UnsafeMutableRawPointer, count: Int) {
        guard let sizeClass = Self.slotSizes.firstIndex(where: { count <= $0 }) else {
            sodium_munlock(pointer, roundedUp(count))  // Zeroes, too.
            pointer.deallocate()
            return
        }
        sodium_memzero(pointer, Self.slotSizes[sizeClass])
        let address = UInt(bitPattern: pointer)
        free.withLock { $0[sizeClass].append(address) }
    }

    private func lockedPages(_ size: Int) -> UnsafeMutableRawPointer {
        let pages = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: pageSize)
        sodium_mlock(pages, size)  // Best effort, see above.
        sodium_memzero(pages, size)
        return pages
    }

    private func roundedUp(_ count: Int) -> Int { (count + pageSize - 1) / pageSize * pageSize }
}
