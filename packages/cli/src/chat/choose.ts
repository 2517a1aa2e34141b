import type { FloorEvent } from "@plenary/protocol";
import { FloorProblem } from "../floor-problem.ts";
import { inviteeOf } from "./agents.ts";
import type { Caller } from "./caller.ts";
import { conversationAt } from "./conversation.ts";
import type { KnownAgent, Summary } from "./wire.ts";

export type Wanted = { urls: readonly string[]; conversation?: string; last: boolean; title?: string };
export type Chosen = { id: string; isNew: boolean };

/** Those who come when nobody is named, as far as they live on this floor. */
const welcomers = ["guide", "clock", "calculator"];
const pageMax = 1_000;
const pagesMax = 20;

/** The conversation that is meant, begun if need be, with those agents in it. */
export async function chooseConversation(caller: Caller, wanted: Wanted): Promise<Chosen> {
  const isNew = wanted.conversation === undefined && !wanted.last;
  if (isNew) assertHost(caller);
  const agents = await knownAgents(caller, wanted.urls, isNew);
  const invitees = wanted.urls.map((url) => inviteeOf(url, agents));
  const id = await earlier(caller, wanted);
  if (id !== undefined) {
    await invite(caller, id, invitees);
    return { id, isNew: false };
  }
  const isHere = ({ isHosted, serviceUrl }: KnownAgent, name: string) => isHosted && serviceUrl.endsWith(`/${name}`);
  const hosts = welcomers.flatMap((name) => agents.filter((agent) => isHere(agent, name)));
  return begin(caller, wanted, invitees.length > 0 ? invitees : hosts.map(({ serviceUrl }) => serviceUrl));
}

/** None where nobody is named by anything but a URL. */
async function knownAgents(caller: Caller, urls: readonly string[], isNew: boolean): Promise<readonly KnownAgent[]> {
  const areUrls = urls.length > 0 && urls.every((url) => /^https?:/iu.test(url));
  if (areUrls || (urls.length === 0 && !isNew)) return [];
  return (await caller.json<{ agents: KnownAgent[] }>("/api/v1/agents")).agents;
}

function assertHost({ mayHost }: Caller): void {
  if (mayHost) return;
  const why = "this key may not begin conversations: name one with --conversation, or make a key with --person";
  throw new FloorProblem(why, { status: 403 });
}

async function begin(caller: Caller, { title = "Terminal" }: Wanted, serviceUrls: readonly string[]): Promise<Chosen> {
  const { speakerUri, name } = caller;
  const owner = { identification: { speakerUri, ...(name !== undefined && { conversationalName: name }) } };
  const body = { owner, title };
  const { id } = await caller.json<{ id: string }>("/api/v1/conversations", { method: "POST", body });
  await invite(caller, id, serviceUrls);
  return { id, isNew: true };
}

async function invite(caller: Caller, id: string, serviceUrls: readonly string[]): Promise<void> {
  const events = serviceUrls.map((serviceUrl): FloorEvent => ({ eventType: "invite", to: { serviceUrl } }));
  if (events.length > 0) await conversationAt(caller, id).send(...events);
}

async function earlier(caller: Caller, { conversation, last }: Wanted): Promise<string | undefined> {
  if (conversation === undefined && !last) return undefined;
  const all = await conversationsOf(caller);
  if (conversation !== undefined) return meantBy(conversation, all);
  const [newest] = all.filter(({ isClosed }) => !isClosed);
  if (newest === undefined) throw new FloorProblem("there is no earlier conversation: leave out --last");
  return newest.id;
}

/** By its id, the beginning of its id, or its title. */
function meantBy(text: string, all: readonly Summary[]): string {
  const whole = all.find(({ id }) => id === text);
  if (whole !== undefined) return whole.id;
  const titled = all.filter(({ title }) => title?.toLowerCase() === text.toLowerCase());
  const begun = text.length >= 3 ? all.filter(({ id }) => id.startsWith(text)) : [];
  const fits = [...new Set([...begun, ...titled])];
  const [one, other] = fits;
  if (one === undefined) throw new FloorProblem(`there is no conversation ${text}; --last takes up the last one`);
  if (other === undefined) return one.id;
  const list = fits
    .slice(0, 8)
    .map(({ id, updatedAt }) => `${id.slice(0, 8)} of ${updatedAt.slice(0, 16).replace("T", " ")}`);
  throw new FloorProblem(`${fits.length} conversations are called ${text}: name one by its id (${list.join(", ")})`);
}

/** The last one spoken in first. */
async function conversationsOf(caller: Caller): Promise<Summary[]> {
  const found: Summary[] = [];
  let after: string | null = "";
  for (let page = 0; page < pagesMax && after !== null; page += 1) {
    const query: URLSearchParams = new URLSearchParams({ speaker: caller.speakerUri, limit: String(pageMax) });
    if (after !== "") query.set("after", after);
    const answer: { conversations: Summary[]; next: string | null } = await caller.json(
      `/api/v1/conversations?${query}`,
    );
    found.push(...answer.conversations);
    after = answer.next;
  }
  return found.sort((one, other) => other.updatedAt.localeCompare(one.updatedAt));
}
