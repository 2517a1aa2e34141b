// Valid documents that the cases change in one place.

const ann = "tag:ann.example,2025:1";
const bot = "tag:bot.example,2025:1";

const schema = { version: "1.1.0" };
const conversation = { id: "conversation-1" };
const sender = { speakerUri: ann, serviceUrl: "https://ann.example/floor" };

export const envelope = (...events: object[]) => ({ openFloor: { schema, conversation, sender, events } });

export const toBot = { speakerUri: bot, serviceUrl: "https://bot.example/floor" };

export const dialogEvent = {
  id: "event-1",
  speakerUri: ann,
  span: { startTime: "2025-01-31T10:05:00Z" },
  features: { text: { mimeType: "text/plain", tokens: [{ value: "Hello" }] } },
};

export const identification = {
  speakerUri: bot,
  serviceUrl: "https://bot.example/floor",
  organization: "Example",
  conversationalName: "Bot",
  synopsis: "Answers questions.",
};

export const capability = {
  keyphrases: ["questions"],
  descriptions: ["answers questions"],
  languages: ["en-US"],
  supportedLayers: { input: ["text"], output: ["text", "audio"] },
};

export const manifest = { identification, capabilities: [capability] };

export const bye = envelope({ eventType: "bye" });
export const addressed = envelope({ eventType: "bye", to: toBot, reason: "@complete" });
export const utterance = envelope({ eventType: "utterance", to: toBot, parameters: { dialogEvent } });
export const invite = envelope({
  eventType: "invite",
  to: toBot,
  parameters: { dialogHistory: [dialogEvent], expectedFloorRoles: ["convener"] },
});
export const getManifests = envelope({ eventType: "getManifests", parameters: { recommendScope: "all" } });
export const publishManifests = envelope({
  eventType: "publishManifests",
  to: toBot,
  parameters: { servicingManifests: [{ ...manifest, score: 0.5 }], discoveryManifests: [manifest] },
});

const annAsConversant = {
  identification: { ...identification, speakerUri: ann, serviceUrl: "https://ann.example/floor" },
};

/** Two conversants, one of them convener, both with the floor. */
export const floor = {
  openFloor: {
    schema,
    conversation: {
      id: "conversation-1",
      conversants: [annAsConversant, { identification }],
      assignedFloorRoles: { convener: [bot], owner: [ann] },
      floorGranted: [ann, bot],
    },
    sender,
    events: [],
  },
};

/** A dialog event with one custom feature that has everything a feature can have. */
export const media = {
  ...dialogEvent,
  previousId: "event-0",
  features: {
    ...dialogEvent.features,
    picture: {
      mimeType: "image/png",
      lang: "en",
      encoding: "UTF-8",
      tokenSchema: "none",
      tokens: [
        { valueUrl: "https://ann.example/1.png", confidence: 0.9, links: ["$.text.tokens[0].value"] },
        { value: { width: 3 }, span: { startOffset: "PT1S", endOffset: "PT2.5S" } },
      ],
      alternates: [[{ value: 1 }], [{ value: [true] }]],
    },
  },
};

/** An utterance with every feature of the specification. */
export const multimedia = envelope({
  eventType: "utterance",
  parameters: {
    dialogEvent: {
      ...dialogEvent,
      features: {
        ...dialogEvent.features,
        html: { mimeType: "text/html", tokens: [{ value: "<b>Hello</b>" }] },
        audio: { mimeType: "audio/wav", tokens: [{ value: "UklGRg==" }] },
        ssml: { mimeType: "application/ssml+xml", tokens: [{ value: "<speak>Hello</speak>" }] },
      },
    },
  },
});

// The same for 0.9.

export const ovon = (...events: object[]) => ({
  ovon: {
    schema: { version: "0.9.3" },
    conversation: { id: "conversation-1" },
    sender: { from: "https://ann.example/floor" },
    events,
  },
});

export const ovonDialogEvent = {
  id: "event-1",
  speakerId: "ann",
  span: { startTime: "2025-01-31T10:05:00Z" },
  features: { text: { mimeType: "text/plain", tokens: [{ value: "Hello" }] } },
};

export const ovonManifest = {
  identification: {
    serviceEndpoint: "https://bot.example/floor",
    organization: "Example",
    conversationalName: "Bot",
    synopsis: "Answers questions.",
  },
  capabilities: [
    { keyphrases: ["questions"], descriptions: ["answers questions"], languages: ["en-US"], supportedLayers: ["text"] },
  ],
};

export const ovonBye = ovon({ eventType: "bye" });
export const ovonUtterance = ovon({ eventType: "utterance", parameters: { dialogEvent: ovonDialogEvent } });
export const ovonWhisper = ovon({
  eventType: "whisper",
  to: "https://bot.example/floor",
  parameters: { dialogEvent: { ...ovonDialogEvent, context: "a party" } },
});
export const ovonInvite = ovon({ eventType: "invite", to: "https://bot.example/floor" });
export const ovonPublish = ovon({ eventType: "publishManifest", parameters: { manifest: ovonManifest } });
export const ovonPropose = ovon({
  eventType: "proposeAssistant",
  parameters: { servicingManifests: [{ ...ovonManifest, score: 50 }], discoveryManifests: [ovonManifest] },
});
