import { type Conversation, connect, type Floor, FloorProblem } from "@plenary/client";
import { textsFor, type WidgetTexts } from "./texts.ts";
import { createView } from "./view.ts";

/** The floor that this script came from. */
const ownOrigin = originOf((document.currentScript as HTMLScriptElement | null)?.src);

function originOf(url: string | undefined): string {
  return url !== undefined && URL.canParse(url) ? new URL(url).origin : location.origin;
}

/**
 * `<plenary-floor>`: one conversation in a page of any site. Attributes: `invite` (a guest link) or `token`, `name`,
 * `conversation`, `agents` (addresses for a new conversation), `floor` (default: where the script came from), `heading`.
 */
class PlenaryFloor extends HTMLElement {
  static readonly observedAttributes = ["floor", "invite", "token", "name", "conversation", "agents", "lang"];
  readonly #root = this.attachShadow({ mode: "open" });
  #over: AbortController | undefined;
  #talk: Conversation | undefined;
  #isScheduled = false;

  connectedCallback(): void {
    this.#restart();
  }

  disconnectedCallback(): void {
    this.#over?.abort();
  }

  attributeChangedCallback(): void {
    if (this.isConnected) this.#restart();
  }

  /** Says a text, as the field of the widget does. */
  async say(text: string): Promise<void> {
    if (this.#talk === undefined) throw new Error("the widget is not connected yet");
    await this.#talk.say(text);
  }

  /** Several attributes may change at once. */
  #restart(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    queueMicrotask(() => {
      this.#isScheduled = false;
      this.#over?.abort();
      if (!this.isConnected) return;
      const over = new AbortController();
      this.#over = over;
      void this.#run(over.signal);
    });
  }

  async #run(signal: AbortSignal): Promise<void> {
    const texts = textsFor(this.closest("[lang]")?.getAttribute("lang") ?? navigator.language);
    const view = createView(this.#root, texts, this.getAttribute("heading") ?? texts.conversation);
    view.showState(texts.connecting);
    let floor: Floor | undefined;
    try {
      floor = await this.#connect(signal, texts);
      const talk = await this.#conversation(floor, signal);
      this.#talk = talk;
      const live = talk.live();
      signal.addEventListener("abort", () => {
        live.close();
        void floor?.close();
      });
      if (signal.aborted) return live.close();
      view.connect(live, talk, (state) => this.dispatchEvent(new CustomEvent("plenary-state", { detail: state })));
    } catch (error) {
      if (signal.aborted) return;
      void floor?.close();
      view.showState(messageOf(error, texts));
      this.dispatchEvent(new CustomEvent("plenary-state", { detail: "failed" }));
    }
  }

  /** A guest link has few uses, so the token that it gave is kept for the next load of the page. */
  async #connect(signal: AbortSignal, texts: WidgetTexts): Promise<Floor> {
    const [invite, name] = [this.getAttribute("invite") ?? undefined, this.getAttribute("name") ?? undefined];
    const token = this.getAttribute("token") ?? undefined;
    const url = this.getAttribute("floor") ?? ownOrigin;
    const shared = { url, signal, storage: sessionStorage, ...(name !== undefined && { name }) };
    if (token !== undefined) return connect({ ...shared, token });
    if (invite === undefined) throw new FloorProblem({ status: 401, title: texts.noAccess });
    const key = `plenary guest ${invite}`;
    const kept = sessionStorage.getItem(key);
    if (kept !== null) {
      try {
        return await connect({ ...shared, token: kept });
      } catch (error) {
        if (!(error instanceof FloorProblem) || error.status !== 401) throw error;
        sessionStorage.removeItem(key);
      }
    }
    const floor = await connect({ ...shared, invite });
    if (floor.token !== undefined) sessionStorage.setItem(key, floor.token);
    return floor;
  }

  async #conversation(floor: Floor, signal: AbortSignal): Promise<Conversation> {
    const id = this.getAttribute("conversation") ?? floor.me.conversations?.[0];
    if (id !== undefined) return floor.join(id, { signal });
    const invite = this.getAttribute("agents")?.split(/\s+/u).filter(Boolean) ?? [];
    return floor.open({ invite, signal });
  }
}

function messageOf(error: unknown, texts: WidgetTexts): string {
  if (error instanceof FloorProblem && error.status !== 0) return error.message;
  return texts.unreachable(location.origin);
}

if (customElements.get("plenary-floor") === undefined) customElements.define("plenary-floor", PlenaryFloor);
