/** A setting, what is wrong with it, and how to fix it. */
export type ConfigError = { name: string; problem: string; fix: string };

export function configErrorText({ name, problem, fix }: ConfigError): string {
  return `${name} ${problem}: ${fix}`;
}
