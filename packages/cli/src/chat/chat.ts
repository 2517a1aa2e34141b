import { parseConfiguration } from "../config/configuration.ts";
import { configErrorText, FloorError } from "../errors.ts";
import { type FloorOptions, givenFloorUrl, locateFloor } from "../floor/access.ts";
import { connectFloor, type LocateFloor, type SpeakerChoice } from "../floor/connection.ts";
import type { ExitCode, Io, Terminal } from "../io.ts";
import { shellQuote } from "../output/format.ts";
import { sanitizeLine } from "../output/sanitize.ts";
import { createChatLogger } from "../serve/floor-logger.ts";
import { openFloor } from "../serve/open-floor.ts";
import { runningFloorUrl, storeFile } from "../store/location.ts";
import { chooseConversation } from "./choose-conversation.ts";
import { chatColors } from "./screen/colors.ts";
import { scriptScreen } from "./screen/script-screen.ts";
import { TerminalScreen } from "./screen/terminal-screen.ts";
import { runScript } from "./script.ts";
import { ChatSession, type Screen } from "./session.ts";
import { runTerminal } from "./terminal.ts";

export type ChatOptions = FloorOptions &
  SpeakerChoice & { conversation?: string; last: boolean; title?: string; json: boolean };

type ChatRequest = { urls: readonly string[]; options: ChatOptions; io: Io; version: string };

/** Runs a chat until the person leaves or the script ends. */
export async function chat(urls: readonly string[], options: ChatOptions, io: Io, version: string): Promise<ExitCode> {
  const wanted = { urls, options, io, version };
  if (io.terminal === undefined || options.json) return chatAsScript(wanted);
  return chatInTerminal(io.terminal, wanted);
}

async function chatInTerminal(terminal: Terminal, wanted: ChatRequest): Promise<ExitCode> {
  const { io, options } = wanted;
  const screen = new TerminalScreen(terminal, chatColors(io));
  const words = await withSession(screen, wanted, async (session, opening) => {
    const leaving = await runTerminal(session, screen, io, opening);
    return [
      ...unsentLines(session),
      ...(leaving === "part" || session.connection === "gone" ? [] : [resumeHint(session, options)]),
    ];
  });
  await io.stdout.write(words.map((line) => `${line}\n`).join(""));
  return 0;
}

async function chatAsScript(wanted: ChatRequest): Promise<ExitCode> {
  const { io, options } = wanted;
  const screen = scriptScreen(io, options.json);
  await withSession(screen, wanted, (session, { note }) =>
    runScript(session, screen, io, { note, isJson: options.json }),
  );
  await screen.written();
  return screen.hadProblem() ? 1 : 0;
}

type SessionStart = { note: string | undefined; isNew: boolean };

/** Opens floor, connection and session, and closes them afterwards. */
async function withSession<Result>(
  screen: Screen,
  { urls, options, io, version }: ChatRequest,
  run: (session: ChatSession, opened: SessionStart) => Promise<Result>,
): Promise<Result> {
  const write = (line: string) => screen.showMessage(line.trimEnd(), "warning");
  const place = await findOrOpenFloor(options, io, { version, write });
  try {
    const floor = await connectFloor(place.locate, options);
    try {
      const { conversation, isNew } = await chooseConversation(floor, { ...options, urls });
      const session = await ChatSession.open(floor, conversation, screen);
      try {
        return await run(session, { note: place.note, isNew });
      } finally {
        session.close();
      }
    } finally {
      await floor.close();
    }
  } finally {
    await place.close();
  }
}

/** They are not sent any more. */
function unsentLines({ conversation: { outbox } }: ChatSession): string[] {
  return outbox.unsent().map(({ id, text }) => {
    outbox.discard(id);
    return `Not sent: ${sanitizeLine(text, 1_000)}`;
  });
}

function resumeHint({ conversation }: ChatSession, { floor, store }: ChatOptions): string {
  const where = [...(floor ? ["--floor", floor] : []), ...(store ? ["--store", store] : [])];
  const words = ["plenary", "chat", ...where, "--conversation", conversation.id.slice(0, 8)];
  return `Come back with: ${words.map(shellQuote).join(" ")}`;
}

type ChatFloor = {
  locate: LocateFloor;
  /** Shown once when the chat opened the floor itself. */
  note?: string;
  close: () => Promise<void>;
};

/** The given floor or the one that runs on the store; else a floor in this process that closes with the chat. */
async function findOrOpenFloor(
  options: FloorOptions,
  io: Io,
  { version, write }: { version: string; write: (line: string) => void },
): Promise<ChatFloor> {
  const isNamed = givenFloorUrl(options, io) !== undefined;
  const file = storeFile(options.store, io);
  const isRunning = isNamed || (file !== undefined && (await runningFloorUrl(file)) !== undefined);
  if (isRunning) return { locate: () => locateFloor(options, io), close: async () => {} };
  const host = "127.0.0.1";
  const parsed = parseConfiguration({ host }, io.env);
  if (!parsed.ok) throw new FloorError(parsed.errors.map(configErrorText).join("; "));
  const { configuration } = parsed;
  const floor = await openFloor({
    // Whatever the settings say, a chat does not open the floor to other machines.
    configuration: { ...configuration, mode: "local" },
    // The default port of plenary serve, so that hosted agents keep their addresses there.
    host,
    port: 0,
    preferredPort: 7536,
    demo: true,
    version,
    logger: createChatLogger(configuration.log ?? {}, write),
    ...(file !== undefined && { file }),
    ...(configuration.token !== undefined && { token: configuration.token }),
  });
  if ("problem" in floor) throw new FloorError(floor.problem);
  const kept = file === undefined ? "in memory" : `in ${file}`;
  return {
    locate: async () => ({ url: floor.url, token: floor.token }),
    note: `No floor was running, so this chat opened one; it closes with the chat. Conversations are stored ${kept}.`,
    close: floor.close,
  };
}
