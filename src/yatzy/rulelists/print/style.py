"""How prints look: cards and charts, on paper, on a phone, light and dark."""

STYLE = """
.card { --paper: #FAF7F0; --ink: #1C2226; --muted: #6B7074; --felt: #1E6B52; --gold: #B8862B; --line: #DDD7C9;
  background: var(--paper); color: var(--ink); font: 16px/1.4 "Source Serif 4", "Source Serif Pro", Georgia, serif;
  max-width: 62em; margin: 0 auto; padding: 1.2em; box-sizing: border-box; }
body { margin: 0; background: #FAF7F0; }
.card h1 { font-size: 1.7em; margin: 0; }
.card h2 { font-size: 1.1em; margin: 0 0 .1em; color: var(--felt); break-after: avoid; }
.card header p { margin: .2em 0 .4em; }
.card .note, .card .notes, .card .par, .card .scale text { font-family: Inter, "Helvetica Neue", Arial, sans-serif;
  font-variant-numeric: tabular-nums; }
.card .note { font-size: .78em; color: var(--muted); margin: 0 0 .3em; break-after: avoid; }
.card .columns { columns: 2 22em; column-gap: 1.6em; }
.card section { margin-bottom: 1em; }
.card ol { margin: 0; padding: 0; list-style: none; counter-reset: rule; }
.card li { break-inside: avoid; }
.card ol li { counter-increment: rule; display: flex; gap: .5em; align-items: center; padding: .22em 0;
  border-top: 1px solid var(--line); }
.card ol li::before { content: counter(rule); color: var(--muted); min-width: 1.6em; text-align: right;
  align-self: start; font-variant-numeric: tabular-nums; }
.card ol li > span:first-of-type { flex: 1; }
.card .otherwise { margin: 0; padding: .3em 0 0 2.1em; border-top: 1px solid var(--line); }
.card b { font-weight: 600; color: var(--felt); }
.card .dice { white-space: nowrap; line-height: 0; }
.card .die { width: 1.05em; height: 1.05em; margin-left: .1em; }
.card .die rect { fill: #fff; stroke: #1C2226; stroke-width: 1.2; }
.card .die circle { fill: #1C2226; }
.card .alike rect { fill: var(--gold); }
.card .other rect { fill: none; stroke: var(--ink); stroke-dasharray: 3 2; }
.card .par { border-collapse: collapse; width: 100%; font-size: .85em; margin-bottom: 1em; break-inside: avoid; }
.card .par th { text-align: left; font-weight: 500; padding: .12em .4em .12em 0; }
.card .par thead th { color: var(--muted); font-weight: 400; }
.card .par td, .card .par thead th + th { text-align: right; padding: .12em .3em; }
.card .par tbody tr { border-top: 1px solid var(--line); }
.card .notes { font-size: .78em; color: var(--muted); margin: .6em 0 0; padding-left: 1.2em; }
.card .scale { width: 100%; max-width: 38em; display: block; margin: .3em 0 .8em; }
.card .scale text { font-size: 11px; fill: var(--muted); }
.card .scale .mine { fill: var(--ink); font-weight: 600; }
.card .scale .all { stroke: var(--line); stroke-width: 5; stroke-linecap: round; }
.card .scale .reached { stroke: var(--felt); stroke-width: 5; stroke-linecap: round; }
.card .scale .end { fill: var(--muted); }
.card .scale .here { fill: var(--gold); stroke: var(--ink); }
@media screen and (prefers-color-scheme: dark) {
  .card { --paper: #14181A; --ink: #ECE8DE; --muted: #9AA0A3; --felt: #4FB08C; --gold: #E0B75A; --line: #333A3D; }
  body { background: #14181A; }
}
@media (max-width: 40em) { .card { font-size: 17px; padding: .8em; } .card .columns { columns: 1; } }
@page { size: A4; margin: 10mm; }
@media print {
  .card { background: none; padding: 0; max-width: none; font-size: 10pt; }
  .card .columns { columns: 2; column-gap: 6mm; }
  .card .scale { max-width: 120mm; margin: 0 0 2mm; }
  .card.middle { font-size: 8pt; line-height: 1.25; }
  .card.long { font-size: 7pt; line-height: 1.2; }
  .card.middle ol li, .card.long ol li { padding: .1em 0; }
  .card * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
"""
