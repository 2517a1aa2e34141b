/** Elements and attributes in the page that the components never create. */
export function faultsIn(root: Element): string[] {
  return [...root.querySelectorAll("*")].flatMap((element) => faultsOf(element));
}

/** The words of space-separated lists. */
function wordSet(lists: readonly string[]): Set<string> {
  return new Set(lists.flatMap((list) => list.split(" ")));
}

const ours = wordSet([
  "div p span br hr h3 h4 h5 h6 blockquote pre code ul ol li figure figcaption strong b em i del s u",
  "sub sup small mark kbd samp var q abbr a table thead tbody tfoot tr th td caption details summary dl",
  "dt dd button input iframe img audio video svg path",
]);

const ourAttributes = wordSet([
  "class dir lang href target rel title tabindex start type disabled checked open readonly sandbox",
  "srcdoc referrerpolicy data-align src alt controls preload download playsinline width height viewBox",
  "fill stroke stroke-width stroke-linecap stroke-linejoin focusable d",
]);

function faultsOf(element: Element): string[] {
  const { localName } = element;
  const faults = ours.has(localName) ? [] : [`element ${localName}`];
  for (const { name, value } of element.attributes) {
    if (!ourAttributes.has(name) && !name.startsWith("aria-")) faults.push(`attribute ${name} of ${localName}`);
    if (name === "href" && !isGoodLink(element, value)) faults.push(`link ${value.slice(0, 80)}`);
    if (name === "src" && !isGoodSource(value)) faults.push(`source ${value.slice(0, 80)}`);
    if (name === "class" && !/^(?:(?:feature-[\w-]+|button|small|plain|quiet|tall) ?)+$/.test(value))
      faults.push(`class ${value.slice(0, 80)}`);
  }
  if (localName === "svg" && element.getAttribute("aria-hidden") !== "true") faults.push("a drawing that is no icon");
  if (localName === "input" && !element.matches("[type=checkbox][disabled]")) faults.push("an input");
  return localName === "iframe" ? [...faults, ...frameFaults(element)] : faults;
}

function isGoodLink(element: Element, href: string): boolean {
  if (element.hasAttribute("download")) return isGoodSource(href);
  return /^(?:https?:|mailto:)/.test(href) && element.getAttribute("rel") === "noopener noreferrer";
}

function isGoodSource(src: string): boolean {
  return src.startsWith(`blob:${location.origin}/`) || /^data:image\/svg\+xml;base64,[A-Za-z0-9+/=]+$/.test(src);
}

const frameAttributes = wordSet([
  "alt title src width height dir lang colspan rowspan span scope start reversed datetime open align",
  "valign border cellpadding cellspacing value max min",
]);

/** Elements that run, load, send or navigate. */
const never =
  "script, style, link, base, form, input, button, select, textarea, iframe, frame, frameset, object, embed, applet, svg, math, template, noscript, video, audio, source, track, picture, portal, slot, dialog, marquee, [href], [srcset], [style], [id], [name]:not(head > meta)";

function frameFaults(frame: Element): string[] {
  const inside = new DOMParser().parseFromString(frame.getAttribute("srcdoc") ?? "", "text/html");
  const faults = frame.getAttribute("sandbox") === "" ? [] : ["a frame that is not shut"];
  for (const element of inside.querySelectorAll(never)) faults.push(`${element.localName} in a frame`);
  if (inside.querySelectorAll("meta").length !== 4) faults.push("meta in a frame");
  for (const element of inside.querySelectorAll("body > font > div *"))
    for (const { name, value } of element.attributes) {
      if (!frameAttributes.has(name)) faults.push(`attribute ${name} in a frame`);
      if (name === "src" && !/^data:image\/(?:png|jpeg|gif|webp|avif);base64,/i.test(value))
        faults.push(`source ${value} in a frame`);
    }
  if (inside.querySelectorAll("body > *").length !== 1) faults.push("a frame broken open");
  return faults;
}
