import type { Io } from "../io.ts";
import { untilStopped } from "../node-io.ts";
import { titleOf } from "./commands/reports.ts";
import { type Outcome, submit } from "./commands/submit.ts";
import type { TerminalScreen } from "./screen/terminal-screen.ts";
import type { Talk } from "./session.ts";

/** Within so long a second Ctrl+C means it. */
const againMs = 3_000;
/** So long leaving waits for what is still on its way. */
const sentWithinMs = 2_000;

type Leaving = Exclude<Outcome, "stay">;
type Opening = { note: string | undefined; isNew: boolean };

/** Until the person leaves; says whether there is something to come back to. */
export async function runTerminal(
  talk: Talk,
  screen: TerminalScreen,
  io: Io,
  { note, isNew }: Opening,
): Promise<Leaving> {
  if (note !== undefined) screen.tell(note, "quiet");
  const title = titleOf(talk.view.title, talk.conversation.id.slice(0, 8));
  screen.tell(
    `${isNew ? "A new conversation" : "You are back in"}: ${title}. /help lists the commands, Ctrl+D leaves.`,
    "quiet",
  );
  screen.tell("Type to speak to everyone, @NAME words to one, /whisper NAME words to one in private.", "quiet");
  talk.begin();
  const leaving = await new Promise<Leaving>((resolve) => {
    const leave = () => resolve("leave");
    let interruptedMs = 0;
    const interrupt = async () => {
      if (talk.isBusy && !talk.view.isPaused) return talk.conversation.command("pause");
      if (screen.clearField()) return undefined;
      const isSecond = Date.now() - interruptedMs < againMs;
      interruptedMs = Date.now();
      if (isSecond) return leave();
      return screen.tell("Nothing is being said. Ctrl+C again leaves.", "quiet");
    };
    screen.open(talk, {
      onLine: (text) => {
        void submit(text, talk, screen, io).then((outcome) => outcome !== "stay" && resolve(outcome));
      },
      onInterrupt: () => {
        interrupt().catch((problem: Error) => screen.tell(problem.message, "problem"));
      },
      onEnd: leave,
    });
    void untilStopped().then(leave);
  });
  await sent(talk);
  talk.close();
  screen.close();
  return leaving;
}

async function sent(talk: Talk): Promise<void> {
  const signal = AbortSignal.timeout(sentWithinMs);
  const late = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
  while (talk.outbox.unsent().length > 0 && talk.connection === "live" && !signal.aborted) {
    await Promise.race([talk.changed(), late]);
  }
}
