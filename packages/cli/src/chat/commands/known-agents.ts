import { nameOf, seemingly } from "@plenary/transcript";
import { FloorError } from "../../errors.ts";
import type { KnownAgent } from "../../floor/conversation-client.ts";
import { sanitizeLine } from "../../output/sanitize.ts";
import { matchName } from "../participants.ts";
import type { ChatSession } from "../session.ts";

/** So many are told to whoever names none of them. */
const namedMax = 20;

export function nameOfAgent({ manifest, serviceUrl }: KnownAgent): string {
  return sanitizeLine(nameOf("", manifest?.identification), 40) || sanitizeLine(serviceUrl, 80);
}

/** The address that is meant: a URL, or the name of an agent the floor knows. */
export function serviceUrlOf(text: string, agents: readonly KnownAgent[]): string {
  if (/^https?:\/\/[^\s/]\S*$/iu.test(text)) return text;
  const known = [...new Set(agents.map(nameOfAgent))].slice(0, namedMax).join(", ") || "none";
  if (text === "") throw new FloorError(`Say whom: /invite URL, or one of the agents known here: ${known}.`);
  const wanted = seemingly(text);
  const isExact = (agent: KnownAgent) => [nameOfAgent(agent), pathName(agent)].map(seemingly).includes(wanted);
  const fits = agents.filter(isExact);
  const found = fits.length > 0 ? fits : agents.filter((agent) => seemingly(nameOfAgent(agent)).startsWith(wanted));
  const [one, other] = found;
  if (one === undefined) throw new FloorError(`${text} is neither a URL nor an agent known here (${known}).`);
  if (other === undefined) return one.serviceUrl;
  throw new FloorError(`${text} may be ${found.map(({ serviceUrl }) => serviceUrl).join(" or ")}: give the URL.`);
}

function pathName({ serviceUrl }: KnownAgent): string {
  return URL.canParse(serviceUrl) ? (new URL(serviceUrl).pathname.split("/").at(-1) ?? "") : "";
}

/** Gives the role of convener to somebody who is here, or comes for it; `none` takes it away. */
export async function appointConvener(text: string, session: ChatSession): Promise<void> {
  await session.conversation.command("convener", convenerIn(text, session));
  session.refreshViewSoon();
}

/** `queue` for the one that this floor hosts as `/agents/convener-queue`. */
export function builtInConvener(agent: KnownAgent): string | undefined {
  const name = pathName(agent);
  return agent.isHosted && name.startsWith(builtInPrefix) ? name.slice(builtInPrefix.length) : undefined;
}

const builtInPrefix = "convener-";

function convenerIn(text: string, { participants, agents }: ChatSession): Record<string, string | null> {
  if (text.toLowerCase() === "none") return { speakerUri: null };
  const named = matchName(text, participants.others());
  if ("person" in named && named.rest === "") return { speakerUri: named.person.speakerUri };
  const short = agents.find((agent) => builtInConvener(agent) === text.toLowerCase());
  return { serviceUrl: short?.serviceUrl ?? serviceUrlOf(text, agents) };
}
