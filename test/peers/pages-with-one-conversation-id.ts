// Chat pages for one agent, as demos have them. The conversation id is written into the page, so that every visitor
// has the same one. They list no conversants and leave out `to`, because there is only one agent. The page of 1.0 never invites
// and asks for the manifest under another name than it speaks under; the page of 0.9 invites whenever it is opened, and its
// senders are first names. It contains no code of this project.

export type Page = { open(): Promise<void>; say(text: string): Promise<string[]> };

type Event = {
  eventType: string;
  parameters?: { dialogEvent?: { features: { text: { tokens: { value: string }[] } } } };
};
type Answer = { openFloor?: { events: Event[] }; ovon?: { events: Event[] } };

const features = (text: string) => ({ text: { mimeType: "text/plain", tokens: [{ value: text }] } });

/** The utterances of the answer. */
async function post(url: string, document: object): Promise<string[]> {
  // Posts as text, as a page does that avoids a preflight.
  const headers = { "content-type": "text/plain;charset=UTF-8" };
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(document) });
  const { openFloor, ovon } = (await response.json()) as Answer;
  const said = (openFloor ?? ovon)?.events.filter(({ eventType }) => eventType === "utterance") ?? [];
  return said.map(({ parameters }) => parameters?.dialogEvent?.features.text.tokens[0]?.value ?? "");
}

export function pageOf10(url: string, visitor: string): Page {
  const send = (speakerUri: string, event: object) =>
    post(url, {
      openFloor: {
        schema: { version: "1.0.0" },
        conversation: { id: "conv1" },
        sender: { speakerUri },
        events: [event],
      },
    });
  const to = { serviceUrl: url, private: false };
  return {
    open: async () => void (await send("demo://localhost/TestClient", { eventType: "getManifests", to })),
    say: (text) => {
      const speakerUri = `user:${visitor}`;
      return send(speakerUri, {
        eventType: "utterance",
        parameters: { dialogEvent: { speakerUri, features: features(text) } },
      });
    },
  };
}

export function pageOf09(url: string, visitor: string): Page {
  const send = (event: object) =>
    post(url, {
      ovon: {
        conversation: { id: "convoID8403984", startTime: "2023-06-14 02:06:07+00:00" },
        schema: { version: "0.9.0", url: "not_published_yet" },
        sender: { from: visitor, to: url },
        responseCode: { code: 200, description: "OK" },
        events: [event],
      },
    });
  return {
    open: async () => void (await send({ eventType: "invite" })),
    say: (text) =>
      send({
        eventType: "utterance",
        parameters: { dialogEvent: { speakerId: visitor, features: features(text) } },
      }),
  };
}
