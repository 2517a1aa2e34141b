// A site that serves several agents at one address and distinguishes them by speakerUri. It reads each envelope once, for all
// of them, and answers as the one that is addressed, or as the one whose subject it is. Multi-agent frameworks do this.
import { utterance } from "../support/envelopes.ts";
import { type Agent, answer, type Behaviour, eventsIn, startAgent, textsIn } from "../support/http-agent.ts";

type Site = Agent & { speakers: Record<string, string> };

/** In an envelope for everybody, "owl: hello" is owl's subject; the last speaker answers any other subject. */
export async function startSite(...names: string[]): Promise<Site> {
  const uriOf = (name: string) => `tag:site.example,2026:${name}`;
  const speakers = Object.fromEntries(names.map((name) => [name, uriOf(name)]));
  const behaviour: Behaviour = (heard, { url }) => {
    const events = eventsIn(heard);
    const texts = textsIn(heard);
    const addressee = events.map(({ to }) => to?.speakerUri).find((uri) => Object.values(speakers).includes(uri ?? ""));
    const subject = names.find((name) => texts.some((text) => text.startsWith(`${name}:`)));
    const speakerUri = addressee ?? uriOf(subject ?? names.at(-1) ?? "");
    const isInvited = events.some(({ eventType, to }) => eventType === "invite" && to?.speakerUri === speakerUri);
    const name = names.find((one) => uriOf(one) === speakerUri);
    const said = isInvited ? [utterance(speakerUri, `${name} is here`)] : [];
    const sayings = isInvited ? [] : texts.map((text) => utterance(speakerUri, `${name} heard ${text}`));
    // Agents that answer each other would never stop.
    const isEcho = texts.some((text) => text.includes(" heard ") || text.endsWith(" is here"));
    return answer(heard, { speakerUri, url }, ...said, ...(isEcho ? [] : sayings));
  };
  const agent = await startAgent(behaviour, "tag:site.example,2026:site");
  return { ...agent, speakers };
}
