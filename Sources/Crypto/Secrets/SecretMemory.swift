import CSodium
import Glibc

/// Where secrets lie: pages that are kept out of swap and core dumps as far as the system allows (mlock and
/// MADV_DONTDUMP), cut into slots that are zeroed when they are given back.
///
/// A pool, because `mlock` counts whole pages and does not nest: unlocking one key would unlock its neighbours on the
/// page. Pages of the pool stay locked for the life of the process. If the limit of locked memory (RLIMIT_MEMLOCK) is
/// used up, secrets are still zeroed, only not locked.
final class SecretMemory: @unchecked Sendable {  // Owner: the mutex; `free` is touched only while it is held.
    static let shared = SecretMemory()

    /// Slot sizes in bytes: keys and hashes; key schedules, hash states and groups of derived keys. Anything larger has
    /// pages of its own.
    private static let slotSizes = [64, 512]
    /// Slots and their addresses are multiples of this: what libsodium's BLAKE2b state wants.
    private static let alignment = 64

    private let pageSize: Int
    private let slabSize: Int
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private var free: [[UnsafeMutableRawPointer]]

    init() {
        Sodium.require()
        pageSize = max(4096, sysconf(CInt(_SC_PAGESIZE)))
        slabSize = max(16_384, pageSize)
        // The system's mutex and not the standard library's: the thread sanitizer understands only this one.
        mutex = .allocate(capacity: 1)
        pthread_mutex_init(mutex, nil)
        free = Self.slotSizes.map { _ in [] }
    }

    deinit {
        // Slabs are never given back: whoever holds the last secret may still read a freed slot's zeros.
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// Zeroed room for `count` bytes, aligned to 64.
    func take(_ count: Int) -> UnsafeMutableRawPointer {
        guard let sizeClass = Self.slotSizes.firstIndex(where: { count <= $0 }) else {
            return lockedPages(roundedUp(count))
        }
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        if let slot = free[sizeClass].popLast() { return slot }
        let slab = lockedPages(slabSize)
        let size = Self.slotSizes[sizeClass]
        for offset in stride(from: size, through: slabSize - size, by: size) { free[sizeClass].append(slab + offset) }
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
        pthread_mutex_lock(mutex)
        free[sizeClass].append(pointer)
        pthread_mutex_unlock(mutex)
    }

    private func lockedPages(_ size: Int) -> UnsafeMutableRawPointer {
        let pages = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: pageSize)
        sodium_mlock(pages, size)  // Best effort, see above.
        sodium_memzero(pages, size)
        return pages
    }

    private func roundedUp(_ count: Int) -> Int { (count + pageSize - 1) / pageSize * pageSize }
}
