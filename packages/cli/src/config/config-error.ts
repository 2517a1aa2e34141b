/** Which setting, what is wrong with it, and how to mend it. */
export type Mistake = { name: string; problem: string; fix: string };

export function mistakeText({ name, problem, fix }: Mistake): string {
  return `${name} ${problem}: ${fix}`;
}
