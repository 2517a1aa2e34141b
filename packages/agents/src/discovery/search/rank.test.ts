import type { Capability, Manifest } from "@plenary/protocol";
import { expect, test } from "vitest";
import { createCatalogue } from "../catalogue/catalogue.ts";
import type { Query } from "../catalogue/entry.ts";

const at = "2026-01-01T00:00:00Z";
const now = () => Date.parse(at);

function agent(name: string, ...capabilities: (Partial<Capability> & { keyphrases: string[] })[]): Manifest {
  return {
    identification: {
      speakerUri: `tag:${name}.example,2025:1`,
      serviceUrl: `https://${name}.example/`,
      organization: "Example",
      conversationalName: name,
      synopsis: "Speaks of poems.",
    },
    capabilities: capabilities.map((one) => ({ descriptions: [], ...one })),
  };
}

function catalogueOf(...manifests: Manifest[]) {
  const catalogue = createCatalogue(undefined, { now });
  for (const manifest of manifests) catalogue.add(manifest, { at, source: "itself" });
  const names = (query: string | Query) =>
    catalogue
      .find(typeof query === "string" ? { text: query } : query)
      .map(({ known }) => known.manifest.identification.conversationalName);
  return { catalogue, names };
}

const voice = { input: ["text", "voice"], output: ["text", "voice"] };

test("capabilities do not add up: Welsh banking and sports in Inuktitut are no banking in Inuktitut", () => {
  const both = agent(
    "Both",
    { keyphrases: ["banking"], languages: ["cy"] },
    { keyphrases: ["sports"], languages: ["iu"] },
  );
  const { names, catalogue } = catalogueOf(both);
  expect([names("banking in Welsh"), names("sports in Inuktitut")]).toEqual([["Both"], ["Both"]]);
  expect([names("banking in Inuktitut"), names("sports in Welsh")]).toEqual([[], []]);
  expect(catalogue.find({ text: "sports in Inuktitut" })[0]?.reasons).toMatchObject({ capability: 1, language: "iu" });
});

test.each([
  ["banking in English", ["en-us", "gb", "none"]],
  ["banking in German", ["none"]],
  ["Bankgeschäfte: banking auf Englisch", ["en-us", "gb", "none"]],
  ["english-speaking banking", ["en-us", "gb", "none"]],
])("a named language has to be listed, unless the agent lists no languages: %j", (text, expected) => {
  const { names } = catalogueOf(
    agent("en-us", { keyphrases: ["banking"], languages: ["en-us"] }),
    agent("gb", { keyphrases: ["banking"], languages: ["EN_gb"] }),
    agent("fr", { keyphrases: ["banking"], languages: ["fr"] }),
    agent("none", { keyphrases: ["banking"] }),
  );
  expect(names(text).sort()).toEqual(expected);
});

test("the asker's language is preferred, the same variety most", () => {
  const { names } = catalogueOf(
    agent("French", { keyphrases: ["banking"], languages: ["fr"] }),
    agent("Austrian", { keyphrases: ["banking"], languages: ["de-AT"] }),
    agent("Silent", { keyphrases: ["banking"] }),
  );
  const found = names({ text: "banking", languages: ["de"] });
  expect(found.at(-1)).toBe("French");
  expect(found).toHaveLength(3);
});

test("a language alone finds the agents that speak it", () => {
  const { names } = catalogueOf(
    agent("Welsh", { keyphrases: ["banking"], languages: ["cy"] }),
    agent("Other", { keyphrases: ["banking"], languages: ["en"] }),
    agent("Untold", { keyphrases: ["banking"] }),
  );
  expect(names("who speaks Welsh?")).toEqual(["Welsh"]);
});

test("requested layers are preferred and given as reasons", () => {
  const { catalogue, names } = catalogueOf(
    agent("Alpha", { keyphrases: ["pizza"] }),
    agent("Beta", { keyphrases: ["pizza"], supportedLayers: voice }),
  );
  expect(names("pizza")).toEqual(["Alpha", "Beta"]);
  expect(names("pizza by voice")).toEqual(["Beta", "Alpha"]);
  expect(names({ text: "pizza", layers: ["audio"] })).toEqual(["Beta", "Alpha"]);
  const layers = catalogue.find({ text: "pizza by voice" }).map(({ reasons }) => reasons.layers);
  expect(layers).toEqual([["voice"], undefined]);
});

test("silent, failing and stale agents rank lower, with the reason, and are not left out", () => {
  const clock = { now: Date.parse(at) };
  const catalogue = createCatalogue(undefined, { now: () => clock.now });
  const old = "2025-12-01T00:00:00Z";
  catalogue.add(agent("a-failing", { keyphrases: ["pizza"] }), { at, source: "itself" });
  catalogue.add(agent("b-silent", { keyphrases: ["pizza"] }), { at, source: "itself" });
  catalogue.add(agent("c-old", { keyphrases: ["pizza"] }), { at: old, source: "itself" });
  catalogue.add(agent("d-well", { keyphrases: ["pizza"] }), { at, source: "itself" });
  catalogue.health("https://a-failing.example/", "failing", at);
  catalogue.health("https://b-silent.example/", "silent", at);
  const found = catalogue.find({ text: "pizza" });
  expect(found.map(({ known }) => known.manifest.identification.conversationalName)).toEqual([
    ...["d-well", "c-old", "b-silent", "a-failing"],
  ]);
  expect(found.map(({ reasons: { health, heardAt } }) => [health, heardAt])).toEqual([
    ...[
      [undefined, at],
      [undefined, old],
      ["silent", at],
      ["failing", at],
    ],
  ]);
});

test("reasons quote the manifest, keyphrases first", () => {
  const { catalogue } = catalogueOf(
    agent("Joan", { keyphrases: ["Crêpe recipes", "cider"], descriptions: ["Cooking for large families"] }),
  );
  const [found] = catalogue.find({ text: "a recipe for crepes for the families of my school" });
  expect(found?.reasons.words).toEqual(["Crêpe recipes", "families"]);
  expect(found?.score).toBeGreaterThan(0.4);
  expect(found?.score).toBeLessThanOrEqual(1);
});

test("an agent without capabilities is found by its name only", () => {
  const { names } = catalogueOf(agent("Josephine"));
  expect([names("is Josephine there?"), names("poems")]).toEqual([["Josephine"], []]);
});

test("a search respects its filter and its limit", () => {
  const { names } = catalogueOf(...["Alpha", "Beta", "Gamma"].map((name) => agent(name, { keyphrases: ["pizza"] })));
  expect(names({ text: "pizza", limit: 2 })).toEqual(["Alpha", "Beta"]);
  expect(names({ text: "pizza", matches: ({ key }) => key.includes("gamma") })).toEqual(["Gamma"]);
});

test.each(["", "   ", "?!", "the of and", "\u0000", "🙂", "a".repeat(100_000), "in in in in", "$&|(*".repeat(500)])(
  "%j finds nothing and does not fail",
  (text) => {
    const { names } = catalogueOf(agent("Alpha", { keyphrases: ["pizza"] }));
    expect(names(text.slice(0, 2_000))).toEqual([]);
  },
);

test("a manifest full of common words does not match common requests", () => {
  const { names } = catalogueOf(
    agent("Spam", { keyphrases: ["the", "how do I", "good", "new", "what", "time", "help me", "find"] }),
    agent("Pizza", { keyphrases: ["pizza"] }),
  );
  expect(names("how do I find a good new pizza?")[0]).toBe("Pizza");
  expect(names("how do I mend the roof of a church?")).toEqual([]);
});
