import { foldUri, invite, textUtterance } from "@plenary/protocol";
import pc from "picocolors";
import { foundLines } from "../../discover/discover.ts";
import type { ChatSession, Screen } from "../session.ts";

const needMax = 1_000;
const columnsOtherwise = 80;
const next = "/invite 1 invites the first and asks it that, publicly.";

/** Lists agents that can help, with numbers; without text, the last result. */
export async function findAgents(
  need: string,
  session: ChatSession,
  screen: Screen,
  columns = columnsOtherwise,
): Promise<void> {
  if (need.length > needMax) throw new Error(`The text is longer than ${needMax} characters: use fewer words.`);
  if (need !== "") {
    const { found } = await session.floor.discover(need);
    session.discovery = { need, found };
  }
  if (session.discovery === undefined) throw new Error("Describe what you need: /discover text");
  const { found } = session.discovery;
  if (found.length === 0) {
    return screen.showMessage("No agent was found. Try other words, or /invite URL if you know an agent.");
  }
  screen.showMessage([...foundLines(found, { columns, colours: pc.createColors(false) }), next].join("\n"));
}

/** Invites by number from the last result, with the text that was searched for. False when `text` is not a number. */
export async function inviteFound(text: string, session: ChatSession): Promise<boolean> {
  const { discovery, view, conversation } = session;
  if (discovery === undefined || !/^\d{1,3}$/u.test(text)) return false;
  const one = discovery.found[Number(text) - 1];
  if (one === undefined) throw new Error(`There is no agent ${text}: /discover shows the last result.`);
  const { serviceUrl, speakerUri } = one.manifest.identification;
  const here = view.conversants.find(
    ({ identification }) => foldUri(identification.serviceUrl) === foldUri(serviceUrl),
  );
  if (here !== undefined) {
    session.say({ text: discovery.need, to: here.identification.speakerUri });
    return true;
  }
  // Invite and task in one envelope (spec 1.18).
  const spoken = { id: `de:${crypto.randomUUID()}`, speakerUri: conversation.me, startTime: new Date().toISOString() };
  const task = textUtterance(discovery.need, { ...spoken, to: { speakerUri } });
  await conversation.send(invite({ to: { serviceUrl, speakerUri } }), task);
  return true;
}
