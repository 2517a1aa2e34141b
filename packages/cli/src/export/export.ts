import type { ExportFormat } from "@plenary/transcript";
import type { ExitCode, Io } from "../io.ts";
import { printable } from "../printable.ts";
import { conversationCalled } from "../which-conversation.ts";
import { privateMode, writeFile } from "../write-file.ts";
import { type ExportSource, openSource } from "./source.ts";

export type ExportCommandOptions = {
  format: ExportFormat;
  speaker?: string;
  output?: string;
  floor?: string;
  store?: string;
  complete: boolean;
};

export async function exportCommand(
  name: string | undefined,
  options: ExportCommandOptions,
  io: Io,
): Promise<ExitCode> {
  const source = await openSource(options, io);
  try {
    if (name === undefined) return await list(source, io);
    const { id } = await conversationCalled(name, source.conversations());
    await write(piecesOf(source, id, options), options, io);
    return 0;
  } finally {
    await source.close();
  }
}

function piecesOf(source: ExportSource, id: string, options: ExportCommandOptions): AsyncIterable<string> {
  const { format, speaker, complete } = options;
  return complete ? source.complete(id) : source.pieces(id, { format, ...(speaker !== undefined && { speaker }) });
}

async function write(pieces: AsyncIterable<string>, options: ExportCommandOptions, io: Io): Promise<void> {
  const { output, speaker, complete } = options;
  if (output === undefined) {
    for await (const piece of pieces) await io.stdout.write(piece);
    return;
  }
  await writeFile(output, pieces, io.cwd, complete || speaker !== undefined ? privateMode : undefined);
  await io.stderr.write(`plenary: written to ${printable(output)}\n`);
}

async function list(source: ExportSource, io: Io): Promise<ExitCode> {
  let count = 0;
  for await (const { id, seq, updatedAt, title } of source.conversations()) {
    count += 1;
    const shown = [id, updatedAt, `${seq} entries`, ...(title === undefined ? [] : [title])];
    await io.stdout.write(`${printable(shown.join("  "))}\n`);
  }
  const next = count === 0 ? "there is no conversation" : "to take one away: plenary export ID --format html -o FILE";
  await io.stderr.write(`plenary: ${next}\n`);
  return 0;
}
