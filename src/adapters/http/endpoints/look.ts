/** The style of the pages: system fonts, and light or dark mode by the reader's system. */
export const STYLESHEET = `:root {
  color-scheme: light dark;
  --back: #ffffff;
  --raised: #f5f7f8;
  --line: #d5dce1;
  --text: #1c2329;
  --quiet: #53606b;
  --link: #0b5d8a;
  --accent: #0f6b5c;
}

@media (prefers-color-scheme: dark) {
  :root {
    --back: #11161a;
    --raised: #1a2127;
    --line: #333e47;
    --text: #e5eaee;
    --quiet: #a3b0bb;
    --link: #7cc4f0;
    --accent: #5fd1bb;
  }
}

* { box-sizing: border-box; }

body {
  margin: 0;
  background: var(--back);
  color: var(--text);
  font: 1rem/1.55 system-ui, sans-serif;
}

a { color: var(--link); text-underline-offset: 0.15em; }
a:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.content code { font-family: ui-monospace, monospace; font-size: 0.9em; overflow-wrap: anywhere; }

.site {
  display: flex;
  flex-wrap: wrap;
  align-items: center;
  justify-content: space-between;
  gap: 0.25rem 1.5rem;
  min-height: 3.25rem;
  padding: 0.5rem 1.25rem;
  border-bottom: 1px solid var(--line);
  background: var(--back);
}
.site a { color: var(--text); text-decoration: none; }
.site a:hover { text-decoration: underline; }
.site nav { display: flex; flex-wrap: wrap; gap: 1.25rem; }
.site .brand { display: inline-flex; align-items: center; gap: 0.5rem; font-weight: 650; }

.content { max-width: 56rem; margin: 0 auto; padding: 1.5rem 1.25rem 4rem; }
.content h1 { margin: 1rem 0 0.5rem; font-size: 2rem; line-height: 1.2; }
.content h2 { margin: 2.25rem 0 0.75rem; font-size: 1.25rem; line-height: 1.3; }
.lead { margin: 0 0 1rem; color: var(--quiet); font-size: 1.15rem; }
.quiet { color: var(--quiet); }

.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(15.5rem, 1fr)); gap: 0.75rem; padding: 0; list-style: none; }
.cards li { padding: 0.9rem 1rem; border: 1px solid var(--line); border-radius: 0.6rem; background: var(--raised); }
.cards p { margin: 0.2rem 0 0; color: var(--quiet); font-size: 0.95rem; }
.cards strong { font-weight: 650; }

.content pre {
  margin: 0.4rem 0 1.1rem;
  padding: 0.75rem 1rem;
  border: 1px solid var(--line);
  border-radius: 0.6rem;
  background: var(--raised);
  white-space: pre-wrap;
}
.commands p { margin: 0; }

.codes { padding: 0; list-style: none; }
.codes li { padding: 0.6rem 0; border-top: 1px solid var(--line); }
.codes p { margin: 0.1rem 0 0; color: var(--quiet); }
`;

/** The face of a cat, with its own background, so that it is visible in light and dark mode. */
export const PET = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<rect width="32" height="32" rx="8" fill="#0f6b5c"/>
<path d="M7 6l6 4a12 12 0 0 1 6 0l6-4v11a9 8.5 0 0 1-18 0z" fill="#fff"/>
<g fill="#0f6b5c"><circle cx="12.5" cy="16" r="1.6"/><circle cx="19.5" cy="16" r="1.6"/><path d="M14.5 19.500h3l-1.5 1.800z"/></g>
<path d="M16 21.300q-1.2 1.7-2.7 1M16 21.300q1.2 1.7 2.7 1" fill="none" stroke="#0f6b5c" stroke-width="0.9" stroke-linecap="round"/>
</svg>
`;

/** Writes the address of the service into the commands of the landing page. */
export const ADDRESS_SCRIPT = `const address = new URL('.', location.href).href.slice(0, -1);
for (const place of document.querySelectorAll('[data-address]')) place.textContent = address;
`;
