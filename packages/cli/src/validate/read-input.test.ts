import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { FileError } from "../errors.ts";
import { createMemoryIo } from "../testing/memory-io.ts";
import { inputBytesMax, readInput } from "./read-input.ts";

const cwd = mkdtempSync(join(tmpdir(), "plenary-read-"));
afterAll(() => rmSync(cwd, { recursive: true }));

const fromStdin = (stdin: string | Uint8Array) => readInput("-", createMemoryIo({ stdin }));

test("a file is found from the working directory", async () => {
  writeFileSync(join(cwd, "a.json"), '{"ä": 1}');
  expect(await readInput("a.json", createMemoryIo({ cwd }))).toEqual({ name: "a.json", text: '{"ä": 1}' });
});

test("stdin is named <stdin>, and the byte order mark is stripped", async () => {
  expect(await fromStdin("\ufeff{}")).toEqual({ name: "<stdin>", text: "{}" });
});

test.each([
  ["a byte UTF-8 never has", [0x22, 0xff, 0x22], 0xff, 1, 1],
  ["a character cut off by the end", [0x22, 0xc3, 0xa4, 0xe2, 0x82], 0xe2, 3, 2],
  ["a character cut off by another", [0xe2, 0x82, 0x41], 0xe2, 0, 0],
  ["a longer way of writing /", [0x41, 0xc0, 0xaf], 0xc0, 1, 1],
  ["half of a surrogate pair", [0xed, 0xa0, 0x80], 0xed, 0, 0],
  ["a continuation without a beginning", [0x41, 0x80], 0x80, 1, 1],
  [
    "a byte behind letters of two, three and four bytes",
    [0xd0, 0x96, 0xe2, 0x82, 0xac, 0xf0, 0x9f, 0x8e, 0xb5, 0xff],
    0xff,
    9,
    4,
  ],
  ["the first bad byte behind a byte order mark", [0xef, 0xbb, 0xbf, 0x41, 0xfe], 0xfe, 4, 1],
])("%s is not UTF-8, and its offset is reported", async (_name, bytes, byte, byteOffset, textOffset) => {
  const { notUtf8 } = await fromStdin(Uint8Array.from(bytes));
  expect(notUtf8).toEqual({ byte, byteOffset, textOffset, isUtf16: false });
});

test("UTF-16 is recognised by its byte order mark", async () => {
  const { notUtf8 } = await fromStdin(Buffer.from("\ufeff{}", "utf16le"));
  expect(notUtf8).toMatchObject({ isUtf16: true, byteOffset: 0 });
});

test("a replacement character in the file is valid", async () => {
  expect(await fromStdin('"\ufffd"')).toEqual({ name: "<stdin>", text: '"\ufffd"' });
});

test("an endless stream is cut off at the maximum", async () => {
  async function* zeros(): AsyncGenerator<Uint8Array> {
    for (;;) yield new Uint8Array(inputBytesMax / 4);
  }
  const reading = readInput("-", { stdin: zeros(), cwd });
  await expect(reading).rejects.toMatchObject({ code: "too-large", message: /larger than 64 MiB/u });
});

test("a missing file and a directory are clear errors", async () => {
  await expect(readInput("none.json", createMemoryIo({ cwd }))).rejects.toThrow(
    "cannot read none.json: no such file or directory",
  );
  await expect(readInput(".", createMemoryIo({ cwd }))).rejects.toBeInstanceOf(FileError);
});
