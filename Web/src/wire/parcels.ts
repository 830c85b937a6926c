// Files and folders as a page gets them: by drop, by paste, by choosing.

/** A folder with all files below it. */
export class Folder {
  readonly type = "";
  readonly size: number;

  /** @param files each with its path within the folder: names with / between them */
  constructor(readonly name: string, readonly files: readonly { path: string; file: File }[]) {
    this.size = files.reduce((sum, { file }) => sum + file.size, 0);
  }
}

/** A file or folder that a message can take along. */
export type Parcel = File | Folder;

const read = (folder: FileSystemDirectoryReader): Promise<FileSystemEntry[]> => new Promise((done, failed) => folder.readEntries(done, failed));
const open = (entry: FileSystemFileEntry): Promise<File> => new Promise((done, failed) => entry.file(done, failed));

async function below(folder: FileSystemDirectoryEntry, path: string, found: { path: string; file: File }[]): Promise<void> {
  const reader = folder.createReader();
  // A browser gives a hundred at a time, and none when there are no more.
  for (;;) {
    const entries = await read(reader);
    if (entries.length === 0) return;
    for (const entry of entries) {
      if (entry.isDirectory) await below(entry as FileSystemDirectoryEntry, `${path}${entry.name}/`, found);
      else if (entry.isFile) found.push({ path: path + entry.name, file: await open(entry as FileSystemFileEntry) });
    }
  }
}

/** What was dropped, folders as folders. The entries are taken at once: they are gone after the event. */
export function dropped(transfer: DataTransfer): Promise<Parcel[]> {
  const all = [...transfer.items].filter(({ kind }) => kind === "file").map((item) => ({ entry: item.webkitGetAsEntry(), file: item.getAsFile() }));
  return Promise.all(all.map(async ({ entry, file }): Promise<Parcel[]> => {
    if (entry?.isDirectory === true) {
      const files: { path: string; file: File }[] = [];
      await below(entry as FileSystemDirectoryEntry, "", files);
      return [new Folder(entry.name, files)];
    }
    return file === null ? [] : [file];
  })).then((lists) => lists.flat());
}

/** The folder that was chosen: each file says its path, which begins with the folder's name. */
export function chosenFolder(files: readonly File[]): Folder | null {
  const name = files[0]?.webkitRelativePath.split("/")[0] ?? "";
  return name === "" ? null : new Folder(name, files.map((file) => ({ path: file.webkitRelativePath.slice(name.length + 1), file })));
}
