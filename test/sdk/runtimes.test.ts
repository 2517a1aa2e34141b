import { fileURLToPath } from "node:url";
import { createContext, runInContext } from "node:vm";
import type { Agent } from "@plenary/sdk";
import { build } from "esbuild";
import { expect, test } from "vitest";
import { bodyOf, gist, manifest, read, said } from "./minimal-floor.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

// The globals of every runtime with Request and Response, and none of Node.
const web = { AbortController, Request, Response, ReadableStream, TextDecoder, TextEncoder, URL, crypto };
const timers = { setTimeout, clearTimeout };

test("the core of the SDK needs only the web platform", async () => {
  const agentSource = `
    import { createAgent } from "@plenary/sdk/agent";
    async function* onUtterance({ text }) { yield "You said: "; yield text; }
    export const agent = createAgent({ manifest: ${JSON.stringify(manifest)}, onUtterance });
  `;
  const { outputFiles, metafile } = await build({
    stdin: { contents: agentSource, resolveDir: root },
    conditions: ["@plenary/source"],
    bundle: true,
    format: "iife",
    globalName: "worker",
    platform: "neutral",
    write: false,
    metafile: true,
    logLevel: "silent",
  });
  expect(Object.values(metafile.outputs).flatMap(({ imports }) => imports)).toEqual([]);
  const scope: typeof web & typeof timers & { worker?: { agent: Agent } } = { ...web, ...timers };
  runInContext(outputFiles[0]?.text ?? "", createContext(scope));
  const headers = { "webhook-id": "d1", accept: "text/event-stream" };
  const request = new Request("https://bot.example", { method: "POST", body: bodyOf([said("hi")]), headers });
  const answer = await (await scope.worker?.agent.fetch(request))?.text();
  const [, document = ""] = /event: envelope\ndata: (.*)\n/u.exec(answer ?? "") ?? [];
  expect(gist(read(document).events)).toEqual(["say: You said: hi"]);
});
