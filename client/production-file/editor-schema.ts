import { z } from 'zod';
import { ProductionFile } from '../../contracts/production';

/**
 * The JSON Schema of a production file, as text with a line break at the end.
 *
 * Draft 07, which every editor's YAML and JSON support reads; it has no rules that span several places, as links do.
 */
export function editorSchema(): string {
  const { $schema, ...schema } = z.toJSONSchema(ProductionFile, { io: 'input', target: 'draft-07' });
  return `${JSON.stringify({ $schema, title: 'Dailies production', ...schema }, null, 2)}\n`;
}
