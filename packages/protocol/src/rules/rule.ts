export type Rule = {
  /** Specification and section. */
  spec: string;
  /** The rule in one clause of our own words. */
  says: string;
  /** What to do to obey it. */
  fix: string;
};

export function rule(spec: string, says: string, fix: string): Rule {
  return { spec, says, fix };
}
