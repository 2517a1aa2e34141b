import { comeIn, type Who } from "../caller.ts";
import type { FloorOptions } from "../floor-access.ts";
import type { ExitCode, Io, Terminal } from "../io.ts";
import { logLine } from "../redact.ts";
import { shellWord } from "../shell-word.ts";
import { chooseConversation } from "./choose.ts";
import { floorForChat } from "./floor-for-chat.ts";
import { inkFor } from "./ink.ts";
import { legibleLine } from "./legible.ts";
import { jsonScreen, plainScreen } from "./plain-screen.ts";
import { runScript } from "./script.ts";
import { type Screen, Talk } from "./talk.ts";
import { runTerminal } from "./terminal.ts";
import { TerminalScreen } from "./terminal-screen.ts";

export type ChatOptions = FloorOptions & Who & { conversation?: string; last: boolean; title?: string; json: boolean };

type Wanted = { urls: readonly string[]; options: ChatOptions; io: Io; version: string };

/** A conversation in the terminal, until the person leaves or the script ends. */
export async function chat(urls: readonly string[], options: ChatOptions, io: Io, version: string): Promise<ExitCode> {
  const wanted = { urls, options, io, version };
  if (io.terminal === undefined || options.json) return chatAsScript(wanted);
  return chatInTerminal(io.terminal, wanted);
}

async function chatInTerminal(terminal: Terminal, wanted: Wanted): Promise<ExitCode> {
  const { io, options } = wanted;
  const screen = new TerminalScreen(terminal, inkFor(io));
  const words = await withTalk(screen, wanted, async (talk, opening) => {
    const leaving = await runTerminal(talk, screen, io, opening);
    return [...notSent(talk), ...(leaving === "part" || talk.connection === "gone" ? [] : [wayBack(talk, options)])];
  });
  await io.stdout.write(words.map((line) => `${line}\n`).join(""));
  return 0;
}

async function chatAsScript(wanted: Wanted): Promise<ExitCode> {
  const { io, options } = wanted;
  const screen = options.json ? jsonScreen(io) : plainScreen(io);
  await withTalk(screen, wanted, (talk, { note }) => runScript(talk, screen, io, { note, isJson: options.json }));
  await screen.written();
  return screen.hadProblem() ? 1 : 0;
}

type Opened = { note: string | undefined; isNew: boolean };

/** Whatever was opened for it is closed after it. */
async function withTalk<Result>(
  screen: Screen,
  { urls, options, io, version }: Wanted,
  run: (talk: Talk, opened: Opened) => Promise<Result>,
): Promise<Result> {
  const onError = (error: unknown) => screen.tell(logLine(error), "warning");
  const floor = await floorForChat(options, io, { version, onError });
  try {
    const caller = await comeIn(floor.find, options);
    try {
      const { id, isNew } = await chooseConversation(caller, { ...options, urls });
      const talk = await Talk.open(caller, id, screen);
      try {
        return await run(talk, { note: floor.note, isNew });
      } finally {
        talk.close();
      }
    } finally {
      await caller.close();
    }
  } finally {
    await floor.close();
  }
}

function notSent({ outbox }: Talk): string[] {
  return outbox.unsent().map(({ text }) => `Not sent: ${legibleLine(text, 1_000)}`);
}

function wayBack({ conversation }: Talk, { floor, store }: ChatOptions): string {
  const where = [...(floor ? ["--floor", floor] : []), ...(store ? ["--store", store] : [])];
  const words = ["plenary", "chat", ...where, "--conversation", conversation.id.slice(0, 8)];
  return `Come back with: ${words.map(shellWord).join(" ")}`;
}
