import { randomUUID } from "node:crypto";
import { access, constants, open, realpath, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { FileError } from "./file-error.ts";

/** Writes a file whole or not at all: whoever reads it sees the old text or the new one. Throws a FileError. */
export async function writeFile(file: string, text: string, cwd: string): Promise<void> {
  const path = resolve(cwd, file);
  try {
    const present = await stat(path).catch(ifMissing);
    if (present === undefined) await replace(path, text);
    // A pipe or a device cannot be replaced, only written to; a directory fails here as it should.
    else if (!present.isFile()) await writeThrough(path, text);
    else await replaceFile(path, text, present.mode);
  } catch (cause) {
    throw FileError.from("write", file, cause);
  }
}

function ifMissing(cause: NodeJS.ErrnoException): undefined {
  if (cause.code !== "ENOENT") throw cause;
}

/** As if the file itself were written: a link stays a link, a write-protected file is left alone, the mode is kept. */
async function replaceFile(path: string, text: string, mode: number): Promise<void> {
  await access(path, constants.W_OK);
  await replace(await realpath(path), text, mode & 0o777);
}

async function replace(path: string, text: string, mode?: number): Promise<void> {
  // Names may have 255 bytes; ours must fit however long the file's own is.
  const temporary = join(dirname(path), `.${basename(path).slice(0, 20)}.${randomUUID()}.tmp`);
  const file = await open(temporary, "wx");
  try {
    try {
      await file.writeFile(text);
      if (mode !== undefined) await file.chmod(mode);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (cause) {
    await rm(temporary, { force: true });
    throw cause;
  }
}

async function writeThrough(path: string, text: string): Promise<void> {
  const file = await open(path, "w");
  try {
    await file.writeFile(text);
  } finally {
    await file.close();
  }
}
