import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { editorSchema } from '../client/production-file/editor-schema';

/** Writes the JSON Schema that editors complete production files from. Run it after a change to contracts/production.ts. */
writeFileSync(join(process.cwd(), 'productions', 'production.schema.json'), editorSchema());
