import { isUtf8 } from "node:buffer";
import { createReadStream } from "node:fs";
import { resolve } from "node:path";
import { FileError } from "../errors.ts";
import type { Io } from "../io.ts";

export const inputBytesMax = 64 * 1024 * 1024;

export type Input = {
  /** For messages. */
  name: string;
  /** Without byte order mark; invalid UTF-8 is replaced, see `notUtf8`. */
  text: string;
  notUtf8?: NotUtf8;
};

export type NotUtf8 = {
  byte: number;
  byteOffset: number;
  /** The offset in `text` of the first invalid byte. */
  textOffset: number;
  /** Some Windows tools write UTF-16 by default. */
  isUtf16: boolean;
};

/** Reads one document from a file, or from stdin for "-". Throws a FileError. */
export async function readInput(file: string, io: Pick<Io, "stdin" | "cwd">): Promise<Input> {
  const name = file === "-" ? "<stdin>" : file;
  const source = file === "-" ? io.stdin : createReadStream(resolve(io.cwd, file));
  return { name, ...toText(await readBytes(source, name)) };
}

async function readBytes(source: AsyncIterable<Uint8Array>, name: string): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of source) {
      bytes += chunk.length;
      if (bytes > inputBytesMax) break;
      chunks.push(chunk);
    }
  } catch (cause) {
    throw FileError.from("read", name, cause);
  }
  if (bytes <= inputBytesMax) return Buffer.concat(chunks);
  const limit = `${inputBytesMax / 1024 / 1024} MiB`;
  throw new FileError("read", name, "too-large", `it is larger than ${limit}, the limit for one document`);
}

function toText(bytes: Buffer): Pick<Input, "text" | "notUtf8"> {
  // A TextDecoder strips the byte order mark.
  const text = new TextDecoder().decode(bytes);
  if (isUtf8(bytes)) return { text };
  const byteOffset = firstNotUtf8(bytes);
  const [first, second] = bytes;
  return {
    text,
    notUtf8: {
      byte: bytes[byteOffset] ?? 0,
      byteOffset,
      textOffset: new TextDecoder().decode(bytes.subarray(0, byteOffset)).length,
      isUtf16: (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff),
    },
  };
}

function firstNotUtf8(bytes: Buffer): number {
  let at = 0;
  for (let lead = bytes[at]; lead !== undefined; lead = bytes[at]) {
    const length = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    if (length > 1 && !isUtf8(bytes.subarray(at, at + length))) break;
    at += length;
  }
  return at;
}
