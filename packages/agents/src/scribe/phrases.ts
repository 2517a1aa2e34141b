/** What the scribe says of itself. */
export const greeting =
  'Hello, I am **Scribe**. I listen from now on. Ask me "summarise", "who said what?", "what did Ann say about lunch?" or "export as markdown".';

export const help =
  'I keep the record. Ask me: "summary of the last hour", "who said what?", "what did Ann say about lunch?", "who mentioned lunch?", "open questions", "decisions", "export as markdown".';

/** To somebody who is alone with the scribe: not every sentence is a request, and each is answered. */
export const notedAlone = 'Noted. Ask me for a "summary" of it, or for "help".';

export const lessWords =
  "_Not everyone here heard all of it, so I left out what some did not. Whisper to me, and I tell you all that you heard._";

export const noted = "Noted: it is in the record, for those who heard it.";
