import { attempt, textOf } from "./safe-text.ts";

type ErrorLimits = { charsMax: number; hasStack: boolean };

const causesMax = 4;
const framesMax = 20;
const stackCharsMax = 16_384;
const keyCharsMax = 64;

/** Name, message and code of an error and of its causes. Other properties may have what was said in a conversation. */
export function plainError(error: Error, limits: ErrorLimits): object {
  const causes = causesOf(error);
  const frames = limits.hasStack ? framesOf(error) : [];
  return {
    ...plainCause(error, limits),
    ...(causes.length > 0 && { causes: causes.map((cause) => plainCause(cause, limits)) }),
    ...(frames.length > 0 && { stack: frames.map((frame) => textOf(frame, limits.charsMax)) }),
  };
}

function plainCause(error: unknown, { charsMax }: ErrorLimits): object {
  if (!(error instanceof Error)) return { message: textOf(error, charsMax) };
  const code = attempt(() => (error as NodeJS.ErrnoException).code);
  const name = attempt(() => error.name);
  const message = attempt(() => error.message);
  return {
    name: textOf(name, keyCharsMax),
    message: textOf(message, charsMax),
    ...((typeof code === "string" || typeof code === "number") && { code: textOf(code, keyCharsMax) }),
  };
}

/** The causes of an error, and the errors of an AggregateError. */
function causesOf(error: Error): unknown[] {
  const found: unknown[] = [];
  const next: unknown[] = innerOf(error);
  for (const one of next) {
    if (found.length === causesMax) break;
    if (one === error || found.includes(one)) continue;
    found.push(one);
    // The loop reads what is added here.
    if (one instanceof Error) next.push(...innerOf(one));
  }
  return found;
}

function innerOf(error: Error): unknown[] {
  const cause = attempt(() => error.cause);
  const errors = attempt(() => (error as AggregateError).errors);
  return [...(cause === undefined ? [] : [cause]), ...(Array.isArray(errors) ? errors.slice(0, causesMax) : [])];
}

/** Without the message, which may have lines of its own. */
function framesOf(error: Error): string[] {
  const stack = attempt(() => error.stack);
  if (typeof stack !== "string") return [];
  const lines = stack.slice(0, stackCharsMax).split("\n");
  const frames = lines.filter((line) => /^\s+at /u.test(line));
  return frames.slice(0, framesMax).map((line) => line.trim());
}
