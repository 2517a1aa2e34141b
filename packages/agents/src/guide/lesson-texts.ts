/** The steps of the lesson, in their order. */
export type Step = "hello" | "address" | "whisper" | "done";

/** Example questions for other agents. The first agents of the list are suggested first. */
export const examples: Record<string, string> = {
  Clock: "what time is it in Tokyo?",
  Calculator: "what is 12% of 80?",
  Scribe: "who said what?",
  Interviewer: "interview me",
  Echo: "can you hear me?",
};

/** `@Clock what time is it in Tokyo?` */
function called(name: string): string {
  return `\`@${name} ${examples[name] ?? "what can you do?"}\``;
}

/** A person may use our page, the terminal, or another client that cannot whisper. */
const tasks: Record<Exclude<Step, "address">, string> = {
  hello: "Say hello to everyone: write something and send it.",
  whisper:
    "Now a secret: on the page press **Whisper** (the lock, or `Alt+W`), choose me, and write whatever you like; in the terminal begin with `/whisper Guide`. If you have neither, ask me for help.",
  done: "",
};

/** The next task; empty when the lesson is done. Without another agent the step `address` is left out. */
export function taskOf(step: Step, [agent]: readonly string[]): string {
  if (step !== "address") return tasks[step];
  return agent === undefined ? tasks.whisper : `Now speak to one of us: write ${called(agent)}`;
}

export const greeting = `Hello, I am **Guide**. In a minute you will know how an open floor works, by using it. ${tasks.hello}`;

export const praise = {
  heard:
    "Welcome! Everyone here heard you. Everyone who has the floor may answer, but most of us answer only what we know about. My job is to welcome you.",
  addressed: "Well done: everyone could read that, but you asked only the one you named to answer.",
  whispered:
    "Only you and I can read this. The others may see that you whispered, but never what you said. That was the whole lesson.",
};

export const question = "What would you like to see?";

/** Names the headings that come nearest to the question. */
export function apologyFor(near: readonly string[]): string {
  const headings = near.map((heading) => `_${heading}_`).join(" or ");
  const offer = headings === "" ? "" : ` I could tell you about ${headings}.`;
  return `I do not know that: I only know about Open Floor and Plenary.${offer}`;
}

/** The answer after too many misses in a row. */
export const farewell = "I still do not understand. Write `@Guide help` to see what I can show you.";

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

const passing = `Press **Stop** while I talk: I stop at once, and stay silent until you write \`@Guide help\`.

- **Raise hand** asks for the floor, **Yield floor** gives it up.
- The panel lets you **grant** and **revoke** it.
- The floor strip shows who has it, and when.

Still reading? Then you did not stop me.`;

const ownAgent = `This is a whole agent:

\`\`\`js
${tenLines}\`\`\`

Run it, press **Invite** and give its address, \`http://127.0.0.1:8080\`. It joins and answers like the rest of us. Or let \`npx plenary new-agent ../my-agent\` write one with its test, and \`npx plenary dev ../my-agent\` bring it here. \`@Guide help\` brings me back.`;

function askingOthers(agents: readonly string[]): string {
  const lines = agents.slice(0, 4).map((name) => `- ${called(name)}`);
  if (lines.length === 0) {
    return `No other agent is here yet. Press **Invite** and choose the Clock, then write ${called("Clock")}`;
  }
  const about = "- `@Guide what is a convener?`, or any other question about Open Floor and Plenary";
  return `For example:\n\n${[...lines, about].join("\n")}\n\nYou find more agents under **Invite**.`;
}

/** Lists who is here, with an example question for each agent. */
export function roster(agents: readonly string[], people: readonly string[]): string {
  const lines = agents.slice(0, rosterMax).map((name) => `- **${name}**: ${called(name)}`);
  const others = agents.length > rosterMax ? [`- and ${agents.length - rosterMax} more`] : [];
  const named = people.slice(0, rosterMax).map((name) => `**${name}**`);
  const listed =
    named.length === 0 ? "" : `\n\nPeople: ${named.join(", ")}${people.length > rosterMax ? " and more" : ""}.`;
  return `Here is who you can talk to:\n\n${[...lines, ...others, "- **Guide** (me): `@Guide help`"].join("\n")}${listed}`;
}

const rosterMax = 12;

/** Said to everyone, each of these asks who is here and what they can do. */
export const rosterRequests: readonly string[] = [
  ...["help", "help me", "who are you", "who are you all", "what can you do", "what can i do", "what can i do here"],
  ...["who is here", "whos here", "who is there", "what can i ask", "what now"],
];

type MenuItem = { value: string; label: string; text: (agents: readonly string[]) => string; lastsMs?: number };

/** The choices of the menu, and the answer to each. */
export const menu: readonly MenuItem[] = [
  // Long enough to find the button.
  { value: "floor", label: "How the floor is passed", text: () => passing, lastsMs: 8_000 },
  { value: "others", label: "What can I ask the others?", text: askingOthers },
  { value: "agent", label: "How to bring your own agent", text: () => ownAgent },
  {
    value: "nothing",
    label: "Nothing, thanks",
    text: () => "Then I stay here and keep quiet. Write `@Guide help` whenever you need me.",
  },
];

/** Said to the guide, each of these brings the menu again. */
export const helpRequests: readonly string[] = [
  ...["help", "again", "next", "menu", "help me", "go on"],
  ...["what can i do", "what can you do", "what now"],
];

/** The guide's name alone is a greeting too. */
export const greetings: readonly string[] = ["", "hello", "hi", "hey", "good morning", "good evening", "hello there"];

export const thanks: readonly string[] = ["thanks", "thank you", "thanks a lot", "thank you very much"];
