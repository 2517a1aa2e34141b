import { type RuleId, rules } from "@plenary/protocol";

/** What agents do wrong that no document alone shows. Each says what is right, as rules do. */
const behaviours = {
  "answers-whispers-aloud": {
    says: "a private utterance is answered in private",
    fix: 'write "to": {"speakerUri": the speaker, "private": true} into the answer to a private utterance',
    spec: "Plenary, spec-notes: Whispers",
  },
  "answers-in-another-conversation": {
    says: "an answer has the conversation.id of the envelope that it answers",
    fix: "copy conversation.id from the request",
    spec: "Inter-Agent Message 1.1.0, section 1.6",
  },
};

export type Behaviour = keyof typeof behaviours;

/** That a rule was broken by an answer, and whether the floor could use the answer all the same. */
export type BrokenRule = { rule: RuleId | Behaviour; repaired: boolean };

/** Rules and behaviours by their names, in words. */
export const quirkWords: Readonly<Record<RuleId | Behaviour, { says: string; fix: string; spec: string }>> = {
  ...rules,
  ...behaviours,
};
