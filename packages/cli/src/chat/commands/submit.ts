import { choiceIn } from "@plenary/transcript";
import type { Io } from "../../io.ts";
import { addresseeOf } from "../participants.ts";
import type { Screen, Talk } from "../session.ts";
import { answer, deeds, type Means } from "./command-handlers.ts";
import { type CommandName, readTyped } from "./commands.ts";

/** `part`: there is nothing to come back to. */
export type Outcome = "stay" | "leave" | "part";

/** Those that answer at once, here. */
const reports: ReadonlySet<CommandName> = new Set(["who", "discover", "log", "raw", "export", "help"]);

/** More in one utterance is surely not meant. */
const wordsMax = 100_000;

/** Does what was typed. Whatever is in the way is told, and the words come back: nothing that was typed is lost. */
export async function submit(text: string, talk: Talk, screen: Screen, io: Io): Promise<Outcome> {
  const typed = readTyped(text);
  try {
    switch (typed.kind) {
      case "words":
        if (typed.text !== "") say(typed.text, talk);
        return "stay";
      case "unknown": {
        const hint = typed.meant === undefined ? "/help lists what there is." : `did you mean /${typed.meant}?`;
        throw new Error(`This is no command, and was not said: ${hint} To say it all the same, begin with //.`);
      }
      case "command":
        return await perform(typed.name, typed.rest, { talk, screen, io });
    }
  } catch (problem) {
    screen.tell(problem instanceof Error ? problem.message : String(problem), "problem");
    // What lacks something is completed by typing on.
    screen.giveBack(typed.kind === "command" && typed.rest === "" ? `${text.trimEnd()} ` : text);
    return "stay";
  }
}

async function perform(name: CommandName, rest: string, means: Means): Promise<Outcome> {
  switch (name) {
    case "quit":
      return "leave";
    case "leave":
      await means.talk.conversation.send({ eventType: "bye" });
      return "part";
    case "close":
      await means.talk.conversation.command("close");
      means.screen.tell(`Closed for everyone. It can still be read: plenary export ${means.talk.conversation.id}`);
      return "part";
    default:
      if (reports.has(name)) means.screen.echo?.(`/${name} ${rest}`.trim());
      await deeds[name](rest, means);
      return "stay";
  }
}

function say(text: string, talk: Talk): void {
  if (text.length > wordsMax) throw new Error(`That is longer than ${wordsMax} characters: say it in parts.`);
  if (talk.connection === "gone") throw new Error("You are not in this conversation any more: nobody would hear it.");
  const question = talk.questions.newest(Date.now());
  const addressee = addresseeOf(text, talk.people.others());
  const choice = question === undefined || addressee !== undefined ? undefined : choiceIn(question, text);
  if (choice !== undefined && "lack" in choice) throw new Error(choice.lack);
  if (question !== undefined && choice !== undefined) answer(question, choice.values, talk);
  else talk.outbox.say({ text, ...(addressee !== undefined && { to: addressee }) });
}
