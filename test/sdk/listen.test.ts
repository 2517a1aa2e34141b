import { request as httpRequest } from "node:http";
import { createConnection } from "node:net";
import { invite } from "@plenary/protocol";
import { type Agent, createAgent, type ListeningAgent, listen } from "@plenary/sdk";
import { afterEach, expect, test } from "vitest";
import { ann, bodyOf, createFloor, gist, manifest, read, said } from "./minimal-floor.ts";

const { serviceUrl: _, ...homeless } = manifest.identification;
const opened: ListeningAgent[] = [];

afterEach(async () => {
  for (const server of opened.splice(0)) await server.close();
});

async function serving(agent: Agent): Promise<string> {
  const listening = await listen(agent, { port: 0 });
  opened.push(listening);
  return listening.url;
}

function echoAtHome(): Agent {
  return createAgent({
    manifest: { ...manifest, identification: homeless },
    onUtterance: ({ text }) => `You said: ${text}`,
  });
}

const post = (url: string, body: string, headers: Record<string, string> = {}) =>
  fetch(url, { method: "POST", body, headers: { "content-type": "application/json", ...headers } });

test("an agent answers over HTTP, on loopback by default", async () => {
  const url = await serving(createFloor().agent);
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/u);
  const response = await post(url, bodyOf([said("hi")]));
  expect(response.headers.get("content-type")).toMatch(/^application\/json/u);
  expect(gist(read(await response.text()).events)).toEqual(["say: You said: hi"]);
});

test("without an address in its manifest the agent gives the one it listens on", async () => {
  const url = await serving(echoAtHome());
  const { sender } = read(await (await post(url, bodyOf([said("hi")]))).text());
  expect(sender.serviceUrl).toBe(url);
});

test("an agent invited under another name of its address knows that it is addressed", async () => {
  const url = await serving(echoAtHome());
  for (const serviceUrl of [url, `${url}/`, url.replace("127.0.0.1", "localhost")]) {
    const response = await post(serviceUrl, bodyOf([invite({ to: { serviceUrl } })]));
    expect(gist(read(await response.text()).events)[0]).toBe("acceptInvite");
  }
  const elsewhere = bodyOf([invite({ to: { serviceUrl: "http://127.0.0.1:1/" } })], { conversation: { id: "c2" } });
  expect(read(await (await post(url, elsewhere)).text()).events).toEqual([]);
});

test("a body of more than 1 MiB is refused while it streams", async () => {
  const url = await serving(createFloor().agent);
  const status = await new Promise<number | undefined>((resolve, reject) => {
    const upload = httpRequest(url, { method: "POST" }, (response) => {
      resolve(response.statusCode);
      response.resume();
    });
    // The agent closes the connection before it has read everything.
    upload.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE" && error.code !== "ECONNRESET") reject(error);
    });
    upload.write(Buffer.alloc(600_000));
    upload.write(Buffer.alloc(600_000));
  });
  expect(status).toBe(413);
});

test("a request with an invalid Host gets 400, and the agent continues", async () => {
  const url = await serving(createFloor().agent);
  const answer = await new Promise<string>((resolve) => {
    const socket = createConnection(Number(new URL(url).port), "127.0.0.1", () => {
      socket.write("POST / HTTP/1.1\r\nHost: a b<>\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    });
    let text = "";
    socket.on("data", (chunk) => {
      text += chunk;
    });
    socket.on("close", () => resolve(text));
  });
  expect(answer).toMatch(/^HTTP\/1\.1 400 /u);
  expect((await post(url, bodyOf([]))).status).toBe(200);
});

test("the signal of a handler aborts with its request, and the next delivery of the same envelope runs it again", async () => {
  let runs = 0;
  let begin = () => {};
  let end = () => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const { agent } = createFloor({
    onUtterance: ({ signal }) => {
      runs += 1;
      if (runs > 1) return `run ${runs}`;
      begin();
      return new Promise<string>((_, reject) => {
        signal.addEventListener("abort", () => {
          reject(new Error("stopped"));
          end();
        });
      });
    },
  });
  const url = await serving(agent);
  const cut = new AbortController();
  const headers = { "webhook-id": "d1" };
  const first = fetch(url, { method: "POST", body: bodyOf([said("hi")]), headers, signal: cut.signal });
  await begun;
  cut.abort();
  await expect(first).rejects.toThrow();
  await ended;
  const again = await post(url, bodyOf([said("hi")]), headers);
  expect(gist(read(await again.text()).events)).toEqual(["say: run 2"]);
});

test("a handler that finishes although its request was cut is not run twice", async () => {
  let runs = 0;
  let begin = () => {};
  let finish = (_text: string) => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const { agent } = createFloor({
    onUtterance: () => {
      runs += 1;
      begin();
      return new Promise<string>((resolve) => {
        finish = resolve;
      });
    },
  });
  const url = await serving(agent);
  const cut = new AbortController();
  const headers = { "webhook-id": "d1" };
  const first = fetch(url, { method: "POST", body: bodyOf([said("book it")]), headers, signal: cut.signal });
  await begun;
  cut.abort();
  await expect(first).rejects.toThrow();
  const again = post(url, bodyOf([said("book it")]), headers);
  finish("booked");
  expect(gist(read(await (await again).text()).events)).toEqual(["say: booked"]);
  expect(runs).toBe(1);
});

test("a hundred conversations at once do not mix", async () => {
  const url = await serving(createFloor().agent);
  const answers = await Promise.all(
    Array.from({ length: 100 }, async (_item, index) => {
      const response = await post(url, bodyOf([said(`n${index}`)], { conversation: { id: `c${index}` } }));
      const { conversation, events } = read(await response.text());
      return [conversation.id, gist(events)];
    }),
  );
  expect(answers).toEqual(answers.map((_answer, index) => [`c${index}`, [`say: You said: n${index}`]]));
});

test("listen rejects when the port is taken", async () => {
  const url = await serving(createFloor().agent);
  const port = Number(new URL(url).port);
  await expect(listen(createFloor().agent, { port })).rejects.toMatchObject({ code: "EADDRINUSE" });
});

test("the sender of a public utterance is the addressee of the answer, also over HTTP", async () => {
  const url = await serving(createFloor().agent);
  const [answer] = read(await (await post(url, bodyOf([said("hi")]))).text()).events;
  expect(answer?.to).toEqual({ speakerUri: ann.speakerUri });
});
