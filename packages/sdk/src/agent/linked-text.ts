import { type DialogEvent, type EventOf, type FloorEvent, needsFetching, type Token } from "@plenary/protocol";
import { dialText, type TextDialler } from "../dialler/dial.ts";
import { DialError } from "../dialler/dial-error.ts";
import { type IncomingEvent, ownUtterance, type ReceiveContext } from "./context.ts";
import { CallersGone } from "./delivery-cache.ts";
import { withTimeout } from "./run-handler.ts";

/** Spec 1.10.1: the text of a dialog event, with the tokens at a valueUrl fetched. The URL is untrusted, so only a dialler fetches it. */
export async function resolveText(
  dialogEvent: DialogEvent,
  dialler: TextDialler,
  { signal }: { signal?: AbortSignal } = {},
): Promise<string> {
  const parts: string[] = [];
  for (const { value, valueUrl } of dialogEvent.features.text?.tokens ?? []) {
    if (typeof value === "string") parts.push(value);
    else if (valueUrl !== undefined) parts.push(await fetchText(valueUrl, dialler, signal));
  }
  return parts.join("");
}

async function fetchText(url: string, dialler: TextDialler, signal: AbortSignal | undefined) {
  const headers = { accept: "text/plain" };
  const { status, text } = await dialText(dialler, { url, method: "GET", headers, ...(signal && { signal }) });
  if (status !== 200) throw new DialError(url, "broken", `answered ${status}`, { isSent: true, status });
  return text;
}

type IncomingUtterance = IncomingEvent<EventOf<"utterance">>;

/** Per utterance. */
const linksMax = 8;

/** Replaces links by their text, if there is a dialler. If a link cannot be read, returns the answer to send instead. */
export async function withLinkedText(
  incoming: IncomingUtterance,
  context: ReceiveContext,
): Promise<IncomingUtterance | { answer: FloorEvent[] }> {
  const { dialogEvent } = incoming.event.parameters;
  const { textDialler, signal } = context;
  if (textDialler === undefined || !needsFetching(dialogEvent)) return incoming;
  const links = dialogEvent.features.text?.tokens.filter(({ valueUrl }) => valueUrl !== undefined) ?? [];
  if (links.length > linksMax) return { answer: unreadable(incoming, context) };
  try {
    return withText(incoming, await withTimeout(context, () => resolveText(dialogEvent, textDialler, { signal })));
  } catch {
    if (signal.reason instanceof CallersGone) throw signal.reason;
    return { answer: signal.aborted ? [] : unreadable(incoming, context) };
  }
}

function withText(incoming: IncomingUtterance, value: string): IncomingUtterance {
  const { dialogEvent } = incoming.event.parameters;
  const tokens: Token[] = [{ value }];
  const text = { mimeType: "text/plain", ...dialogEvent.features.text, tokens };
  const parameters = {
    ...incoming.event.parameters,
    dialogEvent: { ...dialogEvent, features: { ...dialogEvent.features, text } },
  };
  return { ...incoming, event: { ...incoming.event, parameters } };
}

const unreadableText = "Your message contains a link to text that I cannot read. Please send it as plain text.";

/** With more than two conversants, only the addressed agent says so. */
function unreadable({ isAddressed, replyTo }: IncomingUtterance, context: ReceiveContext): FloorEvent[] {
  const { conversants = [] } = context.envelope.conversation;
  return isAddressed || conversants.length <= 2 ? [ownUtterance(unreadableText, replyTo, context)] : [];
}
