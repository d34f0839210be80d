import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { REFERENCE_PAGES, withReference } from './pages';

/** Writes the generated part of docs/commands.md and docs/variables.md. Run it after a change to a verb or variable. */
for (const [name, reference] of REFERENCE_PAGES) {
  const path = join(process.cwd(), 'docs', name);
  writeFileSync(path, withReference(readFileSync(path, 'utf8'), reference()));
}
