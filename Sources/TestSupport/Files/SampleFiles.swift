/// Small but real files of the types that Kibo sends, made from bytes.
public enum SampleFiles {
    /// One file for each type of the default list, and further variants of some types, each with its extension.
    public static var documents: [(name: String, bytes: [UInt8])] {
        let types = "[Content_Types].xml"
        return [
            ("word.docx", zip([types, "_rels/.rels", "word/document.xml"])),
            // LibreOffice, python-docx and Google write these orders of entries.
            ("libre.docx", zip(["_rels/.rels", "docProps/core.xml", "word/document.xml", types])),
            ("python.docx", zip([types, "_rels/.rels", "docProps/core.xml", "docProps/app.xml", "word/document.xml"])),
            ("google.docx", zip(["word/numbering.xml", "word/settings.xml", types])),
            ("excel.xlsx", zip([types, "_rels/.rels", "xl/workbook.xml"])),
            ("openpyxl.xlsx", zip(["docProps/app.xml", "docProps/core.xml", "xl/theme/theme1.xml", types])),
            ("libre.xlsx", zip(["_rels/.rels", "docProps/core.xml", "docProps/app.xml", "xl/workbook.xml", types])),
            ("power.pptx", zip([types, "_rels/.rels", "ppt/slides/_rels/slide1.xml.rels", "ppt/presentation.xml"])),
            ("libre.pptx", zip(["_rels/.rels", "docProps/app.xml", "ppt/presentation.xml", types])),
            ("old.doc", compound(stream: "WordDocument")), ("rich.doc", text("{\\rtf1\\ansi Hello}")),
            ("old.xls", compound(stream: "Workbook")), ("old.ppt", compound(stream: "PowerPoint Document")),
            ("paper.pdf", text("%PDF-1.4\n1 0 obj\n<<>>\nendobj\n")),
            ("mark.pdf", joined([0xEF, 0xBB, 0xBF], text("%PDF-1.7\n"))),
        ]
    }

    /// Texts of all kinds that users have.
    public static var texts: [(name: String, bytes: [UInt8])] {
        let wide = "Grüße\r\n".utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
        return [
            ("empty.txt", []), ("a.txt", text("a")), ("line.txt", text("\n")), ("hello.txt", text("hello\n")),
            ("utf8.txt", text("Grüße, 你好, 👍\n")), ("mark.txt", joined([0xEF, 0xBB, 0xBF], text("hello"))),
            ("latin1.txt", [0x47, 0x72, 0xFC, 0xDF, 0x65, 0x0A]), ("utf16.txt", joined([0xFF, 0xFE], wide)),
            ("bare16.txt", wide),
            ("csv.txt", text("a,b,c\n1,2,3\n4,5,6\n")), ("json.txt", text("{\"a\": [1, 2]}\n")),
            ("html.txt", text("<html><body>hi</body></html>\n")), ("mail.txt", text("From: a@b\nTo: c@d\n\nhello\n")),
            ("python.txt", text("import os\ndef f():\n    return 1\n")), ("batch.txt", text("@echo off\r\ndir\r\n")),
            ("make.txt", text("all:\n\tcc x.c\n")), ("p1.txt", text("P1 is the first plan\n")),
            ("gif.txt", text("GIF89a are pictures\n")),
            ("subtitle.txt", text("1\n00:00:01,000 --> 00:00:02,000\nhi\n")),
            ("bm.txt", text("BM: notes\n")), ("escape.txt", text("\u{1B}[31mred\u{1B}[0m\n")),
        ]
    }

    /// Pictures, audio and videos.
    public static var media: [(name: String, bytes: [UInt8])] {
        [
            ("dot.gif", gif()), ("dot.png", png(width: 3, height: 2)),
            ("camera.jpg", joined([0xFF, 0xD8, 0xFF, 0xE1], text("\0\u{10}Exif\0\0"))),
            ("web.jpeg", [0xFF, 0xD8, 0xFF, 0xDB, 0, 0x43]), ("sound.wav", wav(seconds: 1)),
            ("song.mp3", mp3(frames: 10)),
            ("tagged.mp3", joined(text("ID3"), [3, 0, 0, 0, 0, 0x0F, 0x76], zeros(64))),
            ("padded.mp3", joined(zeros(99), mp3(frames: 3))), ("film.mp4", mp4(milliseconds: 1500)),
            ("strange.mp4", mp4(milliseconds: 10, brand: "XAVC")), ("apple.mp4", mp4(milliseconds: 10, brand: "M4V ")),
        ]
    }

    /// Files whose content does not fit their names and must be refused.
    public static var disguised: [(name: String, bytes: [UInt8])] {
        [
            ("paper.pdf", elf), ("picture.png", elf), ("song.mp3", elf), ("note.txt", elf), ("letter.docx", elf),
            ("paper.pdf", windowsProgram), ("film.mp4", windowsProgram), ("old.doc", windowsProgram),
            ("letter.docx", zip(["setup.exe"])), ("table.xlsx", zip(["word/document.xml", "_rels/.rels"])),
            ("old.xls", zip(["a"])), ("paper.pdf", zip(["a"])), ("note.txt", zip(["a"])),
            ("note.txt", text("#!/bin/sh\nrm -rf ~\n")), ("paper.pdf", text("#!/usr/bin/env python3\n")),
            ("picture.jpg", png(width: 1, height: 1)), ("picture.png", gif()), ("picture.gif", text("<svg/>")),
            ("film.mp4", wav(seconds: 1)), ("noise.pdf", (0..<255).map { (byte: UInt8) in byte ^ 0x5A }),
            ("note.txt", zeros(512)),
        ]
    }

    /// The beginning of a Linux program.
    public static var elf: [UInt8] {
        joined([0x7F, 0x45, 0x4C, 0x46, 2, 1, 1, 0], zeros(8), [2, 0, 0x3E, 0, 1, 0, 0, 0], zeros(100))
    }

    /// The beginning of a Windows program.
    public static var windowsProgram: [UInt8] {
        joined(text("MZ"), zeros(58), [0x40, 0, 0, 0], text("PE\0\0"), [0x64, 0x86], zeros(100))
    }

    public static func text(_ text: String) -> [UInt8] { Array(text.utf8) }

    static func little(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    /// Concatenates its parts.
    static func joined(_ parts: [UInt8]...) -> [UInt8] { parts.flatMap { $0 } }

    private static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }

    static func big(_ value: Int, _ count: Int) -> [UInt8] { little(value, count).reversed() }

    // MARK: Containers

    /// An archive with these entries, stored without compression, each of some hundred bytes.
    public static func zip(_ names: [String]) -> [UInt8] {
        let content = [UInt8](repeating: 0x78, count: 700)
        return names.flatMap { name in
            joined(
                text("PK"), [3, 4, 20, 0, 0, 0, 0, 0, 0, 0, 0, 0], little(0, 4), little(content.count, 4),
                little(content.count, 4), little(name.utf8.count, 2), [0, 0], text(name), content)
        }
    }

    /// A compound file (MS-CFB) with one stream.
    public static func compound(stream: String) -> [UInt8] {
        let none: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF]
        let end: [UInt8] = [0xFE, 0xFF, 0xFF, 0xFF]
        var head = joined(
            [0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1], zeros(16), [0x3E, 0, 3, 0, 0xFE, 0xFF, 9, 0, 6, 0],
            zeros(10),
            little(1, 4), little(1, 4), little(0, 4), little(4096, 4), end, little(0, 4), end, little(0, 4),
            little(0, 4))
        while head.count < 512 { head += none }
        // Sector 0 is the table, 1 the directory, 2 to 9 the stream.
        var table: [UInt8] = [0xFD, 0xFF, 0xFF, 0xFF] + end
        for sector in 3...9 { table += little(sector, 4) }
        table += end
        while table.count < 512 { table += none }
        func entry(_ name: String, type: UInt8, child: [UInt8], start: [UInt8], size: Int) -> [UInt8] {
            let letters = name.utf16.flatMap { little(Int($0), 2) }
            return joined(
                letters, zeros(64 - letters.count), little(letters.count + 2, 2), [type, 1], none, none, child,
                zeros(36),
                start, little(size, 8))
        }
        let root = entry("Root Entry", type: 5, child: little(1, 4), start: end, size: 0)
        let file = entry(stream, type: 2, child: none, start: little(2, 4), size: 4096)
        return joined(head, table, root, file, zeros(256), zeros(4096))
    }

    // MARK: Pictures

    public static func gif(width: Int = 1, height: Int = 1) -> [UInt8] {
        joined(
            text("GIF89a"), little(width, 2), little(height, 2),
            [0x80, 0, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0x2C, 0, 0, 0, 0],
            little(width, 2), little(height, 2), [0, 2, 2, 0x44, 1, 0, 0x3B])
    }

    /// A PNG picture; unless `colour` says otherwise, its left half is red and its right half blue.
    /// - Parameters:
    ///   - claimed: width and height to name in the header instead of the true ones.
    ///   - colour: red, green and blue of each point.
    public static func png(
        width: Int, height: Int, claimed: (Int, Int)? = nil, colour: ((_ column: Int, _ row: Int) -> [UInt8])? = nil
    ) -> [UInt8] {
        let colour = colour ?? { column, _ in column * 2 < width ? [0xFF, 0, 0] : [0, 0, 0xFF] }
        var rows: [UInt8] = []
        for row in 0..<height {
            rows.append(0)
            for column in 0..<width { rows += colour(column, row) }
        }
        var stream: [UInt8] = [0x78, 1]
        var position = 0
        while position < rows.count {
            let part = rows[position..<min(position + 65535, rows.count)]
            position += part.count
            let isLast: UInt8 = position == rows.count ? 1 : 0
            stream += joined([isLast], little(part.count, 2), little(~part.count, 2), Array(part))
        }
        var (low, high) = (1, 0)
        for byte in rows {
            low = (low + Int(byte)) % 65521
            high = (high + low) % 65521
        }
        stream += big(high << 16 | low, 4)
        let size = claimed ?? (width, height)
        return joined(
            [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A],
            chunk("IHDR", joined(big(size.0, 4), big(size.1, 4), [8, 2, 0, 0, 0])), chunk("IDAT", stream),
            chunk("IEND", []))
    }

    private static func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
        let checked = text(name) + content
        var sum: UInt32 = .max
        for byte in checked {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
        }
        return joined(big(content.count, 4), checked, big(Int(~sum), 4))
    }

    // MARK: Audio and videos

    /// Silence in 16 bits, 8,000 Hz, one channel.
    public static func wav(seconds: Int) -> [UInt8] {
        let size = seconds * 16_000
        return joined(
            text("RIFF"), little(size + 36, 4), text("WAVEfmt "), little(16, 4), [1, 0, 1, 0], little(8000, 4),
            little(16_000, 4), [2, 0, 16, 0], text("data"), little(size, 4), zeros(size))
    }

    /// Frames of 417 bytes, 128 kbit/s, 44,100 Hz.
    public static func mp3(frames: Int) -> [UInt8] {
        (0..<frames).flatMap { _ in joined([0xFF, 0xFB, 0x90, 0x64], zeros(413)) }
    }

    public static func mp4(milliseconds: Int, brand: String = "isom") -> [UInt8] {
        let header = joined(zeros(12), big(1000, 4), big(milliseconds, 4), zeros(80))
        return joined(
            box("ftyp", joined(text(brand), [0, 0, 2, 0], text("isomiso2avc1mp41"))), box("free", []),
            box("mdat", zeros(300)), box("moov", box("mvhd", header)))
    }

    private static func box(_ name: String, _ content: [UInt8]) -> [UInt8] {
        joined(big(content.count + 8, 4), text(name), content)
    }
}
