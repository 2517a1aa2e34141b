import { foldUri } from "@plenary/protocol";
import pc from "picocolors";
import { foundLines } from "../../discover/discover.ts";
import type { ChatSession, Screen } from "../session.ts";

const needMax = 1_000;
const columnsOtherwise = 80;
const next = "/invite 1 brings the first and asks it that, for everyone to hear.";

/** Tells who can help, numbered; without words, who was found last. */
export async function findAgents(
  need: string,
  session: ChatSession,
  screen: Screen,
  columns = columnsOtherwise,
): Promise<void> {
  if (need.length > needMax) throw new Error(`That is longer than ${needMax} characters: say it in fewer words.`);
  if (need !== "") {
    const { found } = await session.conversation.discover(need);
    session.discovery = { need, found };
  }
  if (session.discovery === undefined) throw new Error("Say what you need: /discover words");
  const { found } = session.discovery;
  if (found.length === 0) {
    return screen.showMessage("Nobody was found for that. Try other words, or /invite URL if you know somebody.");
  }
  screen.showMessage([...foundLines(found, { columns, colours: pc.createColors(false) }), next].join("\n"));
}

/** By its number in what was found last, and with what it was looked for. False when `text` is no such number. */
export async function inviteFound(text: string, session: ChatSession): Promise<boolean> {
  const { discovery, view, conversation, outbox } = session;
  if (discovery === undefined || !/^\d{1,3}$/u.test(text)) return false;
  const one = discovery.found[Number(text) - 1];
  if (one === undefined) throw new Error(`Nobody has the number ${text}: /discover shows who was found.`);
  const { serviceUrl, speakerUri } = one.manifest.identification;
  const here = view.conversants.find(
    ({ identification }) => foldUri(identification.serviceUrl) === foldUri(serviceUrl),
  );
  if (here !== undefined) {
    outbox.say({ text: discovery.need, to: here.identification.speakerUri });
    return true;
  }
  const saying = {
    id: `de:${crypto.randomUUID()}`,
    at: new Date().toISOString(),
    text: discovery.need,
    to: speakerUri,
  };
  await conversation.inviteFor({ serviceUrl, speakerUri }, saying);
  return true;
}
