/** The stylesheet of HTML reports, in the colors of the pages, for both schemes. */
export const style = `
:root { color-scheme: light dark; --ink: #1b1f24; --quiet: #57606a; --paper: #fff; --card: #f6f8fa; --line: #d0d7de; --link: #0b57d0; --bad: #b3261e; --good: #1a7f37; --care: #8a5300; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --quiet: #9da7b3; --paper: #0d1117; --card: #161b22; --line: #30363d; --link: #79b8ff; --bad: #ff8a80; --good: #57d364; --care: #e3b341; } }
* { box-sizing: border-box }
body { margin: 0; font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper) }
main { max-width: 60rem; margin: 0 auto; padding: 2rem 1rem 4rem }
h1 { font-size: 1.6rem; overflow-wrap: anywhere; margin: 0 }
h2 { display: inline; font-size: 1.15rem }
.lead, .facts, footer { color: var(--quiet) }
a { color: var(--link) }
.counts { display: flex; flex-wrap: wrap; gap: .5rem; list-style: none; padding: 0 }
.counts li { padding: .25rem .75rem; border: 1px solid var(--line); border-radius: 999px; background: var(--card) }
.fail b, ul.fail .title::before { color: var(--bad) } .pass b { color: var(--good) } .warn b, .inconclusive b { color: var(--care) }
section { margin-top: 1.5rem }
section ul { list-style: none; padding: 0 }
section li { border: 1px solid var(--line); border-radius: .5rem; background: var(--card); padding: .75rem 1rem; margin: .5rem 0; border-inline-start-width: .3rem }
ul.fail li { border-inline-start-color: var(--bad) } ul.warn li, ul.inconclusive li { border-inline-start-color: var(--care) } ul.pass li { border-inline-start-color: var(--good) }
li p { margin: .15rem 0; overflow-wrap: anywhere } .title { font-weight: 600 } .facts { font-size: .875rem }
code, pre { font: .85rem/1.45 ui-monospace, monospace } pre { overflow: auto; max-height: 28rem; padding: .75rem; border: 1px solid var(--line); border-radius: .375rem; background: var(--paper); white-space: pre-wrap; overflow-wrap: anywhere }
summary { cursor: pointer } .count { color: var(--quiet); font-weight: 400 }
footer { margin-top: 2rem; font-size: .875rem; border-top: 1px solid var(--line) }
`
