import { type RuleId, rules } from "@plenary/protocol";

/** Faults of agents that a single document does not show. As in `rules`, `says` states the correct behaviour. */
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

/** A rule that an answer broke; `repaired`: the floor could use the answer. */
export type BrokenRule = { rule: RuleId | Behaviour; repaired: boolean };

/** Texts of rules and behaviours, by id. */
export const quirkWords: Readonly<Record<RuleId | Behaviour, { says: string; fix: string; spec: string }>> = {
  ...rules,
  ...behaviours,
};
