import { mistakeText } from "../config/config-error.ts";
import { parseConfiguration } from "../config/configuration.ts";
import { FloorProblem } from "../errors.ts";
import { type FloorOptions, namedFloor, reachFloor } from "../floor/access.ts";
import { comeIn, type Find, type Who } from "../floor/client.ts";
import type { ExitCode, Io, Terminal } from "../io.ts";
import { shellWord } from "../output/format.ts";
import { logLine } from "../output/redact.ts";
import { legibleLine } from "../output/sanitize.ts";
import { openFloor } from "../serve/open-floor.ts";
import { addressIn, storeFile } from "../store/location.ts";
import { chooseConversation } from "./choose-conversation.ts";
import { inkFor } from "./screen/colors.ts";
import { jsonScreen, plainScreen } from "./screen/plain-screen.ts";
import { TerminalScreen } from "./screen/terminal-screen.ts";
import { runScript } from "./script.ts";
import { type Screen, Talk } from "./session.ts";
import { runTerminal } from "./terminal.ts";

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

export type FloorForChat = {
  find: Find;
  /** Said once: where this floor came from, when nobody started it. */
  note?: string;
  close: () => Promise<void>;
};

/** The floor that was named, or runs on the store; else one in this process, for as long as the chat lasts. */
export async function floorForChat(
  options: FloorOptions,
  io: Io,
  { version, onError }: { version: string; onError: (error: unknown) => void },
): Promise<FloorForChat> {
  const isNamed = namedFloor(options, io) !== undefined;
  const file = storeFile(options.store, io);
  const isRunning = isNamed || (file !== undefined && (await addressIn(file)) !== undefined);
  if (isRunning) return { find: () => reachFloor(options, io), close: async () => {} };
  const host = "127.0.0.1";
  const parsed = parseConfiguration({ host }, io.env);
  if (!parsed.ok) throw new FloorProblem(parsed.mistakes.map(mistakeText).join("; "));
  const { configuration } = parsed;
  const floor = await openFloor({
    // Whatever the settings say of others, nobody else is let in by a chat.
    configuration: { ...configuration, mode: "local" },
    // Where plenary serve opens it, so that the agents seated here are found there as well.
    ...{ host, port: 0, wishedPort: 7536, demo: true, version, onError },
    ...(file !== undefined && { file }),
    ...(configuration.token !== undefined && { token: configuration.token }),
  });
  if ("problem" in floor) throw new FloorProblem(floor.problem);
  const own: Io = { ...io, env: { ...io.env, PLENARY_TOKEN: floor.token } };
  const kept = file === undefined ? "in memory" : `in ${file}`;
  return {
    find: () => reachFloor({ floor: floor.url }, own),
    note: `No floor was running, so this chat opened one; it closes with the chat. Conversations are kept ${kept}.`,
    close: floor.close,
  };
}
