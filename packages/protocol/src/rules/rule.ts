export type Rule = {
  /** Specification and section. */
  spec: string;
  /** The rule in one clause of our own words. */
  says: string;
  /** What to do to obey it. */
  fix: string;
};

type Row = readonly [place: string, says: string, fix: string];

/** The rules of one document by id; `place` is where it states the rule. A rule of another document is written whole. */
export function rulesOf<Id extends string>(document: string, table: Record<Id, Row | Rule>): Record<Id, Rule> {
  const rules = Object.entries<Row | Rule>(table).map(([id, row]) => [id, "spec" in row ? row : ruleOf(document, row)]);
  return Object.fromEntries(rules);
}

export function ruleOf(document: string, [place, says, fix]: Row): Rule {
  return { spec: document + place, says, fix };
}
