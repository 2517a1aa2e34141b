// A floor that is only a web page: it posts envelopes to agents of other origins by fetch and shows their answers.
// Seen in the public sandboxes, where people type an agent's address into a page and talk to it. The browser asks each agent
// first whether pages of this origin may (a preflight), because the body is JSON, and hides the answer unless the agent says so.
export const browserFloorPage = `<!doctype html>
<html lang="en">
<title>Browser floor</title>
<body>
<ol id="log"></ol>
<script>
const person = { speakerUri: "tag:browser-floor.example,2026:user", serviceUrl: location.href };
const newId = () => crypto.getRandomValues(new Uint32Array(4)).join("-"); // randomUUID needs https
const conversation = { id: newId() };

async function post(url, events, headers = {}) {
  const openFloor = { schema: { version: "1.1.0" }, conversation, sender: person, events };
  const sent = { "content-type": "application/json", accept: "application/json", ...headers };
  try {
    const response = await fetch(url, { method: "POST", headers: sent, body: JSON.stringify({ openFloor }) });
    return { status: response.status, type: response.headers.get("content-type"), text: await response.text() };
  } catch (error) {
    return { status: "blocked: " + error.message };
  }
}

function show(line) {
  const item = document.createElement("li");
  item.textContent = line;
  document.querySelector("#log").append(item);
}

async function send(url, event, headers) {
  const { status, text } = await post(url, [event], headers);
  if (status !== 200) return show(String(status));
  for (const { eventType, parameters } of JSON.parse(text).openFloor.events) {
    const said = parameters?.dialogEvent?.features.text.tokens.map((token) => token.value).join("");
    show(said === undefined ? eventType : "said: " + said);
  }
}

const invite = (url, headers) => send(url, { eventType: "invite", to: { serviceUrl: url } }, headers);

function ask(url, value) {
  const features = { text: { mimeType: "text/plain", tokens: [{ value }] } };
  const span = { startTime: new Date().toISOString() };
  const dialogEvent = { id: newId(), speakerUri: person.speakerUri, span, features };
  return send(url, { eventType: "utterance", to: { serviceUrl: url }, parameters: { dialogEvent } });
}
</script>
`;
