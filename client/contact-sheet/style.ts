/** A dark, quiet page, so that the pictures stand out. */
export const SHEET_STYLE = `
:root {
  --ground: #131211;
  --raised: #1c1a18;
  --line: #2e2a26;
  --text: #ece6db;
  --quiet: #9a9184;
  --accent: #e0aa5e;
  --alarm: #e0785e;
  --serif: "Iowan Old Style", "Palatino Linotype", Palatino, Georgia, "DejaVu Serif", serif;
  --sans: system-ui, -apple-system, "Segoe UI", "Helvetica Neue", Arial, sans-serif;
}
* { box-sizing: border-box; margin: 0; }
html { scroll-behavior: smooth; }
body { background: var(--ground); color: var(--text); font: 16px/1.6 var(--sans); -webkit-font-smoothing: antialiased; }
main { max-width: 1120px; margin: 0 auto; padding: 72px 32px 120px; }
a { color: inherit; text-decoration-color: var(--quiet); text-underline-offset: 3px; }
a:hover { color: var(--accent); }
img, video { display: block; width: 100%; background: #000; border-radius: 3px; }

header { margin-bottom: 40px; }
h1 { font: 400 clamp(32px, 5vw, 52px)/1.12 var(--serif); letter-spacing: -0.01em; text-wrap: balance; }
.facts { display: flex; flex-wrap: wrap; gap: 4px 0; padding: 0; margin-top: 16px; list-style: none; color: var(--quiet); font-size: 14px; }
.facts li + li::before { content: "·"; margin: 0 10px; }

.film { margin-bottom: 96px; }
.film > video { max-height: 78vh; box-shadow: 0 24px 80px rgb(0 0 0 / 0.55); }
.chapters { display: flex; gap: 4px; margin-top: 12px; overflow-x: auto; scrollbar-color: var(--line) transparent; scrollbar-width: thin; }
.chapters a { flex: 1 0 84px; min-width: 0; color: var(--text); text-decoration: none; font-size: 12px; line-height: 1.35; }
.chapters img { height: 84px; object-fit: cover; opacity: 0.62; margin-bottom: 8px; transition: opacity 0.2s; }
.chapters a:hover img, .chapters a:focus-visible img { opacity: 1; }
.chapters .time { display: block; color: var(--quiet); font-variant-numeric: tabular-nums; }
.chapters .name { display: block; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.no-film { padding: 28px 32px; margin-bottom: 96px; border-left: 2px solid var(--alarm); background: var(--raised); color: var(--quiet); overflow-wrap: anywhere; }

article { padding-top: 28px; margin-bottom: 72px; border-top: 1px solid var(--line); scroll-margin-top: 16px; }
.slate { display: flex; align-items: baseline; gap: 14px; margin-bottom: 18px; }
.number { color: var(--accent); font: 400 15px var(--serif); font-variant-numeric: tabular-nums; }
h2 { font: 400 26px/1.2 var(--serif); overflow-wrap: anywhere; }
.state { padding: 1px 10px; border: 1px solid currentcolor; border-radius: 99px; color: var(--alarm); font-size: 12px; }
.pictures { display: grid; grid-template-columns: 1fr 1fr; gap: 12px; }
.pictures figcaption { margin-top: 6px; color: var(--quiet); font-size: 12px; }
.takes { display: grid; grid-template-columns: repeat(auto-fill, minmax(150px, 1fr)); gap: 12px; margin-top: 16px; }
.takes figcaption { margin-top: 6px; color: var(--quiet); font-size: 12px; }
.takes .chosen img { outline: 2px solid var(--accent); outline-offset: 2px; }
.takes .chosen figcaption { color: var(--accent); }
.takes a { overflow-wrap: anywhere; }
.takes .missing { min-height: 84px; }
.waits { margin-bottom: 14px; color: var(--accent); overflow-wrap: anywhere; }
.waits ul { margin: 6px 0 0; padding: 0; list-style: none; color: var(--quiet); }
.waits code { color: var(--accent); }
.missing { grid-column: 1 / -1; display: grid; place-items: center; min-height: 160px; border: 1px dashed var(--line); border-radius: 3px; color: var(--quiet); font: italic 18px var(--serif); }
.joint { display: flex; gap: 12px; align-items: center; margin-top: 12px; color: var(--quiet); font-size: 12px; }
.joint figure { flex: 0 0 148px; }
.stills { display: flex; flex-wrap: wrap; gap: 12px; margin-top: 12px; color: var(--quiet); font-size: 12px; }
.stills figure { flex: 0 0 148px; }
.drift { flex: 1; max-width: 340px; margin-left: 12px; }
.meter { display: grid; grid-template-columns: 68px 1fr 52px; gap: 10px; align-items: center; font-variant-numeric: tabular-nums; }
.meter span:last-child { text-align: right; }
.meter svg { width: 100%; height: 8px; }
.meter path { stroke: var(--line); fill: none; vector-effect: non-scaling-stroke; }
.meter rect { fill: var(--quiet); }
.past { color: var(--alarm); }
.past rect { fill: var(--alarm); }
.words { display: grid; grid-template-columns: minmax(0, 1fr) 300px; gap: 16px 48px; margin-top: 18px; }
.caption { margin-bottom: 8px; font: italic 20px/1.4 var(--serif); }
.prompt { max-width: 66ch; color: #cbc3b6; white-space: pre-line; overflow-wrap: anywhere; }
.reason, .warning { margin-bottom: 10px; color: var(--alarm); overflow-wrap: anywhere; }
.warning { margin: 10px 0 0; color: var(--accent); font-size: 14px; }
dl { font-size: 13px; line-height: 1.5; }
dl div { display: flex; gap: 14px; padding: 4px 0; border-bottom: 1px solid var(--line); }
dt { flex: 0 0 100px; color: var(--quiet); }
dd { min-width: 0; overflow-wrap: anywhere; font-variant-numeric: tabular-nums; }
code { font: 12px ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; }

@media (max-width: 760px) {
  main { padding: 40px 18px 80px; }
  .pictures, .words { grid-template-columns: minmax(0, 1fr); }
  .joint { flex-wrap: wrap; }
  .joint figure { flex: 1 1 0; min-width: 0; }
  .drift { flex: 1 0 100%; max-width: none; margin-left: 0; }
}
`;
