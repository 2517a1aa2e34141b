import { nameOf, seemingly } from "@plenary/transcript";
import { FloorProblem } from "../../errors.ts";
import type { KnownAgent } from "../../floor/conversation-client.ts";
import { legibleLine } from "../../output/sanitize.ts";
import { namedIn } from "../participants.ts";
import type { Talk } from "../session.ts";

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
  await talk.conversation.command("convener", convenerIn(text, talk));
  talk.look();
}

/** `queue` for the one that this floor hosts as `/agents/convener-queue`. */
export function readyMadeConvener(agent: KnownAgent): string | undefined {
  const name = pathName(agent);
  return agent.isHosted && name.startsWith(readyMade) ? name.slice(readyMade.length) : undefined;
}

const readyMade = "convener-";

function convenerIn(text: string, { people, agents }: Talk): Record<string, string | null> {
  if (text.toLowerCase() === "none") return { speakerUri: null };
  const named = namedIn(text, people.others());
  if ("person" in named && named.rest === "") return { speakerUri: named.person.speakerUri };
  const short = agents.find((agent) => readyMadeConvener(agent) === text.toLowerCase());
  return { serviceUrl: short?.serviceUrl ?? inviteeOf(text, agents) };
}
