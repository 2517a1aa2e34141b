// A real floor that serves the page as it was built, people who look at it, and agents that a test has written.
import { agentNamed } from "@plenary/agents";
import { createDialler, discover } from "@plenary/sdk";
import {
  type Clock,
  createFloorServer,
  createMemoryCredentials,
  createMemoryStore,
  type FloorServerOptions,
  type HostedAgents,
} from "@plenary/server";
import type { Browser, BrowserContextOptions } from "playwright-core";
import { builtPage } from "./page-files.ts";
import { type Person, seatPerson } from "./person.ts";

type Json = Record<string, unknown>;

type Setting = {
  browser: Browser;
  /** Ready-made agents that live on this floor. */
  hosted?: readonly string[];
  options?: FloorServerOptions;
  clock?: Clock;
};

type Play = { title?: string; agents?: readonly { url: string }[] };

export type Hall = Awaited<ReturnType<typeof openHall>>;

const token = "the-operators-own-token";

/** Nobody is waited for who cannot be reached; with few tries, or the floor would spare whoever is back. */
const quick = { inviteRetryMs: 300, retryMs: 300, retryBaseMs: 1_000, retryCapMs: 1_000, stoppedAnswerMs: 100 };

export async function openHall({ browser, hosted = [], options = {}, clock }: Setting) {
  const dialler = createDialler({ mode: "local" });
  const errors: unknown[] = [];
  const hostedAgents: HostedAgents = {
    names: hosted,
    // Whoever finds others knows those that the floor knows.
    create: (name, serviceUrl, host) => agentNamed(name, { serviceUrl, ...(name === "discovery" && host) }),
  };
  const { deliveryLimits, ...others } = options;
  const server = createFloorServer(
    {
      ...{ store: createMemoryStore(), credentials: createMemoryCredentials(), dialler, hostedAgents },
      ...{ page: builtPage(), discovery: { discover }, ...(clock && { clock }) },
    },
    {
      ...{ token, drainMs: 0, onError: (error) => errors.push(error), ...others },
      deliveryLimits: { ...quick, ...deliveryLimits },
    },
  );
  const { url } = await server.listen(0);
  const call = callerOf(url);
  const { floor } = await call("GET", "/api/v1/me");
  const host = `${floor.speakerUri}/host`;
  const people: Person[] = [];
  const come = async (name: string, settings?: BrowserContextOptions) => {
    const person = await seatPerson(await browser.newContext(settings), name);
    people.push(person);
    return person;
  };
  return {
    ...{ url, host, call, errors, people, link: `${url}/#token=${token}`, token },
    /** Somebody without a way in yet. */
    stranger: (settings?: BrowserContextOptions) => come("Stranger", settings),
    /** A conversation of the host, with everybody in it who was invited. */
    async begin({ title = "The play", agents = [] }: Play = {}): Promise<string> {
      const owner = { identification: { speakerUri: host, conversationalName: "Host" } };
      const { id } = await call("POST", "/api/v1/conversations", { owner, title });
      for (const agent of agents) {
        const events = [{ eventType: "invite", to: { serviceUrl: agent.url } }];
        const envelope = { schema: { version: "1.1.0" }, conversation: { id }, sender: { speakerUri: host }, events };
        await call("POST", "/openfloor", { openFloor: envelope }, { prefer: "wait=10" });
      }
      return id;
    },
    /** The host, who came by the link that the floor printed. */
    async seatHost(conversation: string, settings?: BrowserContextOptions) {
      const person = await come("Host", settings);
      await person.page.goto(`${url}/?conversation=${conversation}#token=${token}`);
      await person.field.waitFor();
      return person;
    },
    linkTo: async (conversation: string, fields: Json = {}): Promise<{ id: string; link: string }> =>
      call("POST", `/api/v1/conversations/${conversation}/links`, fields),
    /** Somebody who was sent a link. */
    async seatGuest(name: string, conversation: string, settings?: BrowserContextOptions) {
      const { link } = await call("POST", `/api/v1/conversations/${conversation}/links`, {});
      const person = await come(name, settings);
      await person.page.goto(link);
      await person.page.getByLabel("Your name").fill(name);
      await person.page.getByRole("button", { name: "Join" }).click();
      await person.field.waitFor();
      return person;
    },
    async close() {
      await server.close();
      await dialler.close();
    },
  };
}

/** Asks the floor as its operator. */
function callerOf(url: string) {
  return async (method: string, path: string, body?: Json, headers: Record<string, string> = {}) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json", ...headers },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text === "" ? {} : JSON.parse(text);
  };
}
