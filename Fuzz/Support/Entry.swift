// The fuzz targets: each gives foreign bytes to the decoders and machines that receive such bytes in practice, and
// checks what must hold for any bytes. scripts/fuzz builds each file of Targets/ with this one and the modules' code.

import Glibc

/// The entry point that libFuzzer calls for each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    FuzzTarget.run(Array(UnsafeBufferPointer(start: data, count: count)))
    return 0
}

/// The entry point that libFuzzer calls first. It writes the seeds, made by the current encoders, to the directory that
/// KIBO_FUZZ_SEEDS names.
@_cdecl("LLVMFuzzerInitialize")
public func fuzzInitialize(_: UnsafeMutablePointer<CInt>?, _: UnsafeMutableRawPointer?) -> CInt {
    guard let directory = getenv("KIBO_FUZZ_SEEDS") else { return 0 }
    for (number, seed) in FuzzTarget.seeds.enumerated() {
        guard let file = fopen(String(cString: directory) + "/seed-\(number)", "we") else { return 1 }
        fwrite(seed, 1, seed.count, file)
        fclose(file)
    }
    return 0
}

/// Checks a property. A violation ends the process as a trap does, so that libFuzzer keeps the input.
func require(_ holds: @autoclosure () -> Bool, _ what: StaticString) {
    if !holds() { fatalError("\(what)") }
}
