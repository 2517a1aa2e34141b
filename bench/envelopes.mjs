// Envelopes of the sizes people send: one turn of a conversation, and an invite that brings the conversation so far.

const person = "tag:ann.example.com,2025:7f3a";
const agents = ["concierge", "travel-desk", "weather"];

const conversants = agents.map((name) => ({
  identification: {
    speakerUri: `tag:${name}.example.com,2025:0001`,
    serviceUrl: `https://agents.example.com/${name}/openfloor`,
    organization: "Example Travel",
    conversationalName: name,
    department: "Assistance",
    role: "assistant",
    synopsis: `Answers questions about ${name} matters, day and night.`,
  },
}));

const turns = [
  "I would like to go from Tallinn to Valencia in the second week of May, with one stop at most.",
  'There are two connections: by Frankfurt, leaving at 06:25, and by Warsaw, leaving at 13:40. "Flex" fares cost 40 € more.',
  "Is the one by Warsaw cheaper? And do I need a visa for the stopover?\nI travel on an Estonian passport.",
  "No visa is needed. The Warsaw connection costs 214 € with one bag; shall I hold it for you until tonight?",
];

function dialogEvent(index) {
  const isPerson = index % 2 === 0;
  const second = String(index % 60).padStart(2, "0");
  return {
    id: `de:0f7c2b7e-6f0e-4d5c-8f58-${String(index).padStart(12, "0")}`,
    speakerUri: isPerson ? person : conversants[1].identification.speakerUri,
    span: { startTime: `2025-05-02T09:${second}:07.125+03:00` },
    features: {
      text: {
        mimeType: "text/plain",
        lang: "en",
        tokens: [isPerson ? { value: turns[index % 4], confidence: 0.93 } : { value: turns[index % 4] }],
      },
    },
  };
}

function envelope(listed, event) {
  return {
    openFloor: {
      schema: { version: "1.1.0" },
      conversation: {
        id: "conv:34f6170e-2acf-4535-95ba-86963620aa8d",
        conversants: listed,
        assignedFloorRoles: { convener: [listed[0].identification.speakerUri] },
        floorGranted: listed.map(({ identification }) => identification.speakerUri),
      },
      sender: { speakerUri: person, serviceUrl: "https://floor.example.com/openfloor/at/dGFnOmFubg" },
      events: [event],
    },
  };
}

function invite(turnCount) {
  const { speakerUri, serviceUrl } = conversants[2].identification;
  const dialogHistory = Array.from({ length: turnCount }, (_, index) => dialogEvent(index));
  return envelope(conversants, { eventType: "invite", to: { speakerUri, serviceUrl }, parameters: { dialogHistory } });
}

export const utterance1kb = JSON.stringify(
  envelope(conversants.slice(0, 1), { eventType: "utterance", parameters: { dialogEvent: dialogEvent(2) } }),
);

export const invite20kb = JSON.stringify(invite(58));

/** The same utterance as some real agents write it: three warnings, all of them repaired. */
export const utteranceWithWarnings = utterance1kb
  .replace('"1.1.0"', '" 1.1.0"')
  .replace('"id":"de:', '"previousId":"de:')
  .replace('T09:02:07.125+03:00"', 'T09:02:07.125"');
