/** As many colours as `faceOf` has hues, for light and dark; distinguishable for people who see no red or green. */
const light = "#1f4e8c #9a4a00 #00695c #8e2466 #5b5200 #5a3fa3 #a3262a #2f6b1f #0b6480 #6a4a3a".split(" ");
const dark = "#8fb8f0 #f0a566 #63cbbb #ef93c8 #d2c65a #b9a4f5 #f58f8f #97d183 #6fc5e2 #d3ad97".split(" ");

const lightPaper = `--paper:#f7f5f0;--card:#fff;--line:#dcd7cb;--ink:#1d2027;--soft:#4d515c;--faint:#646871;
--whisper:#6b3fa0;--whisper-soft:#f3ecfb;--warn:#8a4b00;${hues(light)}`;
const darkPaper = `--paper:#14161c;--card:#1c1f27;--line:#30343f;--ink:#eceef2;--soft:#b9bec9;--faint:#969ca9;
--whisper:#c9a9f2;--whisper-soft:#2a2138;--warn:#f0b46a;${hues(dark)}`;

function hues(colours: readonly string[]): string {
  return colours.map((colour, hue) => `--hue-${hue}:${colour};`).join("");
}

/** The style sheet of a transcript. It names no file and no font that is elsewhere. */
export const htmlStyle = `
:root{color-scheme:light dark;${lightPaper}}
@media (prefers-color-scheme:dark){:root{${darkPaper}}}
${light.map((_, hue) => `[data-hue="${hue}"]{--hue:var(--hue-${hue})}`).join("")}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:0.9375rem/1.55 ui-sans-serif,system-ui,"Segoe UI",Roboto,"Noto Sans",sans-serif}
body>*{max-width:54rem;margin:0 auto;padding:0 1.25rem}
body>header{padding-top:2rem}
h1{font:600 1.75rem/1.25 ui-serif,"Iowan Old Style",Charter,Georgia,"Noto Serif",serif;margin:0 0 .25rem;overflow-wrap:anywhere}
h2{font-size:1rem;margin:2rem 0 .5rem}
h3{font-size:.8125rem;font-weight:600;color:var(--faint);margin:1.5rem 0 .5rem;text-align:center}
p{margin:0}
.quiet{color:var(--faint);font-size:.8125rem}
.strip{display:grid;grid-template-columns:minmax(5rem,9rem) minmax(20rem,1fr);gap:0 .75rem;background:var(--card);border:1px solid var(--line);border-radius:.625rem;padding:.75rem;overflow-x:auto}
.strip ul{list-style:none;margin:0;padding:0}
.strip li{height:28px;line-height:28px;white-space:nowrap;overflow:hidden;text-overflow:ellipsis;color:var(--hue);font-weight:600;font-size:.8125rem}
.strip svg{display:block;width:100%}
.base{stroke:var(--line);stroke-width:2;fill:none;vector-effect:non-scaling-stroke}
.held{fill:var(--hue);fill-opacity:.3;stroke:var(--hue);stroke-width:1;vector-effect:non-scaling-stroke}
.asked{stroke:var(--hue);stroke-width:1;stroke-dasharray:2 2;vector-effect:non-scaling-stroke}
.hatch{stroke:var(--hue);stroke-width:2}
.invited{fill:none;stroke:var(--hue);stroke-width:1;stroke-dasharray:4 3;vector-effect:non-scaling-stroke}
.unknown{fill:var(--faint);fill-opacity:.15}
.paused{fill:var(--warn);fill-opacity:.12}
.tick{fill:var(--hue)}
.tick.private{fill:var(--card);stroke:var(--whisper);stroke-width:2;vector-effect:non-scaling-stroke}
.key{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;margin:.5rem 0;padding:0;list-style:none}
.key svg{width:28px;height:14px;vertical-align:-2px;margin-right:.35rem;--hue:var(--soft)}
.frame{overflow-x:auto}
table{border-collapse:collapse;font-size:.8125rem;margin-top:.5rem}
th,td{text-align:left;padding:.25rem .75rem;border-bottom:1px solid var(--line)}
tbody th{color:var(--hue)}
summary{cursor:pointer;color:var(--soft);font-size:.8125rem}
.said{display:grid;grid-template-columns:2.25rem minmax(0,1fr);gap:.75rem;padding:.5rem .75rem;border-radius:.625rem}
.said:target,.note:target{outline:2px solid var(--hue,var(--soft))}
.said.private{background:var(--whisper-soft)}
.face{width:2.25rem;height:2.25rem;border-radius:50%;display:grid;place-items:center;font-weight:600;font-size:.75rem;color:var(--hue);border:2px solid var(--hue)}
.name{color:var(--hue)}
.lock{color:var(--whisper);font-weight:600;font-size:.8125rem}
.said a,.note a{color:var(--faint);font-size:.8125rem;text-decoration:none}
.said a:hover,.said a:focus-visible,.note a:hover,.note a:focus-visible{text-decoration:underline}
.words{white-space:pre-wrap;overflow-wrap:anywhere;unicode-bidi:isolate}
.note{color:var(--soft);font-size:.8125rem;font-style:italic;padding:.15rem .75rem .15rem 3.75rem;overflow-wrap:anywhere}
.note.warning{color:var(--warn)}
figure{margin:.5rem 0}
img,video{max-width:100%;max-height:24rem;border-radius:.375rem}
audio{width:min(100%,24rem)}
pre{white-space:pre-wrap;overflow-wrap:anywhere;font-size:.8125rem;margin:.25rem 0}
footer{padding-top:1.5rem;padding-bottom:2.5rem}
@media print{:root{${lightPaper}}body{background:#fff;font-size:10pt}.said,.note{break-inside:avoid}details:not([open]){display:none}}
`;
