import { messageOf } from "../errors.ts";
import type { Io } from "../io.ts";
import { untilStopped } from "../node-io.ts";
import { titleOf } from "./commands/reports.ts";
import { type SubmitOutcome, submit } from "./commands/submit.ts";
import type { TerminalScreen } from "./screen/terminal-screen.ts";
import type { ChatSession } from "./session.ts";

/** A second Ctrl+C within this time leaves. */
const againMs = 3_000;
/** How long leaving waits for unsent utterances. */
const sentWithinMs = 2_000;

type LeaveOutcome = Exclude<SubmitOutcome, "stay">;
type Opening = { note: string | undefined; isNew: boolean };

/** Runs until the person leaves. Returns whether they left the chat or the conversation. */
export async function runTerminal(
  session: ChatSession,
  screen: TerminalScreen,
  io: Io,
  { note, isNew }: Opening,
): Promise<LeaveOutcome> {
  if (note !== undefined) screen.showMessage(note, "quiet");
  const title = titleOf(session.view.title, session.conversation.id.slice(0, 8));
  screen.showMessage(
    `${isNew ? "New conversation" : "Back in"}: ${title}. /help lists the commands, Ctrl+D leaves.`,
    "quiet",
  );
  screen.showMessage(
    "Type to speak to everyone, @NAME text to address one, /whisper NAME text for a private message.",
    "quiet",
  );
  session.start();
  const leaving = await new Promise<LeaveOutcome>((resolve) => {
    const leave = () => resolve("leave");
    let interruptedMs = 0;
    const interrupt = async () => {
      if (session.isBusy && !session.view.isPaused) return session.conversation.command("pause", {});
      if (screen.clearField()) return undefined;
      const isSecond = Date.now() - interruptedMs < againMs;
      interruptedMs = Date.now();
      if (isSecond) return leave();
      return screen.showMessage("No agent is answering. Press Ctrl+C again to leave.", "quiet");
    };
    screen.open(session, {
      onLine: (text) => {
        void submit(text, session, screen, io).then((outcome) => outcome !== "stay" && resolve(outcome));
      },
      onInterrupt: () => {
        interrupt().catch((problem: unknown) => screen.showMessage(messageOf(problem), "problem"));
      },
      onEnd: leave,
    });
    void untilStopped().then(leave);
  });
  await waitUntilSent(session);
  session.close();
  screen.close();
  return leaving;
}

async function waitUntilSent(session: ChatSession): Promise<void> {
  const signal = AbortSignal.timeout(sentWithinMs);
  const late = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
  while (session.unsent().length > 0 && session.connection === "live" && !signal.aborted) {
    await Promise.race([session.nextChange(), late]);
  }
}
