import type { Commands, KnownAgent } from "@plenary/client";
import { lookalikeKey, nameOf } from "@plenary/transcript";
import { FloorError } from "../../errors.ts";
import { sanitizeLine } from "../../output/sanitize.ts";
import { matchName } from "../participants.ts";
import type { ChatSession } from "../session.ts";

/** How many names an error message lists. */
const namedMax = 20;

export function nameOfAgent({ manifest, serviceUrl }: KnownAgent): string {
  return sanitizeLine(nameOf("", manifest?.identification), 40) || sanitizeLine(serviceUrl, 80);
}

/** Resolves a URL or the name of a known agent to a serviceUrl. */
export function serviceUrlOf(text: string, agents: readonly KnownAgent[]): string {
  if (/^https?:\/\/[^\s/]\S*$/iu.test(text)) return text;
  const known = [...new Set(agents.map(nameOfAgent))].slice(0, namedMax).join(", ") || "none";
  if (text === "") throw new FloorError(`Give a URL or a known agent: /invite URL, or one of ${known}.`);
  const wanted = lookalikeKey(text);
  const isExact = (agent: KnownAgent) => [nameOfAgent(agent), pathName(agent)].map(lookalikeKey).includes(wanted);
  const fits = agents.filter(isExact);
  const found = fits.length > 0 ? fits : agents.filter((agent) => lookalikeKey(nameOfAgent(agent)).startsWith(wanted));
  const [one, other] = found;
  if (one === undefined) throw new FloorError(`${text} is neither a URL nor a known agent (${known}).`);
  if (other === undefined) return one.serviceUrl;
  throw new FloorError(`${text} matches ${found.map(({ serviceUrl }) => serviceUrl).join(" and ")}: give the URL.`);
}

function pathName({ serviceUrl }: KnownAgent): string {
  return URL.canParse(serviceUrl) ? (new URL(serviceUrl).pathname.split("/").at(-1) ?? "") : "";
}

/** Makes a participant or a known agent the convener; `none` removes the convener. */
export async function appointConvener(text: string, session: ChatSession): Promise<void> {
  await session.conversation.command("convener", convenerIn(text, session));
  session.refreshViewSoon();
}

/** `queue` for the hosted agent `/agents/convener-queue`. */
export function builtInConvener(agent: KnownAgent): string | undefined {
  const name = pathName(agent);
  return agent.isHosted && name.startsWith(builtInPrefix) ? name.slice(builtInPrefix.length) : undefined;
}

const builtInPrefix = "convener-";

function convenerIn(text: string, { participants, agents }: ChatSession): Commands["convener"] {
  if (text.toLowerCase() === "none") return { speakerUri: null };
  const named = matchName(text, participants.others());
  if ("person" in named && named.rest === "") return { speakerUri: named.person.speakerUri };
  const short = agents.find((agent) => builtInConvener(agent) === text.toLowerCase());
  return { serviceUrl: short?.serviceUrl ?? serviceUrlOf(text, agents) };
}
