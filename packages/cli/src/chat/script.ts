import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import type { FloorEvent } from "@plenary/protocol";
import type { Io } from "../io.ts";
import { untilStopped } from "../node-io.ts";
import { submit } from "./commands/submit.ts";
import { namedIn } from "./participants.ts";
import type { Screen, Talk } from "./session.ts";

/** D4: nobody waits longer for a turn to end. */
const idleWithinMs = 120_000;
const lookAgainMs = 500;

type Opening = { note: string | undefined; isJson: boolean };

/** Each line is said, or done, when nothing is on its way any more: what answers it comes before the next. */
export async function runScript(talk: Talk, screen: Screen, io: Io, { note, isJson }: Opening): Promise<void> {
  const stopped = new AbortController();
  void untilStopped().then(() => stopped.abort());
  if (note !== undefined) await io.stderr.write(`${note}\n`);
  if (isJson) await io.stdout.write(`${JSON.stringify(headOf(talk))}\n`);
  talk.begin();
  await untilIdle(talk, stopped.signal);
  const lines = createInterface({ input: Readable.from(io.stdin), crlfDelay: Number.POSITIVE_INFINITY });
  stopped.signal.addEventListener("abort", () => lines.close(), { once: true });
  for await (const line of lines) {
    if (stopped.signal.aborted || (await perform(line, talk, screen, { io, isJson })) !== "stay") break;
    await untilIdle(talk, stopped.signal);
  }
  lines.close();
}

/** What a script needs to come back, or to go on by other means. */
function headOf({ conversation, floorUrl }: Talk) {
  return { conversation: conversation.id, speakerUri: conversation.me, floor: floorUrl };
}

async function perform(line: string, talk: Talk, screen: Screen, { io, isJson }: { io: Io; isJson: boolean }) {
  if (!isJson || !line.trimStart().startsWith("{")) return submit(line, talk, screen, io);
  try {
    await obey(JSON.parse(line), talk);
  } catch (problem) {
    screen.tell(`${problem instanceof Error ? problem.message : problem}: ${line.slice(0, 200)}`, "problem");
  }
  return "stay";
}

/** `{text, to?, private?}` is said; anything with an eventType is sent as it stands. */
async function obey(command: Record<string, unknown>, talk: Talk): Promise<void> {
  if (typeof command.eventType === "string") return talk.conversation.send(command as FloorEvent);
  const { text, to, private: isWhisper = false } = command;
  if (typeof text !== "string" || text === "")
    throw new Error('A command is {"text": ..., "to"?, "private"?} or an event');
  if (to === undefined && isWhisper === true) throw new Error("Somebody must be named in `to` to be told in private");
  if (to === undefined) return talk.outbox.say({ text });
  const speakerUri = speakerNamed(String(to), talk);
  talk.outbox.say({ text, to: speakerUri, isWhisper: isWhisper !== false });
}

function speakerNamed(to: string, { people }: Talk): string {
  const others = people.others();
  if (others.some(({ speakerUri }) => speakerUri === to)) return to;
  const named = namedIn(to, others);
  if ("problem" in named) throw new Error(named.problem);
  return named.person.speakerUri;
}

async function untilIdle(talk: Talk, stopped: AbortSignal): Promise<void> {
  const untilMs = Date.now() + idleWithinMs;
  while (!stopped.aborted && Date.now() < untilMs && !(await talk.isIdle())) {
    await Promise.race([talk.changed(), new Promise((resolve) => setTimeout(resolve, lookAgainMs))]);
  }
}
