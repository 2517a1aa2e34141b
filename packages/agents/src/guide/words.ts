/** The steps of the lesson, in their order. */
export type Step = "hello" | "address" | "whisper" | "done";

/** What there is to do next; nothing any more when the lesson is done. */
export const tasks: Record<Step, string> = {
  hello: "Say hello to everyone: type something and press **Enter**.",
  address: "Now speak to one of us: write `@Echo` and something after it.",
  whisper: "Now a secret: press **Whisper** (the lock, or `Alt+W`), choose me, and write whatever you like.",
  done: "",
};

export const greeting = `Hello, I am **Guide**. In a minute you will know how an open floor works, by using it. ${tasks.hello}`;

export const praise = {
  heardWithEcho:
    "Welcome! Everyone here heard you, so **Echo** answers too: it has the floor, and so have I. Whoever has the floor may speak.",
  heard: "Welcome! Everyone here heard you, and I have the floor, so I may answer.",
  addressed: "Well done: everyone could read that, but only the one you named was asked to answer.",
  whispered:
    "Only you and I can read this. The others see at most that something was whispered, never a word of it. That was the whole lesson.",
};

export const question = "What would you like to see?";

export const apology = "I am a small tutor: I show you around this floor, and can talk about nothing else.";

/** After too many misunderstandings in a row. */
export const farewell =
  "I still do not understand, so I keep quiet now. Write `@Guide help` and I tell you what I can show.";

// The agent of the SDK's README, word for word.
const tenLines = `import { createAgent, listen } from "@plenary/sdk";

const manifest = {
  identification: {
    speakerUri: "tag:echo.example,2025:1",
    organization: "Example",
    conversationalName: "Echo",
    synopsis: "Repeats what it hears.",
  },
  capabilities: [{ keyphrases: ["echo"], descriptions: ["repeats what it hears"] }],
};
const agent = createAgent({ manifest, onUtterance: ({ text }) => \`You said: \${text}\` });
await listen(agent, { port: 8080 });
`;

/** What can be chosen when it asks, and what it then says. */
export const menu = [
  {
    value: "floor",
    label: "How the floor is passed",
    text: `Press **Stop** while I talk: my words are cut at once, and I am silent until you call me by \`@Guide help\`.

- **Raise hand** asks for the floor, **Yield floor** gives it up.
- The panel lets you **grant** and **revoke** it.
- The floor strip shows who has it, and when.

Still reading? Then nobody stopped me.`,
    // Long enough to find the button.
    lastsMs: 8_000,
  },
  {
    value: "agent",
    label: "How to bring your own agent",
    text: `This is a whole agent:

\`\`\`js
${tenLines}\`\`\`

Run it, press **Invite** and give its address, \`http://127.0.0.1:8080\`. It joins and answers like Echo and me. \`@Guide help\` brings me back.`,
    lastsMs: 1_500,
  },
  {
    value: "nothing",
    label: "Nothing, thanks",
    text: "Then I keep quiet, and stay. Write `@Guide help` whenever you want me.",
    lastsMs: 800,
  },
] as const;

/** Said to the guide, each of these brings the question again. */
export const callsForHelp: readonly string[] = [
  "help",
  "again",
  "next",
  "menu",
  "help me",
  "go on",
  "what can i do",
  "what can you do",
  "what now",
];
