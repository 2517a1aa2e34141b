/** The steps of the lesson, in their order. */
export type Step = "hello" | "address" | "whisper" | "done";

/** What the agents that may be there like to be asked, those to begin with first. */
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

/** Whoever hears it may sit at the page, at a terminal, or at a client of somebody else, which has no way to whisper. */
const tasks: Record<Exclude<Step, "address">, string> = {
  hello: "Say hello to everyone: write something and send it.",
  whisper:
    "Now a secret: on the page press **Whisper** (the lock, or `Alt+W`), choose me, and write whatever you like; in the terminal begin with `/whisper Guide`. Where neither is there, ask me for help.",
  done: "",
};

/** What there is to do next; nothing any more when the lesson is done. Nobody to speak to: that step is left out. */
export function taskOf(step: Step, [agent]: readonly string[]): string {
  if (step !== "address") return tasks[step];
  return agent === undefined ? tasks.whisper : `Now speak to one of us: write ${called(agent)}`;
}

export const greeting = `Hello, I am **Guide**. In a minute you will know how an open floor works, by using it. ${tasks.hello}`;

export const praise = {
  heard:
    "Welcome! Everyone here heard you. Whoever has the floor may answer, and does when it is their subject; greeting you is mine.",
  addressed: "Well done: everyone could read that, but only the one you named was asked to answer.",
  whispered:
    "Only you and I can read this. The others see at most that something was whispered, never a word of it. That was the whole lesson.",
};

export const question = "What would you like to see?";

/** It does not know, says so, and names what it has that comes nearest. */
export function apologyFor(near: readonly string[]): string {
  const headings = near.map((heading) => `_${heading}_`).join(" or ");
  const offer = headings === "" ? "" : ` I could tell you about ${headings}.`;
  return `I do not know that: I know Open Floor and Plenary, and nothing else.${offer}`;
}

/** After too many misunderstandings in a row. */
export const farewell = "I still do not understand. Write `@Guide help` and I tell you what I can show.";

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

const passing = `Press **Stop** while I talk: my words are cut at once, and I am silent until you call me by \`@Guide help\`.

- **Raise hand** asks for the floor, **Yield floor** gives it up.
- The panel lets you **grant** and **revoke** it.
- The floor strip shows who has it, and when.

Still reading? Then nobody stopped me.`;

const ownAgent = `This is a whole agent:

\`\`\`js
${tenLines}\`\`\`

Run it, press **Invite** and give its address, \`http://127.0.0.1:8080\`. It joins and answers like the rest of us. Or let \`npx plenary new-agent ../my-agent\` write one with its test, and \`npx plenary dev ../my-agent\` bring it here. \`@Guide help\` brings me back.`;

function askingOthers(agents: readonly string[]): string {
  const lines = agents.slice(0, 4).map((name) => `- ${called(name)}`);
  if (lines.length === 0) {
    return `Nobody else is here yet. Press **Invite** and choose the Clock, then write ${called("Clock")}`;
  }
  const about = "- `@Guide what is a convener?`, or any other question about Open Floor and Plenary";
  return `For example:\n\n${[...lines, about].join("\n")}\n\nMore of us are under **Invite**.`;
}

/** Who is here, and what each may be asked. */
export function roster(agents: readonly string[], people: readonly string[]): string {
  const lines = agents.slice(0, rosterMax).map((name) => `- **${name}**: ${called(name)}`);
  const others = agents.length > rosterMax ? [`- and ${agents.length - rosterMax} more`] : [];
  const named = people.slice(0, rosterMax).map((name) => `**${name}**`);
  const listed =
    named.length === 0 ? "" : `\n\nPeople: ${named.join(", ")}${people.length > rosterMax ? " and more" : ""}.`;
  return `Here we are:\n\n${[...lines, ...others, "- **Guide**, that is me: `@Guide help`"].join("\n")}${listed}`;
}

const rosterMax = 12;

/** Said to everyone, each of these is for whoever knows all that are here. */
export const rosterRequests: readonly string[] = [
  ...["help", "help me", "who are you", "who are you all", "what can you do", "what can i do", "what can i do here"],
  ...["who is here", "whos here", "who is there", "what can i ask", "what now"],
];

type MenuItem = { value: string; label: string; text: (agents: readonly string[]) => string; lastsMs?: number };

/** What can be chosen when it asks, and what it then says. */
export const menu: readonly MenuItem[] = [
  // Long enough to find the button.
  { value: "floor", label: "How the floor is passed", text: () => passing, lastsMs: 8_000 },
  { value: "others", label: "What can I ask the others?", text: askingOthers },
  { value: "agent", label: "How to bring your own agent", text: () => ownAgent },
  {
    value: "nothing",
    label: "Nothing, thanks",
    text: () => "Then I keep quiet, and stay. Write `@Guide help` whenever you want me.",
  },
];

/** Said to the guide, each of these brings the question again. */
export const helpRequests: readonly string[] = [
  ...["help", "again", "next", "menu", "help me", "go on"],
  ...["what can i do", "what can you do", "what now"],
];

/** Nothing but its name is one, too. */
export const greetings: readonly string[] = ["", "hello", "hi", "hey", "good morning", "good evening", "hello there"];

export const thanks: readonly string[] = ["thanks", "thank you", "thanks a lot", "thank you very much"];
