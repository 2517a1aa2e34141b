// The hooks in a page: a component shows a conversation while it goes on.
import { join } from "node:path";
import { build } from "esbuild";
import { expect, test } from "vitest";
import { isMissing, startChromium } from "../support/chromium.ts";
import { token } from "../support/start-test-floor.ts";
import { useClientFloor } from "./client-floor.ts";

const { start, connect } = useClientFloor();

const component = `
  import { createElement as h, useEffect, useState } from "react";
  import { createRoot } from "react-dom/client";
  import { useConversation, useFloor } from "@plenary/client/react";

  function Talk({ options, id }) {
    const { floor, problem } = useFloor(options);
    const [talk, setTalk] = useState();
    useEffect(() => void floor?.join(id).then(setTalk), [floor]);
    const state = useConversation(talk);
    const said = (state?.lines ?? []).filter(({ kind }) => kind === "utterance");
    return h("p", null, problem?.message, " ", state?.connection, " ",
      ...said.map((line) => h("b", { key: line.seq }, line.dialogEvent.features.text.tokens[0].value)));
  }
  globalThis.show = (props) => {
    document.body.replaceChildren();
    const root = createRoot(document.body);
    root.render(h(Talk, props));
    return () => root.unmount();
  };
`;

test.skipIf(isMissing)("a component shows what is said and why it cannot connect", async () => {
  const { outputFiles } = await build({
    stdin: { contents: component, resolveDir: join(import.meta.dirname, "../../packages/web") },
    define: { "process.env.NODE_ENV": '"production"' },
    bundle: true,
    format: "iife",
    platform: "browser",
    write: false,
    logLevel: "silent",
  });
  const { url } = await start();
  const talk = await (await connect({ url })).open({ id: "c1" });
  await talk.say("before");
  const browser = await startChromium();
  try {
    const page = await browser.newPage();
    await page.goto(`${url}/livez`);
    await page.evaluate(outputFiles[0]?.text ?? "");
    const props = JSON.stringify({ options: { url, token }, id: "c1" });
    await page.evaluate(`globalThis.remove = show(${props})`);
    await page.getByText("live before").waitFor();
    await talk.say("after");
    await page.getByText("after").waitFor();
    await page.evaluate("remove()");
    expect(await page.textContent("body")).toBe("");
    const wrong = JSON.stringify({ options: { url, token: "wrong" }, id: "c1" });
    await page.evaluate(`show(${wrong})`);
    await page.getByText("Bearer TOKEN").waitFor();
  } finally {
    await browser.close();
  }
});
