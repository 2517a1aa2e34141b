import { authMessage } from "../messages/make-client-message.ts";
import { parseServerMessage, type ServerSaid } from "../messages/parse-server-message.ts";
import type { ClientClock, ClientLimits, NemoClientOptions, ServerTrouble } from "./client-options.ts";
import { NemoError } from "./nemo-error.ts";

/** One open socket. */
export type Line = {
  /** False when it is closed. */
  send(message: object): boolean;
  /** Nothing is heard of it any more. */
  close(): void;
};

type LineOptions = Pick<NemoClientOptions, "url" | "headers" | "credential" | "dialSocket"> & {
  clock: ClientClock;
  limits: ClientLimits;
  conversationId: string;
  onSaid: (said: ServerSaid, chars: number) => void;
  onClose: () => void;
};

/** Rejects with a `NemoError`. What cannot be read as a message is left out: servers of tomorrow say more. */
export async function openLine(options: LineOptions): Promise<Line> {
  const { onSaid, onClose, credential } = options;
  let isLeft = false;
  let isReady = credential === undefined;
  let onAuth: (answer: Answer) => void = () => {};
  const onText = (text: string) => {
    const said = isLeft ? undefined : parseServerMessage(text);
    if (said?.kind === "auth") {
      // What closes right after it has been open.
      isReady ||= !("error" in said);
      onAuth(said);
    } else if (said !== undefined) onSaid(said, text.length);
  };
  const closed = () => {
    onAuth("closed");
    if (!isLeft && isReady) onClose();
    isLeft = true;
  };
  const socket = await dialled(options, onText, closed);
  const line: Line = {
    send: (message) => !isLeft && socket.send(JSON.stringify(message)),
    close() {
      isLeft = true;
      socket.close();
    },
  };
  if (credential === undefined) return line;
  const answer = new Promise<Answer>((resolve) => {
    onAuth = resolve;
  });
  line.send(authMessage(credential));
  const problem = await within(answer, options);
  isReady = true;
  if (problem === undefined) return line;
  line.close();
  throw new NemoError("refused", problem);
}

type Answer = (ServerSaid & { kind: "auth" }) | "closed";

async function dialled(options: LineOptions, onText: (text: string) => void, onClose: () => void) {
  const { url, headers, conversationId, limits, dialSocket } = options;
  const at = `${url}${url.includes("?") ? "&" : "?"}conversation_id=${encodeURIComponent(conversationId)}`;
  try {
    return await dialSocket({ url: at, ...(headers && { headers }), connectMs: limits.connectMs, onText, onClose });
  } catch (cause) {
    const problem = cause instanceof Error ? cause.message : "the socket was not opened";
    throw new NemoError("unreachable", problem, { cause });
  }
}

/** Why the credential is of no use; undefined when it is. */
async function within(answer: Promise<Answer>, { clock, limits }: LineOptions): Promise<string | undefined> {
  let cancel = () => {};
  const late = new Promise<"late">((resolve) => {
    cancel = clock.after(limits.authMs, () => resolve("late"));
  });
  const first = await Promise.race([answer, late]);
  cancel();
  if (first === "late") return `no answer to auth_message within ${limits.authMs} ms`;
  if (first === "closed") return "the server closed the connection when it was given the credential";
  return "error" in first ? troubleWords(first.error) : undefined;
}

function troubleWords({ message, details }: ServerTrouble): string {
  return [message, details].filter((words) => words !== "").join(": ") || "the credential is not accepted";
}
