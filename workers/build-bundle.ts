import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadWorkerPackage } from './worker-package';

/** Bundles the workflows at build time, so that no worker spends time and memory on bundling. */
async function main(): Promise<void> {
  const { bundleWorkflowCode } = await loadWorkerPackage();
  const dist = join(__dirname, '..');
  const { code } = await bundleWorkflowCode({
    workflowsPath: join(dist, 'workflows', 'index.js'),
    workflowInterceptorModules: [join(dist, 'workflows', 'interceptors.js')],
  });
  await writeFile(join(dist, 'workflow-bundle.js'), code);
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
