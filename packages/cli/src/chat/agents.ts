import { nameOf, seemingly } from "@plenary/floor";
import { foldUri } from "@plenary/protocol";
import { FloorProblem } from "../floor-problem.ts";
import { legibleLine } from "./legible.ts";
import { namedIn } from "./naming.ts";
import type { Talk } from "./talk.ts";
import type { ConversantView, KnownAgent } from "./wire.ts";

/** So long somebody who was invited may take to come and convene. */
const comesWithinMs = 20_000;

/** So many are told to whoever names none of them. */
const namedMax = 20;

export function nameOfAgent({ manifest, serviceUrl }: KnownAgent): string {
  return legibleLine(nameOf("", manifest?.identification), 40) || legibleLine(serviceUrl, 80);
}

/** The address that is meant: a URL, or the name of an agent the floor knows. */
export function inviteeOf(text: string, agents: readonly KnownAgent[]): string {
  if (/^https?:\/\/[^\s/]\S*$/iu.test(text)) return text;
  const known = [...new Set(agents.map(nameOfAgent))].slice(0, namedMax).join(", ") || "none";
  if (text === "") throw new FloorProblem(`Say whom: /invite URL, or one of the agents known here: ${known}.`);
  const wanted = seemingly(text);
  const isExact = (agent: KnownAgent) => [nameOfAgent(agent), pathName(agent)].map(seemingly).includes(wanted);
  const fits = agents.filter(isExact);
  const found = fits.length > 0 ? fits : agents.filter((agent) => seemingly(nameOfAgent(agent)).startsWith(wanted));
  const [one, other] = found;
  if (one === undefined) throw new FloorProblem(`${text} is neither a URL nor an agent known here (${known}).`);
  if (other === undefined) return one.serviceUrl;
  throw new FloorProblem(`${text} may be ${found.map(({ serviceUrl }) => serviceUrl).join(" or ")}: give the URL.`);
}

function pathName({ serviceUrl }: KnownAgent): string {
  return URL.canParse(serviceUrl) ? (new URL(serviceUrl).pathname.split("/").at(-1) ?? "") : "";
}

/** Gives the role of convener to somebody who is here, or comes for it; `none` takes it away. */
export async function conveneAt(text: string, talk: Talk): Promise<void> {
  if (text.toLowerCase() === "none") return void (await talk.conversation.command("convener", { speakerUri: null }));
  const named = namedIn(text, talk.people.others());
  const speakerUri = "person" in named ? named.person.speakerUri : await invited(text, talk);
  await talk.conversation.command("convener", { speakerUri });
  talk.look();
}

async function invited(text: string, talk: Talk): Promise<string> {
  const serviceUrl = inviteeOf(text, talk.agents);
  const isThere = ({ identification, state }: ConversantView) =>
    state === "joined" && foldUri(identification.serviceUrl) === foldUri(serviceUrl);
  if (!talk.view.conversants.some(isThere)) await talk.conversation.send({ eventType: "invite", to: { serviceUrl } });
  const signal = AbortSignal.timeout(comesWithinMs);
  const late = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
  while (!signal.aborted) {
    const comer = talk.view.conversants.find(isThere);
    if (comer !== undefined) return comer.identification.speakerUri;
    await Promise.race([talk.changed(), late]);
  }
  throw new Error(`${text} did not come, so it does not convene.`);
}
