import { z } from 'zod';
import { ProductionFile } from '../../contracts/production';

/**
 * The JSON Schema of a production file, as text with a final line break.
 *
 * Uses draft 07, which all editors support. Rules that span several places, such as links, are not part of it.
 */
export function editorSchema(): string {
  const { $schema, ...schema } = z.toJSONSchema(ProductionFile, { io: 'input', target: 'draft-07' });
  return `${JSON.stringify({ $schema, title: 'Dailies production', ...schema }, null, 2)}\n`;
}
