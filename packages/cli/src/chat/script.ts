import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import type { FloorEvent } from "@plenary/protocol";
import { messageOf } from "../errors.ts";
import type { Io } from "../io.ts";
import { untilStopped } from "../node-io.ts";
import { submit } from "./commands/submit.ts";
import { matchName } from "./participants.ts";
import type { ChatSession, Screen } from "./session.ts";

/** D4: the limit for a turn. */
const idleWithinMs = 120_000;
const lookAgainMs = 500;

type Opening = { note: string | undefined; isJson: boolean };

/** Runs the lines of stdin one by one; each waits until the conversation is idle, so that answers come before the next. */
export async function runScript(
  session: ChatSession,
  screen: Screen,
  io: Io,
  { note, isJson }: Opening,
): Promise<void> {
  const stopped = new AbortController();
  void untilStopped().then(() => stopped.abort());
  if (note !== undefined) await io.stderr.write(`${note}\n`);
  if (isJson) await io.stdout.write(`${JSON.stringify(scriptHeader(session))}\n`);
  session.start();
  await untilIdle(session, stopped.signal);
  const lines = createInterface({ input: Readable.from(io.stdin), crlfDelay: Number.POSITIVE_INFINITY });
  stopped.signal.addEventListener("abort", () => lines.close(), { once: true });
  for await (const line of lines) {
    if (stopped.signal.aborted || (await runLine(line, session, screen, { io, isJson })) !== "stay") break;
    await untilIdle(session, stopped.signal);
  }
  lines.close();
}

/** The first line of `--json`: what a script needs to come back. */
function scriptHeader({ conversation, floor }: ChatSession) {
  return { conversation: conversation.id, speakerUri: conversation.me, floor: floor.url };
}

async function runLine(
  line: string,
  session: ChatSession,
  screen: Screen,
  { io, isJson }: { io: Io; isJson: boolean },
) {
  if (!isJson || !line.trimStart().startsWith("{")) return submit(line, session, screen, io);
  try {
    await runJsonLine(JSON.parse(line), session);
  } catch (problem) {
    screen.showMessage(`${messageOf(problem)}: ${line.slice(0, 200)}`, "problem");
  }
  return "stay";
}

/** Sends `{text, to?, private?}` as an utterance; an object with an eventType is sent unchanged. */
async function runJsonLine(command: Record<string, unknown>, session: ChatSession): Promise<void> {
  if (typeof command.eventType === "string") return session.conversation.send(command as FloorEvent);
  const { text, to, private: isWhisper = false } = command;
  if (typeof text !== "string" || text === "")
    throw new Error('A command is {"text": ..., "to"?, "private"?} or an event');
  if (to === undefined && isWhisper === true) throw new Error("A private text needs `to`");
  if (to === undefined) return session.say({ text });
  if (typeof to !== "string") throw new Error("`to` is the name or the speakerUri of a conversant, as a string");
  const speakerUri = speakerNamed(to, session);
  session.say({ text, to: speakerUri, isWhisper: isWhisper !== false });
}

function speakerNamed(to: string, { participants }: ChatSession): string {
  const others = participants.others();
  if (others.some(({ speakerUri }) => speakerUri === to)) return to;
  const named = matchName(to, others);
  if ("problem" in named) throw new Error(named.problem);
  return named.person.speakerUri;
}

async function untilIdle(session: ChatSession, stopped: AbortSignal): Promise<void> {
  const untilMs = Date.now() + idleWithinMs;
  while (!stopped.aborted && Date.now() < untilMs && !(await session.isIdle())) {
    await Promise.race([session.nextChange(), new Promise((resolve) => setTimeout(resolve, lookAgainMs))]);
  }
}
