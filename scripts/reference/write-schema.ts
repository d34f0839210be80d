import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { editorSchema } from '../../client/production-file/text/editor-schema';

/**
 * Writes the JSON Schema of production files, for editors. Run it after a change to contracts/file or to the known
 * models.
 */
writeFileSync(join(process.cwd(), 'productions', 'production.schema.json'), editorSchema());
