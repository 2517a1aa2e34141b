// A test floor that serves the built page, people with browsers, and agents of the test.
import { agentNamed, defaultAgentNames } from "@plenary/agents";
import { createDialler, discover } from "@plenary/sdk";
import { type Clock, createMemoryCredentials, type FloorServerOptions } from "@plenary/server";
import type { Browser, BrowserContextOptions } from "playwright-core";
import type { Json } from "../support/envelopes.ts";
import { named, startTestFloor } from "../support/start-test-floor.ts";
import { builtPage } from "./built-page.ts";
import { openPerson, type Person } from "./person.ts";

type Setting = {
  browser: Browser;
  /** Ready-made agents that this floor hosts. */
  hosted?: readonly string[];
  options?: FloorServerOptions;
  clock?: Clock;
};

type Opening = { title?: string; agents?: readonly { url: string }[] };

export type PageFloor = Awaited<ReturnType<typeof startPageFloor>>;

/** Few retries: more of them would open the circuit breaker for an agent that has restarted. */
const fewRetries = { retryBaseMs: 1_000, retryCapMs: 1_000 };

export async function startPageFloor({ browser, hosted = [], options = {}, clock }: Setting) {
  const dialler = createDialler({ mode: "local" });
  const { deliveryLimits, ...others } = options;
  const floor = await startTestFloor({
    credentials: createMemoryCredentials(),
    dialler,
    hostedAgents: {
      names: hosted,
      invitedByDefault: defaultAgentNames.filter((name) => hosted.includes(name)),
      // The discovery agent knows the agents of its floor.
      create: (name, serviceUrl, host) => agentNamed(name, { serviceUrl, ...(name === "discovery" && host) }),
    },
    page: builtPage(),
    discovery: { discover },
    ...(clock && { clock }),
    ...others,
    deliveryLimits: { ...fewRetries, ...deliveryLimits },
  });
  const { url, token, errors, must } = floor;
  const host = `${(await must("GET", "/api/v1/me")).floor.speakerUri}/host`;
  const people: Person[] = [];
  const openBrowser = async (name: string, settings?: BrowserContextOptions) => {
    const person = await openPerson(await browser.newContext(settings), name);
    people.push(person);
    return person;
  };
  return {
    url,
    host,
    must,
    errors,
    people,
    link: `${url}/#token=${token}`,
    token,
    /** A browser without a credential. */
    stranger: (settings?: BrowserContextOptions) => openBrowser("Stranger", settings),
    /** Opens a conversation of the host and invites the agents. */
    async begin({ title = "The play", agents = [] }: Opening = {}): Promise<string> {
      const { id } = await must("POST", "/api/v1/conversations", { owner: named(host, "Host"), title });
      for (const agent of agents) await floor.invite(id, agent, { as: host });
      return id;
    },
    /** The host opens the link that the floor printed. */
    async openAsHost(conversation: string, settings?: BrowserContextOptions) {
      const person = await openBrowser("Host", settings);
      await person.page.goto(`${url}/?conversation=${conversation}#token=${token}`);
      await person.field.waitFor();
      return person;
    },
    linkTo: (conversation: string, fields: Json = {}): Promise<{ id: string; link: string }> =>
      must("POST", `/api/v1/conversations/${conversation}/links`, fields),
    /** A guest opens an invitation link. */
    async openAsGuest(name: string, conversation: string, settings?: BrowserContextOptions) {
      const { link } = await must("POST", `/api/v1/conversations/${conversation}/links`, {});
      const person = await openBrowser(name, settings);
      await person.page.goto(link);
      await person.page.getByLabel("Your name").fill(name);
      await person.page.getByRole("button", { name: "Join" }).click();
      await person.field.waitFor();
      return person;
    },
    async close() {
      await floor.server.close();
      await dialler.close();
    },
  };
}
