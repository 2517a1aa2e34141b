import { type EventOf, type FloorEvent, needsFetching, type Token } from "@plenary/protocol";
import { CutShort } from "./deliveries.ts";
import { resolveText } from "./resolve-text.ts";
import { within } from "./run.ts";
import { type Stage, type Step, spoken } from "./scene.ts";

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
