// What a page of another origin can try on a floor. Runs in the browser, and reports what it could read.

const readPaths = [
  ...["/", "/version", "/openapi.json", "/metrics", "/openfloor", "/api/v1/agents", "/api/v1/dead-letters"],
  ...["", "/c", "/c/log", "/c/links"].map((rest) => `/api/v1/conversations${rest}`),
];

const speaker = "tag:people.example,2026:ann";
const guest = { speakerUri: "tag:evil.example,2026:mallory" };
const dialogEvent = {
  ...{ id: "forged", speakerUri: speaker, span: { startTime: "2026-01-01T00:00:00Z" } },
  features: { text: { mimeType: "text/plain", tokens: [{ value: "forged words" }] } },
};
const events = [{ eventType: "utterance", parameters: { dialogEvent } }];
const envelope = {
  openFloor: {
    schema: { version: "1.1.0" },
    conversation: { id: "c" },
    sender: { speakerUri: speaker },
    events,
  },
};

const writes = {
  "/openfloor": envelope,
  [`/openfloor/at/${btoa(speaker).replace(/=+$/u, "")}`]: envelope,
  "/agents/echo": envelope,
  "/api/v1/conversations": { id: "forged" },
  "/api/v1/conversations/c/close": {},
  "/api/v1/conversations/c/seat": { identification: guest },
  "/api/v1/conversations/c/links": {},
  "/api/v1/agents": { serviceUrl: "http://127.0.0.1:9/" },
  "/api/v1/tickets": {},
  "/api/v1/guests": { invite: "plenaryi_guessed" },
  "/logout": {},
};

const kinds = ["text/plain", "application/x-www-form-urlencoded", "application/json"];

/** What fetch lets this page see. */
async function fetched(url, options) {
  const response = await fetch(url, { credentials: "include", ...options });
  if (response.type === "opaque") return undefined;
  return `${response.status} ${await response.text()}`;
}

function byFetch(floor) {
  const modes = ["cors", "no-cors"];
  const reading = readPaths.flatMap((path) => modes.map((mode) => [`GET ${path} ${mode}`, path, { mode }]));
  const asking = readPaths.map((path) => {
    const headers = { authorization: "Bearer guessed" };
    return [`GET ${path} with a preflight`, path, { headers }];
  });
  const writing = Object.entries(writes).flatMap(([path, body]) =>
    modes.flatMap((mode) =>
      kinds.map((kind) => {
        const options = { method: "POST", mode, headers: { "content-type": kind }, body: JSON.stringify(body) };
        return [`POST ${path} ${mode} ${kind}`, path, options];
      }),
    ),
  );
  return [...reading, ...asking, ...writing].map(([how, path, options]) => [how, () => fetched(floor + path, options)]);
}

/** Settles with the first of these events of a thing. */
function firstOf(thing, ...types) {
  return new Promise((resolve) => {
    for (const type of types) thing.addEventListener(type, () => resolve(type), { once: true });
  });
}

let frames = 0;

function newFrame() {
  const frame = document.createElement("iframe");
  frames += 1;
  frame.name = `frame-${frames}`;
  document.body.append(frame);
  return frame;
}

/** Settles when something has come into a frame. Chromium does not always tell the load of what another process shows. */
async function filled(frame) {
  let isLoaded = false;
  frame.addEventListener("load", () => (isLoaded = true), { once: true });
  while (!isLoaded && frame.contentDocument !== null) await new Promise((resolve) => setTimeout(resolve, 10));
}

/** What a page sees of the frames it holds: nothing, unless they are of its own origin. */
function seen(frame) {
  return frame.contentDocument?.body?.textContent || undefined;
}

/** As a form sends it: JSON in the clear with the first, which takes a name, a "=" and a value for a body. */
function byForm(floor) {
  return Object.entries(writes).flatMap(([path, body]) =>
    kinds.slice(0, 2).map((enctype) => [
      `form ${path} ${enctype}`,
      async () => {
        const frame = newFrame();
        const form = Object.assign(document.createElement("form"), { method: "POST", enctype, target: frame.name });
        form.action = floor + path;
        const [name, value] = [`${JSON.stringify(body).slice(0, -1)},"x":"`, '"}'];
        form.append(Object.assign(document.createElement("input"), { name, value }));
        document.body.append(form);
        form.submit();
        // Taken or not, this one is never answered by a page.
        if (path !== "/logout") await filled(frame);
        return seen(frame);
      },
    ]),
  );
}

/** Elements that load something. */
function byElement(floor) {
  const load = (tag, path) => async () => {
    const element = Object.assign(document.createElement(tag), { src: floor + path });
    const ended = firstOf(element, "load", "error");
    document.body.append(element);
    return (await ended) === "load" ? `${tag} took it` : undefined;
  };
  const frame = async () => {
    const frame = newFrame();
    frame.src = `${floor}/`;
    await filled(frame);
    return seen(frame);
  };
  const elements = readPaths.flatMap((path) => ["script", "img"].map((tag) => [`${tag} ${path}`, load(tag, path)]));
  return [...elements, ["iframe /", frame]];
}

function byStream(floor) {
  const query = `speaker=${encodeURIComponent(speaker)}&conversation=c`;
  const events = async () => {
    const source = new EventSource(`${floor}/openfloor/events?${query}`, { withCredentials: true });
    const first = await firstOf(source, "open", "message", "error");
    source.close();
    return first === "error" ? undefined : first;
  };
  const socket = (more) => async () => {
    const ws = new WebSocket(`${floor.replace("http", "ws")}/openfloor/ws?${query}${more}`);
    const first = await firstOf(ws, "open", "close");
    if (first === "open") ws.send(JSON.stringify({ ...envelope, id: "1" }));
    return first === "close" ? undefined : first;
  };
  return [
    ["EventSource", events],
    ["WebSocket", socket("")],
    ["WebSocket with a guessed ticket", socket("&ticket=guessed")],
    ["WebSocket of an agent", socket("&as=agent")],
  ];
}

function byOtherWays(floor) {
  const beacon = async () => {
    for (const [path, body] of Object.entries(writes)) navigator.sendBeacon(floor + path, JSON.stringify(body));
  };
  const popup = async () => {
    const opened = open(`${floor}/#invite=plenaryi_guessed`);
    // Until it is there, it is a blank page of this origin.
    for (;;) {
      try {
        if (opened.location.href !== "about:blank") return opened.document.body.textContent;
        await new Promise((resolve) => requestAnimationFrame(resolve));
      } catch {
        return undefined;
      } finally {
        opened.postMessage({ invite: "plenaryi_guessed", name: "Mallory" }, "*");
      }
    }
  };
  return [
    ["sendBeacon", beacon],
    ["window.open", popup],
  ];
}

/** Longer than any attempt takes on a busy machine, and shorter than the test timeout: an attempt without an end is reported. */
const endlessMs = 60_000;

function ended(attempt) {
  const endless = new Promise((resolve) => setTimeout(resolve, endlessMs, "no end"));
  return Promise.race([attempt().catch(() => undefined), endless]);
}

/** Tries everything, and returns what it saw by which way. */
globalThis.attack = async (floor) => {
  const ways = [byFetch, byForm, byElement, byStream, byOtherWays].flatMap((way) => way(floor));
  const saw = await Promise.all(ways.map(async ([how, attempt]) => [how, await ended(attempt)]));
  return { attempts: ways.length, saw: saw.filter(([, what]) => what !== undefined) };
};
