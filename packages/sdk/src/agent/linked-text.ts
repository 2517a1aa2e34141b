import { type DialogEvent, type EventOf, type FloorEvent, needsFetching, type Token } from "@plenary/protocol";
import { exchangeText, type TextDialler } from "../dialler/dial.ts";
import { DialError } from "../dialler/dial-error.ts";
import { type Stage, type Step, spoken } from "./context.ts";
import { CutShort } from "./delivery-cache.ts";
import { within } from "./run-handler.ts";

/** Spec 1.10.1: the words of a dialog event, those at a valueUrl fetched. Only through a dialler: the URL is a stranger's. */
export async function resolveText(
  dialogEvent: DialogEvent,
  dialler: TextDialler,
  { signal }: { signal?: AbortSignal } = {},
): Promise<string> {
  const words: string[] = [];
  for (const { value, valueUrl } of dialogEvent.features.text?.tokens ?? []) {
    if (typeof value === "string") words.push(value);
    else if (valueUrl !== undefined) words.push(await fetchText(valueUrl, dialler, signal));
  }
  return words.join("");
}

async function fetchText(url: string, dialler: TextDialler, signal: AbortSignal | undefined) {
  const headers = { accept: "text/plain" };
  const { status, text } = await exchangeText(dialler, { url, method: "GET", headers, ...(signal && { signal }) });
  if (status !== 200) throw new DialError(url, "broken", `answered ${status}`, { isSent: true, status });
  return text;
}

type SaidStep = Step<EventOf<"utterance">>;

/** Of one utterance. */
const linksMax = 8;

/** With the words that are at a URL in their places, where there is a way to read them; else what to answer instead. */
export async function withLinkedWords(step: SaidStep, scene: Stage): Promise<SaidStep | { answer: FloorEvent[] }> {
  const { dialogEvent } = step.event.parameters;
  const { textDialler, signal } = scene;
  if (textDialler === undefined || !needsFetching(dialogEvent)) return step;
  const links = dialogEvent.features.text?.tokens.filter(({ valueUrl }) => valueUrl !== undefined) ?? [];
  if (links.length > linksMax) return { answer: unreadable(step, scene) };
  try {
    return withText(step, await within(scene, () => resolveText(dialogEvent, textDialler, { signal })));
  } catch {
    if (signal.reason instanceof CutShort) throw signal.reason;
    return { answer: signal.aborted ? [] : unreadable(step, scene) };
  }
}

function withText(step: SaidStep, value: string): SaidStep {
  const { dialogEvent } = step.event.parameters;
  const tokens: Token[] = [{ value }];
  const text = { mimeType: "text/plain", ...dialogEvent.features.text, tokens };
  const parameters = {
    ...step.event.parameters,
    dialogEvent: { ...dialogEvent, features: { ...dialogEvent.features, text } },
  };
  return { ...step, event: { ...step.event, parameters } };
}

const sorry = "Your words came as a link that I cannot read. Please send them as text.";

/** Among several, only the one who was addressed says so. */
function unreadable({ isAddressed, replyTo }: SaidStep, scene: Stage): FloorEvent[] {
  const { conversants = [] } = scene.envelope.conversation;
  return isAddressed || conversants.length <= 2 ? [spoken(sorry, replyTo, scene)] : [];
}
