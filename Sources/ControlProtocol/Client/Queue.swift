import Glibc

/// First in, first out, without moving what stays.
struct Queue<Element> {
    private var elements: [Element] = []
    private var head = 0

    mutating func append(_ element: Element) { elements.append(element) }

    mutating func removeFirst() -> Element? {
        guard head < elements.count else { return nil }
        let element = elements[head]
        head += 1
        trim()
        return element
    }

    /// Takes out the first that fits, which is usually the very first.
    mutating func remove(where fits: (Element) -> Bool) -> Element? {
        guard let index = elements[head...].firstIndex(where: fits) else { return nil }
        if index == head { return removeFirst() }
        return elements.remove(at: index)
    }

    private mutating func trim() {
        guard head == elements.count || head >= 1_024 && head * 2 >= elements.count else { return }
        elements.removeFirst(head)
        head = 0
    }
}

/// Sleeping, for the one place where there is nothing to wait for by descriptor.
enum Pause {
    static func milliseconds(_ count: UInt32) { usleep(count * 1_000) }
}
