import { join } from 'node:path';

/**
 * Path of a compiled program under workers/, to start as a process.
 *
 * Programs are always started compiled, even if this module runs from source, as under a test runner.
 */
export function entryPoint(name: string): string {
  const workers = __filename.endsWith('.ts') ? join(__dirname, '..', '..', 'dist', 'workers') : join(__dirname, '..');
  return join(workers, `${name}.js`);
}
