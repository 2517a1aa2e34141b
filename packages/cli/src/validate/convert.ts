import {
  type Dialect,
  type Encoded,
  type Envelope,
  encodeEnvelope,
  type Loss,
  type ParsedEnvelope,
  parseEnvelope,
  versionOf,
} from "@plenary/protocol";
import type { ExitCode, Io } from "../io.ts";
import { coloursFor } from "../output/format.ts";
import { printable } from "../output/sanitize.ts";
import { writeFile } from "../output/write-file.ts";
import { readInput } from "./read-input.ts";
import { kindNames, renderReport } from "./render-report.ts";
import { checkInput, createMint } from "./validate.ts";

export type ConvertOptions = { to: TargetVersion; output: string | undefined; json: boolean };

/** Converts one envelope. A document that is not a readable envelope is refused and nothing is written. */
export async function convert(file: string, options: ConvertOptions, io: Io): Promise<ExitCode> {
  const input = await readInput(file, io);
  const refuse = async (why: string): Promise<ExitCode> => {
    await io.stderr.write(`plenary: ${printable(input.name)} was not converted: ${why}\n`);
    return 1;
  };
  const report = checkInput(input);
  if (report.kind !== "envelope") return refuse(`it is a ${kindNames[report.kind]}, and only envelopes are converted`);
  if (report.issues.length > 0) await io.stderr.write(renderReport(input, report, coloursFor(io.stderr, io.env)));
  const parsed = parseEnvelope(input.text, createMint());
  // An event that was left out would be missing from the result.
  const isWhole = parsed.ok && parsed.leftOut.length === 0;
  if (!isWhole || input.notUtf8 !== undefined) return refuse("it has an error that cannot be repaired");
  const { document, losses } = translate(parsed, options.to);
  const text = options.json
    ? JSON.stringify({ envelope: document, losses: losses.map(toListedLoss) })
    : JSON.stringify(document, null, 2);
  if (options.output === undefined || options.output === "-") await io.stdout.write(`${text}\n`);
  else await writeFile(options.output, `${text}\n`, io.cwd);
  for (const loss of losses) await io.stderr.write(lossLine(loss));
  return 0;
}

const dialectOf = { "0.9.3": "0.9", "1.0.0": "1.0", "1.1.0": "1.1", "1.1.1": "1.1" } as const satisfies Record<
  string,
  Dialect
>;

/** Versions that can be written: of each dialect the release that others support, and the newest. */
export type TargetVersion = keyof typeof dialectOf;

type ReadEnvelope = ParsedEnvelope & { ok: true };

/** The document in another version, with the losses of reading and of writing it. */
function translate(parsed: ReadEnvelope, to: TargetVersion): Encoded {
  const dialect = dialectOf[to];
  const renamed = withVersion(parsed.envelope, to === "1.1.1" ? to : versionOf["1.1"]);
  const older = to === "1.1.0" ? withoutExpectedRoles(renamed) : { envelope: renamed, losses: [] };
  const { document, losses } = encodeEnvelope(older.envelope, dialect, { carried: parsed.carried });
  return { document, losses: [...parsed.losses, ...stateLosses(parsed, dialect), ...older.losses, ...losses] };
}

/** 1.0.1, 1.1.0 and 1.1.1 have the same format and differ in the version number. */
function withVersion(envelope: Envelope, version: string): Envelope {
  const { schema } = envelope;
  if (schema.version === version) return envelope;
  const url = schema.url === undefined ? {} : { url: schema.url.replaceAll(`/${schema.version}/`, `/${version}/`) };
  return { ...envelope, schema: { ...schema, version, ...url } };
}

/** 1.1.1 added expectedFloorRoles to invites. Its other additions are valid in 1.1.0 too. */
function withoutExpectedRoles(envelope: Envelope): { envelope: Envelope; losses: Loss[] } {
  const losses: Loss[] = [];
  const events = envelope.events.map((event, index) => {
    if (event.eventType !== "invite" || event.parameters?.expectedFloorRoles === undefined) return event;
    const path = `/openFloor/events/${index}/parameters/expectedFloorRoles`;
    losses.push({ path, why: "1.1.0 has no expectedFloorRoles" });
    const { parameters, ...bare } = event;
    const { expectedFloorRoles: _, ...others } = parameters;
    return Object.keys(others).length === 0 ? bare : { ...bare, parameters: others };
  });
  return losses.length === 0 ? { envelope, losses } : { envelope: { ...envelope, events }, losses };
}

/** A floor stores persistentState for agents of older versions; a converted file has no place for it. */
function stateLosses({ envelope, carried }: ReadEnvelope, dialect: Dialect): Loss[] {
  const losses: Loss[] = [];
  if (carried.persistentState !== undefined && dialect !== "0.9") {
    losses.push({ path: "/ovon/conversation/persistentState", why: "only 0.9 keeps state for a conversation" });
  }
  const { conversantState } = carried;
  if (conversantState === undefined || dialect === "1.0") return losses;
  for (const [index, { identification }] of (envelope.conversation.conversants ?? []).entries()) {
    if (!Object.hasOwn(conversantState, identification.speakerUri)) continue;
    const path = `/openFloor/conversation/conversants/${index}/persistentState`;
    losses.push({ path, why: "only 1.0.0 keeps state for a conversant" });
  }
  return losses;
}

function toListedLoss({ path, why, becomes }: Loss): Loss {
  return { path, why, ...(becomes !== undefined && { becomes }) };
}

function lossLine({ path, why, becomes }: Loss): string {
  const instead = becomes === undefined ? "" : ` (sent as ${becomes})`;
  return `${printable(`lost ${path}: ${why}${instead}`)}\n`;
}
