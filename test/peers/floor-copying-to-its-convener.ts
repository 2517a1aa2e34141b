// A floor manager that signs every envelope itself and names the speaker in the dialog event alone. It asks its convener by
// the table of section 2.2, and also sends it a copy of each utterance with the floor; what the convener returns to
// either takes effect. It lists the agents under their addresses, and `floorGranted` by addresses; people are not on the list
// and may always speak. It publishes no roles. It contains no code of this project.

type WireEvent = { eventType: string; to?: { speakerUri?: string; serviceUrl?: string }; parameters?: object };
type Agent = { speakerUri: string; serviceUrl: string; hasFloor: boolean };

export const human = "demo://localhost/Human";
const manager = { speakerUri: "tag:manager.example,2026:1", serviceUrl: "https://manager.example/" };

export const addressOf = (name: string) => `https://${name}.example/agent`;
export const nameOf = (name: string) => `agent:${addressOf(name)}`;

export class CopyingFloor {
  readonly #id = `c-${crypto.randomUUID()}`;
  readonly #convener: Agent;
  readonly #agents: Agent[];

  constructor(convenerUrl: string, names: readonly string[]) {
    this.#convener = { speakerUri: `agent:${convenerUrl}`, serviceUrl: convenerUrl, hasFloor: false };
    const agents = names.map((name) => ({ speakerUri: nameOf(name), serviceUrl: addressOf(name), hasFloor: true }));
    this.#agents = [this.#convener, ...agents];
  }

  /** The invite, and the revokeFloor that such a floor sends to every new conversant. */
  async open(): Promise<WireEvent[]> {
    const { speakerUri, serviceUrl } = this.#convener;
    const answer = await this.#post({ eventType: "invite", to: { speakerUri, serviceUrl } }, false);
    await this.#post({ eventType: "revokeFloor", to: { speakerUri, serviceUrl } }, false);
    return answer;
  }

  revoke(name: string): void {
    for (const agent of this.#agents) if (agent.speakerUri === nameOf(name)) agent.hasFloor = false;
  }

  /** What the convener returns for an utterance, delegated or copied. */
  async says(speakerUri: string, text: string): Promise<WireEvent[]> {
    const features = { text: { mimeType: "text/plain", tokens: [{ value: text }] } };
    const dialogEvent = {
      id: crypto.randomUUID(),
      speakerUri,
      span: { startTime: new Date().toISOString() },
      features,
    };
    return this.#post({ eventType: "utterance", parameters: { dialogEvent, roundHistory: [] } }, true);
  }

  ask(event: WireEvent): Promise<WireEvent[]> {
    return this.#post(event, true);
  }

  async #post(event: WireEvent, isFull: boolean): Promise<WireEvent[]> {
    const conversants = this.#agents.map(({ speakerUri, serviceUrl }) => ({
      identification: { speakerUri, serviceUrl, conversationalName: "", organization: "", synopsis: "" },
    }));
    const floorGranted = this.#agents.filter(({ hasFloor }) => hasFloor).map(({ serviceUrl }) => serviceUrl);
    const conversation = { id: this.#id, ...(isFull && { conversants, floorGranted }) };
    const openFloor = { schema: { version: "1.1" }, conversation, sender: manager, events: [event] };
    const response = await fetch(this.#convener.serviceUrl, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ openFloor }),
    });
    return ((await response.json()) as { openFloor: { events: WireEvent[] } }).openFloor.events;
  }
}
