import { randomUUID } from "node:crypto";
import { access, constants, type FileHandle, open, realpath, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { FileError, FloorError } from "../errors.ts";

/** The whole text, or a stream of pieces. */
type Text = string | AsyncIterable<string>;

/** For files that may contain whispers: readable by their owner only. */
export const privateMode = 0o600;

/**
 * Replaces a file atomically: a reader sees the old text or the new one. Throws a FileError. Without `mode` the file keeps
 * its mode.
 */
export async function writeFile(file: string, text: Text, cwd: string, mode?: number): Promise<void> {
  const path = resolve(cwd, file);
  try {
    const present = await stat(path).catch(ifMissing);
    if (present === undefined) await replace(path, text, mode);
    // A pipe or a device cannot be replaced, only written to; a directory fails here.
    else if (!present.isFile()) await writeThrough(path, text);
    else await replaceFile(path, text, mode ?? present.mode);
  } catch (cause) {
    // The source of the text reports its own errors.
    const isOther = cause instanceof FloorError || cause instanceof FileError;
    throw isOther ? cause : FileError.from("write", file, cause);
  }
}

function ifMissing(cause: NodeJS.ErrnoException): undefined {
  if (cause.code !== "ENOENT") throw cause;
}

/** Behaves like a write to the file: a link stays a link, a write-protected file is not replaced. */
async function replaceFile(path: string, text: Text, mode: number): Promise<void> {
  await access(path, constants.W_OK);
  await replace(await realpath(path), text, mode & 0o777);
}

async function replace(path: string, text: Text, mode?: number): Promise<void> {
  // File names are limited to 255 bytes, so only a part of the name is used.
  const temporary = join(dirname(path), `.${basename(path).slice(0, 20)}.${randomUUID()}.tmp`);
  const file = await open(temporary, "wx", mode);
  try {
    try {
      await writeTo(file, text);
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

async function writeThrough(path: string, text: Text): Promise<void> {
  const file = await open(path, "w");
  try {
    await writeTo(file, text);
  } finally {
    await file.close();
  }
}

async function writeTo(file: FileHandle, text: Text): Promise<void> {
  if (typeof text === "string") await file.writeFile(text);
  else for await (const piece of text) await file.writeFile(piece);
}
