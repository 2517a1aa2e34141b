import { checkDocument, type DocumentReport, type Issue, type ParseDefaults, rules } from "@plenary/protocol";
import { FileError } from "../errors.ts";
import type { ExitCode, Io } from "../io.ts";
import { coloursFor } from "../output/format.ts";
import { printable } from "../output/sanitize.ts";
import { type Input, type NotUtf8, readInput } from "./read-input.ts";
import { renderReport } from "./render-report.ts";

export type ValidateOptions = { json: boolean };

/** Checks each file; an unreadable file does not stop the others. */
export async function validate(files: readonly string[], options: ValidateOptions, io: Io): Promise<ExitCode> {
  let exitCode: ExitCode = 0;
  for (const file of files) {
    const verdict = await validateFile(file, options, io);
    if (verdict > exitCode) exitCode = verdict;
  }
  return exitCode;
}

async function validateFile(file: string, { json }: ValidateOptions, io: Io): Promise<ExitCode> {
  const input = await readInput(file, io).catch(asFileError);
  if (input instanceof FileError) {
    await io.stderr.write(`plenary: ${printable(input.message)}\n`);
    return 2;
  }
  const report = checkInput(input);
  await io.stdout.write(json ? jsonLine(file, report) : renderReport(input, report, coloursFor(io.stdout, io.env)));
  return report.valid ? 0 : 1;
}

function asFileError(cause: unknown): FileError {
  if (cause instanceof FileError) return cause;
  throw cause;
}

function jsonLine(file: string, { valid, kind, version, issues }: DocumentReport): string {
  const listed = issues.map(({ path, problem, severity, repaired, spec, rule, fix }) => {
    return { path, problem, severity, repaired, spec, rule, fix };
  });
  return `${JSON.stringify({ file, valid, kind, version: version ?? null, issues: listed })}\n`;
}

export function createMint(): ParseDefaults {
  return { now: new Date().toISOString(), newId: () => `de:${crypto.randomUUID()}` };
}

export function checkInput(input: Input): DocumentReport {
  if (input.notUtf8 === undefined) return checkDocument(input.text, createMint());
  return { kind: "envelope", version: undefined, valid: false, issues: [encodingIssue(input.notUtf8)] };
}

/** JSON is UTF-8 (RFC 8259, section 8.1). Decoding other bytes by guess could change the text. */
function encodingIssue({ byte, byteOffset, isUtf16 }: NotUtf8): Issue {
  const found = isUtf16
    ? "this is UTF-16"
    : `byte 0x${byte.toString(16).padStart(2, "0")} at byte offset ${byteOffset} is none`;
  const rule = "json-syntax";
  return {
    path: "",
    problem: `a JSON document is UTF-8 text, but ${found}`,
    fix: "save the document as UTF-8",
    rule,
    spec: rules[rule].spec,
    severity: "error",
    repaired: false,
  };
}
