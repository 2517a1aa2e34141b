import { type Loss, parseEnvelope } from "@plenary/protocol";
import type { ExitCode, Io } from "../io.ts";
import { coloursFor } from "../output/format.ts";
import { printable } from "../output/sanitize.ts";
import { writeFile } from "../output/write-file.ts";
import { checkInput, createMint } from "./check-input.ts";
import { readInput } from "./read-input.ts";
import { kindNames, renderReport } from "./render-report.ts";
import type { TargetVersion } from "./target-version.ts";
import { translate } from "./translate.ts";

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

function toListedLoss({ path, why, becomes }: Loss): Loss {
  return { path, why, ...(becomes !== undefined && { becomes }) };
}

function lossLine({ path, why, becomes }: Loss): string {
  const instead = becomes === undefined ? "" : ` (sent as ${becomes})`;
  return `${printable(`lost ${path}: ${why}${instead}`)}\n`;
}
