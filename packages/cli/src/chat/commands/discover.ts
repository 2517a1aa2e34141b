import { foldUri } from "@plenary/protocol";
import pc from "picocolors";
import { foundLines } from "../../discover/discover.ts";
import type { Screen, Talk } from "../session.ts";

const needMax = 1_000;
const columnsOtherwise = 80;
const next = "/invite 1 brings the first and asks it that, for everyone to hear.";

/** Tells who can help, numbered; without words, who was found last. */
export async function findAgents(need: string, talk: Talk, screen: Screen, columns = columnsOtherwise): Promise<void> {
  if (need.length > needMax) throw new Error(`That is longer than ${needMax} characters: say it in fewer words.`);
  if (need !== "") {
    const { found } = await talk.conversation.discover(need);
    talk.finding = { need, found };
  }
  if (talk.finding === undefined) throw new Error("Say what you need: /discover words");
  const { found } = talk.finding;
  if (found.length === 0) {
    return screen.tell("Nobody was found for that. Try other words, or /invite URL if you know somebody.");
  }
  screen.tell([...foundLines(found, { columns, colours: pc.createColors(false) }), next].join("\n"));
}

/** By its number in what was found last, and with what it was looked for. False when `text` is no such number. */
export async function inviteFound(text: string, talk: Talk): Promise<boolean> {
  const { finding, view, conversation, outbox } = talk;
  if (finding === undefined || !/^\d{1,3}$/u.test(text)) return false;
  const one = finding.found[Number(text) - 1];
  if (one === undefined) throw new Error(`Nobody has the number ${text}: /discover shows who was found.`);
  const { serviceUrl, speakerUri } = one.manifest.identification;
  const here = view.conversants.find(
    ({ identification }) => foldUri(identification.serviceUrl) === foldUri(serviceUrl),
  );
  if (here !== undefined) {
    outbox.say({ text: finding.need, to: here.identification.speakerUri });
    return true;
  }
  const saying = { id: `de:${crypto.randomUUID()}`, at: new Date().toISOString(), text: finding.need, to: speakerUri };
  await conversation.inviteFor({ serviceUrl, speakerUri }, saying);
  return true;
}
