// Our agents on foreign floors: an agent recognises itself under every name that such a floor uses for it.
import { createAgent, type ListeningAgent, listen } from "@plenary/sdk";
import { afterEach, expect, test } from "vitest";
import { floorInventingSpeakerUris } from "./floor-inventing-speaker-uris.ts";
import { floorNamingAgentsByUrl } from "./floor-naming-agents-by-agent-url.ts";
import { inviteOddly, oddInvites } from "./floor-with-odd-invites.ts";
import { floorWithQueriesInAddresses } from "./floor-with-queries-in-addresses.ts";
import { floor, person, post, says, spokenIn, typesIn } from "./foreign-floor.ts";
import { relayingFloor } from "./relaying-floor.ts";

const speakerUri = "tag:parrot.example,2026:1";
let listening: ListeningAgent | undefined;

afterEach(async () => {
  await listening?.close();
  listening = undefined;
});

/** Answers each utterance, and says whether the agent was addressed. */
async function startParrot(serviceUrl?: string): Promise<string> {
  const agent = createAgent({
    manifest: {
      identification: {
        speakerUri,
        organization: "Example",
        conversationalName: "Parrot",
        synopsis: "Repeats.",
        ...(serviceUrl !== undefined && { serviceUrl }),
      },
      capabilities: [],
    },
    onUtterance: ({ text, isAddressed }) => `${isAddressed ? "to me" : "to all"}: ${text}`,
  });
  listening = await listen(agent, { port: 0 });
  return listening.url;
}

test.each(["agent-url", "url"] as const)("an agent answers a floor that names agents by %s", async (way) => {
  const peer = floorNamingAgentsByUrl(await startParrot(), way);
  // A restarted agent has lost the invite.
  expect(spokenIn(await peer.ask("zero"))).toEqual(["to me: zero"]);
  expect(typesIn(await peer.invite())).toEqual(["acceptInvite", "utterance"]);
  expect(spokenIn(await peer.ask("one"))).toEqual(["to me: one"]);
  const [whispered] = await peer.whisper("two");
  expect(whispered).toMatchObject({ eventType: "utterance", to: { speakerUri: person, private: true } });
  expect(await peer.uninvite()).toEqual([]);
  expect(await peer.ask("three")).toEqual([]);
});

test.each([true, false])(
  "a correct serviceUrl beside an invented speakerUri names the agent (listed: %s)",
  async (isListed) => {
    const peer = floorInventingSpeakerUris(await startParrot(), { isListed });
    expect(spokenIn(await peer.ask("one"))).toEqual(["to me: one"]);
    expect(await peer.askOther("two")).toEqual([]);
    expect(await peer.askNeighbour("three")).toEqual([]);
  },
);

test("an agent recognises itself under the name in the floor's list", async () => {
  const url = await startParrot();
  expect(spokenIn(await floorInventingSpeakerUris(url, { isListed: true }).askByNameAlone("one"))).toEqual([
    "to me: one",
  ]);
  expect(await floorInventingSpeakerUris(url).askByNameAlone("two")).toEqual([]);
});

test.each([
  ["/?key=1", "/?key=1"],
  ["/", "/?key=2"],
  ["/parrot/", "/parrot"],
  ["/parrot?key=1", "/parrot/?other=2#part"],
])("an agent that is posted to at %s and named by %s is addressed", async (posted, named) => {
  const url = await startParrot();
  const peer = floorWithQueriesInAddresses(url + posted, url + named);
  expect(typesIn(await peer.invite())).toEqual(["acceptInvite", "utterance"]);
  expect(spokenIn(await peer.ask("one"))).toEqual(["to me: one"]);
});

test("other names of this machine, and https before a proxy, are the agent's address; another path is not", async () => {
  const url = await startParrot("https://parrot.example:443/agent?key=1");
  const { port } = new URL(url);
  const ask = async (named: string) => spokenIn(await floorWithQueriesInAddresses(url, named).ask("one"));
  const own = [
    `http://localhost:${port}`,
    `http://[::1]:${port}/`,
    `https://127.0.0.1:${port}`,
    "https://Parrot.Example/agent/",
  ];
  for (const named of own) expect([named, await ask(named)]).toEqual([named, ["to me: one"]]);
  for (const named of [`${url}/other`, "https://parrot.example/", "https://parrot.example/agents"])
    expect([named, await ask(named)]).toEqual([named, []]);
});

test("on a floor that relays, a public answer names the speaker and a private one goes to the sender", async () => {
  const { ask, whisper, relay } = relayingFloor(await startParrot());
  const bob = "tag:people.example,2026:bob";
  expect(await ask("one", bob)).toMatchObject([{ eventType: "utterance", to: { speakerUri: bob } }]);
  expect(await whisper("two", speakerUri, bob)).toMatchObject([{ to: { speakerUri: floor, private: true } }]);
  const [answered] = await ask("three", bob);
  // Its own utterance, which such a floor sends to all conversants.
  expect(await relay([says("to all: three", undefined, speakerUri), { ...answered }])).toEqual([]);
});

test.each(Object.keys(oddInvites))("an invite %s is accepted, and utterances are answered", async (kind) => {
  const url = await startParrot();
  const { status, events } = await inviteOddly(url, kind);
  expect([status, typesIn(events)]).toEqual([200, ["acceptInvite", "utterance"]]);
  expect(spokenIn((await post(url, [says("one")])).events)).toEqual(["to me: one"]);
});
