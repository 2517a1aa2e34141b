/** What a guest sees who opens a link: a name to give, then the conversation from there on, and a line to speak. */
export const joinSection = `<main id="join" hidden>
<form id="enter">
<h2>You are invited</h2>
<p id="hint">Join the conversation as a guest. Everybody in it sees the name you give.</p>
<label for="name">Your name</label>
<div class="row"><input id="name" name="name" maxlength="100" autocomplete="name" aria-describedby="hint" required>
<button>Join</button></div>
</form>
<section id="talk" aria-labelledby="who" hidden>
<h2 id="who"></h2>
<div id="said" role="log" aria-label="What was said"></div>
<p id="state" role="status"></p>
<form id="speak"><label for="text">Say something to everybody</label>
<div class="row"><input id="text" name="text" autocomplete="off" required> <button>Send</button></div></form>
</section>
<p id="trouble" role="alert"></p>
</main>`;

export const joinStyle = `
  main h2 { overflow-wrap: anywhere; } label { display: block; font-weight: 600; margin-bottom: .25rem; }
  .row { display: flex; gap: .5rem; } .row input { flex: 1; min-width: 0; }
  input, button { font: inherit; padding: .5rem .75rem; border: 1px solid GrayText; border-radius: .5rem; }
  button { cursor: pointer; } button:disabled { cursor: progress; opacity: .6; }
  #said p { margin: 0 0 .75rem; white-space: pre-wrap; overflow-wrap: anywhere; } #said b { display: block; }
  #said .mine { padding-left: .75rem; border-left: .25rem solid color-mix(in srgb, currentColor 40%, transparent); } #said .aside { opacity: .75; }
  #speak { position: sticky; bottom: 0; padding: .75rem 0; background: Canvas; }
  #state, #trouble { margin: .5rem 0; } #trouble:not(:empty) { padding: .5rem 1rem; border-left: .25rem solid #c33; }
  [hidden] { display: none; }
`;

// Whatever others wrote becomes text, never markup. What the guest proves itself by stays in this tab.
export const joinScript = `
  const invite = new URLSearchParams(location.hash.slice(1)).get("invite");
  const kept = sessionStorage.getItem("plenary-guest");
  const part = (id) => document.getElementById(id);
  const sentence = (text) => text.charAt(0).toUpperCase() + text.slice(1).replace(/[.?!]?$/, ".");
  const problem = async (response) => {
    const { title = "The floor does not answer", detail = title, fix } = await response.json().catch(() => ({}));
    const text = [detail, fix].filter(Boolean).map(sentence).join(" ");
    return Object.assign(new Error(text), { status: response.status });
  };
  const ask = async (path, options) => {
    const response = await fetch(path, options).catch(() => {
      throw new Error("The floor cannot be reached. Look at your connection, then try again.");
    });
    if (!response.ok) throw await problem(response);
    return response;
  };
  const post = async (path, body, token) => {
    const headers = { "content-type": "application/json", ...(token && { authorization: "Bearer " + token }) };
    return (await ask(path, { method: "POST", headers, body: JSON.stringify(body) })).json();
  };
  const tell = (error) => { part("trouble").textContent = error.message; };
  // Nobody joins twice, or says a thing twice, by clicking twice.
  const onSubmit = (id, send) => part(id).addEventListener("submit", async (event) => {
    event.preventDefault();
    const button = event.target.querySelector("button");
    if (button.disabled) return;
    button.disabled = true;
    part("trouble").textContent = "";
    await send(event.target).catch(tell);
    button.disabled = false;
  });
  const isOut = ({ status }) => [401, 403, 404].includes(status);
  const nameOfGuest = ({ name, speakerUri }) => name || speakerUri;
  const leave = (guest) => {
    sessionStorage.removeItem("plenary-guest");
    part("who").textContent = "You were here as " + nameOfGuest(guest);
    part("speak").hidden = true;
    part("state").textContent = "";
    tell(new Error("You are not in this conversation any more. Ask whoever invited you for a new link."));
  };
  const nameOf = (envelope, uri) => {
    const found = (envelope.conversation.conversants || []).find((one) => one.identification.speakerUri === uri);
    return (found && found.identification.conversationalName) || uri;
  };
  const textOf = (event) => {
    const tokens = event.parameters?.dialogEvent?.features?.text?.tokens || [];
    return tokens.map((token) => token.value || "").join("");
  };
  const isShownOut = ({ events }, { speakerUri }) =>
    events.some(({ eventType, to }) => eventType === "uninvite" && to?.speakerUri === speakerUri);
  const linesMax = 1000;
  const show = (envelope, guest) => {
    const isAtEnd = innerHeight + scrollY >= document.body.scrollHeight - 80;
    for (const event of envelope.events) {
      const { speakerUri } = envelope.sender;
      const line = document.createElement("p");
      const who = document.createElement("b");
      const isSaid = event.eventType === "utterance";
      who.textContent = nameOf(envelope, speakerUri) + (event.to?.private ? " (only to you)" : "");
      line.dir = "auto";
      line.className = speakerUri === guest.speakerUri ? "mine" : isSaid ? "" : "aside";
      const words = document.createElement("span");
      words.textContent = isSaid ? textOf(event) : "(" + event.eventType + ")";
      line.append(who, words);
      part("said").append(line);
      if (part("said").childElementCount > linesMax) part("said").firstElementChild.remove();
    }
    if (isAtEnd) scrollTo(0, document.body.scrollHeight);
  };
  const follow = async (guest, place) => {
    const { speakerUri: speaker, conversation } = guest;
    const query = new URLSearchParams({ speaker, conversation, after: place.after });
    const response = await ask("/openfloor/events?" + query, { headers: { authorization: "Bearer " + guest.token } });
    place.failures = 0;
    part("state").textContent = "";
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      const blocks = (text + next.value).split("\\n\\n");
      text = blocks.pop();
      for (const block of blocks) {
        const data = /^data: (.*)$/m.exec(block);
        if (!data || /^event:/m.test(block)) continue;
        const frame = JSON.parse(data[1]);
        place.after = frame.seq;
        if (isShownOut(frame.openFloor, guest)) return reader.cancel().then(() => leave(guest));
        show(frame.openFloor, guest);
      }
    }
  };
  const listen = async (guest) => {
    for (const place = { after: 0, failures: 0 }; ; place.failures += 1) {
      const error = await follow(guest, place).catch((error) => error);
      if (!sessionStorage.getItem("plenary-guest")) return;
      if (error && isOut(error)) return leave(guest);
      if (error) part("state").textContent = "The connection is lost. Trying again ...";
      await new Promise((resolve) => setTimeout(resolve, Math.min(1000 * 2 ** place.failures, 30000)));
    }
  };
  const say = async (guest, form) => {
    const { speakerUri, conversation: id, token } = guest;
    const features = { text: { mimeType: "text/plain", tokens: [{ value: new FormData(form).get("text") }] } };
    const dialogEvent = { id: crypto.randomUUID(), speakerUri, span: { startTime: new Date().toISOString() }, features };
    const events = [{ eventType: "utterance", parameters: { dialogEvent } }];
    const openFloor = { schema: { version: "1.1.0" }, conversation: { id }, sender: { speakerUri }, events };
    const answer = await post("/openfloor", { openFloor }, token).catch((error) => {
      if (!isOut(error)) throw error;
    });
    if (!answer) return leave(guest);
    if (answer.refused) throw new Error(sentence(answer.refused[0].problem));
    form.reset();
    part("text").focus();
  };
  const enter = (guest) => {
    sessionStorage.setItem("plenary-guest", JSON.stringify(guest));
    history.replaceState(null, "", location.pathname);
    part("enter").hidden = true;
    part("talk").hidden = false;
    part("who").textContent = "You are here as " + nameOfGuest(guest);
    part("text").focus();
    onSubmit("speak", (form) => say(guest, form));
    listen(guest).catch(tell);
  };
  // A link that is pasted over this page changes nothing but what follows the #.
  addEventListener("hashchange", () => location.reload());
  if (invite || kept) {
    for (const other of document.querySelectorAll("body > :not(#join, h1, script)")) other.hidden = true;
    part("join").hidden = false;
    if (!invite) enter(JSON.parse(kept));
    else part("name").focus();
    onSubmit("enter", async (form) => {
      const name = new FormData(form).get("name");
      enter({ ...(await post("/api/v1/guests", { invite, name })), name });
    });
  }
`;
