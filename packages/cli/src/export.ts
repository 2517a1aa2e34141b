import type { ExportFormat, Summary } from "@plenary/server";
import { type ExportSource, openSource } from "./export-source.ts";
import type { ExitCode, Io } from "./io.ts";
import { printable } from "./printable.ts";
import { writeFile } from "./write-file.ts";

export type ExportCommandOptions = {
  format: ExportFormat;
  speaker?: string;
  out?: string;
  floor?: string;
  store?: string;
  complete: boolean;
};

/** What may hold whispers is for whoever wrote it alone. */
const privateMode = 0o600;

export async function exportCommand(
  name: string | undefined,
  options: ExportCommandOptions,
  io: Io,
): Promise<ExitCode> {
  const source = await openSource(options, io);
  try {
    if (name === undefined) return await list(source, io);
    const found = await named(source, name);
    if (typeof found === "string") {
      await io.stderr.write(`plenary: ${printable(found)}\n`);
      return 1;
    }
    await write(piecesOf(source, found.id, options), options, io);
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
  const { out, speaker, complete } = options;
  if (out === undefined) {
    for await (const piece of pieces) await io.stdout.write(piece);
    return;
  }
  await writeFile(out, pieces, io.cwd, complete || speaker !== undefined ? privateMode : undefined);
  await io.stderr.write(`plenary: written to ${printable(out)}\n`);
}

async function list(source: ExportSource, io: Io): Promise<ExitCode> {
  let count = 0;
  for await (const { id, seq, updatedAt, title } of source.conversations()) {
    count += 1;
    const shown = [id, updatedAt, `${seq} entries`, ...(title === undefined ? [] : [title])];
    await io.stdout.write(`${printable(shown.join("  "))}\n`);
  }
  const next =
    count === 0 ? "there is no conversation" : "to take one away: plenary export ID --format html --out FILE";
  await io.stderr.write(`plenary: ${next}\n`);
  return 0;
}

const candidatesMax = 5;

/** By its id, else by its whole title or the beginning of its id, if that is the name of one alone; or why not. */
async function named(source: ExportSource, name: string): Promise<Summary | string> {
  const candidates: Summary[] = [];
  for await (const one of source.conversations()) {
    if (one.id === name) return one;
    const isMeant = one.title === name || (name !== "" && one.id.startsWith(name));
    if (isMeant && candidates.length <= candidatesMax) candidates.push(one);
  }
  const [found, other] = candidates;
  if (found === undefined) return `no conversation is called ${name}: plenary export lists those there are`;
  if (other === undefined) return found;
  const ids = candidates.slice(0, candidatesMax).map(({ id }) => id);
  return `several conversations are called ${name}: say which by its id (${ids.join(", ")}${candidates.length > candidatesMax ? ", ..." : ""})`;
}
