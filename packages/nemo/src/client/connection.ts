import { authMessage } from "../messages/make-client-message.ts";
import { type ParsedServerMessage, parseServerMessage } from "../messages/parse-server-message.ts";
import type { ClientClock, ClientLimits, NemoClientOptions, ServerError } from "./client-options.ts";
import { NemoError } from "./nemo-error.ts";

/** One open socket. */
export type Connection = {
  /** False when it is closed. */
  send(message: object): boolean;
  /** After this, `onSaid` and `onClose` are not called. */
  close(): void;
};

type ConnectionOptions = Pick<NemoClientOptions, "url" | "headers" | "credential" | "dialSocket"> & {
  clock: ClientClock;
  limits: ClientLimits;
  conversationId: string;
  onSaid: (said: ParsedServerMessage, chars: number) => void;
  onClose: () => void;
};

/** Rejects with a `NemoError`. Unreadable messages are ignored, because newer servers may send more. */
export async function openConnection(options: ConnectionOptions): Promise<Connection> {
  const { onSaid, onClose, credential } = options;
  let isLeft = false;
  let isReady = credential === undefined;
  let onAuth: (answer: AuthAnswer) => void = () => {};
  const onText = (text: string) => {
    const said = isLeft ? undefined : parseServerMessage(text);
    if (said?.kind === "auth") {
      // A connection that closes right after authentication was open.
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
  const connection: Connection = {
    send: (message) => !isLeft && socket.send(JSON.stringify(message)),
    close() {
      isLeft = true;
      socket.close();
    },
  };
  if (credential === undefined) return connection;
  const answer = new Promise<AuthAnswer>((resolve) => {
    onAuth = resolve;
  });
  connection.send(authMessage(credential));
  const problem = await authProblem(answer, options);
  isReady = true;
  if (problem === undefined) return connection;
  connection.close();
  throw new NemoError("refused", problem);
}

type AuthAnswer = (ParsedServerMessage & { kind: "auth" }) | "closed";

async function dialled(options: ConnectionOptions, onText: (text: string) => void, onClose: () => void) {
  const { url, headers, conversationId, limits, dialSocket } = options;
  const at = `${url}${url.includes("?") ? "&" : "?"}conversation_id=${encodeURIComponent(conversationId)}`;
  try {
    return await dialSocket({ url: at, ...(headers && { headers }), connectMs: limits.connectMs, onText, onClose });
  } catch (cause) {
    const problem = cause instanceof Error ? cause.message : "the socket was not opened";
    throw new NemoError("unreachable", problem, { cause });
  }
}

/** Why the credential was not accepted; undefined when it was. */
async function authProblem(
  answer: Promise<AuthAnswer>,
  { clock, limits }: ConnectionOptions,
): Promise<string | undefined> {
  let cancel = () => {};
  const late = new Promise<"late">((resolve) => {
    cancel = clock.after(limits.authMs, () => resolve("late"));
  });
  const first = await Promise.race([answer, late]);
  cancel();
  if (first === "late") return `no answer to auth_message within ${limits.authMs} ms`;
  if (first === "closed") return "the server closed the connection after the credential was sent";
  return "error" in first ? errorText(first.error) : undefined;
}

function errorText({ message, details }: ServerError): string {
  return [message, details].filter((words) => words !== "").join(": ") || "the server did not accept the credential";
}
