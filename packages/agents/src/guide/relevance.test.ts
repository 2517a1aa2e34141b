// Questions as people ask them, and the passage that answers each.
import { expect, test } from "vitest";
import { askKnowledge } from "./knowledge.ts";
import { createPassageSearch, readPassages } from "./passage-search.ts";

const expected: Record<string, string> = {
  "what is open floor?": "What Open Floor is",
  "What does the Open Floor Protocol do?": "What Open Floor is",
  "who is behind open floor": "Who makes Open Floor",
  "how is this different from MCP or A2A?": "How Open Floor differs from other agent frameworks",
  "what is a floor?": "What a floor is",
  "what does conversant mean?": "What a conversant is",
  "What is an agent?": "What an agent is",
  "what is a host browser": "What a host browser is",
  "What does the floor manager do?": "The floor manager",
  "what is a convener?": "What a convener is",
  "Is there a chair who leads the meeting?": "What a convener is",
  "what's a convenor": "What a convener is",
  "what happens without a convener?": "A conversation without a convener",
  "who may speak?": "Having the floor: who may speak",
  "What does it mean to have the floor?": "Having the floor: who may speak",
  "can several agents talk at the same time?": "Conversations of many at the same time",
  "what is delegation?": "Delegation",
  "What is channeling?": "Channeling",
  "explain mediation": "Mediation",
  "what's the difference between channeling and mediation?": "Channeling, delegation or mediation: the difference",
  "How do agents find other agents?": "Discovery: how agents find each other",
  "what is a discovery agent": "Discovery agents",
  "can I use the NeMo agent toolkit?": "NeMo: clients and workflows of the NeMo Agent Toolkit",
  "how do I connect an OpenAI client": "NeMo: clients and workflows of the NeMo Agent Toolkit",
  "What is a speakerUri?": "speakerUri: who somebody is",
  "what is a service url": "serviceUrl: where somebody is reached",
  "What is the difference between speakerUri and serviceUrl?": "speakerUri or serviceUrl: the difference",
  "what is an envelope?": "What an envelope is",
  "what is in the conversation section of an envelope": "The conversation section",
  "What is floorGranted?": "floorGranted: who has the floor",
  "what roles can be assigned?": "assignedFloorRoles: roles in a conversation",
  "how do I address an event to one agent": "to: the addressee of an event",
  "what does the private flag do?": "private: the mark of a whisper",
  "Which reason tokens exist?": "reason and its tokens",
  "what does @outOfDomain mean?": "The reason @outOfDomain",
  "which events are there?": "The events: twelve types",
  "how many event types does open floor have": "The events: twelve types",
  "what is an utterance": "utterance: saying something",
  "What is a whisper?": "What a whisper is",
  "what does an invite event contain?": "invite: bringing somebody in",
  "what is dialogHistory for?": "dialogHistory: what an invite brings along",
  "How is somebody removed with uninvite?": "uninvite: removing somebody",
  "how does an agent decline an invitation?": "declineInvite: saying no",
  "how does an agent leave": "bye: leaving",
  "What is getManifests?": "getManifests: asking what agents can do",
  "what does recommendScope external mean": "recommendScope: internal, external or all",
  "what is in publishManifests?": "publishManifests: telling what agents can do",
  "How do I request the floor?": "requestFloor: asking to speak",
  "what does grantFloor do?": "grantFloor: letting somebody speak",
  "What happens on revokeFloor?": "revokeFloor: taking the floor away",
  "what is yieldFloor": "yieldFloor: giving the floor back",
  "what is a dialog event?": "What a dialog event is",
  "What are features?": "features: the layers of what is said",
  "what is a token in a feature": "tokens: the pieces of a feature",
  "how is the span of an utterance written?": "span: when it was said",
  "is the text feature mandatory?": "The text feature",
  "can an utterance have html?": "The html feature",
  "can I send audio?": "The audio feature",
  "What is SSML?": "The ssml feature",
  "can I add my own features, like video?": "Custom features: video, pictures and whatever you like",
  "what is a manifest?": "What a manifest is",
  "which fields are mandatory in the identification?": "identification: who an agent is",
  "What is a synopsis?": "synopsis: an agent in one sentence",
  "what are capabilities": "capabilities: what an agent can do",
  "What are supportedLayers?": "supportedLayers: what an agent reads and writes",
  "what must a compliant agent do at least?": "What an agent must do at least",
  "Which events are delegated to the convener?": "The delegation table: which events go to the convener",
  "what happens when the convener does not answer": "When a convener does not answer",
  "what does an agent return over http when it has nothing to say?": "Having nothing to say over HTTP",
  "which transport do envelopes use?": "Transport: how envelopes travel",
  "What is OVON?": "OVON 0.9.3, the ancestor",
  "how were whispers done in 0.9.3?": "Whispers in OVON 0.9.3",
  "can old agents talk to new ones?": "Dialects: how old and new agents talk to each other",
  "what is new in 1.1.1?": "What 1.1.1 adds",
  "who is the owner of a conversation?": "The owner of a conversation",
  "what is an archivist?": "The archivist",
  "what is plenary?": "What Plenary is",
  "where am I?": "What Plenary is",
  "how do I install and run it?": "How to start Plenary",
  "who are you?": "The welcome conversation",
  "How do I whisper to somebody?": "Whispering: how it is done on the page",
  "how can I invite an agent?": "Inviting an agent",
  "how do I invite a friend?": "Guest links: inviting a person",
  "What is the floor strip?": "The floor strip",
  "how do I raise my hand": "Raising your hand and yielding",
  "How do I stop an agent?": "Stopping agents",
  "which keyboard shortcuts are there?": "Keys of the page",
  "what slash commands can I type?": "Commands that begin with a slash",
  "how do I export this conversation?": "Exporting a conversation",
  "which agents can I invite?": "Which agents you can invite: the ready-made ones",
  "what can the calculator do?": "The Calculator agent",
  "what does the scribe do?": "The Scribe agent",
  "Can I use ChatGPT or another language model here?": "The LLM agent",
  "how do I write my own agent?": "Writing your own agent",
  "is there a template for a new agent?": "A new agent from a template",
  "my agent is behind a firewall, can it join?": "An agent behind a firewall",
  "can I write an agent in Python?": "Agents in other languages",
  "what if an agent is too slow": "When an agent is slow or dead",
  "how are endless loops between agents prevented?": "Agents that go round in circles",
  "How can I talk in the terminal?": "plenary chat: a conversation in the terminal",
  "how do I check whether my envelope is valid?": "plenary validate",
  "how do I convert an envelope to another version?": "plenary convert",
  "how do I import a conversation into another floor?": "plenary import",
  "is my agent reloaded when I save it?": "plenary dev: an agent that is loaded anew",
  "what does plenary doctor do?": "plenary doctor",
  "How do I give an agent a key?": "plenary keys",
  "was the log changed by anybody? how do I verify that?": "plenary verify",
  "is there a REST api?": "The REST interface",
  "Is it secure?": "Is Plenary safe",
  "who can read my whispers?": "Who can read a whisper",
  "how do I open the floor to other machines on the internet?": "Opening a floor to others",
  "can I erase what I said?": "Erasing what was said",
  "what happens after a restart?": "Restarting the floor",
  "where are my conversations stored?": "Where conversations are kept",
  "how do I make a backup?": "Backing up",
  "who decides who gets to talk?": "What a convener is",
  "can there be two conveners?": "What a convener is",
  "what does the floor manager keep track of?": "The floor manager",
  "is a human also a conversant?": "What a conversant is",
  "what does a tag URI look like?": "speakerUri: who somebody is",
  "does the speakerUri change when an agent moves?": "speakerUri or serviceUrl: the difference",
  "how does an agent hand over to another agent?": "Delegation",
  "how do translators fit in?": "Channeling",
  "what are the four sections of an envelope?": "What an envelope is",
  "what version number goes into the schema?": "The schema section",
  "is the sender section mandatory?": "The sender section",
  "how do I send a message to only one agent in the protocol?": "to: the addressee of an event",
  "is private honoured for invites?": "private: the mark of a whisper",
  "what does @timedOut mean?": "The reasons @timedOut, @brokenPolicy, @override and @error",
  "what is acceptInvite": "acceptInvite: saying yes",
  "what does bye do": "bye: leaving",
  "which parameters does getManifests have?": "getManifests: asking what agents can do",
  "what is the recommendation score?": "score: how well an agent fits",
  "how do I kick somebody out?": "uninvite: removing somebody",
  "what does an agent have to do after revokeFloor?": "What an agent does when the floor is revoked",
  "what is startOffset?": "span: when it was said",
  "what is confidence?": "confidence and alternates",
  "what is a valueUrl?": "valueUrl: content somewhere else",
  "which audio formats are supported?": "The audio feature",
  "what is a conversationalName?": "conversationalName: what an agent answers to",
  "how long may the synopsis be?": "synopsis: an agent in one sentence",
  "what are keyphrases for?": "keyphrases and descriptions",
  "in which order are events processed?": "The order of events",
  "does open floor use websockets?": "Transport: how envelopes travel",
  "does the specification say anything about security?": "Security in the specification",
  "what events did ovon have": "The events of OVON 0.9.3",
  "what is a dialect?": "Dialects: how old and new agents talk to each other",
  "what does expectedFloorRoles do?": "What 1.1.1 adds",
  "which node version do I need?": "How to start Plenary",
  "what does alt+w do": "Whispering: how it is done on the page",
  "how do I search in the conversation?": "Searching a conversation",
  "can it read answers aloud?": "Dictating and reading aloud",
  "how do I rename a conversation?": "New conversations and titles",
  "can I download the transcript as markdown?": "Exporting a conversation",
  "what can echo do?": "Echo",
  "how do I connect ollama?": "The LLM agent",
  "what does onUtterance return?": "What an agent's handler returns",
  "how do I see the health of known agents?": "The agents a floor knows",
  "on which port does it listen?": "plenary serve",
  "where is the database?": "Where conversations are kept",
  "what is the maximum size of an envelope?": "Limits: how many conversants, how large an envelope",
  "how many conversants can a conversation have?": "Limits: how many conversants, how large an envelope",
  "do I need a password?": "Signing in",
  "can an agent remove me?": "Limits of agents: what they may not do",
  "can newcomers read what was said before?": "What newcomers see",
  "what happens when my connection breaks?": "When my connection is cut",
  "is there a prometheus endpoint?": "Metrics and health",
  "how fast is plenary?": "How fast it is",
  "what happens if the server crashes?": "Restarting the floor",
  "how do I make my own agent?": "Writing your own agent",
  "can I make a bot?": "Writing your own agent",
  "are you an AI?": "The Guide agent",
  "can I use this commercially?": "What Plenary is",
  "does it work offline?": "What Plenary is",
  "how do I set the convener?": "Choosing a convener: how agents take turns",
  "how do I make agents take turns?": "Choosing a convener: how agents take turns",
  "how do I replay a conversation with another convener?": "plenary replay",
  "why does nobody answer me?": "When the agents answer, and when they are silent",
  "what are drafts?": "Drafts: words that appear while an agent speaks",
};

/** Questions that no passage answers. */
const unanswerable = [
  ...["what is the weather like today?", "will it rain tomorrow?", "who won the football match?"],
  ...["who are you married to?", "what time is it in Tokyo?", "what time is it?", "what is 17 * 23?"],
  ...["how many miles are 5 kilometres?", "tell me a joke", "what is the capital of France?", "how do I cook pasta?"],
  ...["who is the president of the United States?", "do you love me?", "what is the meaning of life?"],
  ...["recommend a good restaurant", "how old are you?", "what is the stock price of Nvidia?"],
  ...["can you write a poem about autumn?", "when does the next train to Berlin leave?"],
  ...["how tall is Mount Everest?", "what is my blood pressure?", "translate good morning into Spanish"],
  ...["who painted the Mona Lisa?", "what should I wear tonight?", "is there life on Mars?"],
  ...["thanks, that was great", "I had a lovely holiday in Italy", "what's for dinner?", "who wrote Hamlet?"],
  ...["how do I get to the station?", "what is love?", "sing a song", "what is quantum computing?"],
  ...["is my car insured?", "how do I lose weight?", "who is the best player?", "book me a flight to Rome"],
  ...["what's the score of the game?", "how is your family?", "what day is it?", "can I have a coffee?"],
  ...["are you human?", "do you speak German?", "where is the bathroom?", "is the shop open on Sunday?"],
  ...["what is your favourite colour?", "how much is a ticket?", "good night", "I like the colour of the page"],
  ...["nice work everyone", "let's talk about lunch"],
];

const library = createPassageSearch(await readPassages());

function rankOf(question: string, heading: string): number {
  const found = library.find(question);
  const headings = found === undefined ? [] : [found.passage, ...found.others].map((one) => one.heading);
  return headings.indexOf(heading);
}

test("nine in ten questions find their passage first, nearly all among the first three", () => {
  const ranks = Object.entries(expected).map(([question, heading]) => ({ question, rank: rankOf(question, heading) }));
  const missed = ranks.filter(({ rank }) => rank !== 0);
  const lost = ranks.filter(({ rank }) => rank < 0);
  expect(ranks.length).toBeGreaterThanOrEqual(60);
  expect(missed.length, JSON.stringify(missed, null, 1)).toBeLessThanOrEqual(ranks.length * 0.1);
  expect(lost.length, JSON.stringify(lost)).toBeLessThanOrEqual(ranks.length * 0.02);
});

test.each([
  ...["what is a floor?", "what is a convener?", "What is a whisper?", "What are features?", "What is getManifests?"],
  ...["which events are there?", "What is open floor?", "what is plenary?", "How do I whisper to somebody?"],
  ...["can newcomers read what was said before?", "does open floor use websockets?", "how can I invite an agent?"],
  ...["how do I make my own agent?", "can I make a bot?", "are you an AI?", "how do I set the convener?"],
])("%j finds its passage and no other", (question) => {
  const [, heading = ""] = Object.entries(expected).find(([one]) => one.toLowerCase() === question.toLowerCase()) ?? [];
  expect(library.find(question)?.passage.heading).toBe(heading);
});

test.each(unanswerable)("%j has no answer", async (question) => {
  const known = await askKnowledge(question);
  expect(known).toEqual({ isKnown: false, near: expect.any(Array) });
  expect(known.isKnown ? [] : known.near).not.toEqual([]);
});

test("nearly all questions with a passage are known", async () => {
  const questions = Object.keys(expected);
  const answers = await Promise.all(questions.map((question) => askKnowledge(question)));
  const unknown = questions.filter((_question, at) => answers[at]?.isKnown !== true);
  expect(unknown.length, unknown.join("\n")).toBeLessThanOrEqual(questions.length * 0.04);
});

test.each([
  "what is a convener?",
  "How do I invite an agent?",
  "Who has the floor?",
  "what is in an envelope?",
  "how do I export this conversation?",
  "Explain the floor strip",
])("%j is clearly about the floor", async (question) => {
  expect(await askKnowledge(question)).toMatchObject({ isKnown: true, isClear: true });
});

test.each([
  ...["what time is it in Tokyo?", "what is 1.1 + 1.0?", "how many days until Christmas?", "convert 5 miles to km"],
  ...["what did the Clock say about conveners?", "who asked for an envelope?", "I have invited an agent", "floor"],
  ...["could you write a summary?", "is anybody here?", "how are you?", "what do you think?", "can I ask a question?"],
  ...["which floor is the restaurant on?", "what is the weather?", "where do you live?", "what can you do?", ""],
])("%j is not clearly about the floor", async (question) => {
  expect(await askKnowledge(question)).not.toMatchObject({ isClear: true });
});
