export const addressMax = 2_048;

/** Where an agent may be asked, or what is wrong with it. */
export function addressOf(text: string): { address: string } | { problem: string } {
  const address = text.trim();
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || (url.protocol !== "http:" && url.protocol !== "https:") || url.hostname === "") {
    return { problem: "An address begins with https:// or http://" };
  }
  if (url.username !== "" || url.password !== "") return { problem: "An address holds no name and no password." };
  return { address };
}
